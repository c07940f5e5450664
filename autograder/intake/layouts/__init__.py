"""Whose file is whose: one recognizer for each way in which submissions come.

A recognizer takes what it knows by facts (a name's form, a file of metadata) out of a tree and leaves the rest to the
next; `folders` takes all that is left. Nothing is opened but a platform's own file of metadata.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..entries import Entry, Tree


@dataclass(frozen=True)
class Handin:
    """What one student handed in; paths begin below the student. `notes` are told to the student."""

    student: str
    entries: tuple[Entry, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recognized:
    handins: tuple[Handin, ...]
    rest: Tree


Recognizer = Callable[[Tree], Recognized]


def handins_of(tree: Tree) -> tuple[Handin, ...]:
    """Everything in `tree`, by student."""
    from . import canvas, classroom, folders, gradescope, moodle

    found: list[Handin] = []
    for recognize in (gradescope.recognize, canvas.recognize, moodle.recognize, classroom.recognize, folders.recognize):
        recognized = recognize(tree)
        found.extend(recognized.handins)
        tree = recognized.rest
    return tuple(found)
