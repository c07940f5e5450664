"""The commands of this room: `author` for who works on the kit, `release` for instructors."""

import argparse
from collections.abc import Callable, Collection
from pathlib import Path

from autograder.catalogue.assignments import ASSIGNMENTS, Assignment
from autograder.command_line import DONE, NOT_DONE, WRONG_USAGE, Subparsers, one_of, say_why_not
from autograder.whole_file import FolderInUseError, OutputError

from .author import author, stale
from .release import release, release_solutions

ROOT = Path(__file__).resolve().parents[2]


def add_commands(subparsers: Subparsers) -> None:
    """Add them; each sets `run`, a function of the parsed arguments that returns the exit status."""
    make = subparsers.add_parser("author", help="make assignments/ from reference_solutions/, in a clone")
    make.add_argument("--root", type=Path, default=ROOT, help="the clone's folder")
    make.add_argument("--check", action="store_true", help="write nothing; name what is not current")
    make.set_defaults(run=run_author)

    hand_out = subparsers.add_parser("release", help="write the folder that students receive")
    hand_out.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new or empty folder")
    hand_out.add_argument(
        "--assignment",
        dest="assignments",
        action="append",
        type=one_of(ASSIGNMENTS),
        metavar="ID",
        help=f"only this one; repeat it for several (default: all). One of: {', '.join(ASSIGNMENTS)}",
    )
    hand_out.add_argument(
        "--solutions",
        dest="run",
        action="store_const",
        const=run_release_solutions,
        help="write the worked solutions instead, to hand out after the deadline",
    )
    hand_out.set_defaults(run=run_release)


def run_author(arguments: argparse.Namespace) -> int:
    """NOT_DONE where a reference solution is at fault, or with --check where something is not current."""
    try:
        paths = stale(arguments.root) if arguments.check else author(arguments.root)
    except (FileNotFoundError, ValueError, OutputError) as error:
        return say_why_not("author", error, NOT_DONE)
    for path in paths:
        print(f"{path} {'is not current' if arguments.check else 'written'}")
    return NOT_DONE if arguments.check and paths else DONE


def run_release(arguments: argparse.Namespace) -> int:
    """WRONG_USAGE where the folder is in use, NOT_DONE where it can't be written."""
    return _hand_out(release, arguments)


def run_release_solutions(arguments: argparse.Namespace) -> int:
    """As `run_release`."""
    return _hand_out(release_solutions, arguments)


def _hand_out(write: Callable[[Path, Collection[Assignment]], None], arguments: argparse.Namespace) -> int:
    out = arguments.out
    wanted = [a for a in ASSIGNMENTS.values() if a.id in (arguments.assignments or ASSIGNMENTS)]
    try:
        write(out, wanted)
    except FolderInUseError as error:
        return say_why_not("release", error, WRONG_USAGE)
    except OutputError as error:
        return say_why_not("release", f"{out} could not be written, and nothing was: {error}", NOT_DONE)
    print(f"{out} written: read {out / 'README.md'} first")
    return DONE
