"""`attnkit export`: to course platforms, and marks and feedback in the form that they take back."""

from __future__ import annotations

import argparse
import secrets
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.command_line import DONE, NOT_DONE, WRONG_USAGE, Subparsers, one_of, say_why_not
from autograder.whole_file import OutputError

from .canvas import export_canvas
from .classroom import write_starter
from .gradescope import write_autograder_zip
from .moodle import export_moodle
from .platform_gradebook import Export, ExportError

ONE = f"which one, or how it begins: {', '.join(ASSIGNMENTS)}"


def add_commands(subparsers: Subparsers) -> None:
    """Add `export` and a command for each platform."""
    export = subparsers.add_parser(
        "export", help="an assignment for a course platform, or marks and feedback back to it"
    )
    platforms = export.add_subparsers(required=True, metavar="PLATFORM")
    _add_canvas(platforms)
    _add_moodle(platforms)
    _add_gradescope(platforms)
    _add_classroom(platforms)


def _add_canvas(platforms: Subparsers) -> None:
    command = platforms.add_parser("canvas", help="a gradebook to import, and feedback to upload, for Canvas")
    _add_common(command, "the gradebook as Canvas exports it: Grades, Export")
    command.add_argument("--column", metavar="NAME", help="the assignment's column in the gradebook: its title")
    command.add_argument(
        "--submissions", type=Path, metavar="ZIP", help="Canvas's download of the submissions, for the feedback's names"
    )
    command.set_defaults(run=_canvas)


def _add_moodle(platforms: Subparsers) -> None:
    command = platforms.add_parser("moodle", help="a grading worksheet and feedback files for Moodle")
    _add_common(command, "the assignment's grading worksheet, as Moodle gives it for download")
    command.add_argument("--column", metavar="NAME", help="the column of the grades, if it is not called Grade")
    command.set_defaults(run=_moodle)


def _add_common(command: argparse.ArgumentParser, gradebook: str) -> None:
    command.add_argument("out", type=Path, metavar="DIR", help="the folder that attnkit grade wrote")
    command.add_argument("--gradebook", type=Path, required=True, metavar="CSV", help=gradebook)
    command.add_argument("--to", type=Path, metavar="DIR", help="where the files go (default: DIR/export)")
    command.add_argument(
        "--assignment", type=one_of(ASSIGNMENTS), metavar="ID", help="which one, if DIR holds results of several"
    )
    command.add_argument("--per-exercise", action="store_true", help="a mark for each exercise")


def _add_gradescope(platforms: Subparsers) -> None:
    command = platforms.add_parser("gradescope", help="the autograder zip of an assignment, for Gradescope")
    command.add_argument("--assignment", type=one_of(ASSIGNMENTS), required=True, metavar="ID", help=ONE)
    command.add_argument(
        "--out", type=Path, required=True, metavar="ZIP", help="the zip to upload; keep it to yourself"
    )
    command.add_argument(
        "--seed",
        metavar="S",
        help="the course secret, as text: give the same one to make the zip again (default: a new one)",
    )
    command.set_defaults(run=_gradescope)


def _add_classroom(platforms: Subparsers) -> None:
    command = platforms.add_parser("github-classroom", help="the starter repository of an assignment")
    command.add_argument("--assignment", type=one_of(ASSIGNMENTS), required=True, metavar="ID", help=ONE)
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder, to push as a repository")
    command.set_defaults(run=_classroom)


def _gradescope(arguments: argparse.Namespace) -> int:
    secret = arguments.seed if arguments.seed is not None else secrets.token_hex(32)
    return _written(
        arguments.out, lambda: write_autograder_zip(arguments.out, ASSIGNMENTS[arguments.assignment], secret)
    )


def _classroom(arguments: argparse.Namespace) -> int:
    return _written(arguments.out, lambda: write_starter(arguments.out, ASSIGNMENTS[arguments.assignment]))


def _written(path: Path, write: Callable[[], None]) -> int:
    try:
        write()
    except OutputError as error:
        return say_why_not("export", error, WRONG_USAGE)
    print(path)
    return DONE


def _canvas(arguments: argparse.Namespace) -> int:
    return _told(arguments, partial(export_canvas, submissions=arguments.submissions))


def _moodle(arguments: argparse.Namespace) -> int:
    return _told(arguments, export_moodle)


def _told(arguments: argparse.Namespace, export: Callable[..., Export]) -> int:
    """Run an export and tell what became of it; NOT_DONE where a result reached nobody."""
    try:
        made = export(
            arguments.out,
            arguments.gradebook,
            arguments.to or arguments.out / "export",
            assignment_id=arguments.assignment,
            column=arguments.column,
            per_exercise=arguments.per_exercise,
        )
    except (ExportError, OutputError) as error:
        return say_why_not("export", error, WRONG_USAGE)
    for sentence in made.told:
        print(sentence, file=sys.stderr)
    for path in made.written:
        print(path)
    return NOT_DONE if made.unmatched else DONE
