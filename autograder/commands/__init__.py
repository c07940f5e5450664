"""The command line: `attnkit`. Each room that has commands adds its own; exit status 2 is wrong usage."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from autograder import __version__
from autograder.authoring import commands as authoring
from autograder.integrations import commands as integrations
from autograder.integrations.nbgrader import commands as nbgrader
from autograder.quiz import commands as quiz

from . import demo, doctor, grade, verify


def parser() -> argparse.ArgumentParser:
    """All commands; each sets `run`, a function of the parsed arguments that returns the exit status."""
    top = argparse.ArgumentParser(
        prog="attnkit", description="Exercises on self-attention: released, graded behind a wall, explained."
    )
    top.add_argument("--version", action="version", version=f"self-attention-kit {__version__}")
    subparsers = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for room in (grade, demo, doctor, verify, authoring, integrations, nbgrader, quiz):
        room.add_commands(subparsers)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; its exit status."""
    parsed = parser().parse_args(arguments)
    try:
        return int(parsed.run(parsed))
    except KeyboardInterrupt:
        print("attnkit: stopped. What is written is whole; --resume goes on from there.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # what reads our output has stopped reading
        sys.stderr.close()
        return 0
