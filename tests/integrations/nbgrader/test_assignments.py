"""All six assignments through nbgrader's autograde: each cell's mark is that of `attnkit grade` to the last digit."""

from __future__ import annotations

import pytest

from autograder.catalogue.assignments import ASSIGNMENTS
from tests.fresh.answers import fresh_answers, right_parts

from .conftest import ROOT, grade_id

EVERY = 6  # of the fresh answers one in so many


@pytest.fixture(scope="module")
def graded(course):
    """A right submission of each assignment, one as it was released, and some of the fresh wrong answers."""
    for assignment in ASSIGNMENTS:
        course.submit("right", right_parts(assignment), assignment=assignment, edit=answer_in_words)
        course.submit("untouched", dict.fromkeys(right_parts(assignment), ""), assignment=assignment)
        wrong = [answer for answer in fresh_answers() if answer.assignment == assignment]
        for answer in wrong[::EVERY]:
            course.submit(answer.id, {**right_parts(assignment), **answer.code}, assignment=assignment)
        status, log = course.run("autograde", assignment)
        assert status == 0, log
    return course


def answer_in_words(notebook):
    for cell in notebook.cells:
        if grade_id(cell).startswith("reflection-"):
            cell.source = "Since softmax works row by row."


def students(course, assignment):
    return sorted(path.parent.name for path in (course.folder / "submitted").glob(f"*/{assignment}"))


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_marks_are_those_of_attnkit_grade(graded, assignment, tmp_path):
    expected = graded.kits_marks(students(graded, assignment), tmp_path / "out", assignment)
    assert {name: graded.marks(name, assignment) for name in expected} == expected
    assert len(expected) > 6


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_a_right_submission_has_all_points_and_an_untouched_one_none(graded, assignment):
    assert sum(graded.marks("right", assignment).values()) == 100.0
    assert sum(graded.marks("untouched", assignment).values()) == 0.0


def test_some_marks_lie_between(graded):
    names = [(name, assignment) for assignment in ASSIGNMENTS for name in students(graded, assignment)]
    marks = [mark for name, assignment in names for mark in graded.marks(name, assignment).values()]
    assert sum(mark != round(mark) for mark in marks) > 10


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_each_grade_cell_says_why(graded, assignment):
    for name in students(graded, assignment):
        cells = [cell for cell in graded.autograded(name, assignment).cells if grade_id(cell).endswith("-check")]
        assert len(cells) == len(ASSIGNMENTS[assignment].exercises)
        for cell in cells:
            (output,) = cell.outputs
            assert f" of {cell.metadata.nbgrader.points} points" in output.data["text/html"]


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_written_questions_wait_for_a_person_who_has_a_rubric(graded, assignment):
    with graded.gradebook() as gradebook:
        (notebook,) = gradebook.find_submission(assignment, "right").notebooks
        written = {grade.name: grade for grade in notebook.grades if grade.name.startswith("reflection-")}
        assert written
        assert all(grade.auto_score is None and grade.needs_manual_grade for grade in written.values())
    rubrics = (ROOT / "instructor_guide" / "reflections.md").read_text()
    for name in written:
        assert f"| {assignment[:2]} `{name.removeprefix('reflection-')}` |" in rubrics
