"""The review queue: responses that a person marks, by filling in a column, and the marks that came of it.

`review_queue.csv` keeps every response that rules could not mark. An instructor fills in `score`, runs the same command
again, and the marks count; the column is kept. A mark whose response has changed since is kept, and not used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from autograder.quiz.formulas import Number
from autograder.quiz.model import Item
from autograder.quiz.outcome import Outcome
from autograder.spreadsheet import text_cell, text_in_cell

from .marking import Mark
from .numbers import read_number
from .responses import ResponsesError, table

NAME = "review_queue.csv"
HEADER = ("student", "item", "response", "max_score", "score", "reason")
CELL = 2000  # characters of a response that are shown; the file of responses has the rest


@dataclass(frozen=True)
class Review:
    """A person's mark. `response` is the cell as the queue showed it."""

    student: str
    item: str
    response: str
    max_score: str
    score: Number
    reason: str

    def is_for(self, response: str) -> bool:
        """Was it made for this response?"""
        return self.response.split() == response_cell(response).split()

    def as_mark(self, item: Item) -> Mark:
        """The person's mark; of more than the item's points, those."""
        outcome = Outcome.CORRECT if self.score >= item.points else Outcome.INCORRECT
        return Mark(outcome, min(self.score, item.points), item.points, "marked by a person", item.explanation)


def read_reviews(folder: Path) -> tuple[Review, ...]:
    """The marks that were filled in. Raises ResponsesError where the queue can't be read or a score is no number."""
    path = folder / NAME
    if not path.exists():
        return ()
    reviews = []
    for number, cells in table(path, HEADER):
        student, item, response, max_score, score, *reason = [*cells, *[""] * len(HEADER)][: len(HEADER)]
        if not score.strip():
            continue
        value = read_number(score)
        if value is None or not math.isfinite(value) or value < 0:
            raise ResponsesError(
                f"{path}: row {number}: the score “{score[:40]}” is no number of points; mend it or leave it empty. "
                "Nothing was graded, and the file is as it was."
            )
        reviews.append(Review(text_in_cell(student), item, response, max_score, value, "".join(reason)))
    return tuple(reviews)


def response_cell(response: str) -> str:
    """A response as one cell of the queue: one line, cut, and never a formula."""
    return text_cell(response, CELL)
