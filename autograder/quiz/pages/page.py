"""A bank as one HTML page that needs no network: for practice, or for marks.

*Self-check*: answers and feedback are inside, shown at once; it says that it is not for grades. *Graded*:
no key, no feedback and no hash of either is in it; it saves a response file for `attnkit quiz grade`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from autograder.quiz.formulas import Number
from autograder.quiz.model import Bank, Choice, Item, MultipleResponse, Numeric, ShortAnswer, TrueFalse
from autograder.quiz.texts.xml import Xml

from .page_text import PAGE_TEXT


@dataclass(frozen=True)
class _Question:
    """What a page shows of an item. `answers` is empty in a graded page."""

    number: int
    id: str
    asked_as: str
    kind: str
    points: Number
    stem: Xml
    options: tuple[tuple[str, Xml], ...]
    answers: str


def self_check_page(bank: Bank) -> str:
    """The page for practice, with answers and feedback inside."""
    return _page(bank, graded=False)


def graded_page(bank: Bank) -> str:
    """The page for marks. Nothing of its items but their stems, options and points is in it."""
    return _page(bank, graded=True)


def _page(bank: Bank, graded: bool) -> str:
    questions = [
        _Question(
            number,
            item.id,
            item.asked_as,
            item.type,
            item.points,
            PAGE_TEXT.blocks(item.stem),
            tuple((_value(item, letter), PAGE_TEXT.line(option.text)) for letter, option in item.lettered)
            if isinstance(item, Choice)
            else (),
            "" if graded else json.dumps(_answers(item)),
        )
        for number, item in enumerate(bank.items, start=1)
    ]
    return environment().get_template("quiz.html").render(bank=bank, questions=questions, graded=graded)


def _value(item: Choice, letter: str) -> str:
    """What a chosen option is called in a response file."""
    if isinstance(item, TrueFalse):
        return "true" if letter == "A" else "false"
    return letter


def _answers(item: Item) -> dict[str, Any]:
    """What a self-check page needs to answer at once."""
    shown = {"explanation": PAGE_TEXT.blocks(item.explanation)}
    match item:
        case Choice():
            options = {
                _value(item, letter): {"correct": option.correct, "feedback": PAGE_TEXT.blocks(option.feedback)}
                for letter, option in item.lettered
            }
            return shown | {"options": options, "several": isinstance(item, MultipleResponse)}
        case Numeric():
            wrong = [{"value": wrong.value, "feedback": PAGE_TEXT.blocks(wrong.feedback)} for wrong in item.wrong]
            return shown | {"key": item.key, "tolerance": item.tolerance, "wrong": wrong}
        case ShortAnswer():
            return shown | {"answer": PAGE_TEXT.blocks(item.answer)}
    raise TypeError(f"{item.id} is of no kind that a page can ask")


@cache
def environment() -> Environment:
    """The templates of this room; all that is put into them is escaped, but for what `page_text` made."""
    return Environment(
        loader=PackageLoader("autograder.quiz.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
