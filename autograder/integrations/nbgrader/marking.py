"""From a submitted folder to a Result, with one wall for all submissions of a process."""

from __future__ import annotations

import atexit
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
from autograder.intake.entries import SIZE_LIMITS, Entry, UnreadableError
from autograder.intake.layouts import Handin
from autograder.intake.naming import match
from autograder.intake.students import Register
from autograder.intake.work import Work

NOTEBOOK = ".ipynb"

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
    return _submission(tree_of_folder(folder).entries, student, assignment)


def notebook_to_show(folder: Path, student: str, assignment: Assignment) -> bytes:
    """The notebook that counts; where none does, the one with the assignment's name, for what is written there.

    Raises UnreadableError where there is none, or it is no regular file or too large.
    """
    entries = tree_of_folder(folder).entries
    counting = {file.name for file in _submission(entries, student, assignment).files}
    notebooks = [e for e in entries if e.suffix == NOTEBOOK and (e.shown in counting or match(e.name, assignment))]
    if not notebooks:
        raise UnreadableError("no notebook was handed in")
    shown = min(notebooks, key=lambda e: (e.shown not in counting, -match(e.name, assignment), e.shown))
    return shown.read(SIZE_LIMITS[NOTEBOOK])


def _submission(entries: tuple[Entry, ...], student: str, assignment: Assignment) -> Submission:
    return submission_of(Work.of([Handin(student, entries)]), Register().enter(student), assignment)
