"""Links, pipes, closed folders and odd names on disk."""

import os
import threading

import pytest

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.intake import IntakeError, collect
from autograder.intake.disk import MAX_DEPTH

from .conftest import SOURCE

FIRST = ASSIGNMENTS["01_numpy_self_attention"]
NAME = "numpy_self_attention.py"


def problems(root) -> dict[str, str | None]:
    return {s.student: s.problem for s in collect([root], FIRST)}


def test_a_link_is_told_and_not_followed(folder, tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / NAME).write_text(SOURCE)
    root = folder({f"student-01/{NAME}": SOURCE, "student-02/": "", "student-04/": ""})
    (root / "student-02" / NAME).symlink_to(tmp_path / "secret" / NAME)
    (root / "student-03").symlink_to(tmp_path / "secret")
    (root / "student-04/work").symlink_to(tmp_path / "secret")
    assert problems(root) == {
        "student-01": None,
        "student-02": f"{NAME} is a symbolic link, which is not followed; hand in the file itself.",
        "student-03": "student-03 is a symbolic link, which is not followed; hand in the file itself.",
        "student-04": "work is a symbolic link, which is not followed; hand in the file itself.",
    }


def test_a_file_that_became_a_link_after_it_was_listed_is_not_followed(folder, tmp_path):
    (tmp_path / "secret.py").write_text("secret = 1\n")
    root = folder({f"student-01/{NAME}": SOURCE})
    collection = collect([root], FIRST)
    (root / "student-01" / NAME).unlink()
    (root / "student-01" / NAME).symlink_to(tmp_path / "secret.py")
    (submission,) = collection
    assert submission.problem.startswith(f"{NAME} cannot be read")


def test_a_pipe_is_told_and_never_opened(folder):
    root = folder({"student-01/": "", f"student-02/{NAME}": SOURCE})
    os.mkfifo(root / "student-01" / NAME)
    answer = []
    reading = threading.Thread(target=lambda: answer.append(problems(root)), daemon=True)
    reading.start()
    reading.join(60)
    assert answer == [{"student-01": f"{NAME} is not a regular file, so it was not opened.", "student-02": None}]


def test_a_link_given_by_the_instructor_is_told(folder, tmp_path):
    root = folder({f"student-01/{NAME}": SOURCE})
    (tmp_path / "latest").symlink_to(root)
    with pytest.raises(IntakeError, match="latest is a symbolic link"):
        collect([tmp_path / "latest"])


def test_a_pipe_or_device_given_by_the_instructor_is_told(tmp_path):
    os.mkfifo(tmp_path / "pipe.zip")
    with pytest.raises(IntakeError, match="is neither a file nor a folder"):
        collect([tmp_path / "pipe.zip"])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read every file")
def test_a_file_or_folder_without_permission_is_told(folder):
    root = folder({f"student-01/{NAME}": SOURCE, f"student-02/{NAME}": SOURCE, f"student-03/{NAME}": SOURCE})
    (root / "student-01").chmod(0)
    (root / "student-02" / NAME).chmod(0)
    told = problems(root)
    (root / "student-01").chmod(0o700)
    assert told == {
        "student-01": "The folder student-01 cannot be opened: Permission denied.",
        "student-02": f"{NAME} cannot be read: Permission denied.",
        "student-03": None,
    }


def test_a_file_removed_after_it_was_listed_is_one_students_problem(folder):
    root = folder({f"student-01/{NAME}": SOURCE, f"student-02/{NAME}": SOURCE})
    collection = collect([root], FIRST)
    (root / "student-01" / NAME).unlink()
    first, second = collection
    assert first.problem == f"{NAME} cannot be read: No such file or directory."
    assert second.problem is None


def test_folders_that_lie_too_deep_are_told(folder):
    root = folder({f"student-01/{'a/' * MAX_DEPTH}{NAME}": SOURCE, f"student-02/{NAME}": SOURCE})
    told = problems(root)
    assert "lies too deep" in told["student-01"]
    assert told["student-02"] is None


@pytest.mark.parametrize(
    "given",
    [
        "one,two",
        "one\ntwo",
        "=1+1",
        "-rf",
        "@one",
        "one\ttwo",
        "one\x1b[31m",
        "con",
        "a" * 200,
        "one.",
        "one ",
        "o\\e",
    ],
)
def test_a_student_with_an_unsafe_name_gets_a_safe_id_and_keeps_the_original(folder, given):
    (submission,) = collect([folder({f"{given}/{NAME}": SOURCE})])
    assert submission.problem is None
    assert submission.student != given
    assert submission.student_as_given == given


def test_a_name_that_is_no_utf_8_is_kept_readable(folder):
    root = folder({})
    os.mkdir(os.fsencode(root) + b"/stud\xe9nt")
    (submission,) = collect([root], FIRST)
    assert submission.student_as_given == "stud\\xe9nt"
    submission.student.encode("utf-8")
