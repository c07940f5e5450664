"""Empty answers: what earns nothing, whatever the exercise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import Answer, AnswerKind, Call, ModuleRun, Request, Tensor
from autograder.catalogue.result import StudentError

Fill = Callable[[np.ndarray], np.ndarray]
Reply = Callable[[Request, Answer], Answer]


def _filled(fill: Fill) -> Reply:
    """Right in shape and type, with every number replaced and every text emptied."""
    return lambda request, right: Answer(AnswerKind.VALUE, _like(right.value, fill))


def _like(value: Any, fill: Fill) -> Any:
    if isinstance(value, ModuleRun):
        return ModuleRun(_like(value.output, fill), value.parameters, {}, value.arguments_after)
    if isinstance(value, Tensor):
        return Tensor(_like(value.array, fill))
    if isinstance(value, np.ndarray):
        return fill(value)
    if isinstance(value, list | tuple):
        return [_like(item, fill) for item in value]
    if isinstance(value, Mapping):
        return {key: _like(item, fill) for key, item in value.items()}
    if isinstance(value, str):
        return ""
    return fill(np.asarray(value)).item() if isinstance(value, bool | int | float | np.generic) else value


def hollow_reply(reply: Reply, request: Request, right: Answer) -> Answer:
    """An empty answer; it leaves its arguments alone, as even empty code does."""
    return right if request.arguments_after else reply(request, right)


def _constantly(value: Any) -> Reply:
    return lambda request, right: Answer(AnswerKind.VALUE, value)


def _handed_back(place: int) -> Reply:
    def reply(request: Request, right: Answer) -> Answer:
        given = request.inputs
        value = given[place % len(given)] if given else None
        return Answer(AnswerKind.VALUE, value if isinstance(request, Call) else ModuleRun(value, {}, {}))

    return reply


def _raising(name: str) -> Reply:
    return lambda request, right: Answer(AnswerKind.RAISED, error=StudentError(name, ""))


def _noise(array: np.ndarray) -> np.ndarray:
    """The same numbers for the same shape, whatever the inputs."""
    return np.random.default_rng(0).standard_normal(array.shape).astype(array.dtype)


def _uniform(array: np.ndarray) -> np.ndarray:
    """Each row the same distribution."""
    return np.full(array.shape, 1 / max(1, array.shape[-1] if array.ndim else 1)).astype(array.dtype)


HOLLOW: Mapping[str, Reply] = {
    "zeros": _filled(np.zeros_like),
    "ones": _filled(np.ones_like),
    "NaN": _filled(lambda array: np.full(array.shape, np.nan) if array.dtype.kind == "f" else np.zeros_like(array)),
    "a constant": _filled(lambda array: np.full(array.shape, 3).astype(array.dtype)),
    "right in shape alone": _filled(_noise),
    "uniform rows": _filled(_uniform),
    "the first input": _handed_back(0),
    "the second input": _handed_back(1),
    "the last input": _handed_back(-1),
    "None": _constantly(None),
    "True": _constantly(True),
    "False": _constantly(False),
    "the number 1": _constantly(1),
    "an empty list": _constantly([]),
    "an empty string": _constantly(""),
    "not implemented": _raising("NotImplementedError"),
    "an error": _raising("ValueError"),
}
