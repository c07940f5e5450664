"""Whose file it is, where its name can be read in two ways.

Platforms write a person's name, a number and a file's name into one, and both names are of people's own choice: who is
called `one_4021` hands in under names that read as those of `one`, whose number is 4021.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from ..entries import Entry, printable
from .handin import Handin


@dataclass(frozen=True)
class Owned:
    """A student, the platform's number of that one alone, and the file under its own name."""

    student: str
    number: str
    entry: Entry


@dataclass(frozen=True)
class Reading:
    """A file as its name reads at first; `other` is how it reads too, where there is another way."""

    first: Owned
    other: Owned | None = None


def by_student(readings: Iterable[Reading]) -> tuple[Handin, ...]:
    """Each student's files. One that could be another's is not put with what is surely the student's own, nor with what
    could be a third one's: it stays apart, under the name that it has then, which is told."""
    sure: dict[str, list[Entry]] = {}
    unsure: dict[str, list[tuple[Owned, Owned]]] = defaultdict(list)
    numbers = set()
    for reading in readings:
        if reading.other is None:
            sure.setdefault(reading.first.student, []).append(reading.first.entry)
            numbers.add(reading.first.number)
        else:
            unsure[reading.first.number].append((reading.first, reading.other))
    handins = [Handin(student, tuple(entries)) for student, entries in sure.items()]
    for number, alike in unsure.items():
        may_be_one = number not in numbers and len({other.student for _, other in alike}) == 1
        handins.extend(_handin(first) if may_be_one else _apart(first, other) for first, other in alike)
    return tuple(handins)


def _handin(owned: Owned) -> Handin:
    return Handin(owned.student, (owned.entry,))


def _apart(first: Owned, other: Owned) -> Handin:
    shown = printable(first.student)
    note = f"The name of this file could be read as {shown}'s too, so it was kept apart from theirs."
    return Handin(other.student, (other.entry,), (note,))
