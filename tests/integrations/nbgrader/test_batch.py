"""A submission that nbgrader itself can't take has no marks, is named, and stops no other."""

from __future__ import annotations

import pytest
from nbgrader.api import MissingEntry

from .conftest import NUMPY


@pytest.fixture(scope="module")
def graded(course):
    """Between two honest submissions one without a notebook, and one whose time is no time."""
    course.submit("a-first")
    script = course.submit("b-script-alone")
    script.rename(script.with_suffix(".py"))
    course.submit("c-odd-time").with_name("timestamp.txt").write_text("before the deadline, honestly")
    course.submit("d-last")
    return course, *course.run("autograde", NUMPY)


@pytest.mark.parametrize("student", ["a-first", "d-last"])
def test_the_others_are_graded(graded, student):
    assert sum(graded[0].marks(student).values()) == 100.0


@pytest.mark.parametrize("student", ["b-script-alone", "c-odd-time"])
def test_it_has_no_marks(graded, student):
    with graded[0].gradebook() as gradebook, pytest.raises(MissingEntry):
        gradebook.find_submission(NUMPY, student)


def test_it_is_named(graded):
    _, status, log = graded
    assert status == 1
    assert "No notebooks were matched by" in log
    assert "b-script-alone" in log
    assert f"error processing assignment '{NUMPY}' for student 'c-odd-time'" in log
