"""The commands of this room: `author` for who works on the kit, `release` for instructors."""

import argparse
import sys
from pathlib import Path

from .author import author, stale

ROOT = Path(__file__).resolve().parents[2]


def add_commands(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add them; each sets `run`, a function of the parsed arguments that returns the exit status."""
    make = subparsers.add_parser("author", help="make assignments/ from reference_solutions/, in a clone")
    make.add_argument("--root", type=Path, default=ROOT, help="the clone's folder")
    make.add_argument("--check", action="store_true", help="write nothing; name what is not current")
    make.set_defaults(run=run_author)


def run_author(arguments: argparse.Namespace) -> int:
    try:
        paths = stale(arguments.root) if arguments.check else author(arguments.root)
    except (FileNotFoundError, ValueError) as error:
        print(f"attnkit author: {error}", file=sys.stderr)
        return 1
    for path in paths:
        print(f"{path} {'is not current' if arguments.check else 'written'}")
    return 1 if arguments.check and paths else 0
