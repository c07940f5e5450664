"""Follow-through: later work is marked with right earlier steps too, so that one mistake isn't punished twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autograder.catalogue.assignments import Exercise
from autograder.catalogue.result import UNWRITTEN, Outcome
from autograder.suite import Suite

from .examine import Desk, Transcript, examine
from .mark import Marked


@dataclass(frozen=True)
class Followed:
    """An exercise marked with right earlier steps, and the names of those that it called."""

    marked: Marked
    given: tuple[str, ...]


def follow(exercise: Exercise, outcomes: Mapping[str, Outcome], own: Transcript, suite: Suite) -> Followed | None:
    """The exercise examined again in a fresh process, with right functions and classes in place of earlier ones that
    were attempted and are wrong; None where it builds on no such one."""
    wrong = [name for name in exercise.uses if outcomes.get(name, Outcome.MISSING) not in (*UNWRITTEN, Outcome.PASSED)]
    if not wrong:
        return None
    stand_ins = {name: suite.tests[name]().stand_in() for name in wrong}
    with Desk(own.desk.wall, own.desk.cells, stand_ins, until=own.desk.until) as desk:
        marked = Marked.of(examine(own.rehearsed, desk, own.modules))
    given = tuple(name for name in wrong if desk.calls.get(name, 0))
    return Followed(marked, given) if given else None
