"""What grading a quiz leaves in its folder, each file written whole or not at all.

quiz_results.csv   student,item,outcome,score,max_score,reason: the contract's
quiz_marks.csv     student,lowest,highest,max_score,review,blank: a score is between its bounds until all is marked
review_queue.csv   what a person has to mark; see `review`
"""

from __future__ import annotations

from pathlib import Path

from autograder.quiz.formulas import number_text
from autograder.quiz.outcome import Outcome
from autograder.spreadsheet import csv_text, text_cell
from autograder.whole_file import write_whole

from .grading import QuizGrades
from .review import HEADER as REVIEW_HEADER
from .review import NAME as REVIEW_QUEUE
from .review import response_cell

RESULTS, MARKS = "quiz_results.csv", "quiz_marks.csv"
RESULTS_HEADER = ("student", "item", "outcome", "score", "max_score", "reason")
MARKS_HEADER = ("student", "lowest", "highest", "max_score", "review", "blank")


def write_grades(folder: Path, grades: QuizGrades) -> None:
    """Write results, marks and the review queue. Raises OutputError."""
    results = [
        (
            text_cell(result.student),
            result.item.id,
            result.mark.outcome,
            number_text(result.mark.score),
            number_text(result.mark.max_score),
            text_cell(result.mark.reason),
        )
        for result in grades.results
    ]
    marks = [
        (
            text_cell(total.student),
            number_text(total.lowest),
            number_text(total.highest),
            number_text(total.max_score),
            str(total.review),
            str(total.blank),
        )
        for total in grades.totals
    ]
    write_whole(folder / REVIEW_QUEUE, csv_text((REVIEW_HEADER, *_review_rows(grades))))
    write_whole(folder / MARKS, csv_text((MARKS_HEADER, *marks)))
    write_whole(folder / RESULTS, csv_text((RESULTS_HEADER, *results)))


def _review_rows(grades: QuizGrades) -> list[tuple[str, ...]]:
    """Open responses, those that a person has marked, and marks whose response has changed, which are kept."""
    rows: list[tuple[str, ...]] = []
    for result in grades.results:
        if result.mark.outcome is Outcome.REVIEW or result.reviewed:
            score = number_text(result.reviewed.score) if result.reviewed else ""
            reason = result.reviewed.reason if result.reviewed else result.mark.reason
            rows.append(
                (
                    text_cell(result.student),
                    result.item.id,
                    response_cell(result.response),
                    number_text(result.item.points),
                    score,
                    text_cell(reason),
                )
            )
    for review in grades.stale:
        rows.append(
            (
                text_cell(review.student),
                review.item,
                review.response,
                review.max_score,
                number_text(review.score),
                review.reason,
            )
        )
    return rows
