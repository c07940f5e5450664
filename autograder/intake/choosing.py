"""Which of a student's files count for an assignment, read and made a `Submission`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from autograder.catalogue.assignments import Assignment

from .entries import SIZE_LIMITS, SOURCE_SUFFIXES, Entry, UnreadableError
from .naming import Match, match
from .reading import read_cells
from .release import is_unchanged
from .students import Student
from .submission import Submission, SubmittedFile
from .work import Work

# Each file that counts is graded; who hands in more has to choose.
MAX_FILES = 4


@dataclass(frozen=True)
class _Read:
    """A candidate after reading. `digest` is of its bytes, or of its name where they could not be read."""

    file: SubmittedFile
    suffix: str
    match: Match
    digest: str
    unchanged: bool


def submission_of(work: Work, student: Student, assignment: Assignment) -> Submission:
    """What `work` holds for `assignment`; a Submission with a problem where that is nothing readable."""
    candidates = work.candidates(assignment)
    if not candidates:
        return _without_files(work, student, assignment, work.why_nothing(assignment))
    counting, notes = _counting(candidates, assignment)
    if len(counting) > MAX_FILES:
        problem = f"{len(counting)} different files could be the submission, such as {counting[0].file.name}; hand in one."
        return _without_files(work, student, assignment, problem)
    files = tuple(read.file for read in counting)
    problems = [file.problem for file in files if file.problem]
    told = (*work.notes, *notes, *work.refusals, *(note for file in files for note in file.notes))
    return Submission(student.id, assignment.id, files, _joint_digest([read.digest for read in counting]),
                      " ".join(problems) or None, told, student.as_given)


def _without_files(work: Work, student: Student, assignment: Assignment, problem: str) -> Submission:
    notes = tuple(note for note in (*work.notes, *work.refusals) if note != problem)
    return Submission(student.id, assignment.id, (), _joint_digest([]), problem, notes, student.as_given)


def _counting(candidates: tuple[Entry, ...], assignment: Assignment) -> tuple[list[_Read], list[str]]:
    """The files that count, in a fixed order, and what is to be told of the choice."""
    read = _distinct(_read(entry, assignment) for entry in candidates)
    worked_on = [file for file in read if not file.unchanged]
    if not worked_on:
        return _best_named(read)[:1], []
    named = [file for suffix in SOURCE_SUFFIXES for file in _best_named([f for f in worked_on if f.suffix == suffix])]
    readable = [file for file in named if not file.file.problem]
    notes = [file.file.problem for file in named if file.file.problem] if readable else []
    counting = readable or named
    if len(counting) > 1:
        names = " and ".join(file.file.name for file in counting)
        notes.insert(0, f"{names} could each be the submission: each was marked, and the better counts.")
    return counting, [note for note in notes if note]


def _read(entry: Entry, assignment: Assignment) -> _Read:
    fits = match(entry.name, assignment)
    try:
        data = entry.read(SIZE_LIMITS[entry.suffix])
    except UnreadableError as error:
        unread = SubmittedFile(entry.shown, problem=str(error))
        return _Read(unread, entry.suffix, fits, hashlib.sha256(repr(entry.path).encode()).hexdigest(), False)
    digest = hashlib.sha256(data).hexdigest()
    try:
        file = read_cells(entry.shown, data)
    except UnreadableError as error:
        return _Read(SubmittedFile(entry.shown, problem=str(error)), entry.suffix, fits, digest, False)
    return _Read(file, entry.suffix, fits, digest, is_unchanged(file.cells, assignment.id, entry.suffix))


def _distinct(read: Iterable[_Read]) -> list[_Read]:
    """Each content once, the best named first; then .py before .ipynb, then by name."""
    ordered = sorted(read, key=lambda file: (-file.match, SOURCE_SUFFIXES.index(file.suffix), file.file.name))
    return list({(file.suffix, file.digest): file for file in reversed(ordered)}.values())[::-1]


def _best_named(read: list[_Read]) -> list[_Read]:
    """Those with the assignment's exact name, where there are any."""
    best = max((file.match for file in read), default=Match.NONE)
    return [file for file in read if file.match == best]


def _joint_digest(digests: list[str]) -> str:
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("".join(digests).encode()).hexdigest()
