"""Right and wrong responses to an item, as every consumer is asked to mark them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import pytest

from autograder.quiz.banks.loading import bank_names
from autograder.quiz.export.numbers import exact
from autograder.quiz.export.quiz import Quiz, load_quiz, with_choices_for_short_answers
from autograder.quiz.model import Choice, Item, MultipleResponse, Numeric

TRAPS = Path(__file__).with_name("traps.yaml")


@dataclass(frozen=True)
class Attempt:
    """`chosen` are letters, of an item with options; `typed` is what stands in the field of any other."""

    item: Item
    right: bool
    chosen: tuple[str, ...] = ()
    typed: str = ""

    def __str__(self) -> str:
        return f"{self.item.id} {','.join(self.chosen) or self.typed}"

    @property
    def is_part_of_the_key(self) -> bool:
        """Some of several right options and nothing wrong: worth nothing here, and a share on some platforms."""
        return isinstance(self.item, MultipleResponse) and set(self.chosen) < set(self.item.key)


def attempts(item: Item) -> list[Attempt]:
    """The key and every option by itself; of several right options also one too few and one too many. Numbers: the
    key, and every value of a wrong formula. A sentence has no attempts: a person marks it."""
    if isinstance(item, MultipleResponse):
        spare = next(letter for letter, option in item.lettered if not option.correct)
        return [
            Attempt(item, True, item.key),
            Attempt(item, False, item.key[1:]),
            Attempt(item, False, tuple(sorted((*item.key, spare)))),
            Attempt(item, False, (spare,)),
        ]
    if isinstance(item, Choice):
        return [Attempt(item, option.correct, (letter,)) for letter, option in item.lettered]
    if isinstance(item, Numeric):
        wrong = [Attempt(item, False, typed=exact(each.value)) for each in item.wrong]
        beyond = Attempt(item, False, typed=exact(item.key + 2 * item.tolerance + 1))
        return [Attempt(item, True, typed=exact(item.key)), beyond, *wrong]
    return []


@cache
def traps(variants: int = 1) -> Quiz:
    return load_quiz(str(TRAPS), "seed", variants)


@cache
def knowledge_check() -> Quiz:
    return load_quiz("knowledge_check")


@cache
def all_ten_as_choices() -> Quiz:
    return with_choices_for_short_answers(knowledge_check())


@cache
def whole_bank(name: str) -> Quiz:
    """A bank of the kit, its short answers as choices, so that every item has a mark."""
    return with_choices_for_short_answers(load_quiz(name))


# What each consumer marks: the lesson's ten with and without sentences, the traps, and every other bank.
QUIZZES: dict[str, Callable[[], Quiz]] = {
    "knowledge_check": knowledge_check,
    "knowledge_check_as_choices": all_ten_as_choices,
    "traps": traps,
    **{name: partial(whole_bank, name) for name in bank_names() if name != "knowledge_check"},
}
each_quiz = pytest.mark.parametrize("quiz", QUIZZES.values(), ids=QUIZZES, indirect=True)


@dataclass(frozen=True)
class Wrongly:
    attempt: Attempt
    share: float | None

    def __str__(self) -> str:
        return f"{self.attempt}: {self.share} of the points"

    __repr__ = __str__


def marked_wrongly(quiz: Quiz, score: Callable[[Attempt], float | None]) -> list[Wrongly]:
    """The attempts whose share of the points by `score` is not what it should be. Empty if all is well."""
    told = []
    for item in quiz.items:
        for attempt in attempts(item):
            share = score(attempt)
            if share is None or abs(share - attempt.right) > 1e-4:
                told.append(Wrongly(attempt, share))
    return told


def one_right_and_one_wrong(quiz: Quiz) -> list[Attempt]:
    """For consumers that take their time."""
    chosen = []
    for item in quiz.items:
        tried = attempts(item)
        if not tried:
            continue
        chosen += [next(each for each in tried if each.right), next(each for each in tried if not each.right)]
    return chosen
