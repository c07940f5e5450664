"""The hidden tests of assignment 06: students' tests, each run on right and on wrong implementations.

What a student's test is told to find is described by `oracle`; how many it finds is what it earns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import Answer, AnswerKind, Call, Callback, Request
from autograder.catalogue.result import StudentError
from autograder.suite.cases import Case, Cases, Draw
from autograder.suite.checks import GOT_THROUGH, Check, ExerciseTests, Role, Unanswered
from autograder.suite.expect import Unmet

from . import oracle
from .implementations import REFUSAL, RIGHT, WRONG

PARAMETERS = ("X", "W_Q", "W_K", "W_V")
RETURNED = "ResultNotReadable"  # the test came to its end, with a result that nobody wants
NOT_A_FAILURE = ("Skipped", "XFailed", "Exit")  # by pytest's own words a skip, an expected failure and an end


@dataclass(frozen=True)
class Ending:
    """How a test ended: by what error, or with False for its result, which is no failure."""

    error: StudentError | None = None
    said_no: bool = False


class TestsOfAttention(ExerciseTests):
    """A student's test has to return for each right implementation, and to raise for each wrong one."""

    def cases(self, draw: Draw) -> Cases:
        return Cases(
            {
                "ordinary": tuple(_case(attend, "right") for attend in RIGHT),
                "wrong": tuple(_case(wrong.attend, wrong.fault) for wrong in WRONG[self.exercise]),
            }
        )

    def right_answer(self, request: Request) -> Answer:
        assert isinstance(request, Call)
        (callback,) = request.args
        try:
            getattr(oracle, self.exercise)(callback.function)
        except AssertionError:
            return Answer(AnswerKind.RAISED, error=StudentError("AssertionError", ""))
        return Answer(AnswerKind.VALUE)

    def checks(self) -> Iterator[Check]:
        law = "Your test passes for every right implementation."
        yield Check("accepts_right_implementations", Role.ACCEPT, law, self.hold_accepts)
        for number, wrong in enumerate(WRONG[self.exercise]):
            law = f"Your test raises for an implementation with {wrong.fault}."
            yield Check(f"catches_{number + 1}", Role.CATCH, law, partial(self.hold_catches, number))

    def hold_accepts(self, student: Any, cases: Cases) -> None:
        ended = [self._ending(student, case) for case in cases.ordinary]
        raised = [ending.error for ending in ended if ending.error is not None]
        if not raised:
            return
        seen = f"your test rejects a right implementation: it raised {raised[0].type}"
        if raised[0].message.startswith(f"{self.exercise}() missing"):
            seen += ", since it takes more than attend; it is called with attend alone, without fixtures or parameters"
        if len(raised) < len(cases.ordinary):
            seen += f"; it rejects {len(raised)} of {len(cases.ordinary)}, which differ in rounding alone"
        raise Unmet(seen)

    def hold_catches(self, number: int, student: Any, cases: Cases) -> None:
        ending = self._ending(student, cases["wrong"][number])
        if ending.error is None and ending.said_no:
            raise Unmet(f"{GOT_THROUGH}: your test returned False, which nobody reads; a test speaks by raising")
        if ending.error is None:
            raise Unmet(GOT_THROUGH)
        if ending.error.type in NOT_A_FAILURE:
            raise Unmet(f"{GOT_THROUGH}: your test skipped or gave up, and only what fails is a catch")

    def _ending(self, student: Any, case: Case) -> Ending:
        """How the student's test ended for one implementation, in a process of its own."""
        try:
            returned = getattr(student.alone, self.exercise)(*case.args)
        except Unanswered as unanswered:
            answer = unanswered.answer
            if answer.kind is not AnswerKind.RAISED or answer.error is None:
                raise
            if answer.error.type == "NotImplementedError":
                raise
            return Ending(None if answer.error.type == RETURNED else answer.error)
        return Ending(said_no=isinstance(returned, bool | np.bool_) and not returned)


def _case(attend: Callable[..., Any], kind: str) -> Case:
    return Case((Callback(attend, REFUSAL, PARAMETERS),), None, kind)


class TestShapes(TestsOfAttention):
    exercise = "test_shapes"


class TestRowsSumToOne(TestsOfAttention):
    exercise = "test_rows_sum_to_one"


class TestScaling(TestsOfAttention):
    exercise = "test_scaling"


class TestPermutationEquivariance(TestsOfAttention):
    exercise = "test_permutation_equivariance"
