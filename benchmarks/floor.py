"""The physical floor: a child forked from a warm process runs the student's module under the same checks, on the same
inputs, with the same oracle, and with neither wall nor wire. What is to be asked in a process of its own is asked in a
child of that child."""

from __future__ import annotations

import gc
import os
import pickle
import sys
import types
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.boundary.inside import pages
from autograder.boundary.inside.errors import lineage
from autograder.boundary.inside.student import warm_up
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

from .work import SECRET, serve, sources, submissions


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
            told = StudentError(type(error).__name__, str(error)[:200])
            return Answer(AnswerKind.RAISED, error=told, lineage=tuple(lineage(error)))
        return Answer(AnswerKind.VALUE, value)

    def _call(self, request: Call) -> Any:
        function = getattr(self.module, request.name)
        args = [_given(arg) for arg in request.args]
        if request.gradients:
            from autograder.boundary.inside import modules

            return list(map(_taken, modules.gradients_of_inputs(function, args, request.kwargs)))
        value = function(*args, **request.kwargs)
        return tuple(map(_taken, args)) if request.arguments_after else _taken(value)

    def _run(self, request: RunModule) -> ModuleRun:
        from autograder.boundary.inside import modules  # brings torch, without which a process forks faster

        output, shapes, gradients, after = modules.run(
            getattr(self.module, request.name),
            request.init_args,
            request.init_kwargs,
            request.weights,
            [_given(given) for given in request.inputs],
            request.upstream,
            request.arguments_after,
            [_given(given) for given in request.run_before],
        )
        shapes = {path: tuple(shape) for path, shape in shapes.items()}
        gradients = {path: None if gradient is None else gradient.numpy() for path, gradient in gradients.items()}
        return ModuleRun(_taken(output), shapes, gradients, after and tuple(map(_taken, after)))

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


class Aside(Direct):
    """The same in a child of this process."""

    def ask(self, requests: Sequence[Request]) -> list[Answer]:
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.write(writer, pickle.dumps(super().ask(requests)))
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as answers:
            told: list[Answer] = pickle.load(answers)
        os.wait()
        return told


class Stage:
    """Admits to this process first, and then to children of it."""

    def __init__(self, module: types.ModuleType):
        self._next: type[Direct] = Direct
        self._module = module

    def admit(self, cells: Any) -> Direct:
        kind, self._next = self._next, Aside
        return kind(self._module)


def grade_here(submission: Submission, rehearsal: Rehearsal) -> float:
    module = types.ModuleType("submission")
    (cell,) = submission.files[0].cells
    exec(compile(cell.source, "submission.py", "exec"), module.__dict__)
    with Desk(Stage(module), ()) as desk:
        assert desk.process.alive
        return sum(Marked.of(examine(e, desk, rehearsal.modules)).share for e in rehearsal.exercises.values())


def main(assignment: str) -> None:
    """Grades as many right submissions as are asked for."""
    warm_up(["torch"] if "torch" in sources(assignment, "right")[0] else [])
    sets = [inputs_set(SECRET, assignment, number) for number in range(SETS)]
    rehearsals = {inputs.id: rehearsal_of(assignment, inputs) for inputs in sets}

    def run(kind: str, count: int) -> int:
        calls = 0
        for submission in submissions(assignment, kind, count):
            inputs = chosen_set(SECRET, submission)
            exercises = rehearsals[inputs.id].exercises
            calls += sum(len(e.questions) for e in exercises.values())
            pid = os.fork()
            if pid == 0:
                marks = grade_here(submission, rehearsals[inputs.id])
                os._exit(0 if marks == len(exercises) else 1)
            if os.waitpid(pid, 0)[1] != 0:
                sys.exit("the floor marks a right submission down: it measures something else")
        return calls

    gc.collect()
    gc.freeze()
    pages.gather()
    serve(run)


if __name__ == "__main__":
    main(*sys.argv[1:])
