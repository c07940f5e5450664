"""Grades mutants across one wall, and holds the survivors against the list of those that are equivalent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import yaml

from autograder.boundary.outside.wall import Wall
from autograder.catalogue.cell import Cell
from autograder.grading.examine import Desk, examine
from autograder.grading.inputs import inputs_set
from autograder.grading.mark import Marked
from autograder.grading.rehearsal import Rehearsal, rehearsal_of

from .mutate import Change, Mutant

LISTED = Path(__file__).with_name("equivalent.yaml")
SECRET = "mutants"


@dataclass(frozen=True)
class Equivalent:
    """A change that leaves the answer right, and why."""

    assignment: str
    change: Change
    reason: str


def listed() -> tuple[Equivalent, ...]:
    """The entries of equivalent.yaml."""
    entries = yaml.safe_load(LISTED.read_text(encoding="utf-8"))
    return tuple(
        Equivalent(e["assignment"], Change(e["cell"], e["was"].strip(), e["becomes"].strip()), e["reason"])
        for e in entries
    )


@dataclass(frozen=True)
class Grader:
    """One assignment's hidden tests on one inputs set, asked across a wall that stays up."""

    rehearsal: Rehearsal
    wall: Wall

    @classmethod
    def of(cls, assignment: str, wall: Wall) -> Grader:
        return cls(rehearsal_of(assignment, inputs_set(SECRET, assignment, 0)), wall)

    def survivors(self, mutants: Iterable[Mutant]) -> list[Change]:
        """The changes with which a reference solution still earns 100."""
        return [mutant.change for mutant in mutants if self.earns_all(mutant.source, mutant.change.cell)]

    def earns_all(self, source: str, first: str = "") -> bool:
        """Whether a submission earns 100; the exercise `first` is asked first.

        Follow-through is left out: it helps nobody to 100, since an earlier exercise has lost points then.
        """
        rehearsal = self.rehearsal
        names = sorted(rehearsal.exercises, key=lambda name: name != first)
        wall = self.wall.with_torch if rehearsal.needs_torch else self.wall
        with Desk(wall, (Cell(source, "mutant.py"),)) as desk:
            marks = (Marked.of(examine(rehearsal.exercises[name], desk, rehearsal.modules)) for name in names)
            return all(marked.share >= 1 for marked in marks)


def faults(assignment: str, survived: Iterable[Change], entries: Iterable[Equivalent]) -> list[str]:
    """A sentence for each survivor that is not listed, and for each entry that no longer survives."""
    known = {entry.change for entry in entries if entry.assignment == assignment}
    seen = set(survived)
    told = [f"{assignment}: a mutant earns 100 and is not listed:\n{_shown(change)}" for change in seen - known]
    stale = [f"{assignment}: a listed mutant no longer survives:\n{_shown(change)}" for change in known - seen]
    return sorted(told) + sorted(stale)


def _shown(change: Change) -> str:
    went = [f"    - {line}" for line in change.was.splitlines()]
    came = [f"    + {line}" for line in change.becomes.splitlines()]
    return "\n".join([f"  in {change.cell}", *went, *came])
