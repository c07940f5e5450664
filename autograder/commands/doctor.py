"""`attnkit doctor`: which walls stand around student code on this machine."""

from __future__ import annotations

import argparse

from autograder.boundary.outside import doctor
from autograder.boundary.outside.wall import WallError
from autograder.command_line import DONE, NOT_DONE, Subparsers, say_why_not
from autograder.whole_file import OutputError


def add_commands(subparsers: Subparsers) -> None:
    """Add `doctor`."""
    command = subparsers.add_parser("doctor", help="which walls stand around student code here, each proved")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """DONE where the grader's files are hidden from student code."""
    try:
        examination = doctor.examine()
    except (OutputError, WallError) as error:
        return say_why_not("doctor", error, NOT_DONE)
    print("\n".join(examination.lines()))
    return DONE if examination.ok else NOT_DONE
