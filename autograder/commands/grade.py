"""`attnkit grade`: from a folder of submissions to results, feedback, gradebook and report."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from tqdm import tqdm

from autograder.boundary.outside.wall import NO_WALL, WallError
from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.command_line import DONE, NOT_DONE, WRONG_USAGE, Subparsers, one_of, say_why_not, whole_number
from autograder.course_secret import course_secret
from autograder.grading.grade import Course
from autograder.grading.inputs import chosen_set
from autograder.intake import Collection, IntakeError, Submission, collect
from autograder.records.folder import OutputFolder, UnusableFolderError
from autograder.records.gradebook import NotGraded
from autograder.records.summary import summary_json, summary_text
from autograder.records.tally import ClassTally
from autograder.whole_file import OutputError

from .crew import Crew

WHAT_IS_GRADED = (
    "a folder with a folder for each student, a zip of one, a bulk download of Canvas, Moodle, Gradescope or "
    "GitHub Classroom as it is, or one student's file"
)


def add_commands(subparsers: Subparsers) -> None:
    """Add `grade`."""
    command = subparsers.add_parser("grade", help="grade a folder of submissions")
    command.add_argument("submissions", nargs="+", type=Path, metavar="SUBMISSIONS", help=WHAT_IS_GRADED)
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the records go")
    command.add_argument(
        "--assignment",
        type=one_of(ASSIGNMENTS),
        metavar="ID",
        help="the assignment; without it the files' names tell. One of: " + ", ".join(ASSIGNMENTS),
    )
    command.add_argument(
        "--jobs",
        type=whole_number(least=1),
        default=os.cpu_count() or 1,
        metavar="N",
        help="how many submissions at once (default: the number of processors)",
    )
    command.add_argument("--seed", metavar="S", help="the course secret, as text; inputs are drawn from it")
    command.add_argument("--resume", action="store_true", help="leave results that are there and current as they are")
    command.add_argument(
        "--no-wall", action="store_true", help="run student code without a wall: it can then read whatever you can"
    )
    command.add_argument("--json", action="store_true", help="print the summary as JSON")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """NOT_DONE where a submission has no result, WRONG_USAGE where none can have one."""
    assignment = ASSIGNMENTS.get(arguments.assignment or "")
    try:
        collection = collect(arguments.submissions, assignment)
    except IntakeError as error:
        return say_why_not("grade", error, WRONG_USAGE)
    without = NO_WALL if arguments.no_wall else frozenset()
    try:
        tally = grade_into(arguments.out, collection, arguments.seed, arguments.jobs, without, arguments.resume)
    except (UnusableFolderError, WallError) as error:
        return say_why_not("grade", error, WRONG_USAGE)
    except OutputError as error:
        return say_why_not("grade", error, NOT_DONE)
    if arguments.json:
        print(json.dumps(summary_json(arguments.out, tally), indent=2))
    else:
        print(summary_text(arguments.out, tally))
    return NOT_DONE if tally.not_graded else DONE


def grade_into(
    out: Path, collection: Collection, secret: str | None, jobs: int, without: frozenset[str], resume: bool = False
) -> ClassTally:
    """Grades a collection into an output folder; what can't be graded is in the tally's `not_graded`."""
    not_graded = [NotGraded(unplaced.student, "", unplaced.reason) for unplaced in collection.unplaced]
    with OutputFolder(out) as folder:
        course = Course(secret if secret is not None else course_secret(out))
        with Crew(min(jobs, max(1, len(collection))), course, without) as crew:
            waiting = _waiting(collection, folder, course, crew.walls) if resume else iter(collection)
            for submission, outcome in crew.grade(_counted(waiting, len(collection))):
                if isinstance(outcome, str):
                    not_graded.append(NotGraded(submission.student, submission.assignment, outcome))
                else:
                    folder.record(outcome)
        return folder.finish(not_graded)


def _waiting(
    submissions: Iterable[Submission], folder: OutputFolder, course: Course, walls: tuple[str, ...]
) -> Iterator[Submission]:
    """The submissions that have no current result yet."""
    for submission in submissions:
        inputs = chosen_set(course.secret, submission)
        if not folder.has(
            submission.student,
            submission.assignment,
            submission_sha256=submission.sha256,
            inputs_id=inputs.id,
            walls=walls,
        ):
            yield submission


def _counted(submissions: Iterable[Submission], total: int) -> Iterator[Submission]:
    """With a progress bar, where somebody watches."""
    yield from tqdm(submissions, total=total, unit=" submissions", desc="Grading", disable=not sys.stderr.isatty())
