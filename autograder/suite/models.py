"""Wrong models: what code that holds a misconception would answer."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import Answer, AnswerKind, Call, Callback, ModuleRun, Request, Tensor
from autograder.catalogue.result import StudentError

from . import gradients
from .expect import TOLERANCE


@dataclass(frozen=True)
class WrongModel:
    """`answer` takes an exercise's arguments, and answers as code with these misconceptions would.

    For a module, `answer` takes what it was built with, the weights by parameter path, and then the inputs;
    `parameters` answers what it was built with by the shapes of its parameters, and `cut_off` names those that no
    gradient reaches ("inputs" for a function's). With `keeps_first`, a module answers as it did when it was first run.
    """

    exercise: str
    misconceptions: tuple[str, ...]
    answer: Callable[..., Any]
    parameters: Callable[..., Mapping[str, tuple[int, ...]]] | None = None
    cut_off: tuple[str, ...] = ()
    keeps_first: bool = False

    def reply(self, request: Request) -> Answer:
        """The model's answer to a request; an exception of the model's is an answer too."""
        args = tuple(_fresh(a) for a in self._asked(request))
        try:
            with np.errstate(all="ignore"):
                value = self._value(request, args)
        except Exception as error:  # a wrong model may fail as its believers' code does
            names = tuple(kind.__name__ for kind in type(error).__mro__)
            return Answer(AnswerKind.RAISED, error=StudentError(names[0], ""), lineage=names)
        if request.arguments_after:
            value = _after(value, tuple(None if isinstance(left, Callback) else left for left in args))
        return Answer(AnswerKind.VALUE, value)

    def _asked(self, request: Request) -> tuple[Any, ...]:
        if isinstance(request, Call):
            return request.args
        return request.run_before if self.keeps_first and request.run_before else request.inputs

    def _value(self, request: Request, args: tuple[Any, ...]) -> Any:
        if isinstance(request, Call):
            return self._gradients(request) if request.gradients else self.answer(*args, **request.kwargs)
        init = (*request.init_args, *request.init_kwargs.values())
        shapes = self.parameters(*init) if self.parameters is not None else None
        if not args:
            return ModuleRun(None, shapes or {}, {})
        weights = {name: np.array(weight) for name, weight in request.weights.items()}
        if shapes is not None and any(shapes.get(name) != weight.shape for name, weight in weights.items()):
            raise LookupError("the module has no such parameters")
        reached: dict[str, np.ndarray | None] = {}
        if request.upstream is not None:
            arriving = weights if self.cut_off else {**weights, **request.gradients_passed()}
            reached = {name: None if name in self.cut_off else gradient for name, gradient in arriving.items()}
        return ModuleRun(self.answer(init, weights, *args), shapes or {}, reached)

    def _gradients(self, request: Call) -> list[Tensor | None]:
        if self.cut_off:
            return request.gradients_cut()
        results = gradients.of_results(lambda *args: self.answer(*args, **request.kwargs), request.args)
        return gradients.answered(results, request.args)


def _after(value: Any, args: tuple[Any, ...]) -> Any:
    """The arguments as the call left them, in the place where an answer has them."""
    return replace(value, arguments_after=args) if isinstance(value, ModuleRun) else args


def _fresh(value: Any) -> Any:
    """A copy, so that a model that changes its inputs changes nobody else's."""
    if isinstance(value, Tensor):
        return Tensor(value.array.copy(order="K"))
    return value.copy(order="K") if isinstance(value, np.ndarray) else copy.copy(value)


def agree(one: Answer, other: Answer, request: Request) -> bool:
    """Whether two answers to a request are the same, within the request's tolerance; NaN equals NaN here."""
    if one.kind is not other.kind:
        return False
    if one.kind is not AnswerKind.VALUE:
        return True
    if isinstance(request, Call) and request.gradients:
        return _arrives(one.value) == _arrives(other.value)
    return _agree(one.value, other.value, TOLERANCE.of(request.inputs))


def _arrives(gradients: Any) -> list[bool]:
    """At which inputs a gradient arrives."""
    return [gradient is not None for gradient in gradients] if isinstance(gradients, list) else []


def indistinguishable(one: Answer, other: Answer, request: Request) -> bool:
    """Whether two answers agree, and their tensors have one dtype too, and both or neither are masks of bools: these
    are side rules, and not values."""
    return agree(one, other, request) and _dtypes(one.value) == _dtypes(other.value)


def _dtypes(value: Any) -> list[np.dtype]:
    if isinstance(value, list | tuple):
        return [dtype for part in value for dtype in _dtypes(part)]
    if isinstance(value, ModuleRun):
        return _dtypes(value.output)
    is_mask = isinstance(value, np.ndarray) and value.ndim > 0 and value.dtype.kind == "b"
    return [value.dtype] if is_mask or isinstance(value, Tensor) else []


def _runs_agree(one: ModuleRun, other: ModuleRun, tolerance: float) -> bool:
    """Of gradients, only where they arrive is compared."""
    if one.arguments_after is not None and other.arguments_after is not None:
        return _agree(one.arguments_after, other.arguments_after, tolerance)
    if one.output is None and other.output is None:
        return _plain_shapes(one) == _plain_shapes(other)
    parts = ((one.output, other.output), (one.arguments_after, other.arguments_after))
    return _reached(one) == _reached(other) and all(_agree(a, b, tolerance) for a, b in parts)


def _plain_shapes(run: ModuleRun) -> dict[str, tuple[int, ...]]:
    return {name: tuple(shape) for name, shape in run.parameters.items()}


def _reached(run: ModuleRun) -> set[str]:
    """The parameters that a gradient reaches; inputs don't count."""
    return {
        name
        for name, gradient in run.gradients.items()
        if gradient is not None and np.any(gradient) and not name.startswith("input ")
    }


def _agree(one: Any, other: Any, tolerance: float) -> bool:
    if isinstance(one, ModuleRun) and isinstance(other, ModuleRun):
        return _runs_agree(one, other, tolerance)
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        return _agree(getattr(one, "array", one), getattr(other, "array", other), tolerance)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(_agree(a, b, tolerance) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_agree(one[k], other[k], tolerance) for k in one)
    if any(isinstance(value, str | bytes | list | tuple | dict | None) for value in (one, other)):
        return type(one) is type(other) and bool(one == other)
    a, b = np.asarray(one), np.asarray(other)
    if a.dtype.kind not in "biuf" or b.dtype.kind not in "biuf" or a.shape != b.shape:
        return False
    if (a.dtype.kind == "b") != (b.dtype.kind == "b") and a.ndim == 0:
        return False
    if a.size == 0:
        return True
    a, b = a.astype(float, copy=False), b.astype(float, copy=False)
    with np.errstate(all="ignore"):
        gap, largest = float(np.abs(a - b).max()), float(np.abs(b).max())
        if math.isfinite(gap) and math.isfinite(largest):  # as it mostly is, and then this is all
            return gap <= tolerance * max(1.0, largest)
        scale = max(1.0, float(np.max(np.abs(b), where=np.isfinite(b), initial=0.0)))
        near = np.abs(a - b) <= tolerance * scale
    return bool((near | (a == b) | (np.isnan(a) & np.isnan(b))).all())
