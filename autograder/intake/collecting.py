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
    """The submissions, read one by one as they are asked for, in the order of student ids and assignments.

    `unplaced` names the students for whom no assignment can be told. `len` counts the submissions.
    """

    def __init__(self, places: Sequence[_Place], unplaced: Sequence[Unplaced]) -> None:
        self._places = tuple(places)
        self.unplaced = tuple(unplaced)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Submission]:
        for place in self._places:
            yield submission_of(Work.of(place.handins), place.student, place.assignment)


def collect(paths: Sequence[Path], assignment: Assignment | None = None) -> Collection:
    """All submissions in `paths`: files, folders and zips in any layout that `layouts` knows.

    With `assignment`, every student has one submission for it. Without, the files' names tell; a student with no such
    name is taken for the assignment that all others handed in, where there is only one.
    Raises IntakeError where a path cannot be used, or nothing in it could be a submission.
    """
    by_student: dict[str, list[Handin]] = {}
    for path in paths:
        handins = handins_of(_tree_of(path))
        if not handins:
            raise IntakeError(f"{path} holds nothing that could be a submission; name a folder with a folder a student.")
        for handin in handins:
            by_student.setdefault(unicodedata.normalize("NFC", handin.student), []).append(handin)
    students = sorted(by_student.items())
    register = Register()
    entered = [(register.enter(given), tuple(handins)) for given, handins in students]
    if assignment:
        return Collection([_Place(student, assignment, handins) for student, handins in entered], ())
    return _by_name(entered)


def _by_name(entered: Sequence[tuple[Student, tuple[Handin, ...]]]) -> Collection:
    told = [Work.of(handins).assignments() for _, handins in entered]
    everyones = set().union(*told)
    if not everyones:
        names = ", ".join(f"{a.file}.py" for a in ASSIGNMENTS.values())
        raise IntakeError(f"No file is named for an assignment ({names}, or .ipynb); say which with --assignment.")
    places: list[_Place] = []
    unplaced: list[Unplaced] = []
    for (student, handins), own in zip(entered, told, strict=True):
        ids = own or (everyones if len(everyones) == 1 else set())
        places.extend(_Place(student, ASSIGNMENTS[id], handins) for id in sorted(ids))
        if not ids:
            unplaced.append(Unplaced(student.id, "no file is named for an assignment; say which with --assignment."))
    return Collection(places, unplaced)


def _tree_of(path: Path) -> Tree:
    if not path.exists() and not path.is_symlink():
        raise IntakeError(f"{path} does not exist.")
    if path.is_dir() and not path.is_symlink():
        return tree_of_folder(path)
    entry = entry_of_file(path)
    if entry.suffix in SOURCE_SUFFIXES:
        return Tree(_student_of_file(path), (entry,))
    if entry.suffix != ".zip":
        raise IntakeError(f"{path} is no .py, .ipynb or zip, so it cannot be a submission.")
    try:
        return _unwrapped(tree_of_zip(open_regular_file(path), path.stem))
    except UnreadableError as error:
        raise IntakeError(str(error)) from None


def _student_of_file(path: Path) -> str:
    """A file given alone belongs to the student whose folder it lies in."""
    parents = [folder.name for folder in path.absolute().parents if folder.name not in ASSIGNMENTS]
    return parents[0] if parents and parents[0] else "student"


def _unwrapped(tree: Tree) -> Tree:
    """A zip of one folder of the zip's own name is that folder."""
    if tree.top_folders == (tree.name,) and not tree.loose:
        return tree.below()[tree.name]
    return tree
