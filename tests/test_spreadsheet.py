"""Any spreadsheet reads the kit's tables, and takes nothing in them for a formula."""

import pytest

from autograder.spreadsheet import csv_text, text_cell, text_in_cell


@pytest.mark.parametrize(
    "student",
    ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\u00a0=1", "＝1+1", "－1", "=cmd|' /C calc'!A0", "'quoted"],
)
def test_an_id_that_looks_like_a_formula_becomes_text_and_can_be_matched(student):
    cell = text_cell(student)
    assert cell.startswith("'") and text_in_cell(cell) == student.strip()


def test_ordinary_ids_stay_as_they_are():
    for student in ("student-01", "Øyvind", "a.b_c", "17", "o'neill", "李雷"):
        assert text_cell(student) == student == text_in_cell(student)


def test_no_cell_can_be_split_into_a_formula_by_another_separator():
    assert csv_text([["a;=1+1", "b\t=2", 'c"=3']]) == '"a;=1+1","b\t=2","c""=3"\r\n'


def test_a_newline_or_escape_sequence_in_an_id_never_reaches_a_cell():
    assert text_cell("a\n=1\x1b[31m\r") == "a =1"


def test_a_long_text_is_cut_to_the_limit_that_is_asked_for():
    assert text_cell("a" * 99, 10) == "a" * 9 + "…"
