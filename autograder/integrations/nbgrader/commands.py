"""`attnkit nbgrader`: courses that are run with nbgrader's own commands."""

from __future__ import annotations

import argparse
from pathlib import Path

from autograder.command_line import DONE, NOT_DONE, WRONG_USAGE, Subparsers, say_why_not
from autograder.whole_file import FolderInUseError, OutputError


def add_commands(subparsers: Subparsers) -> None:
    """Add `nbgrader` and its commands."""
    nbgrader = subparsers.add_parser("nbgrader", help="a course that is run with nbgrader")
    commands = nbgrader.add_subparsers(required=True, metavar="COMMAND")
    init = commands.add_parser("init", help="make a course with all assignments, ready for nbgrader's commands")
    init.add_argument("folder", type=Path, metavar="DIR", help="a new or empty folder; its name is the course's id")
    init.set_defaults(run=run_init)


def run_init(arguments: argparse.Namespace) -> int:
    from .course import init_course  # here, since nbgrader takes a second to import

    try:
        init_course(arguments.folder)
    except FolderInUseError as error:
        return say_why_not("nbgrader init", error, WRONG_USAGE)
    except (OutputError, OSError) as error:
        return say_why_not("nbgrader init", f"{arguments.folder} was not made: {error}", NOT_DONE)
    print(f"{arguments.folder} is ready. Go there; nbgrader release_assignment hands an assignment out.")
    return DONE
