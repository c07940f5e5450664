"""What intake hands to grading: one student's work on one assignment, as cells of source text."""

from dataclasses import dataclass

from autograder.catalogue.cell import Cell


class IntakeError(Exception):
    """A path on the command line cannot be used at all; the text says which, why, and what to do."""


@dataclass(frozen=True)
class SubmittedFile:
    """One file that counts. `problem` says why it is unreadable, as a sentence; then there are no cells.

    `notes` tell what of it was left out.
    """

    name: str
    cells: tuple[Cell, ...] = ()
    problem: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Submission:
    """`student` is safe as a file name; `student_as_given` is the original where that differs, else None.

    `files` has every file that counts: usually one; two where both the .py and the .ipynb differ from the
    release, or where several could not be told apart. Either all of them are readable, or none is and
    `problem` is set: then the result is `unreadable` with this reason. `sha256` is that of the file's bytes;
    of several files, of their digests joined; of none, of nothing. `notes` are told to the student.
    """

    student: str
    assignment: str
    files: tuple[SubmittedFile, ...]
    sha256: str
    problem: str | None = None
    notes: tuple[str, ...] = ()
    student_as_given: str | None = None


@dataclass(frozen=True)
class Unplaced:
    """Work that can have no result, since nothing tells its assignment. `reason` is for the instructor."""

    student: str
    reason: str
