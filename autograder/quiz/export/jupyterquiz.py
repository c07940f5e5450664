"""jupyterquiz: a JSON list of questions for `display_quiz`, and for nbgrader-jupyterquiz, which marks it.

Its page puts texts into the notebook as HTML, makes `$…$` a formula and `[a](b)` a link. So texts are HTML in which
a `$` or `[` that is one is written as a character reference.
"""

from __future__ import annotations

import json
from typing import Any

from autograder.quiz.formulas import Number
from autograder.quiz.markup import Math
from autograder.quiz.model import Choice, Item, MultipleResponse, Numeric

from .html_text import HtmlText
from .numbers import tolerance
from .output import Export, File, Loss
from .quiz import Quiz
from .xml import Xml, element, escape


def _referenced(text: str) -> Xml:
    return escape(text).replace("$", Xml("&#36;")).replace("[", Xml("&#91;"))


def _dollar_math(math: Math) -> Xml:
    mark = "$$" if math.display else "$"
    return Xml(mark) + _referenced(math.latex) + Xml(mark)


class _NotebookHtml(HtmlText):
    def text(self, text: str) -> str:
        return _referenced(text)

    def code(self, text: str) -> str:
        return element("code", {}, _referenced(text))

    def code_block(self, text: str) -> str:
        return element("pre", {}, element("code", {}, _referenced(text)))


NOTEBOOK_HTML = _NotebookHtml(_dollar_math)


def export_jupyterquiz(quiz: Quiz) -> Export:
    """`<bank>-jupyterquiz.json`. Its short answers have to be choices: it marks a string by its letters alone."""
    questions = [question(item) for item in quiz.items]
    losses = [
        Loss(slot.first.id, "its variants are all asked: a list has no draw")
        for slot in quiz.slots
        if len(slot.variants) > 1
    ]
    losses.append(Loss(None, "the key: it is in the file and can be read, so this is for practice"))
    text = json.dumps(questions, indent=1, ensure_ascii=False) + "\n"
    return Export((File.of_text(f"{quiz.name}-jupyterquiz.json", text),), tuple(losses))


def question(item: Item) -> dict[str, Any]:
    """The question of an item. Raises TypeError for a short answer."""
    match item:
        case Choice():
            kind = "many_choice" if isinstance(item, MultipleResponse) else "multiple_choice"
            answers = [
                {"answer": str(NOTEBOOK_HTML.line(option.text)), "correct": option.correct,
                 "feedback": str(NOTEBOOK_HTML.line(option.feedback))}
                for option in item.options
            ]  # fmt: skip
        case Numeric():
            kind = "numeric"
            key = _number(item, item.key) | {"correct": True, "feedback": str(NOTEBOOK_HTML.line(item.explanation))}
            wrong = [
                _number(item, each.value) | {"correct": False, "feedback": str(NOTEBOOK_HTML.line(each.feedback))}
                for each in item.wrong
            ]
            answers = [key, *wrong]  # the first that fits counts
        case _:
            raise TypeError(f"{item.id} is a short answer, and jupyterquiz would mark its letters")
    return {"id": item.id, "type": kind, "question": str(NOTEBOOK_HTML.line(item.stem)), "points": item.points,
            "answers": answers}  # fmt: skip


def _number(item: Numeric, value: Number) -> dict[str, Any]:
    width = tolerance(item)
    return {"type": "range", "range": [value - width, value + width]} if width else {"type": "value", "value": value}
