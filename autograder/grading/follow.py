"""Follow-through: later work is marked with right earlier steps too, so that one mistake isn't punished twice."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass, replace

from autograder.boundary.outside.exchange import Answer
from autograder.catalogue.assignments import Exercise
from autograder.catalogue.result import UNWRITTEN, Outcome, StudentError
from autograder.suite import Suite

from .examine import Desk, Transcript, examine
from .mark import OF_THE_WALL, Marked

_PYTHONS_OWN = frozenset(name for name, kind in vars(builtins).items() if isinstance(kind, type))


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
    with Desk(own.desk.wall, own.desk.cells, stand_ins, own.desk.order_key, until=own.desk.until) as desk:
        transcript = examine(own.rehearsed, desk, own.modules)
        transcript.answers = list(map(_without_words, transcript.answers))
        marked = Marked.of(transcript)
    given = tuple(name for name in wrong if desk.calls.get(name, 0))
    return Followed(marked, given) if given else None


def _without_words(answer: Answer) -> Answer:
    """The answer with no text of the student's process's own choice: it could tell what a right step is made of."""
    if answer.error is None:
        return answer
    kind, message = answer.error.type, ""
    if kind in OF_THE_WALL:
        message = "the result can't be used"
    elif kind not in _PYTHONS_OWN:
        kind = "Exception"
    return replace(answer, error=StudentError(kind, message, answer.error.line), printed="")
