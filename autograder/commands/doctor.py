"""`attnkit doctor`: which walls stand around student code on this machine."""

from __future__ import annotations

import argparse
import sys

from autograder.boundary.outside import doctor
from autograder.boundary.outside.wall import WallError


def add_commands(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = subparsers.add_parser("doctor", help="which walls stand around student code here, each proved")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """0 where the grader's files are hidden from student code."""
    try:
        examination = doctor.examine()
    except WallError as error:
        print(f"attnkit doctor: {error}", file=sys.stderr)
        return 1
    print("\n".join(examination.lines()))
    return 0 if examination.ok else 1
