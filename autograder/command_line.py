"""What all commands have in common: exit statuses, how one says why not, and what options take."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection
from typing import TypeAlias

# A command was done; it found what is wrong, or left something undone, and said so; it was asked for wrongly.
DONE, NOT_DONE, WRONG_USAGE = 0, 1, 2

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def say_why_not(command: str, reason: object, status: int) -> int:
    """Print on stderr why `attnkit <command>` did not do what was asked, and return `status`."""
    print(f"attnkit {command}: {reason}", file=sys.stderr)
    return status


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """An option's type: a whole number from `least` to `most`; anything else is wrong usage, told as a sentence."""
    bounds = f"of {least} or more" if most is None else f"from {least} to {most}"

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or int(text) < least or (most is not None and int(text) > most):
            raise argparse.ArgumentTypeError(f"{text} is no whole number {bounds}")
        return int(text)

    return read


def one_of(ids: Collection[str]) -> Callable[[str], str]:
    """An option's type: one of `ids`, or how no other of them begins (`01`); anything else is wrong usage."""

    def read(text: str) -> str:
        begun = [text] if text in ids else [id_ for id_ in ids if text and id_.startswith(text)]
        if len(begun) != 1:
            raise argparse.ArgumentTypeError(f"{text!r} is none, or more than one, of {', '.join(ids)}")
        return begun[0]

    return read
