"""What an instructor adds to the kit's notebooks: hidden tests, and test cells of their own."""

from __future__ import annotations

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from .conftest import NUMPY, cell_of, grade_id, student_grade

HIDDEN = "assert softmax_rows(np.full((1, 3), 7.0)).max() < 0.5, 'the secret case'"
BLOCK = f"\n### BEGIN HIDDEN TESTS\n{HIDDEN}\n### END HIDDEN TESTS"
OWN = "own-check"
FULL = 100.0


def add_own(source):
    """Hidden tests to one of the kit's cells, and a test cell with points."""
    cell_of(source, "softmax_rows-check").source += BLOCK
    metadata = {
        "grade": True,
        "solution": False,
        "locked": True,
        "task": False,
        "schema_version": 3,
        "points": 5,
        "grade_id": OWN,
    }
    source.cells.append(new_code_cell(f"assert True{BLOCK}", metadata={"nbgrader": metadata}))


@pytest.fixture(scope="module")
def graded(course):
    path = course.folder / "source" / NUMPY / "numpy_self_attention.ipynb"
    source = nbformat.read(path, as_version=4)
    add_own(source)
    nbformat.write(source, path)
    assert course.run("generate_assignment", NUMPY, "--force")[0] == 0
    course.submit("student-01")
    course.submit("student-02", edit=lambda notebook: cell_of(notebook, OWN).update(source="5.0"))
    for command in ("autograde", "generate_feedback"):
        status, log = course.run(command, NUMPY)
        assert status == 0, log
    return course


def test_hidden_tests_are_in_no_release_and_in_no_feedback(graded):
    pages = [*(graded.folder / "release").rglob("*"), *(graded.folder / "feedback").rglob("*")]
    texts = [path.read_text() for path in pages if path.is_file()]
    assert len(texts) > 10
    assert not any("the secret case" in text for text in texts)
    assert "the secret case" in cell_of(graded.autograded("student-01"), "softmax_rows-check").source, "for who grades"


@pytest.mark.parametrize("student", ["student-01", "student-02"])
def test_a_test_cell_of_ones_own_earns_nothing_until_a_person_marks_it(graded, student):
    """It is not run, whatever a student makes of it."""
    cell = cell_of(graded.autograded(student), OWN)
    assert cell.source == f"assert True{BLOCK}"
    assert cell.outputs[0].data["text/plain"] == "0.0"
    assert "Not graded" in cell.outputs[0].data["text/html"]
    assert sum(graded.marks(student).values()) == FULL
    assert [grade_id(c) for c in graded.autograded(student).cells].count(OWN) == 1


def test_the_mark_that_a_person_gave_it_stays(graded):
    with student_grade(graded, "student-01", OWN) as grade:
        grade.manual_score = 5.0
    assert graded.run("autograde", NUMPY, "--force")[0] == 0
    assert sum(graded.marks("student-01").values()) == FULL + 5
