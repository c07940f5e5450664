"""Grading again: after a changed test, with a penalty, with marks that people gave, and after a fault."""

from __future__ import annotations

import csv
import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory

from autograder.boundary.outside.wall import WallError
from autograder.integrations.nbgrader import marking
from autograder.integrations.nbgrader.exporter import SubmissionExporter
from autograder.integrations.nbgrader.preprocessors import MarkAcrossWall

from .conftest import EVEN_COLUMNS, NUMPY, cell_of, grade_id, student_grade

ESSAY = "reflection-scale"
HALF = "def scale_scores(S, d_k):\n    return S / d_k\n"


@pytest.fixture(scope="module")
def graded(course):
    """Two students: one late, both graded once."""

    def essay(notebook):
        cell_of(notebook, ESSAY).update(source="Since scores grow with d_k.")

    course.submit("student-01", {"softmax_rows": EVEN_COLUMNS}, edit=essay)
    late = course.submit("student-02", edit=essay)
    late.with_name("timestamp.txt").write_text("2026-03-02 12:30:00 UTC")
    with course.gradebook() as gradebook:
        gradebook.update_or_create_assignment(NUMPY, duedate="2026-03-02 12:00:00 UTC")
    status, log = course.run("autograde", NUMPY)
    assert status == 0, log
    return course


def test_a_written_answer_waits_for_a_person_and_counts_no_points_of_its_own(graded):
    with student_grade(graded, "student-01", ESSAY) as grade:
        assert (grade.auto_score, grade.needs_manual_grade, grade.max_score) == (None, True, 0)


def test_marks_that_people_gave_survive_a_changed_test(graded):
    with student_grade(graded, "student-01", ESSAY) as grade:
        grade.manual_score = 1.5
    with student_grade(graded, "student-01", "softmax_rows-check") as grade:
        grade.manual_score, grade.extra_credit = 3.0, 0.5
    path = graded.folder / "source" / NUMPY / "numpy_self_attention.ipynb"
    source = nbformat.read(path, as_version=4)
    cell_of(source, ESSAY).metadata.nbgrader.points = 2
    cell_of(source, "softmax_rows-check").metadata.nbgrader.points = 20
    cell_of(source, "softmax_rows-check").source += "\nassert softmax_rows(np.zeros((1, 1))) == 1"
    nbformat.write(source, path)
    for command in ("generate_assignment", "autograde"):
        status, log = graded.run(command, NUMPY, "--force")
        assert status == 0, log
    with student_grade(graded, "student-01", ESSAY) as grade:
        assert (grade.score, grade.max_score, grade.auto_score) == (1.5, 2, None)
    with student_grade(graded, "student-01", "softmax_rows-check") as grade:
        assert (grade.score, grade.auto_score, grade.extra_credit) == (3.5, 0.0, 0.5)
        assert grade.needs_manual_grade, "nbgrader asks to look at it again"
    assert graded.marks("student-02")["softmax_rows"] == 20.0, "all of an exercise is all of its cell's points"
    assert "np.zeros((1, 1))" in cell_of(graded.autograded("student-01"), "softmax_rows-check").source


def test_a_penalty_for_lateness_is_nbgraders_own(graded):
    assert graded.run("autograde", NUMPY, "--force", "--LateSubmissionPlugin.penalty_method=zero")[0] == 0
    with graded.gradebook() as gradebook:
        late = gradebook.find_submission(NUMPY, "student-02")
        assert (late.late_submission_penalty, late.score) == (104.0, 104.0)
        assert gradebook.find_submission(NUMPY, "student-01").late_submission_penalty in (None, 0)
    assert graded.run("export")[0] == 0
    with (graded.folder / "grades.csv").open(newline="") as file:
        row = next(
            row for row in csv.DictReader(file) if (row["assignment"], row["student_id"]) == (NUMPY, "student-02")
        )
    assert (row["raw_score"], row["late_submission_penalty"], row["score"]) == ("104.0", "104.0", "0.0")


@pytest.mark.parametrize("fault", ["no wall", "a fault of the grader", "no secret"])
def test_without_a_result_nothing_is_earned_and_the_batch_goes_on(graded, monkeypatch, fault):
    def fail(*_arguments):
        raise WallError("no layer hides the hidden tests") if fault == "no wall" else RuntimeError("a fault")

    if fault == "no secret":
        monkeypatch.setattr("autograder.integrations.nbgrader.preprocessors.course_secret", fail)
    else:
        monkeypatch.setattr(marking, "standing_wall" if fault == "no wall" else "grade", fail)
    status, log = graded.run("autograde", NUMPY, "--force")
    assert status == 0
    for student in ("student-01", "student-02"):
        assert f"{student} was not graded, and has 0 points" in log
        assert set(graded.marks(student).values()) <= {0.0, 3.5}, "but for what a person gave"
        output = cell_of(graded.autograded(student), "self_attention-check").outputs[0]
        assert output.data["text/plain"] == "0.0"
        assert "Not graded" in output.data["text/html"]
    monkeypatch.undo()
    assert graded.run("autograde", NUMPY, "--force", "--student", "student-02")[0] == 0
    assert sum(graded.marks("student-02").values()) == 104.0


@pytest.mark.parametrize("name", ["homework-3", "torch_self_attention"])
def test_a_grade_cell_that_the_kit_has_no_result_for_earns_nothing(graded, name, tmp_path):
    """A renamed notebook of the kit's is not run in nbgrader's kernel either."""
    notebook = graded.released(NUMPY)
    about = {"student": "student-01", "assignment": str(tmp_path), "notebook": name, "db_url": ""}
    marked, _ = MarkAcrossWall(secret="s").preprocess(notebook, {"nbgrader": about})
    checks = [cell for cell in marked.cells if grade_id(cell).endswith("-check")]
    assert [cell.outputs[0].data["text/plain"] for cell in checks] == ["0.0"] * 9


def test_a_kits_notebook_that_an_instructor_renamed_is_not_run_though_a_student_deletes_its_checks(graded, tmp_path):
    release = graded.folder / "release" / NUMPY / "homework-4.ipynb"
    notebook = graded.released(NUMPY)
    nbformat.write(notebook, release)
    notebook.cells = [new_code_cell(f"open({str(tmp_path / 'ran')!r}, 'w')")]
    converter = Autograde(coursedir=CourseDirectory(root=str(graded.folder)))
    step = MarkAcrossWall(parent=SubmissionExporter(parent=converter), secret="s")
    about = {"student": "student-01", "assignment": NUMPY, "notebook": "homework-4", "db_url": ""}
    try:
        marked, _ = step.preprocess(notebook, {"nbgrader": about})
    finally:
        release.unlink()
    assert not (tmp_path / "ran").exists()
    assert marked.cells[0].outputs == []


def test_one_wall_serves_all_submissions_of_a_process(graded):
    assert graded.run("autograde", NUMPY, "--force")[0] == 0
    assert marking.standing_wall.cache_info().misses == 1


def test_nothing_of_the_rebuilding_stays_in_the_notebook_but_the_releases_own(graded):
    text = json.dumps(graded.autograded("student-01"))
    assert "attnkit_notes" not in text
