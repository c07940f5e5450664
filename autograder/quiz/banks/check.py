"""The rules of item writing that a program can hold, after Haladyna, Downing and Rodriguez (2002).

An error makes an item unfit for grading; a warning asks its author to look again. An item that is `kept`
(the lesson's own words) is held to the errors alone: its warnings are recorded and ask for nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from autograder.quiz.formulas import is_near, number_text
from autograder.quiz.model import (
    Bank,
    Choice,
    Item,
    MultipleChoice,
    MultipleResponse,
    Numeric,
    Option,
    Place,
    ShortAnswer,
    TrueFalse,
)
from autograder.quiz.outcome import Outcome
from autograder.quiz.short_answers.judging import judge
from autograder.quiz.texts.markup import Emphasis, Markup, Paragraph, math_of
from autograder.quiz.texts.mathml import LatexFault, mathml
from autograder.quiz.texts.plain import fold, plain_text

from .loading import BankSource
from .ordering import are_numbers, stands_in_order
from .problems import BankError

MOST_OPTIONS = 5
SAMPLES = 10  # right ones, and as many wrong ones, for each short item
LONGER = 1.25  # times the longest distractor
SHARE_IN_ONE_PLACE = 0.6
SHARE_OF_ONE_ANSWER = 0.7  # of the statements that are true or false
FEW_ITEMS = 5
SHORTEST_CLUE = 4  # letters of a part of an id

_ABOVE = re.compile(r"\b(all|none|both|neither) of (the above|these|them)\b", re.IGNORECASE)
_BARE_NOT = re.compile(r"\b(not|except|never)\b|n['’]t\b", re.IGNORECASE)
_ABSOLUTE = re.compile(r"\b(always|never|only|all|none|every|must|impossible)\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{5,}")
# Words that stem and key share without giving anything away.
_COMMON = frozenset(("which", "where", "there", "their", "these", "those", "about", "would", "after", "before"))


class Level(StrEnum):
    """How grave a finding is."""

    ERROR = "error"
    WARNING = "warning"
    RECORDED = "recorded"  # a warning on an item that is kept as it is


@dataclass(frozen=True)
class Finding:
    """What a rule found, and where."""

    level: Level
    rule: str
    place: Place
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.level}: {self.message} [{self.rule}]"


def check(source: BankSource) -> tuple[Finding, ...]:
    """All findings in a bank, in the order of its items. Every variant of an item with variables is looked at."""
    try:
        bank = source.build()
    except BankError as error:
        return tuple(_error("format", problem.place, problem.message) for problem in error.problems)
    findings: dict[tuple[str, Place], Finding] = {}
    for index in range(len(source.entries)):
        for finding in _of_entry(source, index):
            findings.setdefault((finding.rule, finding.place), finding)  # the first variant that shows it
    return (*findings.values(), *_of_bank(bank))


def _of_entry(source: BankSource, index: int) -> Iterator[Finding]:
    try:
        for item in source.variants(index):
            yield from _of_item(item)
    except BankError as error:
        yield from (_error("format", problem.place, problem.message) for problem in error.problems)


def _of_item(item: Item) -> Iterator[Finding]:
    yield from _latex(item)
    match item:
        case TrueFalse():
            yield from _bare_not(item)
        case Choice():
            yield from _keys(item)
            yield from _equal_options(item)
            yield from _style(item)
        case Numeric():
            yield from _tolerance(item)
        case ShortAnswer():
            yield from _telling_id(item, (item.answer,), ())
            yield from _samples(item)


def _error(rule: str, place: Place, message: str) -> Finding:
    return Finding(Level.ERROR, rule, place, message)


def _warning(item: Item, rule: str, message: str, place: Place | None = None) -> Finding:
    return Finding(Level.RECORDED if item.kept else Level.WARNING, rule, place or item.place, message)


def _texts(item: Item) -> Iterator[tuple[Markup, Place]]:
    yield item.stem, item.place
    yield item.explanation, item.place
    match item:
        case Choice():
            for option in item.options:
                yield option.text, option.place
                yield option.feedback, option.place
        case Numeric():
            for wrong in item.wrong:
                yield wrong.feedback, wrong.place
        case ShortAnswer():
            yield item.answer, item.place
            for contradiction in item.contradictions:
                yield contradiction.feedback, contradiction.place


def _latex(item: Item) -> Iterator[Finding]:
    for text, place in _texts(item):
        for formula in math_of(text):
            try:
                mathml(formula.latex, formula.display)
            except LatexFault as fault:
                yield _error("latex", place, str(fault))


def _keys(item: Choice) -> Iterator[Finding]:
    keys = len(item.key)
    if isinstance(item, MultipleChoice) and keys != 1:
        yield _error("one-key", item.place, f"{keys} options are marked as correct, and an mc item has exactly one")
    if isinstance(item, MultipleResponse) and keys in (0, len(item.options)):
        yield _error("one-key", item.place, "a multi item needs at least one right option and one wrong one")


def _equal_options(item: Choice) -> Iterator[Finding]:
    for (first, one), (second, other) in combinations(item.lettered, 2):
        if fold(plain_text(one.text)) == fold(plain_text(other.text)):
            yield _error("equal-options", other.place, f"options {first} and {second} say the same")
    for letter, option in item.lettered:
        named = fold(plain_text(option.text)).upper()
        if named != letter and named in dict(item.lettered):
            yield _error("equal-options", option.place, f"the text of option {letter} is the letter of another option")


def _style(item: Choice) -> Iterator[Finding]:
    yield from _bare_not(item)
    keys = [option for option in item.options if option.correct]
    distractors = [option for option in item.options if not option.correct]
    if len(item.options) > MOST_OPTIONS:
        yield _warning(
            item, "many-options", f"{len(item.options)} options; more than {MOST_OPTIONS} add reading, not measurement"
        )
    for option in item.options:
        if _ABOVE.search(plain_text(option.text)):
            yield _warning(item, "of-the-above", "“all of the above” and its kin test test-taking", option.place)
    if are_numbers([option.text for option in item.options]) and not stands_in_order(
        [option.text for option in item.options]
    ):
        yield _warning(item, "unsorted-numbers", "the options are numbers; put them in order")
    if keys and distractors:
        yield from _giveaways(item, keys, distractors)
        yield from _telling_id(item, [key.text for key in keys], [option.text for option in distractors])


def _giveaways(item: Choice, keys: list[Option], distractors: list[Option]) -> Iterator[Finding]:
    longest = max(len(plain_text(option.text)) for option in distractors)
    if len(keys) == 1 and len(plain_text(keys[0].text)) > max(LONGER * longest, longest + 10):
        yield _warning(item, "longest-key", "the key is by far the longest option", keys[0].place)
    absolute = [option for option in distractors if _ABSOLUTE.search(plain_text(option.text))]
    if absolute and not any(_ABSOLUTE.search(plain_text(key.text)) for key in keys):
        yield _warning(
            item, "absolute-words", "words like “only” and “always” stand in distractors alone", absolute[0].place
        )
    shared = _words(item.stem) - _COMMON
    clues = shared.intersection(*(_words(key.text) for key in keys)).difference(*(_words(o.text) for o in distractors))
    if clues:
        yield _warning(
            item, "clue-in-stem", f"of the stem's words the key alone has “{', '.join(sorted(clues))}”", keys[0].place
        )


def _telling_id(item: Item, keys: Sequence[Markup], distractors: Sequence[Markup]) -> Iterator[Finding]:
    """An id stands on the exam and in the page's source, so it must not name what the key alone has."""
    parts = {part for part in item.id.split("-") if len(part) >= SHORTEST_CLUE}
    elsewhere = plain_text(item.stem) + " ".join(map(plain_text, distractors))
    told = {
        part
        for part in parts
        if all(part in plain_text(key).casefold() for key in keys) and part not in elsewhere.casefold()
    }
    if told:
        yield _warning(item, "telling-id", f"of all texts the key alone has “{', '.join(sorted(told))}” of the id")


def _words(markup: Markup) -> set[str]:
    return set(_WORD.findall(plain_text(markup).casefold()))


def _bare_not(item: Item) -> Iterator[Finding]:
    """A negation in a stem is overlooked unless it is emphasised."""
    emphasised = [
        plain_text((Paragraph((child,)),))
        for block in item.stem
        if isinstance(block, Paragraph)
        for child in block.children
        if isinstance(child, Emphasis)
    ]
    marked = sum(len(_BARE_NOT.findall(text)) for text in emphasised)
    if len(_BARE_NOT.findall(plain_text(item.stem))) > marked:
        yield _warning(
            item, "bare-not", "the stem has a negation that is not emphasised: write *not*, or ask without it"
        )


def _tolerance(item: Numeric) -> Iterator[Finding]:
    if item.tolerance < 0:
        yield _error("tolerance", item.place, "the tolerance is below zero")
    for wrong in item.wrong:
        if is_near(wrong.value, item.key, item.tolerance):
            yield _error(
                "tolerance",
                wrong.place,
                f"{wrong.formula} gives {number_text(wrong.value)}, which the tolerance takes for the key"
                f"{_variant(item)}",
            )
    for one, other in combinations(item.wrong, 2):
        if is_near(one.value, other.value, item.tolerance):
            yield _warning(
                item,
                "equal-distractors",
                f"{one.formula} and {other.formula} give one value{_variant(item)}: one feedback is never shown",
                other.place,
            )


def _variant(item: Numeric) -> str:
    named = ", ".join(f"{name} = {number_text(value)}" for name, value in item.variables)
    return f" for {named}" if named else ""


def _samples(item: ShortAnswer) -> Iterator[Finding]:
    if not item.concepts:
        yield _warning(item, "no-rules", "without concepts every answer is for review")
        return
    verdict = judge(item, plain_text(item.answer))
    if verdict.outcome is not Outcome.CORRECT:
        yield _error("samples", item.place, f"the model answer is not marked correct: {verdict.reason}")
    for answer in item.samples.right:
        if judge(item, answer).outcome is Outcome.INCORRECT:
            yield _error("samples", item.place, f"a right sample answer is marked incorrect: “{answer}”")
    for answer in item.samples.wrong:
        if judge(item, answer).outcome is Outcome.CORRECT:
            yield _error("samples", item.place, f"a wrong sample answer is marked correct: “{answer}”")
    if min(len(item.samples.right), len(item.samples.wrong)) < SAMPLES:
        yield Finding(
            Level.WARNING,
            "few-samples",
            item.place,
            f"{len(item.samples.right)} right and {len(item.samples.wrong)} wrong sample answers hold the rules; "
            f"write at least {SAMPLES} of each",
        )


def _of_bank(bank: Bank) -> Iterator[Finding]:
    """A key that is nearly always in one place is found without reading."""
    items = [
        item for item in bank.items if isinstance(item, MultipleChoice) and len(item.key) == 1 and not item.ordered
    ]
    yield from _in_one_place(items, "keys")
    for number in sorted({len(item.options) for item in items}):
        alike = [item for item in items if len(item.options) == number]
        if len(alike) < len(items):
            yield from _in_one_place(alike, f"keys of items with {number} options")
    statements = [item for item in bank.items if isinstance(item, TrueFalse)]
    answers = Counter(item.answer for item in statements)
    if len(statements) >= FEW_ITEMS and max(answers.values()) > SHARE_OF_ONE_ANSWER * len(statements):
        answer, count = answers.most_common(1)[0]
        yield _warning(
            statements[0], "one-answer", f"{count} of {len(statements)} statements are {str(answer).lower()}"
        )


def _in_one_place(items: Sequence[Choice], what: str) -> Iterator[Finding]:
    if len(items) < FEW_ITEMS:
        return
    letter, count = Counter(item.key[0] for item in items).most_common(1)[0]
    if count > SHARE_IN_ONE_PLACE * len(items):
        yield _warning(items[0], "key-in-one-place", f"{count} of {len(items)} {what} are option {letter}")
