"""Laws that most exercises share, as mixins of test methods."""

from __future__ import annotations

from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from autograder.boundary.outside.exchange import Answer, AnswerKind, Call, Callback, Request
from autograder.catalogue.assignments import exercise_named

from . import gradients
from .cases import Case, Cases
from .checks import ExerciseTests, Unanswered, edge, rule, value
from .expect import ANOTHER_ANSWER, TOLERANCE, Unmet, alike, array, close


class FunctionTests(ExerciseTests):
    """A function of arrays whose result is one array. Subclasses override `hold` for other results."""

    result_name: ClassVar[str] = "the result"

    def hold(self, answer: Any, case: Case) -> None:
        """Holds that the answer to a case is right."""
        close(array(answer), case.expected, TOLERANCE.of(case.args), self.result_name, case.args)

    def ask(self, student: Any, case: Case) -> Any:
        return getattr(student, self.exercise)(*case.args, **case.kwargs)

    def hold_each(self, student: Any, cases: tuple[Case, ...]) -> None:
        for case in cases:
            self.hold(self.ask(student, case), case)

    @value
    def test_value(self, student: Any, cases: Cases) -> None:
        """The result is right on ordinary inputs, with all sizes different."""
        self.hold_one_form(student, self.ordinary_forms(cases))

    def hold_one_form(self, student: Any, forms: tuple[tuple[Case, ...], ...]) -> None:
        """Holds every case of one of the forms; what is told is of the first."""
        first, *others = forms
        try:
            self.hold_each(student, first)
        except (Unmet, Unanswered) as seen:
            if not others:
                raise
            try:
                self.hold_one_form(student, tuple(others))
            except (Unmet, Unanswered):
                raise seen from None

    @rule
    def test_same_question_same_answer(self, student: Any, cases: Cases) -> None:
        """The same call gives the same answer again, whatever was asked between."""
        case = cases.ordinary[0]
        first, again = self.ask(student, case), self.ask(student.again, case)
        if not alike(first, again):
            raise Unmet(ANOTHER_ANSWER)
        self.hold(again, case)


class PassesGradients(FunctionTests):
    """For functions of torch tensors. Each of the cases "gradients" is a form of inputs of which one suffices."""

    def right_answer(self, request: Request) -> Answer:
        if isinstance(request, Call) and request.gradients:
            return Answer(AnswerKind.VALUE, gradients.answered(self._gradients_of(request.args), request.args))
        return super().right_answer(request)

    @rule
    def test_gradients_pass(self, student: Any, cases: Cases) -> None:
        """Gradients pass through to every input."""
        cut = None
        for case in cases["gradients"]:
            try:
                found = self.ask(student.gradients, case)
            except Unanswered as unanswered:
                cut = cut or unanswered
                continue
            if not isinstance(found, list) or any(gradient is None for gradient in found):
                raise Unmet("the result is cut off from an input: no gradient arrives there")
            if not any(self._agree(found, due) for due in self._sums(self._gradients_of(case.args))):
                raise Unmet("the gradients are not those of the result")
            return
        raise cut or Unmet("no gradient arrives")

    def _gradients_of(self, args: tuple[Any, ...]) -> list[list[np.ndarray]]:
        """By part of the result and by input, computed once a case."""
        known = self.__dict__.setdefault("_known_gradients", {})
        if id(args) not in known:
            known[id(args)] = args, gradients.of_results(self.oracle, args)
        of_parts: list[list[np.ndarray]] = known[id(args)][1]
        return of_parts

    @staticmethod
    def _sums(of_parts: list[list[np.ndarray]]) -> list[list[np.ndarray]]:
        """The gradients through all parts of a result, and through fewer: of a pair, one may be cut off."""
        chosen = (some for count in range(len(of_parts), 0, -1) for some in combinations(of_parts, count))
        return [[sum(of_input) for of_input in zip(*some, strict=True)] for some in chosen]  # type: ignore[misc]

    @staticmethod
    def _agree(found: list[Any], due: list[np.ndarray]) -> bool:
        return len(found) == len(due) and all(
            gradients.near(_numbers(one), other) for one, other in zip(found, due, strict=True)
        )


class LeavesInputsAlone(FunctionTests):
    """For functions of arrays."""

    @rule
    def test_inputs_are_left_alone(self, student: Any, cases: Cases) -> None:
        """The arguments are the same after the call as before."""
        case = cases.ordinary[-1]
        after = self.ask(student.arguments_after, case)
        for name, given, left in zip(exercise_named(self.exercise).parameters, case.args, after, strict=False):
            if not isinstance(given, Callback) and not np.array_equal(_numbers(given), _numbers(left)):
                raise Unmet(f"the argument {name} was changed by the call")


class OneToken(FunctionTests):
    @edge
    def test_one_token(self, student: Any, cases: Cases) -> None:
        """A sequence of one token is a sequence too."""
        self.hold_each(student, cases["one_token"])


class Float32(FunctionTests):
    @edge
    def test_float32(self, student: Any, cases: Cases) -> None:
        """Arrays of float32 are as good as those of float64."""
        self.hold_each(student, cases["float32"])


class Int64(FunctionTests):
    @edge
    def test_int64(self, student: Any, cases: Cases) -> None:
        """Arrays of whole numbers are inputs too, and the result is not cut to whole numbers."""
        self.hold_each(student, cases["int64"])


class MemoryLayout(FunctionTests):
    @edge
    def test_memory_layout(self, student: Any, cases: Cases) -> None:
        """The same numbers in another memory layout give the same result."""
        self.hold_each(student, cases["memory_layout"])


class NumpyFunctionTests(OneToken, Float32, Int64, MemoryLayout, LeavesInputsAlone, FunctionTests):
    """A function of NumPy arrays with all the laws above."""


def _numbers(value: Any) -> Any:
    return getattr(value, "array", value)
