"""`gradebook.csv`: one row for each submission, for any spreadsheet.

RFC 4180 in UTF-8 without a byte order mark. A cell that a spreadsheet would take for a formula gets a leading
apostrophe, so that it is text; `id_in_cell` takes it off again, so that ids can still be matched.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.plain_text import one_line
from autograder.catalogue.result import Result, Status

from .pages import points

NAME = "gradebook.csv"
HEADER = ("student", "assignment", "score", "max_score", "status")
NOT_GRADED = "not_graded"
CELL = 300  # characters

# Spreadsheets take these for a formula, in full width and after white space too.
FORMULA = re.compile(r"\s*[=+\-@＝＋－＠\t\r]")
NEEDS_NO_QUOTES = re.compile(r"[\w.\- ]*")  # all else is quoted: a spreadsheet may part cells at ; or tab, too


@dataclass(frozen=True)
class NotGraded:
    """A submission that the grader could not make a result for, and why, as a sentence for the instructor."""

    student: str
    assignment: str
    reason: str


class Gradebook:
    """Writes rows to an open text file; with one assignment there is a column for each of its exercises."""

    def __init__(self, file: IO[str], assignments: Iterable[str]) -> None:
        self._file = file
        single = set(assignments)
        known = ASSIGNMENTS.get(single.pop()) if len(single) == 1 else None
        self._exercises = tuple(exercise.name for exercise in known.exercises) if known else ()
        self._row(*HEADER, *self._exercises)

    def add(self, result: Result) -> None:
        scores = {exercise.exercise: points(exercise.score) for exercise in result.exercises}
        marked = result.status is Status.GRADED
        self._row(
            cell_of_id(result.student),
            result.assignment,
            points(result.score),
            points(result.max_score),
            result.status,
            *(scores.get(name, "0") if marked else "" for name in self._exercises),
        )

    def add_not_graded(self, missing: NotGraded) -> None:
        """A row with no score, so that nobody is forgotten."""
        self._row(
            cell_of_id(missing.student),
            missing.assignment,
            "",
            "",
            NOT_GRADED,
            *("" for _ in self._exercises),
        )

    def _row(self, *cells: str) -> None:
        self._file.write(csv_row(cells))


def csv_row(cells: Iterable[str]) -> str:
    """One row, quoted as RFC 4180 has it, and ended by CR LF."""
    return (
        ",".join(cell if NEEDS_NO_QUOTES.fullmatch(cell) else '"' + cell.replace('"', '""') + '"' for cell in cells)
        + "\r\n"
    )


def cell_of_id(text: str) -> str:
    """`text` from a student as a cell that no spreadsheet takes for a formula."""
    cell = one_line(text, CELL)
    return "'" + cell if FORMULA.match(cell) or cell.startswith("'") else cell


def id_in_cell(cell: str) -> str:
    """The id that `cell_of_id` made `cell` from."""
    return cell.removeprefix("'")
