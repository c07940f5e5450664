"""Reads `answers.yaml` and `right_answers.yaml`, and grades what is in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from autograder.boundary.outside.wall import Wall
from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.cell import Cell
from autograder.catalogue.result import ExerciseResult, Result
from autograder.grading.grade import Course, grade
from autograder.intake import Submission, SubmittedFile

FILE = Path(__file__).with_name("answers.yaml")
RIGHT_FILE = Path(__file__).with_name("right_answers.yaml")
COURSE = Course("fresh")


@dataclass(frozen=True)
class FreshAnswer:
    """One student's file: right but for `code`. `classes` says by exercise what the contract's table makes of it;
    `never_told` are misconceptions that look alike and are other ones."""

    id: str
    assignment: str
    what: str
    classes: Mapping[str, str]
    code: Mapping[str, str]
    never_told: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        return "\n\n".join({**right_parts(self.assignment), **self.code}.values())


@dataclass(frozen=True)
class RightAnswer:
    """One student's file that earns all points."""

    id: str
    assignment: str
    style: str
    source: str


@cache
def _data() -> dict[str, Any]:
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def right_parts(assignment: str) -> Mapping[str, str]:
    """A right file's parts, by exercise or by what else they are."""
    right: Mapping[str, str] = _data()["right"][assignment]
    return right


def fresh_answers() -> tuple[FreshAnswer, ...]:
    every = _data()["answers"]
    return tuple(
        FreshAnswer(a["id"], a["assignment"], a["what"], a["class"], a["code"], tuple(a.get("never_told", ())))
        for a in every
    )


def right_answers() -> tuple[RightAnswer, ...]:
    return tuple(RightAnswer(**answer) for answer in yaml.safe_load(RIGHT_FILE.read_text(encoding="utf-8")))


def graded(answer: FreshAnswer | RightAnswer, wall: Wall) -> Result:
    files = (SubmittedFile("submission.py", (Cell(answer.source, "submission.py"),)),)
    return grade(Submission(answer.id, answer.assignment, files, answer.id), wall, COURSE)


def part_of(result: Result, exercise: str) -> float:
    """The part of an exercise's points that was earned with the student's own earlier work."""
    found = exercise_of(result, exercise)
    own = found.follow_through.own_score if found.follow_through is not None else found.score
    return own / found.max_score


def exercise_of(result: Result, exercise: str) -> ExerciseResult:
    return next(e for e in result.exercises if e.exercise == exercise)


def page(results: Mapping[str, Result]) -> str:
    """The published list, as Markdown."""
    lines = [
        "<!-- Made by `python -m tests.fresh`; do not edit. -->",
        "# Fresh wrong answers",
        "",
        f"{len(results)} wrong answers that were not in the bank, written with only the contract and the task sheets",
        "at hand, and what each earned and was told. `wrong` may earn a fifth at most, `edge` half or more but",
        "not all, `empty` nothing; tests and dicts are marked by their own rule; `open` is what the table leaves open.",
        "",
    ]
    for assignment in ASSIGNMENTS:
        lines += [
            f"## {assignment}",
            "",
            "| exercise | what was wrong | class | earned | told |",
            "|---|---|---|---|---|",
        ]
        for answer in fresh_answers():
            if answer.assignment == assignment:
                lines += [_row(answer, results[answer.id], exercise) for exercise in answer.classes]
        lines.append("")
    return "\n".join([*lines, *_right_styles()])


def _right_styles() -> list[str]:
    """The list of right answers: what each earns is for the tests to hold."""
    every = right_answers()
    told = f"{len(every)} whole files by the same hand, in other styles than the kit's own. Each earns all points."
    rows = [f"| {answer.assignment} | {_cell(answer.style)} |" for answer in every]
    return ["## Right answers in other styles", "", told, "", "| assignment | style |", "|---|---|", *rows, ""]


def _row(answer: FreshAnswer, result: Result, exercise: str) -> str:
    found = exercise_of(result, exercise)
    told = [f"`{d.misconception}`" for d in found.diagnoses] or list(found.observations[:1])
    cells = (exercise, answer.what, answer.classes[exercise], f"{part_of(result, exercise):.0%}", ", ".join(told))
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
