"""The physical floor: a child forked from a warm process runs the student's module under the same checks, on the same
inputs, with the same oracle, and with neither wall nor wire. Prints the calls made to student code, and CPU seconds."""

from __future__ import annotations

import gc
import os
import sys
import types
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import (
    Answer,
    AnswerKind,
    Call,
    Callback,
    Loaded,
    ModuleRun,
    Request,
    RunModule,
    Tensor,
)
from autograder.catalogue.result import StudentError
from autograder.grading.examine import Desk, examine
from autograder.grading.inputs import SETS, chosen_set, inputs_set
from autograder.grading.mark import Marked
from autograder.grading.rehearsal import Rehearsal, rehearsal_of
from autograder.intake import Submission

from .work import SECRET, cpu_seconds, sources, submissions


@dataclass
class Direct:
    """A process that is this one: student code is called as it stands."""

    module: types.ModuleType
    loaded: Loaded = field(default_factory=Loaded)
    attempts: Sequence[str] = ()
    alive: bool = True
    disturbed: bool = False

    def ask(self, requests: Sequence[Request]) -> list[Answer]:
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request) -> Answer:
        try:
            value = self._call(request) if isinstance(request, Call) else self._run(request)
        except Exception as error:
            return Answer(AnswerKind.RAISED, error=StudentError(type(error).__name__, str(error)[:200]))
        return Answer(AnswerKind.VALUE, value)

    def _call(self, request: Call) -> Any:
        args = [_given(arg) for arg in request.args]
        value = getattr(self.module, request.name)(*args, **request.kwargs)
        return tuple(map(_taken, args)) if request.arguments_after else _taken(value)

    def _run(self, request: RunModule) -> ModuleRun:
        built = getattr(self.module, request.name)(*request.init_args, **request.init_kwargs)
        parameters = dict(built.named_parameters())
        shapes = {name: tuple(parameter.shape) for name, parameter in parameters.items()}
        if not request.inputs:
            return ModuleRun(None, shapes, {})
        inputs = [_given(given) for given in request.inputs]
        built.to(inputs[0].dtype).eval()
        torch = sys.modules["torch"]
        with torch.no_grad():
            for name, weight in request.weights.items():
                parameters[name].copy_(torch.from_numpy(weight))
        output = built(*inputs)
        gradients: dict[str, Any] = {}
        if request.upstream is not None:
            (output * torch.from_numpy(request.upstream)).sum().backward()
            gradients = {n: None if p.grad is None else p.grad.numpy() for n, p in parameters.items()}
        after = tuple(map(_taken, inputs)) if request.arguments_after else None
        return ModuleRun(_taken(output), shapes, gradients, after)

    def put(self, name: str, stand_in: Any) -> None: ...

    def put_calls(self, name: str) -> int:
        return 0

    def close(self) -> None: ...


def _given(value: Any) -> Any:
    if isinstance(value, Tensor):
        return sys.modules["torch"].from_numpy(value.array.copy())
    if isinstance(value, Callback):
        return value.function
    return value.copy(order="K") if isinstance(value, np.ndarray) else value


def _taken(value: Any) -> Any:
    if "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor):
        return Tensor(value.detach().numpy())
    return type(value)(map(_taken, value)) if type(value) in (list, tuple) else value


@dataclass(frozen=True)
class Stage:
    process: Direct

    def admit(self, cells: Any) -> Direct:
        return self.process


def _warm_torch() -> None:
    """As the kit's warm process has it; without need, a process of NumPy alone forks faster."""
    import torch

    torch.set_num_threads(1)
    torch.nn.Linear(2, 2)(torch.ones(1, 2)).sum().backward()


def grade_here(submission: Submission, rehearsal: Rehearsal) -> float:
    module = types.ModuleType("submission")
    (cell,) = submission.files[0].cells
    exec(compile(cell.source, "submission.py", "exec"), module.__dict__)
    desk = Desk(Stage(Direct(module)), ())
    return sum(Marked.of(examine(e, desk, rehearsal.modules)).part for e in rehearsal.exercises.values())


def main(assignment: str, kind: str, count: str) -> None:
    if "torch" in sources(assignment, kind)[0]:
        _warm_torch()
    sets = [inputs_set(SECRET, assignment, number) for number in range(SETS)]
    rehearsals = {inputs.id: rehearsal_of(assignment, inputs) for inputs in sets}
    gc.collect()
    gc.freeze()
    calls = 0
    for submission in submissions(assignment, kind, int(count)):
        inputs = chosen_set(SECRET, assignment, submission.student, submission.sha256)
        exercises = rehearsals[inputs.id].exercises
        calls += sum(len(e.questions) for e in exercises.values())
        pid = os.fork()
        if pid == 0:
            marks = grade_here(submission, rehearsals[inputs.id])
            os._exit(0 if marks == len(exercises) or kind != "right" else 1)
        if os.waitpid(pid, 0)[1] != 0:
            sys.exit("the floor marks a right submission down: it measures something else")
    print(calls, cpu_seconds())


if __name__ == "__main__":
    main(*sys.argv[1:])
