"""Patterns of short answers: words in order, in one clause, with a little room between them.

    same sequence|input*        "same", then "sequence" or a word that begins with "input", at most 3 words
    between n ~0 log ~0 n               nothing between
    positional+encoding*        two words side by side, as one term
    ^ because ~2 three          at the beginning of a clause, or after its "but", "because", "since", "and"
    ^ self+attention $          and at its end, or before a comma

A pattern may name a negation ("not peaked"); any other negation makes the match a denial.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache

from .wording import COMMA, CONTRASTS, DENIED_AFTERWARDS, LEADS, NEGATORS, SHORT_REACH, SOFTENERS, Clause, is_reverser

GAP = 3
Term = tuple[tuple[str, ...], ...]  # alternatives of words side by side
_TERM = re.compile(r"[^\s|*+~]+\*?(?:\+[^\s|*+~]+\*?)*(?:\|[^\s|*+~]+\*?(?:\+[^\s|*+~]+\*?)*)*")
_CONDITIONS = frozenset(["if", "without", "unless", "otherwise", "when"])


class PatternError(ValueError):
    """A pattern that can't be read; the message says why."""


class Stance(Enum):
    """What an answer does with a pattern's statement."""

    ASSERTED = "asserted"
    DENIED = "denied"
    UNCLEAR = "unclear"


@dataclass(frozen=True)
class Match:
    """Where a pattern was found: its clause, the words it used, and the (clause, word)s that may turn it round."""

    clause: int
    words: frozenset[int]
    turned_by: frozenset[tuple[int, int]]
    stance: Stance

    @property
    def places(self) -> frozenset[tuple[int, int]]:
        """(clause, word) of each word that the pattern used."""
        return frozenset((self.clause, word) for word in self.words)


@dataclass(frozen=True)
class Pattern:
    """`gaps[i]` is how many words may stand before term i; `opens` and `closes` ask that the first begins its clause
    and that the last ends it or stands before a comma."""

    source: str
    terms: tuple[Term, ...]
    gaps: tuple[int, ...]
    opens: bool
    closes: bool

    def matches(self, clauses: tuple[Clause, ...]) -> Iterator[Match]:
        """Every way to find the pattern. A gap never hides a reverser ("stop", "less")."""
        for number, clause in enumerate(clauses):
            for start in range(1 + (clause.words[0] in LEADS) if self.opens else len(clause.words)):
                for used in self._from(clause.words, start, 0):
                    if not self.closes or max(used) + 1 == _end_of_phrase(clause.words, max(used)):
                        yield _judged(clause.words, number, used)

    def _from(self, words: tuple[str, ...], start: int, term: int) -> Iterator[frozenset[int]]:
        """Index sets for `term` and what follows, with `term` at `start` exactly."""
        for alternative in self.terms[term]:
            if not _stands_at(alternative, words, start):
                continue
            used = frozenset(range(start, start + len(alternative)))
            if term + 1 == len(self.terms):
                yield used
                continue
            at, room = start + len(alternative), self.gaps[term + 1]
            while at < len(words) and room >= 0:
                for rest in self._from(words, at, term + 1):
                    yield used | rest
                if is_reverser(words[at]):
                    break
                room -= words[at] != COMMA and words[at] not in NEGATORS
                at += 1


@cache
def read_pattern(source: str) -> Pattern:
    """Raises PatternError where `source` is not made of terms and `~N`."""
    terms: list[Term] = []
    gaps: list[int] = []
    gap = GAP
    parts = source.casefold().split()
    opens, closes = parts[:1] == ["^"], parts[-1:] == ["$"]
    for part in parts[opens : len(parts) - closes]:
        if part.startswith("~"):
            if not part[1:].isdecimal() or not terms:
                raise PatternError(f"“{source}”: {part} is no gap; write ~ and a number between two words")
            gap = int(part[1:])
        elif _TERM.fullmatch(part):
            terms.append(tuple(tuple(alternative.split("+")) for alternative in part.split("|")))
            gaps.append(gap)
            gap = GAP
        else:
            raise PatternError(f"“{source}”: {part} is no word; write words, word*, a|b, two+words or ~N")
    if not terms:
        raise PatternError("a pattern without words matches everything")
    return Pattern(source, tuple(terms), tuple(gaps), opens, closes)


def _stands_at(alternative: tuple[str, ...], words: tuple[str, ...], at: int) -> bool:
    if at + len(alternative) > len(words):
        return False
    return all(
        word.startswith(wanted[:-1]) if wanted.endswith("*") else word == wanted
        for wanted, word in zip(alternative, words[at:], strict=False)
    )


def _judged(words: tuple[str, ...], clause: int, used: frozenset[int]) -> Match:
    first, last = min(used), max(used)
    before = {at for at in range(last) if words[at] in NEGATORS and _reaches(words, at, first)} - used
    after = {at for at in range(last + 1, _end_of_phrase(words, last)) if words[at] not in SHORT_REACH}
    side = max((at + 1 for at in range(first) if words[at] in CONTRASTS), default=0)
    reversers = {at for at in {*range(side, first), *after} if is_reverser(words[at])} - used
    after = {at for at in after if words[at] in NEGATORS}
    softened = any(words[at] == "without" or words[at + 1] in SOFTENERS for at in before)
    if not before and not reversers and not after:
        stance = Stance.ASSERTED
    elif not reversers and (_denies_before(before, after, softened=softened) or _denies_after(words, before, after)):
        stance = Stance.DENIED
    else:
        stance = Stance.UNCLEAR
    return Match(clause, used, frozenset((clause, at) for at in before | reversers | after), stance)


def _denies_before(before: set[int], after: set[int], *, softened: bool) -> bool:
    return len(before) == 1 and not after and not softened


def _denies_after(words: tuple[str, ...], before: set[int], after: set[int]) -> bool:
    """Is it "positional encodings are not needed"?"""
    return len(after) == 1 and not before and DENIED_AFTERWARDS.issuperset(words[max(after) + 1 : max(after) + 2])


def _reaches(words: tuple[str, ...], negator: int, first: int) -> bool:
    """Does the negation at `negator` reach what begins at `first`?

    It reaches to the end of its clause, or to "whereas". "instead of" reaches a few words, and a condition ("if we
    don't scale, …") as far as its comma.
    """
    if negator > first:
        return True
    if words[negator] in SHORT_REACH:
        return first - negator <= SHORT_REACH[words[negator]]
    if CONTRASTS & set(words[negator:first]):
        return False
    conditional = any(word in _CONDITIONS for word in words[: negator + 1])
    return not (conditional and COMMA in words[negator:first])


def _end_of_phrase(words: tuple[str, ...], start: int) -> int:
    """The place of the next comma or contrast, or the clause's end."""
    return next((at for at in range(start, len(words)) if words[at] == COMMA or words[at] in CONTRASTS), len(words))
