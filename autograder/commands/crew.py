"""Graders at work side by side, each a process with a wall of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from autograder.boundary.outside.wall import Wall, WallError, raise_wall
from autograder.catalogue.result import Result
from autograder.grading.grade import Course, grade
from autograder.intake import Submission

from .pool import worker_pool

AHEAD = 4  # submissions read and waiting for each grader

_held = ExitStack()  # of a grader's own process: its wall, raised until the process ends
_at_work: tuple[Wall, Course] | None = None


class Crew:
    """`jobs` graders. One is this process itself, several are processes started for it.

    Raises WallError where the wall cannot be raised.
    """

    def __init__(self, jobs: int, course: Course, without: frozenset[str]):
        self._jobs, self._course, self._without = jobs, course, without
        self._stack = ExitStack()
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        self._wall = self._stack.enter_context(raise_wall(self._without))
        self.walls = self._wall.layers
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=error is None, cancel_futures=True)
        self._stack.close()

    def grade(self, submissions: Iterable[Submission]) -> Iterator[tuple[Submission, Result | str]]:
        """Each submission with its result, or with the reason why there is none, as they are done."""
        if self._jobs == 1:
            for submission in submissions:
                yield submission, _outcome(submission, self._wall, self._course)
            return
        yield from self._grade_side_by_side(iter(submissions))

    def _grade_side_by_side(self, submissions: Iterator[Submission]) -> Iterator[tuple[Submission, Result | str]]:
        waiting: dict[Future[Result | str], Submission] = {}
        alone: list[Submission] = []
        exhausted = False
        while waiting or not exhausted:
            while not exhausted and len(waiting) < AHEAD * self._jobs:
                submission = next(submissions, None)
                if submission is None:
                    exhausted = True
                else:
                    waiting[self._submit(submission)] = submission
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                submission = waiting.pop(future)
                try:
                    yield submission, future.result()
                except BrokenProcessPool:  # a grader was killed; whose submission it held cannot be told
                    alone.append(submission)
                    self._pool = None
        for submission in alone:
            yield submission, _outcome(submission, self._wall, self._course)

    def _submit(self, submission: Submission) -> Future[Result | str]:
        try:
            return self._started().submit(_grade_here, submission)
        except BrokenProcessPool:
            self._pool = None
            return self._started().submit(_grade_here, submission)

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = worker_pool(self._jobs, _start, (self._course, self._without, self.walls))
        return self._pool


def _start(course: Course, without: frozenset[str], walls: tuple[str, ...]) -> None:
    """Raises WallError where another wall stands here than in the process that this one works for."""
    global _at_work
    wall = _held.enter_context(raise_wall(without))
    if wall.layers != walls:
        raise WallError(f"here stand {' '.join(wall.layers)}, and not {' '.join(walls)} ({wall.troubles})")
    _at_work = wall, course


def _grade_here(submission: Submission) -> Result | str:
    assert _at_work is not None
    return _outcome(submission, *_at_work)


def _outcome(submission: Submission, wall: Wall, course: Course) -> Result | str:
    try:
        return grade(submission, wall, course)
    except WallError as error:
        return str(error)
    except Exception as error:  # a fault of the grader's must not stop the class
        return (
            f"The grader failed on this submission ({type(error).__name__}: {error}). Report it; the others are graded."
        )
