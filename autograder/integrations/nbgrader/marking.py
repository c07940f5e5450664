"""From a submitted folder to a Result, with one wall for all submissions of a process."""

from __future__ import annotations

import atexit
import os
import secrets
import tempfile
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from autograder.boundary.outside.wall import Wall, raise_wall
from autograder.catalogue.assignments import Assignment
from autograder.catalogue.result import Result
from autograder.grading.grade import Course, grade
from autograder.intake import Submission
from autograder.intake.choosing import submission_of
from autograder.intake.disk import tree_of_folder
from autograder.intake.layouts import Handin
from autograder.intake.students import Register
from autograder.intake.work import Work

SECRET = "course_secret"

_until_exit = ExitStack()
atexit.register(_until_exit.close)


@cache
def standing_wall() -> Wall:
    """The wall of this process: raised when it is first needed, down when the process ends. Raises WallError."""
    return _until_exit.enter_context(raise_wall())


def mark(folder: Path, student: str, assignment: Assignment, course: Course) -> Result:
    """The result of what `student` handed in for `assignment`: what `attnkit grade` makes of the same files."""
    return grade(submission_in(folder, student, assignment), standing_wall(), course)


def submission_in(folder: Path, student: str, assignment: Assignment) -> Submission:
    """What the files below `folder` hold for `assignment`."""
    handin = Handin(student, tree_of_folder(folder).entries)
    return submission_of(Work.of([handin]), Register().enter(student), assignment)


def course_secret(root: Path, mode: int = 0o600) -> str:
    """The secret in the course's folder; made at the first call, be it by several processes at once.

    Raises OSError where it can be neither read nor made, ValueError where it is empty.
    """
    path = root / SECRET
    if not path.exists():
        _make(path, mode)
    secret = path.read_text(encoding="utf-8").strip()
    if not secret:
        raise ValueError(f"{path} is empty; remove it, and a new secret is made at the next grading")
    return secret


def _make(path: Path, mode: int) -> None:
    """Write a new secret beside and link it into place, which one process alone can do."""
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(secrets.token_hex(32) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, mode)
        os.link(beside, path)
    except FileExistsError:
        pass  # another process was first
    finally:
        os.unlink(beside)
