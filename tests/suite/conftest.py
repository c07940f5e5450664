"""Answers marked without a wall, where they are the suite's own, and whole submissions graded behind it."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from autograder.boundary.outside.exchange import Answer, Request
from autograder.boundary.outside.wall import raise_wall
from autograder.catalogue.result import Result
from autograder.grading.diagnose import diagnose
from autograder.grading.grade import Course, grade
from autograder.grading.inputs import inputs_set
from autograder.grading.mark import Marked
from autograder.grading.rehearsal import Rehearsal, rehearsal_of
from autograder.verification.proof import marked

from ..submitted import submitted


@dataclass
class Bench:
    """One assignment's suite on one inputs set."""

    assignment: str
    rehearsal: Rehearsal

    def marked(self, exercise: str, reply: Callable[[Request], Answer]) -> Marked:
        """What an exercise earns that answers requests with `reply`."""
        return marked(self.rehearsal.exercises[exercise], self.rehearsal, reply)

    def right(self, exercise: str) -> Callable[[Request], Answer]:
        """Answers every rehearsed request as the oracle did."""
        answers = {id(question.request): question.right for question in self.rehearsal.exercises[exercise].questions}
        return lambda request: answers[id(request)]

    def named(self, marked: Marked) -> tuple[str, ...]:
        """The misconceptions that are told of it."""
        return tuple(told.misconception for told in diagnose(marked.transcript, self.assignment))


@pytest.fixture(scope="session")
def bench() -> Callable[..., Bench]:
    """`bench(assignment, number=0)`: the suite on a course's inputs set of that number."""

    def make(assignment: str, number: int = 0) -> Bench:
        return Bench(assignment, rehearsal_of(assignment, inputs_set("a course", assignment, number)))

    return make


@pytest.fixture(scope="session")
def graded() -> Callable[[str, str], Result]:
    """`graded(assignment, source)`: the result of a submission of this source, behind the wall."""
    with raise_wall() as wall:

        def result(assignment: str, source: str) -> Result:
            return grade(submitted(assignment, source), wall, Course("a course"))

        yield result
