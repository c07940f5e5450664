"""What is exported: a bank's items, with more variants of the numeric ones, and short answers as choices if asked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from autograder.quiz.banks.loading import find_bank, read_source
from autograder.quiz.formulas import Number
from autograder.quiz.model import Contradiction, Item, MultipleChoice, Option, ShortAnswer, of_kind
from autograder.quiz.outcome import Outcome
from autograder.quiz.short_answers.judging import judge
from autograder.quiz.texts.markup import Paragraph, Text

from .output import Loss

MOST_DISTRACTORS = 3
_DRAWS = 20  # seeds tried for each variant that is asked for


@dataclass(frozen=True)
class Slot:
    """One place in the quiz: an item, or several variants of one of which a student gets one."""

    variants: tuple[Item, ...]

    @property
    def first(self) -> Item:
        """The item itself, or the variant that stands for all."""
        return self.variants[0]


@dataclass(frozen=True)
class Quiz:
    """`name` is the bank's; ids are the bank's too, and a variant's is `<id>-v<number>`."""

    name: str
    title: str
    slots: tuple[Slot, ...]
    losses: tuple[Loss, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        """Every variant of every slot, in order."""
        return tuple(item for slot in self.slots for item in slot.variants)

    @property
    def points(self) -> Number:
        """What a student can earn: of variants, one."""
        return sum(slot.first.points for slot in self.slots)


def load_quiz(bank: str, seed: str | None = None, variants: int = 1) -> Quiz:
    """The quiz of a bank. Variant k of an item is what the seed `<seed>-<k>` makes, so that `attnkit quiz grade --seed
    <seed>-<k>` marks it. Raises BankError, and ValueError for variants without a seed."""
    if variants > 1 and seed is None:
        raise ValueError("variants are made by a seed: give --seed with --variants")
    source = read_source(find_bank(bank))
    built = source.build(seed)
    slots = {item.id: [item] for item in built.items}
    if variants > 1:
        varied = {item.id for item in built.items if item.variables}
        for number in range(2, variants * _DRAWS):
            lacking = {each for each in varied if len(slots[each]) < variants}
            if not lacking:
                break
            for item in source.build(f"{seed}-{number}").items:
                if item.id in lacking and item.variables not in [other.variables for other in slots[item.id]]:
                    slots[item.id].append(replace(item, id=f"{item.id}-v{number}"))
    losses = tuple(
        Loss(name, f"{variants} variants were asked for, and its variables make {len(items)}")
        for name, items in slots.items()
        if 1 < len(items) < variants
    )
    return Quiz(built.name, built.title, tuple(Slot(tuple(items)) for items in slots.values()), losses)


def with_choices_for_short_answers(quiz: Quiz) -> Quiz:
    """The quiz with each short answer as a choice between its model answer and known wrong answers.

    For targets that have no marker for sentences: a choice is marked alike everywhere. Each distractor is a wrong
    answer of the bank that states one of the listed misconceptions, whose feedback it gets. An item without such
    answers is left out, which is told.
    """
    slots, losses = [], list(quiz.losses)
    for slot in quiz.slots:
        item = slot.first
        if not isinstance(item, ShortAnswer):
            slots.append(slot)
            continue
        sentences = [variant for variant in slot.variants if isinstance(variant, ShortAnswer)]
        choices = tuple(choice for sentence in sentences if (choice := as_choice(sentence)) is not None)
        if not choices:
            losses.append(Loss(item.id, "left out: a short answer without wrong answers to make a choice of"))
        else:
            slots.append(Slot(choices))
            losses.append(Loss(item.id, "the short answer is a choice of the model answer among known wrong answers"))
    return replace(quiz, slots=tuple(slots), losses=tuple(losses))


def as_choice(item: ShortAnswer) -> MultipleChoice | None:
    """The model answer among wrong ones, in an order that depends on the texts alone; None without distractors."""
    distractors = list(_distractors(item))[:MOST_DISTRACTORS]
    if not distractors:
        return None
    # The model answer is a text of the bank, and may hold formulas; sample answers are what students type.
    key = Option(item.answer, True, item.explanation, None, item.place)
    options = sorted((key, *distractors), key=lambda option: _digest(item.id, repr(option.text)))
    return of_kind(MultipleChoice, item, options=tuple(options))


def _distractors(item: ShortAnswer) -> Iterator[Option]:
    """For each listed misconception the first wrong answer of the bank that states it; one for each belief."""
    stated: dict[Contradiction, str] = {}
    for answer in item.samples.wrong:
        verdict = judge(item, answer)
        if verdict.outcome is Outcome.INCORRECT and verdict.contradiction is not None:
            stated.setdefault(verdict.contradiction, answer)
    beliefs = set()
    for contradiction in item.contradictions:
        if contradiction in stated and contradiction.belief not in beliefs:
            beliefs.add(contradiction.belief)
            text = (Paragraph((Text(stated[contradiction]),)),)
            yield Option(text, False, contradiction.feedback, contradiction.belief, contradiction.place)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8")).hexdigest()
