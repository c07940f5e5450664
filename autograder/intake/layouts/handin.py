"""What a recognizer answers."""

from __future__ import annotations

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
    """The hand-ins that a recognizer found, and the rest of the tree, for the next one."""

    handins: tuple[Handin, ...]
    rest: Tree
