"""`attnkit demo`: grades a made-up class, hostile students included, and says where the report lies."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from autograder.boundary.outside.wall import NO_WALL, WallError, raise_wall
from autograder.command_line import DONE, NOT_DONE, WRONG_USAGE, Subparsers, say_why_not
from autograder.intake import collect
from autograder.records.folder import UnusableFolderError
from autograder.records.summary import summary_text
from autograder.whole_file import OutputError, temporary_folder

from .grade import grade_into
from .sample_class import SAMPLES, Sample, hand_in

SECRET = "demo"


def add_commands(subparsers: Subparsers) -> None:
    """Add `demo`."""
    command = subparsers.add_parser("demo", help="grade a made-up class and see what comes of it")
    command.add_argument("--out", type=Path, default=Path("demo-out"), metavar="DIR", help="default: demo-out")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """NOT_DONE where a submission has no result."""
    try:
        without = frozenset[str]()
        samples: tuple[Sample, ...] = SAMPLES
        if (reason := _why_no_wall()) is not None:
            samples = tuple(sample for sample in SAMPLES if not sample.hostile)
            without = NO_WALL
            print(f"The {len(SAMPLES) - len(samples)} hostile students are left out, since {reason}", file=sys.stderr)
        with temporary_folder("demo") as folder:
            hand_in(folder, samples)
            collection = collect([folder])
            tally = grade_into(arguments.out, collection, SECRET, 2, without)
    except (UnusableFolderError, WallError) as error:
        return say_why_not("demo", error, WRONG_USAGE)
    except OutputError as error:
        return say_why_not("demo", error, NOT_DONE)
    print(summary_text(arguments.out, tally))
    print(f"Feedback:  {arguments.out / 'feedback'} has a page for each student; look at student-07's.")
    return NOT_DONE if tally.not_graded else DONE


def _why_no_wall() -> str | None:
    """Why hostile code cannot be shown on this machine, or None where a wall stands."""
    try:
        with raise_wall():
            return None
    except WallError as error:
        return str(error)
