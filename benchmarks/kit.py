"""The kit's way: `grade` across the wall."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from unittest import mock

from autograder.boundary.outside.wall import raise_wall
from autograder.grading import grade as grading
from autograder.grading.inputs import SETS, chosen_set, inputs_set
from autograder.grading.rehearsal import rehearsal_of

from .work import SECRET, serve, submissions

WARM = 48  # submissions, after which a zygote has its memory in large pages


def main(assignment: str) -> None:
    """Grades what is asked for: right work, failing work, or failing work that is only marked."""
    with raise_wall() as wall:
        for number in range(SETS):  # part of starting up, in both ways
            rehearsal_of(assignment, inputs_set(SECRET, assignment, number))

        def run(kind: str, count: int) -> int:
            calls = 0
            with _neither_diagnosed_nor_followed() if kind == "marked" else nullcontext():
                for submission in submissions(assignment, kind, count):
                    grading.grade(submission, wall, grading.Course(SECRET))
                    inputs = chosen_set(SECRET, submission)
                    calls += sum(len(e.questions) for e in rehearsal_of(assignment, inputs).exercises.values())
            return calls

        run("right", WARM)
        serve(run)


def _neither_diagnosed_nor_followed() -> mock._patch:
    return mock.patch.multiple(grading, diagnose=lambda *_: (), follow=lambda *_: None)


if __name__ == "__main__":
    main(*sys.argv[1:])
