"""What is asked and what is right: for each assignment its cases, oracle, hidden tests, wrong models and variants."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType

from autograder.catalogue.assignments import ASSIGNMENTS

from .checks import ExerciseTests
from .models import WrongModel


@dataclass(frozen=True)
class Suite:
    """One assignment's hidden tests, a class an exercise, in the assignment's order."""

    assignment: str
    tests: dict[str, type[ExerciseTests]]
    package: str

    def room(self, name: str) -> ModuleType:
        """The suite's module `name`: oracle, wrong_models or variants."""
        return import_module(f"{self.package}.{name}")

    def wrong_models_of(self, exercise: str) -> tuple[WrongModel, ...]:
        """The wrong models of one of the assignment's exercises."""
        return tuple(model for model in self.room("wrong_models").WRONG_MODELS if model.exercise == exercise)


@cache
def suite_of(assignment_id: str) -> Suite:
    """The suite of an assignment; raises LookupError, naming what is missing, where an exercise has no tests."""
    assignment = ASSIGNMENTS[assignment_id]
    package = f"{__name__}.{assignment.file}"
    module = import_module(f"{package}.test_hidden")
    classes = {tests.exercise: tests for tests in vars(module).values() if _is_for_an_exercise(tests, module)}
    missing = [e.name for e in assignment.exercises if e.name not in classes]
    if missing:
        raise LookupError(f"autograder/suite/{assignment.file}/test_hidden.py has no tests for {', '.join(missing)}")
    return Suite(assignment_id, {e.name: classes[e.name] for e in assignment.exercises}, package)


def _is_for_an_exercise(tests: object, module: ModuleType) -> bool:
    ours = isinstance(tests, type) and issubclass(tests, ExerciseTests) and tests.__module__ == module.__name__
    return ours and hasattr(tests, "exercise")
