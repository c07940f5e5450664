"""Whatever text arrives, it has one of the four outcomes and a score within the item's points."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.commands import main
from autograder.quiz.banks.loading import load_bank
from autograder.quiz.marks.grading import grade
from autograder.quiz.marks.marking import mark
from autograder.quiz.marks.responses import ResponsesError, read_responses
from autograder.quiz.outcome import Outcome
from autograder.quiz.pages.page_text import PAGE_TEXT
from autograder.quiz.texts.markup import MarkupError, parse_markup
from autograder.quiz.texts.plain import plain_text
from autograder.spreadsheet import csv_text

ITEMS = [item for name in ("knowledge_check", "numeric") for item in load_bank(name).items]
PIECES = "the same not sequence softmax n^2 $ \\frac{ } quadratic never heads , . ; A b 1/0 1e9 √ ²"
WORDS = st.lists(st.sampled_from([*PIECES.split(), "\n"]))
TEXTS = st.text(max_size=60) | WORDS.map(" ".join)


@settings(max_examples=20, deadline=None)
@given(TEXTS)
def test_any_response_to_any_item_has_an_outcome(text):
    for item in ITEMS:
        made = mark(item, text)
        assert made.outcome in Outcome
        assert made.score == (item.points if made.outcome is Outcome.CORRECT else 0)


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_below_a_header_are_read_or_refused_in_a_sentence(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("responses") / "responses.csv"
    path.write_bytes(b"student,item,response\n" + data)
    try:
        sheet = read_responses(path)
    except ResponsesError as error:
        assert str(path) in str(error)
    else:
        grade(load_bank("knowledge_check"), sheet)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab *`$\\-\n1.<&", max_size=40))
def test_any_text_of_a_bank_parses_or_is_refused(text):
    try:
        markup = parse_markup(text)
    except MarkupError:
        return
    if "$" not in text:
        assert "<a" not in PAGE_TEXT.blocks(markup)
        plain_text(markup)


# What pylatexenc raises at, ends its stack at, or takes twice as long for with each piece.
FORMULAS = [
    "$\\sqrt$", "\\sqrt", "$\\href{x}{y}$", "$\\begin{array}$", "$\\footnote[$", "$\\char\\vec$",
    "$a" + "{" * 900, "$x" + "^{" * 300, "$" + "\\sqrt[" * 100, "$" + "\\frac{" * 20, "$" + "\\left(" * 100,
    "$" + "\\frac{" * 40 + "}" * 40 + "$", "$" + "\\sqrt[" * 40 + "]" * 40 + "$", "$[0, 1)$", "$\\text{[}$",
]  # fmt: skip


@pytest.mark.parametrize("typed", FORMULAS, ids=range(len(FORMULAS)))
def test_a_formula_that_cannot_be_read_is_one_students_problem(typed, tmp_path, capsys):
    path = tmp_path / "responses.csv"
    rows = [("student-01", "kc-03", typed), ("student-02", "kc-03", "a")]
    path.write_text(csv_text((("student", "item", "response"), *rows)), encoding="utf-8")
    assert main(["quiz", "grade", str(path), "--quiz", "knowledge_check", "--out", str(tmp_path / "out")]) == 0
    results = (tmp_path / "out" / "quiz_results.csv").read_text("utf-8")
    assert "student-01,kc-03,review" in results and "student-02,kc-03,correct" in results


def test_no_response_does_anything_to_the_instructors_terminal(tmp_path, capsys):
    escape = "\x1b]0;taken over\x07"
    path = tmp_path / "responses.csv"
    rows = [(f"student-01{escape}", item, escape) for item in (f"kc-01@{escape}", f"kc-99{escape}", "kc-02", "kc-03")]
    path.write_text(csv_text((("student", "item", "response"), *rows)), encoding="utf-8")
    main(["quiz", "grade", str(path), "--quiz", "knowledge_check", "--out", str(tmp_path / "out")])
    assert "taken over" not in "".join(line for line in capsys.readouterr() if "\x1b" in line or "\x07" in line)
