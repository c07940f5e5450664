"""What crosses the wall: requests in, answers out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from autograder.catalogue.result import StudentError


@dataclass(frozen=True, eq=False)
class Tensor:
    """A torch tensor as the grader sees it: its numbers. The grader itself never imports torch."""

    array: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def dtype(self) -> np.dtype:
        return self.array.dtype


@dataclass(frozen=True, eq=False)
class Callback:
    """A function of the grader's that student code may call across the wall.

    `function` gets what the student passed (arrays, numbers) by position and returns an array or a tuple of arrays;
    what is passed by name is put where `parameters` have it. An exception that it raises is raised again in the
    student's process as a ValueError with `refusal` as its text and no more.
    """

    function: Callable[..., Any]
    refusal: str = "this function can't take these arguments"
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Call:
    """Call the submission's function `name`.

    With `arguments_after`, the answer's value is the tuple of positional arguments as they stand after the call, in
    place of the result; None stands for a Callback. With `gradients`, it is the list of gradients of a weighted sum of
    all tensors returned, one for each tensor of floats among the arguments; None where none arrives.
    """

    name: str
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    arguments_after: bool = False
    gradients: bool = False

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The arguments by position: what a run of a module has as its inputs."""
        return self.args

    def gradients_cut(self) -> list[Tensor | None]:
        """The answer to `gradients` of a function that none pass through."""
        return [None for given in self.args if isinstance(given, Tensor)]

    def arguments_left_alone(self) -> tuple[Any, ...]:
        """The answer to `arguments_after` of a call that changes nothing."""
        return tuple(None if isinstance(given, Callback) else given for given in self.args)


@dataclass(frozen=True, eq=False)
class RunModule:
    """Build the submission's `nn.Module` subclass `name`, hand it `weights`, and run it.

    `weights` maps parameter paths ("W_q.weight") to arrays; every one must exist there with this shape, and parameters
    that are not named keep their initial values. The module is in eval mode, and takes the first input's dtype, as all
    inputs do. With `upstream` (an array shaped like the output), the gradients of sum(output * upstream) are answered
    too; with `run_before` it runs on those inputs first, and what comes of that is not answered. Without inputs the
    module is only built.
    """

    name: str
    init_args: tuple[Any, ...] = ()
    init_kwargs: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[str, np.ndarray] = field(default_factory=dict)
    inputs: tuple[Any, ...] = ()
    upstream: np.ndarray | None = None
    arguments_after: bool = False
    run_before: tuple[Any, ...] = ()

    def gradients_passed(self) -> dict[str, np.ndarray]:
        """What a run answers of its inputs' gradients where they pass; of the numbers only "there is one" is meant."""
        return {f"input {place}": np.ones_like(given.array) for place, given in enumerate(self.inputs)}


Request = Call | RunModule


@dataclass(frozen=True, eq=False)
class ModuleRun:
    """The value answered to RunModule: what the module returned, the shape of every parameter, and gradients by
    parameter path (None where no gradient arrived; "input 0" and so on for the inputs)."""

    output: Any
    parameters: Mapping[str, tuple[int, ...]]
    gradients: Mapping[str, np.ndarray | None]
    arguments_after: tuple[Any, ...] | None = None


class AnswerKind(StrEnum):
    """What became of a request."""

    VALUE = "value"
    RAISED = "raised"  # an exception of the student's code; a result that cannot cross counts too
    MISSING = "missing"  # the submission has no such name, or it is not callable
    TIMEOUT = "timeout"
    CRASHED = "crashed"  # the process ended, or sent what no honest process sends
    UNASKED = "unasked"  # the process had died before this request's turn


@dataclass(frozen=True, eq=False)
class Answer:
    """One request's answer. Values are None, bool, int, float, complex, str, bytes, list (for list, tuple and set),
    dict, np.ndarray, NumPy scalars, Tensor and ModuleRun. `printed` is what the call wrote to stdout, cut."""

    kind: AnswerKind
    value: Any = None
    error: StudentError | None = None
    printed: str = ""
    lineage: tuple[str, ...] = ()  # of an exception: the names of Python's own that it descends from
    detail: str = ""  # for the instructor: a signal, an exit status, a bad frame


@dataclass(frozen=True)
class Limits:
    """What one student process may use."""

    load_seconds: float = 10.0  # of CPU time, for all top-level statements together; wall time is twice that
    call_seconds: float = 2.0  # of CPU time for each call; wall time is three times that
    memory_bytes: int = 1 << 30  # beyond what the warm process has
    callbacks: int = 1000  # calls to Callback functions for each request
    frame_bytes: int = 8 << 20  # of arrays in one answer; the grader may need many times as much to look at them


@dataclass(frozen=True)
class LoadProblem:
    """A top-level statement that failed, timed out or ended the process, or a cell that does not parse."""

    cell: str
    line: int | None
    error: StudentError
    is_syntax_error: bool = False


@dataclass(frozen=True)
class Loaded:
    """What loading a submission showed."""

    problems: tuple[LoadProblem, ...] = ()
    stand_in_imports: tuple[str, ...] = ()
    attempts: tuple[str, ...] = ()  # for flags: what looked like an attempt on the grader, as the wall saw it


TorchStep = tuple[str, str, tuple[Any, ...], Mapping[str, Any]]  # name, function, args, kwargs


@dataclass(frozen=True)
class TorchFunction:
    """A right function in place of a student's wrong one, made of torch's public functions, so that gradients flow.

    `steps` are (name, dotted public function of torch, args, kwargs); an argument that begins with "$" is a parameter
    or an earlier step's name. `result` names one step, or several for a tuple.
    """

    parameters: tuple[str, ...]
    steps: tuple[TorchStep, ...]
    result: tuple[str, ...]


@dataclass(frozen=True)
class TorchModule:
    """A right nn.Module in place of a student's wrong one. `defaults` are of __init__'s parameters, where "$name" is
    another parameter; `layers` are (attribute, dotted class of torch.nn, args, kwargs); `forward`'s parameters may
    also be "$self.<attribute>"."""

    parameters: tuple[str, ...]
    defaults: Mapping[str, Any]
    layers: tuple[TorchStep, ...]
    forward: TorchFunction


StandIn = Callback | TorchFunction | TorchModule
