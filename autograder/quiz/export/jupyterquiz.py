"""jupyterquiz: a JSON list of questions for `display_quiz`, and a notebook for nbgrader-jupyterquiz, which marks it.

Its page puts texts into the notebook as HTML, makes `$…$` a formula and `[a](b)` a link. So texts are HTML in which
a `$` or `[` that is one is written as a character reference.
"""

from __future__ import annotations

import json
from typing import Any

from autograder.quiz.formulas import Number, number_text
from autograder.quiz.model import Choice, Item, MultipleResponse, Numeric
from autograder.quiz.texts.html_text import HtmlText
from autograder.quiz.texts.markup import Math
from autograder.quiz.texts.xml import Xml, element, escape

from .numbers import exact, tolerance
from .output import Export, File, Loss
from .quiz import Quiz


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
        rows = [_referenced(line) for line in text.splitlines()]
        return element("pre", {}, element("code", {}, Xml("<br/>").join(rows)))


NOTEBOOK_HTML = _NotebookHtml(_dollar_math)


def export_jupyterquiz(quiz: Quiz) -> Export:
    """`<bank>-jupyterquiz.json` and `<bank>-nbgrader.ipynb`. Short answers have to be choices: strings are marked by
    their letters alone."""
    questions = [question(item) for item in quiz.items]
    losses = [
        Loss(slot.first.id, "its variants are all asked: a list has no draw")
        for slot in quiz.slots
        if len(slot.variants) > 1
    ]
    losses.append(Loss(None, "secrecy of the key: the JSON can be read, so it is for practice; the notebook hides it"))
    losses.append(Loss(None, "feedback, in the notebook: nbgrader would release it, and it tells the key"))
    files = (
        File.of_text(f"{quiz.name}-jupyterquiz.json", json.dumps(questions, indent=1, ensure_ascii=False) + "\n"),
        File.of_text(f"{quiz.name}-nbgrader.ipynb", json.dumps(_notebook(quiz, questions), indent=1) + "\n"),
    )
    return Export(files, tuple(losses))


def question(item: Item) -> dict[str, Any]:
    """The question of an item. Raises TypeError for a short answer."""
    match item:
        case Choice():
            kind = "many_choice" if isinstance(item, MultipleResponse) else "multiple_choice"
            answers = [
                {
                    "answer": str(NOTEBOOK_HTML.line(option.text)),
                    "correct": option.correct,
                    "feedback": str(NOTEBOOK_HTML.line(option.feedback)),
                }
                for option in item.options
            ]
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
    return {
        "id": item.id,
        "type": kind,
        "question": str(NOTEBOOK_HTML.line(item.stem)),
        "points": item.points,
        "answers": answers,
    }


def _number(item: Numeric, value: Number) -> dict[str, Any]:
    width = tolerance(item)
    return {"type": "range", "range": [value - width, value + width]} if width else {"type": "value", "value": value}


def _notebook(quiz: Quiz, questions: list[dict[str, Any]]) -> dict[str, Any]:
    """A source notebook of nbgrader: a task cell with the quiz, which its preprocessor CreateQuiz makes interactive."""
    lines = [
        f"# {quiz.title}",
        "",
        "#### Quiz",
        *(line for each in questions for line in _source(each)),
        "#### End Quiz",
    ]
    task = {
        "grade": False,
        "grade_id": f"quiz-{quiz.name}",
        "locked": True,
        "points": 0,
        "schema_version": 3,
        "solution": False,
        "task": True,
    }
    cell = {"cell_type": "markdown", "id": "quiz", "metadata": {"nbgrader": task}, "source": "\n".join(lines)}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "attnkit": {"items": [each["id"] for each in questions]}}
    return {"cells": [cell], "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def _source(question: dict[str, Any]) -> list[str]:
    """A question in nbgrader-jupyterquiz's own notation: one line, and one line an answer, without feedback."""
    kind = {"multiple_choice": "SC", "many_choice": "MC", "numeric": "NM"}[question["type"]]
    lines = [f"* ({kind}) {{{number_text(question['points'])}}} {_quoted(question['question'])}"]
    for answer in question["answers"]:
        if kind != "NM":
            lines.append(f"  {'+' if answer['correct'] else '-'} {_quoted(answer['answer'])}")
        elif answer["correct"] and "range" in answer:
            low, high = map(exact, answer["range"])
            lines.append(f"  + [{low},{high}]")
        elif answer["correct"]:
            lines.append(f"  + <{exact(answer['value'])}>")
    return lines


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
