"""`gradebook.csv`: one row for each submission, for any spreadsheet."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.result import Result, Status
from autograder.spreadsheet import csv_row, text_cell

from .pages import points

NAME = "gradebook.csv"
HEADER = ("student", "assignment", "score", "max_score", "status")
NOT_GRADED = "not_graded"


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
            text_cell(result.student),
            result.assignment,
            points(result.score),
            points(result.max_score),
            result.status,
            *(scores.get(name, "0") if marked else "" for name in self._exercises),
        )

    def add_not_graded(self, missing: NotGraded) -> None:
        """A row with no score, so that nobody is forgotten."""
        self._row(
            text_cell(missing.student),
            missing.assignment,
            "",
            "",
            NOT_GRADED,
            *("" for _ in self._exercises),
        )

    def _row(self, *cells: str) -> None:
        self._file.write(csv_row(cells))
