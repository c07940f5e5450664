"""A rehearsal: all questions that the hidden tests of an inputs set ask, found by running them against the oracle.

The questions of a set are the same for every submission, so they are found, packed and answered once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from autograder.boundary.outside.exchange import Answer, Request, RunModule, Tensor
from autograder.catalogue.assignments import ASSIGNMENTS, Kind
from autograder.suite import suite_of
from autograder.suite.cases import Cases, Draw
from autograder.suite.checks import Check, ExerciseTests, Role

from .inputs import InputsSet
from .student import Freshness, Key, Student, key_of, objects_of


@dataclass(frozen=True, eq=False)
class Question:
    """A request, the role of the first check that asks it, and the right answer."""

    request: Request
    role: Role
    right: Answer
    alone: bool = False


@dataclass(frozen=True, eq=False)
class RehearsedExercise:
    """One exercise's checks on one inputs set, and the questions that they ask, in order."""

    name: str
    checks: tuple[Check, ...]
    cases: Cases
    questions: tuple[Question, ...]

    @cached_property
    def places(self) -> dict[Key, tuple[int, ...]]:
        """Where in `questions` a request stands: first, and where it is asked again."""
        places: dict[Key, tuple[int, ...]] = {}
        for place, question in enumerate(self.questions):
            key = key_of(question.request)
            places[key] = (*places.get(key, ()), place)
        return places

    @cached_property
    def _places_by_objects(self) -> dict[Key, tuple[int, ...]]:
        return {objects_of(q.request): self.places[key_of(q.request)] for q in self.questions}

    def places_of(self, request: Request) -> tuple[int, ...] | None:
        """Where in `questions` a request stands; None where it isn't one of them."""
        known = self._places_by_objects.get(objects_of(request))
        return known or self.places.get(key_of(request))


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """All that a suite asks on one inputs set; `modules` names the exercises that are built before they are run."""

    inputs_id: str
    modules: frozenset[str]
    exercises: dict[str, RehearsedExercise]

    @cached_property
    def needs_torch(self) -> bool:
        """Whether anything is asked with tensors or of modules."""
        requests = (question.request for exercise in self.exercises.values() for question in exercise.questions)
        return any(isinstance(r, RunModule) or any(isinstance(a, Tensor) for a in r.args) for r in requests)


class _Prompter(Student):
    """Answers with the oracle, and takes down what was asked."""

    def __init__(self, tests: ExerciseTests, modules: frozenset[str]):
        super().__init__(modules)
        self._tests = tests
        self._right: dict[Key, Answer] = {}
        self.questions: list[Question] = []
        self.role = Role.VALUE

    def obtain(self, request: Request, freshness: Freshness) -> Answer:
        key = key_of(request)
        if key not in self._right:
            self._right[key] = self._tests.right_answer(request)
        elif freshness is Freshness.ANY:
            return self._right[key]
        answer = self._right[key]
        self.questions.append(Question(request, self.role, answer, freshness is Freshness.ALONE))
        return answer


def rehearse(assignment_id: str, inputs: InputsSet) -> Rehearsal:
    """Runs the suite of an assignment against its oracle. A test that the oracle fails is a fault of the suite."""
    assignment = ASSIGNMENTS[assignment_id]
    modules = frozenset(e.name for e in assignment.exercises if e.kind is Kind.MODULE)
    exercises = {}
    for name, tests_class in suite_of(assignment_id).tests.items():
        tests = tests_class()
        cases = tests.cases(Draw(inputs.seed + name.encode()))
        prompter = _Prompter(tests, modules)
        checks = tuple(tests.checks())
        for check in checks:
            prompter.role = check.role
            check.test(prompter, cases)
        exercises[name] = RehearsedExercise(name, checks, cases, tuple(prompter.questions))
    return Rehearsal(inputs.id, modules, exercises)


@lru_cache(maxsize=64)
def rehearsal_of(assignment_id: str, inputs: InputsSet) -> Rehearsal:
    """The rehearsal of a set, made once a process."""
    return rehearse(assignment_id, inputs)
