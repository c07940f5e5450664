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

from autograder.quiz.model import Contradiction, ShortAnswer
from autograder.quiz.outcome import Outcome
from autograder.quiz.texts.plain import plain_text

from .patterns import Match, Stance, read_pattern
from .spelling import respelled
from .word_order import is_in_order, pairs_beside
from .wording import COMMA, Clause, clauses_of, is_in_jest, jargon_in, looks_thrown_together, negations, word_set

MOST_WORDS = 40
MOST_CHARACTERS = 1000
_NO_ANSWER = re.compile(
    r"\s*(?:sorry\W+)?(?:i )?(?:am |'?m )?(?:(?:do not|don'?t|can'?t|cannot) (?:know|remember|recall)|no idea|no clue"
    r"|idk|dunno|n/?a|none|no answer|not sure|forgot)\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
# What is said beside "I don't know" without saying anything about the subject.
_SMALL_TALK = word_set(
    "i i'm im we it this that the a my our was were am is have had has haven't havent didn't didnt don't dont do"
    " did not yet sorry really honestly tbh at all about in on to for of next last lecture class course chapter"
    " module section week question answer watched watch seen see read done learned learn covered remember know"
    " forgot missed skipped sick how"
)


@dataclass(frozen=True)
class Verdict:
    """`reason` is for the marker; `contradiction` is the misconception that made the answer incorrect."""

    outcome: Outcome
    reason: str
    contradiction: Contradiction | None = None


def is_blank(response: str) -> bool:
    """Nothing in it that could be an answer: no letter and no digit, or words for having none."""
    return not any(character.isalnum() for character in response[:100_000]) or (
        len(response) < 100 and _declines(response)
    )


def _declines(response: str) -> bool:
    """ "I don't know", with nothing beside it but small talk?"""
    found = _NO_ANSWER.fullmatch(response.replace("’", "'"))
    return found is not None and _SMALL_TALK.issuperset(re.findall(r"[\w']+", found["rest"].casefold()))


def judge(item: ShortAnswer, response: str) -> Verdict:
    """The verdict on one answer. Never raises, and never takes long: what is long goes to a person."""
    if is_blank(response):
        return Verdict(Outcome.BLANK, "no answer")
    if len(response) > MOST_CHARACTERS:
        return _review(f"the answer has {len(response)} characters; rules are for one sentence")
    if not item.concepts:
        return _review("this item has no rules")
    pairs = pairs_beside(_texts(item))
    clauses = respelled(clauses_of(response), _known_words(item), pairs.vocabulary)
    count = sum(word != COMMA for clause in clauses for word in clause.words)
    if count > MOST_WORDS:
        return _review(f"the answer has {count} words; rules are for at most {MOST_WORDS}")
    if looks_thrown_together(clauses):
        return _review("the words make no sentence")
    if is_in_jest(clauses):
        return _review("said in jest")
    verdict = _by_rules(item, clauses)
    if verdict.outcome is not Outcome.CORRECT:
        return verdict
    foreign = jargon_in(clauses) - jargon_in((Clause(_known_words(item)),))
    if foreign:
        return _review(f"words of another question: {', '.join(sorted(foreign))}")
    if not is_in_order(clauses, pairs):
        return _review("the words are in no order of a sentence")
    return verdict


Places = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class _Reading:
    """What an answer does with each concept of an item, and with each listed misconception."""

    item: ShortAnswer
    concepts: dict[str, tuple[Match, ...]]
    contradictions: tuple[tuple[Match, ...], ...]
    asides: tuple[Match, ...]
    negations: Places

    @classmethod
    def of(cls, item: ShortAnswer, clauses: tuple[Clause, ...]) -> _Reading:
        return cls(
            item,
            {concept.name: _matches(concept.patterns, clauses) for concept in item.concepts},
            tuple(_matches(contradiction.patterns, clauses) for contradiction in item.contradictions),
            _with(Stance.ASSERTED, _matches(item.asides, clauses)),
            negations(clauses),
        )

    def asserted(self, name: str) -> tuple[Match, ...]:
        return _with(Stance.ASSERTED, self.concepts[name])

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(name for name in self.concepts if not self.asserted(name))

    @property
    def contradicted(self) -> tuple[Contradiction, tuple[Match, ...]] | None:
        """The first listed misconception that is stated; the denial of a concept may be listed as one."""
        for contradiction, matches in zip(self.item.contradictions, self.contradictions, strict=True):
            found = _with(Stance.ASSERTED, matches)
            name = contradiction.denies
            if name is not None and not self.asserted(name):
                found += _with(Stance.DENIED, self.concepts[name])
            if found:
                return contradiction, found
        return None

    def states_beside(self, matches: tuple[Match, ...]) -> bool:
        """Is a concept stated in other words than those of `matches`?"""
        words = {place for match in matches for place in match.places}
        return any(not match.places & words for name in self.concepts for match in self.asserted(name))

    @property
    def unexplained(self) -> Places:
        """Negations that belong to no pattern that was found, and deny no listed misconception.

        The denial of a concept that is listed as a misconception is explained too.
        """
        stated = [*self.asides, *(match for name in self.concepts for match in self.asserted(name))]
        stated += [match for matches in self.contradictions for match in _with(Stance.ASSERTED, matches)]
        explained = {place for match in stated for place in match.places}
        denials = [match for matches in self.contradictions for match in _with(Stance.DENIED, matches)]
        listed = {contradiction.denies for contradiction in self.item.contradictions}
        for name in self.missing:
            denials += _with(Stance.DENIED, self.concepts[name]) if name in listed else ()
        explained |= {place for match in denials for place in match.turned_by}
        return self.negations - explained

    @property
    def touched(self) -> tuple[str, ...]:
        """Concepts near words that turn them round, but for those of an asserted pattern or an aside."""
        used = {place for name in self.concepts for match in self.asserted(name) for place in match.places}
        used |= {place for match in self.asides for place in match.places}
        return tuple(
            name
            for name, matches in self.concepts.items()
            if any(match.stance is not Stance.ASSERTED and not match.turned_by <= used for match in matches)
        )


def _by_rules(item: ShortAnswer, clauses: tuple[Clause, ...]) -> Verdict:
    reading = _Reading.of(item, clauses)
    if reading.contradicted:
        contradiction, matches = reading.contradicted
        turned = {place for match in matches for place in match.turned_by}
        if reading.states_beside(matches) or reading.unexplained - turned:
            return _review("a listed misconception beside something else")
        return Verdict(Outcome.INCORRECT, "a listed misconception and nothing else", contradiction)
    if reading.touched:
        return _review(f"a negation touches {', '.join(reading.touched)}")
    if reading.missing:
        return _review(f"not found: {', '.join(reading.missing)}")
    if reading.unexplained:
        return _review("a negation that no rule explains")
    return Verdict(Outcome.CORRECT, "every concept is stated")


def _matches(patterns: tuple[str, ...], clauses: tuple[Clause, ...]) -> tuple[Match, ...]:
    return tuple(match for pattern in patterns for match in read_pattern(pattern).matches(clauses))


def _with(stance: Stance, matches: tuple[Match, ...]) -> tuple[Match, ...]:
    return tuple(match for match in matches if match.stance is stance)


def _known_words(item: ShortAnswer) -> tuple[str, ...]:
    """The words of the item's rules and texts: what an answer to it may well use."""
    patterns = [pattern for concept in item.concepts for pattern in concept.patterns]
    patterns += [*item.asides]
    patterns += [pattern for contradiction in item.contradictions for pattern in contradiction.patterns]
    words = " ".join(patterns).replace("|", " ").replace("*", " ").replace("+", " ")
    return tuple(word for text in (words, *_texts(item)) for clause in clauses_of(text) for word in clause.words)


def _texts(item: ShortAnswer) -> tuple[str, ...]:
    """What the item itself says: its stem, explanation, model answer and right sample answers."""
    return plain_text(item.stem), plain_text(item.explanation), plain_text(item.answer), *item.samples.right


def _review(reason: str) -> Verdict:
    return Verdict(Outcome.REVIEW, reason)
