"""jupyterquiz: held against the schema of nbgrader-jupyterquiz, and marked by its grader."""

import html
import json
import re
import string

import nbformat
import pytest
from nbgrader import utils

from autograder.quiz.export.jupyterquiz import NOTEBOOK_HTML, export_jupyterquiz, question
from autograder.quiz.export.quiz import with_choices_for_short_answers
from autograder.quiz.model import MultipleChoice, MultipleResponse
from autograder.quiz.texts.markup import parse_markup

from .taking import Attempt, each_quiz, knowledge_check, marked_wrongly, traps

NOT_THERE = "nbgrader-jupyterquiz is not installed: tests/requirements.txt"


def questions(quiz) -> dict[str, dict]:
    return {each["id"]: each for each in json.loads(export_jupyterquiz(quiz).files[0].data)}


@each_quiz
def test_each_question_fits_the_schema(quiz):
    validate = pytest.importorskip("nbgrader_jupyterquiz.grader.validate", reason=NOT_THERE)
    for each in questions(with_choices_for_short_answers(quiz)).values():
        validate.validate_question(each)


@each_quiz
def test_each_question_gets_the_right_mark_for_right_and_wrong_responses(quiz):
    scoring = pytest.importorskip("nbgrader_jupyterquiz.grader._scoring", reason=NOT_THERE)
    quiz = with_choices_for_short_answers(quiz)
    written = questions(quiz)
    assert list(written) == [item.id for item in quiz.items]

    def share(attempt: Attempt) -> float:
        asked = written[attempt.item.id]
        chosen = [asked["answers"][string.ascii_uppercase.index(letter)]["answer"] for letter in attempt.chosen]
        recorded = {"type": asked["type"]}
        match asked["type"]:
            case "multiple_choice":
                return float(scoring.grade_multiple_choice(asked, recorded | {"selected": chosen[0]}))
            case "many_choice":
                return float(scoring.grade_many_choice(asked, recorded | {"selected": chosen}))
        return float(scoring.grade_numeric(asked, recorded | {"parsed": float(attempt.typed)}))

    assert marked_wrongly(quiz, share) == []


@each_quiz
def test_the_notebook_for_nbgrader_asks_the_same_without_the_feedback_that_would_be_released(quiz):
    parse = pytest.importorskip("nbgrader_jupyterquiz.grader.parse", reason=NOT_THERE)
    quiz = with_choices_for_short_answers(quiz)
    notebook = nbformat.reads(export_jupyterquiz(quiz).files[1].data.decode(), as_version=4)
    nbformat.validate(notebook)
    (cell,) = notebook.cells
    assert utils.is_task(cell)
    (read,), _ = parse.parse_cell(cell.source)
    assert read.warnings == []
    for found, item in zip(read.questions, quiz.items, strict=True):
        asked = {name: value for name, value in question(item).items() if name != "id"}
        asked["answers"] = [
            {name: value for name, value in answer.items() if name != "feedback"}
            for answer in asked["answers"]
            if asked["type"] != "numeric" or answer["correct"]
        ]
        assert found == asked


def test_single_choices_and_multiple_responses_are_told_apart():
    kinds = {MultipleResponse: "many_choice", MultipleChoice: "multiple_choice"}
    for item in traps().items:
        if type(item) in kinds:
            assert question(item)["type"] == kinds[type(item)]


def test_a_dollar_or_bracket_in_a_text_is_no_formula_and_no_link():
    """What is left of `$…$` and `[a](b)` after the formulas: the page makes HTML of a text as it is."""
    text = NOTEBOOK_HTML.line(parse_markup(r"It costs \$5, see A[i](j), `x[0](1)` or `a$b`: $M[0](1) < 2$ and <b>."))
    assert re.findall(r"\$[^$]*\$", text) == ["$M&#91;0](1) &lt; 2$"]
    assert "](" in html.unescape(text) and not re.search(r"\[.*?\]\(", text)
    assert "<b>" not in text


def test_a_sentence_is_refused_rather_than_marked_by_its_letters():
    with pytest.raises(TypeError, match="kc-01 is a short answer"):
        export_jupyterquiz(knowledge_check())
