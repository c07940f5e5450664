"""Any spreadsheet reads the gradebook, and takes nothing in it for a formula."""

import csv
import io

import pytest

from autograder.records.gradebook import Gradebook, NotGraded, cell_of_id, csv_row, id_in_cell

NUMPY = "01_numpy_self_attention"


def rows(results, assignments=(NUMPY,), not_graded=()):
    file = io.StringIO(newline="")
    book = Gradebook(file, assignments)
    for result in results:
        book.add(result)
    for entry in not_graded:
        book.add_not_graded(entry)
    return list(csv.reader(io.StringIO(file.getvalue(), newline=""), strict=True))


def test_the_header_is_the_contracts(a_class):
    assert rows([], ["a", "b"]) == [["student", "assignment", "score", "max_score", "status"]]


def test_one_assignment_gets_a_column_for_each_exercise(make):
    header, row = rows([make["softmax_over_queries"]("student-01")])
    assert header[5:] == [
        "matrix_dimensions",
        "project_query",
        "project_key",
        "project_value",
        "attention_scores",
        "scale_scores",
        "softmax_rows",
        "attention_output",
        "self_attention",
    ]
    assert row[:5] == ["student-01", NUMPY, "87.2", "100", "graded"] and row[11] == "3.2"


def test_an_unreadable_submission_has_a_row_and_no_exercise_marks(make):
    _, row = rows([make["unreadable"]("student-01")])
    assert row[:5] == ["student-01", NUMPY, "0", "100", "unreadable"] and set(row[5:]) == {""}


def test_a_submission_that_was_not_graded_has_a_row_without_a_score():
    _, row = rows([], not_graded=[NotGraded("student-01", NUMPY, "no wall")])
    assert row[:5] == ["student-01", NUMPY, "", "", "not_graded"]


@pytest.mark.parametrize(
    "student",
    ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\u00a0=1", "＝1+1", "－1", "=cmd|' /C calc'!A0", "'quoted"],
)
def test_an_id_that_looks_like_a_formula_becomes_text_and_can_be_matched(student):
    cell = cell_of_id(student)
    assert cell.startswith("'") and id_in_cell(cell) == student.strip()


def test_ordinary_ids_stay_as_they_are():
    for student in ("student-01", "Øyvind", "a.b_c", "17", "o'neill", "李雷"):
        assert cell_of_id(student) == student == id_in_cell(student)


def test_no_cell_can_be_split_into_a_formula_by_another_separator():
    assert csv_row(["a;=1+1", "b\t=2", 'c"=3']) == '"a;=1+1","b\t=2","c""=3"\r\n'


def test_a_newline_or_escape_sequence_in_an_id_never_reaches_a_cell():
    assert cell_of_id("a\n=1\x1b[31m\r") == "a =1"
