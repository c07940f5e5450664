"""Every submission has a row in the gradebook, which any reader of CSV reads."""

import csv
import io

from autograder.records.gradebook import Gradebook, NotGraded

NUMPY = "01_numpy_self_attention"


def rows(results, assignments=(NUMPY,), not_graded=()):
    file = io.StringIO(newline="")
    book = Gradebook(file, assignments)
    for result in results:
        book.add(result)
    for entry in not_graded:
        book.add_not_graded(entry)
    return list(csv.reader(io.StringIO(file.getvalue(), newline=""), strict=True))


def test_the_header_is_the_contracts():
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
