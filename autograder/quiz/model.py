"""A bank of quiz items, typed. Everything in it is concrete: variables are filled in, keys are computed.

Five kinds of item, by the word that a bank's `type` has, and what a response is:

- mc, `MultipleChoice`: one option's letter or text
- multi, `MultipleResponse`: the letters or texts of all right options
- tf, `TrueFalse`: true or false
- numeric, `Numeric`: a number
- short, `ShortAnswer`: a sentence
"""

from __future__ import annotations

import string
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

from autograder.quiz.texts.markup import Markup

from .formulas import Number, number_text


@dataclass(frozen=True)
class Place:
    """Where in a bank's file something stands, as a person would look for it."""

    file: str
    line: int
    item: str | None = None

    def __str__(self) -> str:
        item = f", item {self.item}" if self.item else ""
        return f"{self.file}, line {self.line}{item}"


@dataclass(frozen=True)
class Belief:
    """Why somebody gives a wrong response: a misconception of the catalogue by its id, or a belief in words."""

    misconception: str | None = None
    stated: str | None = None


@dataclass(frozen=True)
class Option:
    """One option. A distractor (`correct` is False) has the belief behind it; the key has None."""

    text: Markup
    correct: bool
    feedback: Markup
    belief: Belief | None
    place: Place


@dataclass(frozen=True)
class WrongValue:
    """A number that a wrong formula gives: the distractor of a numeric item."""

    value: Number
    formula: str
    feedback: Markup
    belief: Belief
    place: Place


@dataclass(frozen=True)
class Concept:
    """An idea that a right short answer has to state. Any of `patterns` states it; see `short_answers`."""

    name: str
    patterns: tuple[str, ...]


@dataclass(frozen=True)
class Contradiction:
    """A listed misconception: stated by any of `patterns`, or by denying the concept that `denies` names."""

    patterns: tuple[str, ...]
    denies: str | None
    feedback: Markup
    belief: Belief
    place: Place


@dataclass(frozen=True)
class SampleAnswers:
    """Answers that the rules of a short item are held against by `attnkit quiz check`."""

    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()  # negated, inverted, thrown together, half right


@dataclass(frozen=True, kw_only=True)
class Item:
    """What every item has.

    `explanation` says why the key is right, `difficulty` is the author's estimate (1 to 3), `source` names
    the lesson's part ("Module 8, section 5"). `kept` is the reason why the wording is not to be changed:
    warnings on such an item are recorded and ask for nothing.
    """

    type: ClassVar[str]
    id: str
    objective: str
    points: Number
    difficulty: int
    source: str
    stem: Markup
    explanation: Markup
    place: Place
    kept: str | None = None
    variables: tuple[tuple[str, Number], ...] = ()  # the numbers that made this variant

    @property
    def asked_as(self) -> str:
        """The id, and for an item with variables the variant: `nu-weights@n=6,d_k=4`. Response files name it, so that
        no response to one variant is marked with the key of another."""
        variant = ",".join(f"{name}={number_text(value)}" for name, value in self.variables)
        return f"{self.id}@{variant}" if variant else self.id


@dataclass(frozen=True, kw_only=True)
class Choice(Item):
    """An item with options. Those that are `ordered` (numbers in order, or fixed by the author) stay unshuffled."""

    options: tuple[Option, ...]
    ordered: bool = False

    @property
    def lettered(self) -> tuple[tuple[str, Option], ...]:
        """("A", first option), ("B", second option), …"""
        return tuple(zip(string.ascii_uppercase, self.options, strict=False))

    @property
    def key(self) -> tuple[str, ...]:
        """The letters of the right options."""
        return tuple(letter for letter, option in self.lettered if option.correct)


class MultipleChoice(Choice):
    """Right where the one right option is chosen."""

    type = "mc"


class MultipleResponse(Choice):
    """Right where exactly the right options are chosen: no part marks, so that every target marks alike."""

    type = "multi"


class TrueFalse(Choice):
    """Its options are True and False, in this order."""

    type = "tf"

    @property
    def answer(self) -> bool:
        """Whether the statement is true."""
        return self.options[0].correct


@dataclass(frozen=True, kw_only=True)
class Numeric(Item):
    """Right within `tolerance` (absolute) of `key`."""

    type = "numeric"
    key: Number
    formula: str
    tolerance: Number
    wrong: tuple[WrongValue, ...]


@dataclass(frozen=True, kw_only=True)
class ShortAnswer(Item):
    """`answer` is the model answer. Without concepts every answer is for review.

    `asides` are patterns of true remarks that answer nothing by themselves ("attention alone does not know the order"):
    a negation in one turns no concept round.
    """

    type = "short"
    answer: Markup
    concepts: tuple[Concept, ...]
    contradictions: tuple[Contradiction, ...]
    asides: tuple[str, ...] = ()
    samples: SampleAnswers = SampleAnswers()


Kind = TypeVar("Kind", bound=Item)


def of_kind(kind: type[Kind], head: Item, **own: Any) -> Kind:
    """An item of this kind that has what every item has from `head`, and what is its kind's `own`."""
    return kind(**{field.name: getattr(head, field.name) for field in fields(Item)}, **own)


@dataclass(frozen=True)
class Bank:
    """`seed` chose the variant of every item that has variables; None is the first value of each."""

    name: str
    title: str
    items: tuple[Item, ...]
    seed: str | None = None

    def item(self, item_id: str) -> Item | None:
        """The item of this id, None where there is none."""
        return next((item for item in self.items if item.id == item_id), None)

    @property
    def points(self) -> Number:
        """Of all items together."""
        return sum(item.points for item in self.items)
