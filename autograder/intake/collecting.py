"""From the paths on the command line to a Submission for each student and assignment."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.catalogue.assignments import ASSIGNMENTS, Assignment

from .archive import tree_of_zip
from .choosing import submission_of
from .disk import entry_of_file, open_regular_file, tree_of_folder
from .entries import SOURCE_SUFFIXES, Tree, UnreadableError
from .layouts import Handin, handins_of
from .students import Register, Student
from .submission import IntakeError, Submission, Unplaced
from .work import Work


@dataclass(frozen=True)
class _Place:
    """One submission to come: the student's hand-ins, kept closed until their turn."""

    student: Student
    assignment: Assignment
    handins: tuple[Handin, ...]


class Collection:
    """The submissions, read one by one as they are asked for, in the order of students and assignments.

    `unplaced` names the students for whom no assignment can be told. `len` counts the submissions.
    """

    def __init__(self, places: Sequence[_Place], unplaced: Sequence[Unplaced] = ()) -> None:
        self._places = tuple(places)
        self.unplaced = tuple(unplaced)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Submission]:
        for place in self._places:
            yield submission_of(Work.of(place.handins), place.student, place.assignment)


def collect(paths: Sequence[Path], assignment: Assignment | None = None) -> Collection:
    """All submissions in `paths`: files, folders and zips in any layout that `layouts` knows.

    With `assignment`, every student has one submission for it. Without, the files' names tell; a student with
    no such name is taken for the assignment that all others handed in, where that is only one.
    Raises IntakeError where a path cannot be used, or nothing in it could be a submission.
    """
    by_student: dict[str, list[Handin]] = {}
    for path in paths:
        for handin in _handins_in(path):
            by_student.setdefault(unicodedata.normalize("NFC", handin.student), []).append(handin)
    register = Register()
    entered = [(register.enter(given), tuple(handins)) for given, handins in sorted(by_student.items())]
    if assignment:
        return Collection([_Place(student, assignment, handins) for student, handins in entered])
    return _placed_by_name(entered)


def _placed_by_name(entered: Sequence[tuple[Student, tuple[Handin, ...]]]) -> Collection:
    works = [Work.of(handins) for _, handins in entered]
    told = [work.assignments() for work in works]
    everyones = set().union(*told)
    if not everyones:
        names = ", ".join(f"{a.file}.py" for a in ASSIGNMENTS.values())
        raise IntakeError(f"No file is named for an assignment ({names} or .ipynb); name it with --assignment.")
    places: list[_Place] = []
    unplaced: list[Unplaced] = []
    for (student, handins), work, own in zip(entered, works, told, strict=True):
        ids = own or (everyones if len(everyones) == 1 else set())
        places.extend(_Place(student, ASSIGNMENTS[id_], handins) for id_ in sorted(ids))
        if not ids:
            seen = work.seen() or "nothing"
            unplaced.append(Unplaced(student.id, f"No file is named for an assignment; handed in: {seen}."))
    return Collection(places, unplaced)


def _handins_in(path: Path) -> tuple[Handin, ...]:
    try:
        handins = _recognized(path)
    except UnreadableError as error:
        raise IntakeError(str(error)) from None
    except OSError as error:
        raise IntakeError(f"{path} cannot be read: {error.strerror}.") from None
    if not handins:
        raise IntakeError(f"{path} holds nothing that could be a submission; each student needs a folder in it.")
    return handins


def _recognized(path: Path) -> tuple[Handin, ...]:
    if not path.exists() and not path.is_symlink():
        raise IntakeError(f"{path} does not exist; name a file, a folder or a zip that does.")
    if path.is_dir() and not path.is_symlink():
        return handins_of(tree_of_folder(path))
    entry = entry_of_file(path)
    if entry.suffix in SOURCE_SUFFIXES:
        return handins_of(Tree(_student_of_file(path), (entry,)))
    if entry.suffix != ".zip":
        raise IntakeError(f"{path} is no .py, .ipynb or zip, so it cannot be a submission.")
    # Zip programs wrap what they pack into one folder, be it a single student's.
    return handins_of(tree_of_zip(open_regular_file(path), path.stem), fewest_in_wrapper=1)


def _student_of_file(path: Path) -> str:
    """A file that is given alone belongs to the student whose folder it lies in."""
    return next(folder.name for folder in path.absolute().parents if folder.name not in ASSIGNMENTS)
