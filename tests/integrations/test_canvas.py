"""Marks and feedback go back to Canvas, each to the student whose they are, and nobody is dropped in silence."""

import csv
import zipfile
from pathlib import Path

import pytest

from autograder.commands import main
from autograder.integrations.canvas import FEEDBACK, GRADEBOOK, export_canvas
from autograder.integrations.platform_gradebook import ExportError

HEADER = "Student,ID,SIS User ID,SIS Login ID,Section,Essay (7),Self-attention as a PyTorch module (9),Current Score"
POSSIBLE = "    Points Possible,,,,,10,50,(read only)"
ROWS = [
    '"One, Student",101,s-1,one@example.edu,A,8,,80',
    '"Two, Student",102,s-2,two@example.edu,A,,,',
    '"Three, Student",103,s-3,three@example.edu,B,,3,',
    '"Student, Test",999,,x,A,,,',
]


@pytest.fixture
def gradebook(tmp_path: Path) -> Path:
    path = tmp_path / "canvas.csv"
    path.write_text(
        "\ufeff" + "\n".join([HEADER, "    Manual Posting,,,,,,,", POSSIBLE, *ROWS]) + "\n", encoding="utf-8"
    )
    return path


def rows(to: Path) -> list[list[str]]:
    return list(csv.reader((to / GRADEBOOK).open(encoding="utf-8", newline=""), strict=True))


def test_the_import_file_has_the_gradebooks_own_header_and_the_points_possible(graded, gradebook, tmp_path):
    export_canvas(graded({"onestudent_101": (35.0, 50.0, 15.0)}), gradebook, tmp_path)
    header, possible, row = rows(tmp_path)
    assert header == [
        "Student",
        "ID",
        "SIS User ID",
        "SIS Login ID",
        "Section",
        "Self-attention as a PyTorch module (9)",
    ]
    assert possible == ["    Points Possible", "", "", "", "", "50"]
    assert row == ["One, Student", "101", "s-1", "one@example.edu", "A", "50"]


def test_scores_are_scaled_to_the_points_that_canvas_has(graded, gradebook, tmp_path):
    export_canvas(graded({"s-2": (35.0, 0.0, 2.5)}), gradebook, tmp_path)
    assert rows(tmp_path)[2][1:] == ["102", "s-2", "two@example.edu", "A", "18.75"]


@pytest.mark.parametrize("student", ["twostudent_102", "102", "s-2", "TWO@example.edu", "Two, Student"])
def test_a_student_is_found_by_any_of_the_ids_and_by_number_with_name(graded, gradebook, tmp_path, student):
    made = export_canvas(graded({student: (0.0, 0.0, 0.0)}), gradebook, tmp_path)
    assert [row[1] for row in rows(tmp_path)[2:]] == ["102"] and not made.unmatched


def test_a_number_with_another_name_is_nobody(graded, gradebook, tmp_path):
    made = export_canvas(graded({"student_102": (35.0, 50.0, 15.0)}), gradebook, tmp_path)
    assert made.unmatched == ("student_102",) and len(rows(tmp_path)) == 2


def test_whoever_is_left_out_is_named(graded, gradebook, tmp_path):
    made = export_canvas(graded({"onestudent_101": None, "stranger": (35.0, 50.0, 15.0)}), gradebook, tmp_path)
    told = " ".join(made.told)
    assert "not exported: stranger." in told and "left as they are: Two, Student, Three, Student." in told
    assert "0 points: onestudent_101." in told and "Test" not in told


def test_two_rows_with_one_id_match_nobody_by_it(graded, gradebook, tmp_path):
    gradebook.write_text(gradebook.read_text("utf-8").replace("s-1", "s-2"), encoding="utf-8")
    assert export_canvas(graded({"s-2": (35.0, 50.0, 15.0)}), gradebook, tmp_path).unmatched == ("s-2",)


def test_of_two_results_for_one_row_none_is_exported_since_which_would_be_a_guess(graded, gradebook, tmp_path):
    made = export_canvas(graded({"102": (35.0, 50.0, 15.0), "s-2": (0.0, 0.0, 0.0)}), gradebook, tmp_path)
    assert made.unmatched == ("102", "s-2") and len(rows(tmp_path)) == 2


@pytest.mark.parametrize("name", ["s-2", "102", "ＴＷＯ@example.edu"])
def test_who_is_called_by_anothers_id_takes_no_mark_and_keeps_none_from_the_other(graded, gradebook, tmp_path, name):
    text = gradebook.read_text("utf-8").replace('"Three, Student"', name)
    gradebook.write_text(text, encoding="utf-8")
    for student in ("102", "s-2", "two@example.edu"):
        made = export_canvas(graded({student: (35.0, 50.0, 15.0)}), gradebook, tmp_path)
        assert [row[1] for row in rows(tmp_path)[2:]] == ["102"] and not made.unmatched
        (tmp_path / "out" / "results" / student / "02_torch_self_attention.json").unlink()


@pytest.mark.parametrize("student", ["'102", "'s-2", "s-2'", "'Two, Student'"])
def test_a_quote_makes_nobody_another(graded, gradebook, tmp_path, student):
    assert export_canvas(graded({student: (0.0, 0.0, 0.0)}), gradebook, tmp_path).unmatched == (student,)


def test_no_cell_of_the_import_file_is_a_formula(graded, gradebook, tmp_path):
    text = gradebook.read_text("utf-8").replace("two@example.edu", "=HYPERLINK(A1)").replace(",A,", ",@A,")
    gradebook.write_text(text, encoding="utf-8")
    export_canvas(graded({"102": (35.0, 50.0, 15.0)}), gradebook, tmp_path)
    assert rows(tmp_path)[2][1:5] == ["102", "s-2", "'=HYPERLINK(A1)", "'@A"]


def test_marks_per_exercise_become_columns_of_their_own(graded, gradebook, tmp_path):
    made = export_canvas(graded({"101": (35.0, 10.0, 2.5), "102": None}), gradebook, tmp_path, per_exercise=True)
    header, possible, first, second = rows(tmp_path)
    assert header[5:] == [
        f"02_torch_self_attention {name}"
        for name in ("scaled_dot_product_attention", "SelfAttention", "parameter_count")
    ]
    assert (possible[5:], first[5:], second[5:]) == (["35", "50", "15"], ["35", "10", "2.5"], ["0", "0", "0"])
    assert any("make new assignments" in sentence for sentence in made.told)


def test_the_column_can_be_named(graded, gradebook, tmp_path):
    export_canvas(graded({"101": (35.0, 50.0, 15.0)}), gradebook, tmp_path, column="essay")
    assert rows(tmp_path)[0][5] == "Essay (7)" and rows(tmp_path)[2][5] == "10"
    with pytest.raises(ExportError, match=r"no column called none.*Essay \(7\)"):
        export_canvas(tmp_path / "out", gradebook, tmp_path, column="none")


def test_a_gradebook_with_semicolons_is_read(graded, gradebook, tmp_path):
    text = gradebook.read_text("utf-8-sig").replace('"One, Student"', "One Student").replace(",", ";")
    gradebook.write_text(text, encoding="utf-8")
    export_canvas(graded({"101": (35.0, 50.0, 15.0)}), gradebook, tmp_path)
    assert rows(tmp_path)[2][5] == "50"


def test_feedback_carries_the_numbers_of_user_and_attachment(graded, gradebook, tmp_path):
    download = tmp_path / "submissions.zip"
    with zipfile.ZipFile(download, "w") as archive:
        for name in (
            "onestudent_101_5001_notes.txt",
            "onestudent_101_5002_torch_self_attention-1.py",
            "onestudent_101_5003_torch_self_attention.py",
            "twostudent_LATE_102_5004_my.ipynb",
        ):
            archive.writestr(name, "")
    out = graded({"onestudent_101": (35.0, 50.0, 15.0), "twostudent_102": (0.0, 0.0, 0.0), "103": (0.0, 0.0, 0.0)})
    made = export_canvas(out, gradebook, tmp_path, submissions=download)
    with zipfile.ZipFile(tmp_path / FEEDBACK) as archive:
        names = archive.namelist()
        page = archive.read(names[0])
    assert names == ["onestudent_101_5003_torch_self_attention.html", "twostudent_LATE_102_5004_my.html"]
    assert page == (out / "feedback" / "onestudent_101" / "02_torch_self_attention.html").read_bytes()
    assert any("can't take their feedback: Three, Student" in sentence for sentence in made.told)


def test_feedback_is_not_named_as_the_file_of_somebody_who_is_called_like_another(graded, gradebook, tmp_path):
    download = tmp_path / "submissions"
    download.mkdir()
    for name in ("onestudent_101_4099_5002_torch_self_attention.py", "onestudent_101_5003_torch_self_attention.py"):
        (download / name).write_text("")
    export_canvas(graded({"onestudent_101": (35.0, 50.0, 15.0)}), gradebook, tmp_path, submissions=download)
    with zipfile.ZipFile(tmp_path / FEEDBACK) as archive:
        assert archive.namelist() == ["onestudent_101_5003_torch_self_attention.html"]


def test_the_same_results_give_the_same_bytes(graded, gradebook, tmp_path):
    download = tmp_path / "submissions"
    download.mkdir()
    (download / "onestudent_101_5003_torch_self_attention.py").write_text("")
    out = graded({"onestudent_101": (35.0, 50.0, 15.0)})
    for to in ("a", "b"):
        export_canvas(out, gradebook, tmp_path / to, submissions=download)
    for name in (GRADEBOOK, FEEDBACK):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


@pytest.mark.parametrize(
    ("content", "words"),
    [("", "is empty"), ("a,b\n1,2\n", "no columns Student and ID"), ('Student,ID\n"x', "no CSV file")],
)
def test_a_file_that_is_no_gradebook_is_told(graded, tmp_path, content, words):
    (tmp_path / "odd.csv").write_text(content)
    with pytest.raises(ExportError, match=words):
        export_canvas(graded({"101": (35.0, 50.0, 15.0)}), tmp_path / "odd.csv", tmp_path)


def test_the_command_names_who_was_left_out_and_exits_with_1(graded, gradebook, tmp_path, capsys):
    out = graded({"101": (35.0, 50.0, 15.0), "stranger": (0.0, 0.0, 0.0)})
    assert main(["export", "canvas", str(out), "--gradebook", str(gradebook)]) == 1
    told = capsys.readouterr()
    assert "stranger" in told.err and told.out.strip() == str(out / "export" / GRADEBOOK)
    assert main(["export", "canvas", str(tmp_path / "nothing"), "--gradebook", str(gradebook)]) == 2
    assert "holds no results" in capsys.readouterr().err
