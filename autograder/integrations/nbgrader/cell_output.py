"""What stands below a grade cell, in formgrader and in the feedback: points, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from autograder.catalogue.result import Result, Status
from autograder.records.feedback import FeedbackPage
from autograder.records.pages import templates

TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True)
class CellMark:
    """A grade cell's mark: points `earned` `of` so many, and the escaped HTML that says why."""

    earned: float
    of: float
    html: str


def marks_of(result: Result) -> dict[str, CellMark]:
    """The mark of each exercise, by name; none of an unreadable submission."""
    if result.status is not Status.GRADED:
        return {}
    return {
        part.name: CellMark(part.result.score, part.result.max_score, _render("exercise.html", part=part))
        for part in FeedbackPage(result).parts
    }


def not_graded() -> CellMark:
    """The mark of a cell for which there is no result."""
    return CellMark(0.0, 1.0, _render("not_graded.html"))


def about_html(result: Result, notes: Sequence[str]) -> str:
    """What is to be told of the submission as a whole; `notes` are those of its rebuilding."""
    return _render("about.html", result=result, notes=(*notes, *result.notes))


def _render(template: str, **values: object) -> str:
    return environment().get_template(template).render(**values)


@cache
def environment() -> Environment:
    """This room's templates, escaped by default."""
    return templates().overlay(loader=FileSystemLoader(TEMPLATES))
