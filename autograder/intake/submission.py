"""What intake hands to grading: one student's work on one assignment, as cells of source text."""

from dataclasses import dataclass

from autograder.catalogue.cell import Cell


@dataclass(frozen=True)
class SubmittedFile:
    """One readable file. `problem` says why it is unreadable, as a sentence for the student."""

    name: str
    cells: tuple[Cell, ...] = ()
    problem: str | None = None


@dataclass(frozen=True)
class Submission:
    """`student` is safe as a file name; `student_as_given` is the original where that differs, else None.

    `files` has every file that counts: usually one; two where both the .py and the .ipynb differ from the release, or
    where several could not be told apart. `problem` is set where no file can be graded: then the result is
    `unreadable` with this reason. `sha256` is over the bytes of all files that count. `notes` are told to the student.
    """

    student: str
    assignment: str
    files: tuple[SubmittedFile, ...]
    sha256: str
    problem: str | None = None
    notes: tuple[str, ...] = ()
    student_as_given: str | None = None
