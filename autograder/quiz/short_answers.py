"""Short answers marked by concepts, contradictions and the scope of negation.

Four outcomes. *Correct*: every concept is stated, none of the listed misconceptions is, no negation is left
over that touches a concept, and the answer is a sentence on the question's subject of at most 40 words.
*Incorrect*: a listed misconception is stated, or a concept denied, and nothing else. *Blank*: no word, or
"I don't know". Everything else is for *review* by a person. After Butcher and Jordan (2010), who found such
rules, developed on real answers, at least as good as six human markers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from .model import Contradiction, ShortAnswer
from .patterns import Match, Stance, read_pattern
from .plain import plain_text
from .wording import COMMA, Clause, clauses_of, jargon_in, looks_thrown_together

MOST_WORDS = 40
MOST_CHARACTERS = 1000
_NO_ANSWER = re.compile(
    r"\s*(?:i (?:do not|don'?t) know(?: it)?|no idea|idk|dunno|n/?a|none|no answer|not sure)\W*",
    re.IGNORECASE,
)


class Outcome(StrEnum):
    """What became of a response, in the contract's words."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    REVIEW = "review"
    BLANK = "blank"


@dataclass(frozen=True)
class Verdict:
    """`reason` is for the marker; `contradiction` is the misconception that made the answer incorrect."""

    outcome: Outcome
    reason: str
    contradiction: Contradiction | None = None


def is_blank(response: str) -> bool:
    """Nothing in it that could be an answer: no letter and no digit, or words for having none."""
    return not any(character.isalnum() for character in response[:100_000]) or (
        len(response) < 100 and bool(_NO_ANSWER.fullmatch(response.replace("’", "'")))
    )


def judge(item: ShortAnswer, response: str) -> Verdict:
    """The verdict on one answer. Never raises, and never takes long: what is long goes to a person."""
    if is_blank(response):
        return Verdict(Outcome.BLANK, "no answer")
    if len(response) > MOST_CHARACTERS:
        return _review(f"the answer has {len(response)} characters; rules are for one sentence")
    if not item.concepts:
        return _review("this item has no rules")
    clauses = clauses_of(response)
    count = sum(word != COMMA for clause in clauses for word in clause.words)
    if count > MOST_WORDS:
        return _review(f"the answer has {count} words; rules are for at most {MOST_WORDS}")
    if looks_thrown_together(clauses):
        return _review("the words make no sentence")
    foreign = jargon_in(response) - _vocabulary(item)
    if foreign:
        return _review(f"words of another question: {', '.join(sorted(foreign))}")
    return _by_rules(item, clauses)


@dataclass(frozen=True)
class _Reading:
    """What an answer does with each concept of an item."""

    matches: dict[str, tuple[Match, ...]]

    def asserted(self, name: str) -> tuple[Match, ...]:
        return _with(Stance.ASSERTED, self.matches[name])

    def denied(self, name: str) -> tuple[Match, ...]:
        return _with(Stance.DENIED, self.matches[name])

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(name for name in self.matches if not self.asserted(name))

    @property
    def touched_by_negation(self) -> tuple[str, ...]:
        """Concepts with a negation near them that no asserted match has as a word of its own ("not
        peaked").
        """
        used = {place for name in self.matches for match in self.asserted(name) for place in match.places}
        return tuple(
            name
            for name, matches in self.matches.items()
            if any(match.stance is not Stance.ASSERTED and not match.turned_by <= used for match in matches)
        )

    def states_beside(self, match: Match) -> bool:
        """Is a concept stated in other words than those of `match`?"""
        return any(not other.places & match.places for name in self.matches for other in self.asserted(name))


def _by_rules(item: ShortAnswer, clauses: tuple[Clause, ...]) -> Verdict:
    reading = _Reading({concept.name: _matches(concept.patterns, clauses) for concept in item.concepts})
    found = _contradicted(item, clauses, reading)
    if found:
        contradiction, match = found
        if not reading.states_beside(match):
            return Verdict(Outcome.INCORRECT, "a listed misconception and nothing else", contradiction)
        return _review("a listed misconception beside what is right")
    if reading.touched_by_negation:
        return _review(f"a negation touches {', '.join(reading.touched_by_negation)}")
    if reading.missing:
        return _review(f"not found: {', '.join(reading.missing)}")
    return Verdict(Outcome.CORRECT, "every concept is stated")


def _contradicted(
    item: ShortAnswer, clauses: tuple[Clause, ...], reading: _Reading
) -> tuple[Contradiction, Match] | None:
    """The first listed misconception that the answer states; the denial of a concept may be listed as one."""
    for contradiction in item.contradictions:
        found = _with(Stance.ASSERTED, _matches(contradiction.patterns, clauses))
        if contradiction.denies and not reading.asserted(contradiction.denies):
            found += reading.denied(contradiction.denies)
        if found:
            return contradiction, found[0]
    return None


def _matches(patterns: tuple[str, ...], clauses: tuple[Clause, ...]) -> tuple[Match, ...]:
    return tuple(match for pattern in patterns for match in read_pattern(pattern).matches(clauses))


def _with(stance: Stance, matches: tuple[Match, ...]) -> tuple[Match, ...]:
    return tuple(match for match in matches if match.stance is stance)


def _vocabulary(item: ShortAnswer) -> frozenset[str]:
    """The words of the subject that an answer to this item may well use."""
    patterns = [pattern for concept in item.concepts for pattern in concept.patterns]
    patterns += [pattern for contradiction in item.contradictions for pattern in contradiction.patterns]
    words = " ".join(patterns).replace("|", " ").replace("*", " ").replace("+", " ")
    texts = (plain_text(item.stem), plain_text(item.explanation), item.answer, words, *item.samples.right)
    return jargon_in(" ".join(texts))


def _review(reason: str) -> Verdict:
    return Verdict(Outcome.REVIEW, reason)
