"""The kit's way: `grade` across the wall. Prints the calls made to student code, and CPU seconds."""

from __future__ import annotations

import sys

from autograder.boundary.outside.wall import raise_wall
from autograder.catalogue.cell import Cell
from autograder.grading.grade import Course, grade
from autograder.grading.inputs import SETS, chosen_set, inputs_set
from autograder.grading.rehearsal import rehearsal_of

from .work import SECRET, cpu_seconds, sources, submissions


def main(assignment: str, kind: str, count: str) -> None:
    """Grades `count` submissions of a kind, and prints what it cost."""
    calls = 0
    with raise_wall() as wall:
        for number in range(SETS):  # part of starting up, in both ways
            rehearsal_of(assignment, inputs_set(SECRET, assignment, number))
        wall.admit([Cell(sources(assignment, kind)[0], "submission.py")]).close()
        for submission in submissions(assignment, kind, int(count)):
            grade(submission, wall, Course(SECRET))
            inputs = chosen_set(SECRET, submission)
            calls += sum(len(e.questions) for e in rehearsal_of(assignment, inputs).exercises.values())
        print(calls, cpu_seconds())


if __name__ == "__main__":
    main(*sys.argv[1:])
