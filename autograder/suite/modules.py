"""Laws for exercises that are `nn.Module`s: built, handed weights, run; never compared by their initial weights."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import Answer, AnswerKind, ModuleRun, Request, RunModule, Tensor

from . import gradients
from .cases import Case, CasesOf, Draw
from .checks import ExerciseTests, edge, rule, value
from .expect import ANOTHER_ANSWER, TOLERANCE, Unmet, alike, close, tensor

Shapes = Mapping[str, tuple[int, ...]]
Weights = Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class ModuleCase(Case):
    """A module built with `init` (and `named` keyword arguments), holding `weights`, run on `args`."""

    init: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict)
    weights: Weights = field(default_factory=dict)
    upstream: np.ndarray | None = None


ModuleCases = CasesOf[ModuleCase]


class ModuleTests(ExerciseTests):
    """The hidden tests of a module. Subclasses say which parameters it has, and what it computes."""

    @abstractmethod
    def shapes(self, *init: Any, **named: Any) -> Shapes:
        """The shape of every parameter, by path."""

    @abstractmethod
    def forward(self, init: tuple[Any, ...], weights: Weights, *inputs: np.ndarray) -> np.ndarray:
        """The right output for float64 inputs, slowly; `init` are the arguments that the module was built with."""

    def right_answer(self, request: Request) -> Answer:
        if not isinstance(request, RunModule):
            raise TypeError(f"{self.exercise} is a module, and was called as a function")
        shapes = self.shapes(*request.init_args, **request.init_kwargs)
        if not request.inputs:
            return Answer(AnswerKind.VALUE, ModuleRun(None, shapes, {}))
        output = self._output(request, request.weights)
        due = {} if request.upstream is None else dict(self.gradients_of(request))
        after = request.inputs if request.arguments_after else None
        return Answer(AnswerKind.VALUE, ModuleRun(Tensor(output), shapes, due, after))

    def _output(self, request: RunModule, weights: Weights) -> np.ndarray:
        """In the inputs' dtype, computed in float64."""
        inputs = [given.array.astype(np.float64) for given in request.inputs]
        return self.forward(_init(request), weights, *inputs).astype(request.inputs[0].dtype)

    def _gradients(self, request: RunModule) -> dict[str, np.ndarray | None]:
        """By central differences in float64."""
        exact = [given.array.astype(np.float64) for given in request.inputs]
        held = {name: weight.astype(np.float64) for name, weight in request.weights.items()}

        def weighted(arrays: list[np.ndarray]) -> float:
            weights = dict(zip(held, arrays, strict=False))
            output = self.forward(_init(request), weights, *arrays[len(held) :])
            return float((output * request.upstream).sum())

        names = [*held, *(f"input {place}" for place in range(len(exact)))]
        return dict(zip(names, gradients.by_differences(weighted, [*held.values(), *exact]), strict=True))

    def case(
        self,
        draw: Draw,
        init: tuple[Any, ...],
        *inputs: np.ndarray,
        kind: str = "ordinary",
        named: Mapping[str, Any] | None = None,
    ) -> ModuleCase:
        """A case with weights drawn so that scores stay near N(0, 1), in the dtype of the inputs."""
        named = named or {}
        dtype = inputs[0].dtype
        weights = {
            name: _weight(draw, name, *shape).astype(dtype) for name, shape in self.shapes(*init, **named).items()
        }
        exact = [given.astype(np.float64) for given in inputs]
        output = self.forward((*init, *named.values()), weights, *exact)
        upstream = draw.normal(*output.shape).astype(dtype)
        return ModuleCase(tuple(Tensor(given) for given in inputs), output, kind, {}, init, named, weights, upstream)

    def ask(self, student: Any, case: ModuleCase) -> Any:
        return getattr(student, self.exercise)(*case.init, **case.named).holding(case.weights)(*case.args)

    def hold(self, answer: Any, case: ModuleCase) -> None:
        close(
            tensor(answer, "the output"),
            case.expected,
            TOLERANCE.of(case.args),
            "the output",
            tuple(given.array for given in case.args),
        )

    def hold_each(self, student: Any, cases: tuple[ModuleCase, ...]) -> None:
        for case in cases:
            self.hold(self.ask(student, case), case)

    @value
    def test_value(self, student: Any, cases: ModuleCases) -> None:
        """The output is right for the weights that the module was given."""
        self.hold_each(student, cases.ordinary)

    @edge
    def test_one_token(self, student: Any, cases: ModuleCases) -> None:
        """A sequence of one token is a sequence too."""
        self.hold_each(student, cases["one_token"])

    @edge
    def test_float64(self, student: Any, cases: ModuleCases) -> None:
        """A module of float64 works as one of float32 does, and the output keeps the input's dtype."""
        self.hold_each(student, cases["float64"])
        self.hold_dtypes(student, cases["float64"])

    @rule
    def test_dtype_is_kept(self, student: Any, cases: ModuleCases) -> None:
        """The output has the input's dtype."""
        self.hold_dtypes(student, cases.ordinary)

    @rule
    def test_parameters(self, student: Any, cases: ModuleCases) -> None:
        """The parameters have the names and shapes that the task sheet gives, and there are no others."""
        for case in cases.ordinary[:2]:
            found = getattr(student, self.exercise)(*case.init, **case.named).parameters()
            self.hold_parameters(found, self.shapes(*case.init, **case.named))

    @rule
    def test_gradients(self, student: Any, cases: ModuleCases) -> None:
        """Gradients reach every weight, and pass through to every input."""
        for case in cases["gradients"]:
            module = getattr(student, self.exercise)(*case.init, **case.named).holding(case.weights)
            self.hold_gradients(module.run(*case.args, upstream=case.upstream), case)

    @rule
    def test_inputs_are_left_alone(self, student: Any, cases: ModuleCases) -> None:
        """The inputs are the same after the call as before."""
        case = cases.ordinary[-1]
        after = self.ask_arguments_after(student, case)
        if not all(
            np.array_equal(given.array, getattr(left, "array", left))
            for given, left in zip(case.args, after, strict=True)
        ):
            raise Unmet("an input was changed by the call")

    @rule
    def test_same_question_same_answer(self, student: Any, cases: ModuleCases) -> None:
        """The same weights and inputs give the same output again, whatever was asked between."""
        case = cases.ordinary[0]
        first, again = self.ask(student, case), self.ask(student.again, case)
        if not alike(first, again):
            raise Unmet(ANOTHER_ANSWER)
        self.hold(again, case)

    @rule
    def test_each_run_by_itself(self, student: Any, cases: ModuleCases) -> None:
        """The output belongs to the inputs of this run, whatever the module was run on before."""
        case = cases.ordinary[0]
        before = tuple(Tensor(-given.array) for given in case.args)
        module = getattr(student, self.exercise)(*case.init, **case.named).holding(case.weights)
        self.hold(module.after_running(*before)(*case.args), case)

    def ask_arguments_after(self, student: Any, case: ModuleCase) -> Any:
        module = getattr(student.arguments_after, self.exercise)(*case.init, **case.named).holding(case.weights)
        return module.run(*case.args).arguments_after

    def hold_dtypes(self, student: Any, cases: tuple[ModuleCase, ...]) -> None:
        for case in cases:
            answer = self.ask(student, case)
            tensor(answer, "the output")
            if answer.dtype != case.args[0].dtype:
                raise Unmet(f"an input of {case.args[0].dtype} gave an output of {answer.dtype}")

    @staticmethod
    def hold_parameters(found: Shapes, due: Shapes) -> None:
        for name in sorted(set(found) ^ set(due)):
            raise Unmet(
                f"the module {'lacks' if name in due else 'has'} the parameter {name}"
                f"{'' if name in due else ', which it should not have'}"
            )
        for name, shape in due.items():
            if tuple(found[name]) != tuple(shape):
                raise Unmet(f"{name} has shape {tuple(found[name])}, where {tuple(shape)} is due")

    def hold_gradients(self, run: ModuleRun, case: ModuleCase) -> None:
        cut_off = [name for name in case.weights if run.gradients.get(name) is None or not np.any(run.gradients[name])]
        if cut_off:
            raise Unmet(f"no gradient reaches {', '.join(cut_off)}")
        request = RunModule(self.exercise, case.init, case.named, case.weights, case.args, case.upstream)
        if any(run.gradients.get(name) is None for name in request.gradients_passed()):
            raise Unmet("an input is cut off from the output: no gradient passes through to it")
        for name, due in self.gradients_of(request).items():
            if not gradients.near(run.gradients.get(name), due):
                raise Unmet(f"the gradient of {name} is not that of the output")

    def gradients_of(self, request: RunModule) -> Mapping[str, Any]:
        """The right gradients, computed once a case."""
        key = id(request.upstream)
        cache = self.__dict__.setdefault("_known_gradients", {})
        if key not in cache:
            cache[key] = self._gradients(request)
        return cache[key]


def _weight(draw: Draw, name: str, *shape: int) -> np.ndarray:
    """A layer's matrix, which keeps entries near N(0, 1) as they are; a bias; or a norm's scales, none of them 1."""
    if len(shape) > 1:
        return draw.normal(*shape) / np.sqrt(shape[-1])
    return draw.normal(*shape) / 2 if name.endswith("bias") else draw.uniform(0.5, 1.5, *shape)


def _init(request: RunModule) -> tuple[Any, ...]:
    return (*request.init_args, *request.init_kwargs.values())
