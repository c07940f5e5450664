"""The vocabulary of hidden tests: roles, and the class of tests that an exercise has.

A hidden test is a method in pytest's style that is given `student` and `cases`, and that the grader runs itself. Its
docstring is the law that it holds, as a student may read it; its role says what a failure costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, TypeVar

import numpy as np

from autograder.boundary.outside.exchange import Answer, AnswerKind, Call, Callback, Request, StandIn
from autograder.catalogue.assignments import exercise_named

from .cases import Case, Cases, Draw

Test = TypeVar("Test", bound=Callable[..., None])


class Role(StrEnum):
    """What a check's verdict means for the mark (docs/architecture.md, "How a mark is made")."""

    VALUE = "value"
    SIGN = "sign"
    EDGE = "edge"
    RULE = "rule"
    ENTRY = "entry"
    CATCH = "catch"
    ACCEPT = "accept"


GOT_THROUGH = "it got through"  # what is seen where a student's test lets a wrong implementation pass


LONGEST = 64  # rows, columns or a size that a right step takes from student code: its loops run in the grader


def small_only(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` for small arguments alone: what student code hands over takes the grader's own time and memory."""

    def guarded(*args: Any) -> Any:
        if not all(map(_is_small, args)):
            raise ValueError(f"no array may have more than {LONGEST} rows or columns, and no size be larger")
        return function(*args)

    return guarded


def _is_small(argument: Any) -> bool:
    if isinstance(argument, np.ndarray):
        return argument.ndim <= 2 and max(argument.shape, default=0) <= LONGEST
    if isinstance(argument, int | np.integer):
        return abs(int(argument)) <= LONGEST
    if isinstance(argument, list):
        return len(argument) <= LONGEST and all(map(_is_small, argument))
    return isinstance(argument, float | np.floating | np.bool_)


class Unanswered(Exception):
    """A request that has no value: the student's code raised, died, ran out of time or isn't there."""

    def __init__(self, answer: Answer):
        super().__init__(answer.kind)
        self.answer = answer


def _with(role: Role) -> Callable[[Test], Test]:
    def mark(test: Test) -> Test:
        test.role = role  # type: ignore[attr-defined]  # a function may have any attribute
        return test

    return mark


value = _with(Role.VALUE)
sign = _with(Role.SIGN)
edge = _with(Role.EDGE)
rule = _with(Role.RULE)


@dataclass(frozen=True)
class Check:
    """One hidden test of an exercise, ready to run."""

    name: str
    role: Role
    law: str
    test: Callable[[Any, Cases], None]


class ExerciseTests:
    """The hidden tests of one exercise. Subclasses name the exercise, its oracle and its cases."""

    exercise: ClassVar[str]

    def oracle(self, *args: Any, **kwargs: Any) -> Any:
        """The right answer, slowly: loops over plain numbers, independent of the reference solution."""
        raise NotImplementedError

    def cases(self, draw: Draw) -> Cases:
        """What is asked: `ordinary` cases, and edge cases by name."""
        raise NotImplementedError

    def ordinary_forms(self, cases: Cases) -> tuple[tuple[Case, ...], ...]:
        """Forms of ordinary inputs of which one suffices; the others are edges."""
        return (cases.ordinary,)

    def right_answer(self, request: Request) -> Answer:
        """What a right submission answers."""
        if not isinstance(request, Call):
            raise TypeError(f"{self.exercise} is a function, and was asked to run as a module")
        value = (
            request.arguments_left_alone() if request.arguments_after else self.oracle(*request.args, **request.kwargs)
        )
        return Answer(AnswerKind.VALUE, value)

    def stand_in(self) -> StandIn:
        """The right one, for follow-through: by default the oracle, called across the wall."""
        return Callback(small_only(self.oracle), parameters=exercise_named(self.exercise).parameters)

    def checks(self) -> Iterator[Check]:
        """All tests, `value` first: a process that dies there is asked nothing more."""
        order = list(Role)
        names = dict.fromkeys(n for c in reversed(type(self).__mro__) for n in vars(c) if n.startswith("test_"))
        tests = [(name, getattr(self, name)) for name in names if getattr(self, name) is not None]
        for name, test in sorted(tests, key=lambda pair: order.index(pair[1].role)):
            law = " ".join((test.__doc__ or "").split())
            yield Check(name.removeprefix("test_"), test.role, law, test)
