"""The `student` of the hidden tests: what reads like a call becomes a request, and its answer a value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import Answer, AnswerKind, Call, ModuleRun, Request, RunModule, Tensor
from autograder.suite.checks import Unanswered


class Freshness(Enum):
    """Which answer serves: any to the same request, a new one, or one from a process that was asked nothing else."""

    ANY = 0
    AGAIN = 1
    ALONE = 2


class Student(ABC):
    """Attributes are the submission's names: `student.softmax_rows(scores)`, `student.SelfAttention(8, 5)`.

    `student.again` asks anew even what was asked before, and `student.alone` in a process of its own;
    `student.arguments_after` answers with the arguments as the call left them, and `student.gradients` with the
    gradients that pass through to them.
    """

    def __init__(self, modules: frozenset[str] = frozenset()):
        self._modules = modules

    @abstractmethod
    def obtain(self, request: Request, freshness: Freshness) -> Answer:
        """The answer to a request."""

    def value_of(self, request: Request, freshness: Freshness) -> Any:
        """The answer's value. Raises Unanswered where it has none."""
        answer = self.obtain(request, freshness)
        if answer.kind is not AnswerKind.VALUE:
            raise Unanswered(answer)
        return answer.value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Manner(self)._named(name)

    @property
    def again(self) -> _Manner:
        """As above: asked anew."""
        return _Manner(self, Freshness.AGAIN)

    @property
    def alone(self) -> _Manner:
        """As above: in a process of its own."""
        return _Manner(self, Freshness.ALONE)

    @property
    def arguments_after(self) -> _Manner:
        """As above: the arguments in place of the result."""
        return _Manner(self, arguments_after=True)

    @property
    def gradients(self) -> _Manner:
        """As above: gradients in place of the result."""
        return _Manner(self, gradients=True)


@dataclass(frozen=True)
class _Manner:
    """A way of asking, whose attributes are the submission's names."""

    _student: Student
    freshness: Freshness = Freshness.ANY
    arguments_after: bool = False
    gradients: bool = False

    def _named(self, name: str) -> Any:
        if name in self._student._modules:
            return lambda *args, **kwargs: ModuleQuestion(
                self, RunModule(name, args, kwargs, arguments_after=self.arguments_after)
            )
        return lambda *args, **kwargs: self._ask(Call(name, args, kwargs, self.arguments_after, self.gradients))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._named(name)

    def _ask(self, request: Request) -> Any:
        return self._student.value_of(request, self.freshness)


@dataclass(frozen=True)
class ModuleQuestion:
    """A module that would be built: give it weights with `holding`, and run it by calling it."""

    _manner: _Manner
    _request: RunModule

    def holding(self, weights: Mapping[str, np.ndarray]) -> ModuleQuestion:
        """The same module with these weights, by parameter path."""
        return replace(self, _request=replace(self._request, weights=weights))

    def after_running(self, *inputs: Tensor) -> ModuleQuestion:
        """The same module, run on these inputs first."""
        return replace(self, _request=replace(self._request, run_before=inputs))

    def run(self, *inputs: Tensor, upstream: np.ndarray | None = None) -> ModuleRun:
        """Everything that a run shows: output, parameters, gradients."""
        run: ModuleRun = self._manner._ask(replace(self._request, inputs=inputs, upstream=upstream))
        return run

    def __call__(self, *inputs: Tensor) -> Any:
        return self.run(*inputs).output

    def parameters(self) -> Mapping[str, tuple[int, ...]]:
        """Shapes by parameter path."""
        return self.run().parameters


Key = tuple[Any, ...]


def key_of(request: Request) -> Key:
    """Equal for requests that ask the same: same names, same numbers, same memory layout."""
    if isinstance(request, Call):
        return (request.name, request.arguments_after, request.gradients, _key(request.args), _key(request.kwargs))
    return (
        request.name,
        request.arguments_after,
        _key(request.init_args),
        _key(request.init_kwargs),
        _key(request.weights),
        _key(request.inputs),
        _key(request.upstream),
        _key(request.run_before),
    )


def objects_of(request: Request) -> Key:
    """Equal only for requests that hold the very same objects, and so ask the same; made in a fraction of the time.

    Objects that may have gone are others, and may have the numbers of these.
    """
    flags = (request.name, request.arguments_after)
    if isinstance(request, Call):
        return (*flags, request.gradients, *map(id, request.args), *_ids_by_name(request.kwargs))
    parts = (request.init_args, request.inputs, request.run_before)
    return (*flags, id(request.weights), id(request.upstream), *_ids_by_name(request.init_kwargs), *map(_ids, parts))


def _ids(values: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(map(id, values))


def _ids_by_name(values: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    return ((name, id(value)) for name, value in values.items())


def _key(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.strides, value.tobytes())
    if isinstance(value, Tensor):
        return ("tensor", _key(value.array))
    if isinstance(value, tuple | list):
        return tuple(_key(item) for item in value)
    if isinstance(value, Mapping):
        return tuple((name, _key(item)) for name, item in value.items())
    return value if isinstance(value, int | float | str | None) else id(value)
