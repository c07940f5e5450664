"""Right and wrong responses to an item, as every consumer is asked to mark them."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

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


def attempts(item: Item) -> list[Attempt]:
    """The key and every option by itself; of several right options also one too few and one too many. Numbers: the
    key, and every value of a wrong formula. A sentence has no attempts: a person marks it."""
    if isinstance(item, MultipleResponse):
        spare = next(letter for letter, option in item.lettered if not option.correct)
        return [Attempt(item, True, item.key), Attempt(item, False, item.key[1:]),
                Attempt(item, False, tuple(sorted((*item.key, spare)))), Attempt(item, False, (spare,))]  # fmt: skip
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


# What each consumer marks: the lesson's ten, the same with short answers as choices, and the traps.
each_quiz = pytest.mark.parametrize(
    "quiz", (knowledge_check, all_ten_as_choices, traps), ids=lambda load: load.__name__, indirect=True
)


def marked_wrongly(quiz: Quiz, score) -> list[str]:
    """The attempts whose share of the points by `score` is not what it should be. Empty if all is well."""
    told = []
    for item in quiz.items:
        for attempt in attempts(item):
            share, due = score(attempt), float(attempt.right)
            if share is None or abs(share - due) > 1e-4:
                told.append(f"{attempt}: {share} for {due}")
    return told
