"""Marks and feedback go back to Moodle in the worksheet and the folders that it gave."""

import csv
import zipfile
from pathlib import Path

import pytest

from autograder.commands import main
from autograder.intake import collect
from autograder.integrations.moodle import EXERCISES, FEEDBACK, WORKSHEET, export_moodle
from autograder.integrations.platform_gradebook import ExportError

HEADER = [
    "Identifier",
    "Full name",
    "Email address",
    "Status",
    "Grade",
    "Maximum Grade",
    "Grade can be changed",
    "Last modified (submission)",
    "Last modified (grade)",
    "Feedback comments",
]
ROWS = [
    ["Participant 501", "Student One", "one@example.edu", "Submitted", "", "100.00", "Yes", "Monday", "-", "kept"],
    ["Participant 502", "Student_Two", "two@example.edu", "Submitted", "7.00", "50.00", "Yes", "Monday", "-", ""],
    ["Participant 503", "=Student/Three", "three@example.edu", "", "", "100.00", "No", "", "-", ""],
]


@pytest.fixture
def worksheet(tmp_path: Path) -> Path:
    path = tmp_path / "worksheet.csv"
    write(path, [HEADER, *ROWS])
    return path


def write(path: Path, lines: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)


def rows(path: Path) -> list[list[str]]:
    return list(csv.reader(path.open(encoding="utf-8", newline=""), strict=True))


def test_the_worksheet_comes_back_with_grades_and_all_else_as_it_was(graded, worksheet, tmp_path):
    export_moodle(graded({"Student One_501": (35.0, 40.5, 0.0)}), worksheet, tmp_path)
    header, first, second, third = rows(tmp_path / WORKSHEET)
    assert header == HEADER and first == [*ROWS[0][:4], "75.5", *ROWS[0][5:]]
    assert second == ROWS[1] and third == [ROWS[2][0], "'=Student/Three", *ROWS[2][2:]]


def test_no_cell_that_a_student_wrote_is_a_formula(graded, worksheet, tmp_path):
    """Names and typed texts stand in the worksheet, whatever the language of its header."""
    lines = [["Identificador", "Nombre", "Texto", "Nota"], ["Participante501", "@one", "=HYPERLINK(A1)\nx", "-1.5"]]
    write(worksheet, lines)
    export_moodle(graded({"502": (35.0, 50.0, 15.0)}), worksheet, tmp_path, column="Nota")
    assert rows(tmp_path / WORKSHEET)[1] == ["Participante501", "'@one", "'=HYPERLINK(A1)\nx", "-1.5"]


def test_grades_are_scaled_to_the_worksheets_maximum_and_keep_its_decimal_sign(graded, worksheet, tmp_path):
    write(worksheet, [HEADER, [*ROWS[1][:5], "50,00", *ROWS[1][6:]]])
    export_moodle(graded({"two@example.edu": (35.0, 0.0, 2.5)}), worksheet, tmp_path)
    assert rows(tmp_path / WORKSHEET)[1][4] == "18,75"


def test_a_locked_grade_stays_and_is_told(graded, worksheet, tmp_path):
    made = export_moodle(graded({"three@example.edu": (35.0, 50.0, 15.0)}), worksheet, tmp_path)
    assert rows(tmp_path / WORKSHEET)[3][4] == "" and any("Locked" in told and "Three" in told for told in made.told)


def test_a_worksheet_in_another_language_is_filled_by_the_name_of_its_column(graded, worksheet, tmp_path):
    write(worksheet, [["Identificador", "Nombre completo", "Calificación"], ["Participante501", "Student One", ""]])
    with pytest.raises(ExportError, match="--column"):
        export_moodle(graded({"Student One_501": (35.0, 50.0, 15.0)}), worksheet, tmp_path)
    made = export_moodle(tmp_path / "out", worksheet, tmp_path, column="Calificación")
    assert made.unmatched == () and rows(tmp_path / WORKSHEET)[1][2] == "100"


def test_in_blind_marking_the_identifier_stands_for_the_name(graded, worksheet, tmp_path):
    write(worksheet, [["Identifier", "Status", "Grade"], ["Participant 501", "Submitted", ""]])
    made = export_moodle(graded({"Participant_501": (35.0, 50.0, 15.0)}), worksheet, tmp_path)
    assert made.unmatched == () and rows(tmp_path / WORKSHEET)[1][2] == "100"


def test_a_number_with_another_name_is_nobody(graded, worksheet, tmp_path):
    made = export_moodle(graded({"student_501": (35.0, 50.0, 15.0)}), worksheet, tmp_path)
    assert made.unmatched == ("student_501",)


def test_feedback_lies_where_moodle_reads_the_participants_number(graded, worksheet, tmp_path):
    out = graded({"501": (35.0, 50.0, 15.0), "502": (0.0, 0.0, 0.0), "503": (0.0, 0.0, 0.0)})
    export_moodle(out, worksheet, tmp_path)
    with zipfile.ZipFile(tmp_path / FEEDBACK) as archive:
        names = archive.namelist()
    assert names == [
        f"{name}_assignsubmission_file_/02_torch_self_attention.html"
        for name in ("Student One_501", "Student Two_502", "=Student Three_503")
    ]
    for name in names:  # Moodle's own rule: the second piece between underscores is the number
        assert name.split("/")[0].split("_", 4)[1:4] == [name.split("_")[1], "assignsubmission", "file"]


def test_a_moodle_download_that_was_taken_in_goes_back_to_the_same_people(graded, worksheet, tmp_path):
    for folder in ("Student One_501_assignsubmission_file_", "Student Two_502_assignsubmission_file_"):
        (tmp_path / "in" / folder).mkdir(parents=True)
        (tmp_path / "in" / folder / "torch_self_attention.py").write_text("x = 1\n")
    students = {submission.student: (35.0, 50.0, 15.0) for submission in collect([tmp_path / "in"])}
    assert export_moodle(graded(students), worksheet, tmp_path).unmatched == ()


def test_marks_per_exercise_go_into_a_file_for_the_grade_import(graded, worksheet, tmp_path):
    export_moodle(graded({"501": (35.0, 10.0, 2.5)}), worksheet, tmp_path, per_exercise=True)
    header, row = rows(tmp_path / EXERCISES)
    assert header[0] == "Email address" and header[2] == "02_torch_self_attention SelfAttention"
    assert row == ["one@example.edu", "35", "10", "2.5"]


def test_whoever_is_left_out_is_named(graded, worksheet, tmp_path, capsys):
    out = graded({"501": (35.0, 50.0, 15.0), "stranger": (0.0, 0.0, 0.0)})
    assert main(["export", "moodle", str(out), "--gradebook", str(worksheet), "--to", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert "not exported: stranger." in told and "left as they are: Student_Two, =Student/Three." in told


def test_a_gradebook_that_is_no_worksheet_is_told(graded, worksheet, tmp_path):
    write(worksheet, [["Identifier", "Grade"], ["somebody", ""]])
    with pytest.raises(ExportError, match="row 2: 'somebody' is no participant"):
        export_moodle(graded({"501": (35.0, 50.0, 15.0)}), worksheet, tmp_path)
