"""`attnkit nbgrader`: courses that are run with nbgrader's own commands."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from autograder.authoring.release import FolderInUseError
from autograder.whole_file import OutputError


def add_commands(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
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
        print(f"attnkit nbgrader init: {error}", file=sys.stderr)
        return 2
    except (OutputError, OSError) as error:
        print(f"attnkit nbgrader init: {arguments.folder} was not made: {error}", file=sys.stderr)
        return 1
    print(f"{arguments.folder} is ready. Go there; nbgrader release_assignment hands an assignment out.")
    return 0
