"""Students' folders: whose work it is, and for which assignment."""

from pathlib import Path

import pytest

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.intake import IntakeError, collect

from .conftest import SOURCE, notebook

FIRST = ASSIGNMENTS["01_numpy_self_attention"]
SECOND = ASSIGNMENTS["02_torch_self_attention"]


def found(paths, assignment=None):
    return {
        (s.student, s.assignment): s
        for s in collect(paths if isinstance(paths, list) else [paths], assignment)
    }


def test_each_folder_is_a_student_and_the_name_of_the_file_tells_the_assignment(folder):
    root = folder(
        {
            "student-01/numpy_self_attention.py": SOURCE,
            "student-02/numpy_self_attention.ipynb": notebook(SOURCE),
            "student-02/torch_self_attention.py": SOURCE,
        }
    )
    submissions = found(root)
    assert list(submissions) == [
        ("student-01", FIRST.id),
        ("student-02", FIRST.id),
        ("student-02", SECOND.id),
    ]
    assert submissions["student-01", FIRST.id].files[0].cells[0].source == SOURCE
    assert submissions["student-02", FIRST.id].files[0].cells[0].name == "cell 1"


def test_a_path_that_does_not_exist_cannot_be_used(tmp_path):
    with pytest.raises(IntakeError, match="does not exist"):
        collect([Path(tmp_path / "nowhere")])


def test_a_student_who_handed_in_nothing_has_a_problem_and_not_a_gap(folder):
    submission = found(folder({"student-01/": "", "student-02/numpy_self_attention.py": SOURCE}), FIRST)[
        "student-01", FIRST.id
    ]
    assert submission.files == ()
    assert submission.problem == (
        "Nothing was handed in; numpy_self_attention.py or numpy_self_attention.ipynb was expected."
    )
