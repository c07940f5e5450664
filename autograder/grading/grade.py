"""One submission to one Result."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace

from autograder import __version__
from autograder.boundary.outside.exchange import Loaded
from autograder.boundary.outside.wall import Disturbed
from autograder.catalogue.assignments import ASSIGNMENTS, Assignment, Exercise
from autograder.catalogue.result import (
    CheckResult,
    ExerciseResult,
    Flag,
    FollowThrough,
    Outcome,
    Result,
    Status,
    StudentError,
)
from autograder.intake.submission import Submission, SubmittedFile
from autograder.suite import Suite, suite_of

from .diagnose import diagnose
from .examine import Desk, RaisedWall, examine
from .follow import follow
from .inputs import InputsSet, chosen_set, order_key
from .mark import Marked, Verdict, points_of
from .rehearsal import Rehearsal, rehearsal_of

DISTURBANCES = 3  # gradings of a file that something outside the wall disturbs


@dataclass(frozen=True)
class Course:
    """What grading needs of a course: the secret that its inputs are drawn from."""

    secret: str


def grade(submission: Submission, wall: RaisedWall, course: Course) -> Result:
    """The result of a submission; of several files that count, the better one's. Raises WallError."""
    started = time.perf_counter()
    inputs = chosen_set(course.secret, submission)
    if submission.problem is not None or not submission.files:
        reason = submission.problem or "There is no file to grade."
        result = replace(_ungraded(submission, inputs, wall), status_reason=reason)
    else:
        order = order_key(course.secret, submission)
        result = _better([_grade_undisturbed(submission, file, inputs, order, wall) for file in submission.files])
    return replace(result, duration_s=round(time.perf_counter() - started, 4))


def _ungraded(submission: Submission, inputs: InputsSet, wall: RaisedWall) -> Result:
    """What is known of a submission before it has a mark, or a reason for none."""
    return Result(
        kit_version=__version__,
        assignment=submission.assignment,
        student=submission.student,
        status=Status.UNREADABLE,
        score=0.0,
        max_score=float(ASSIGNMENTS[submission.assignment].points),
        inputs_id=inputs.id,
        submission_sha256=submission.sha256,
        duration_s=0.0,
        walls=wall.layers,
        notes=submission.notes,
        student_as_given=submission.student_as_given,
    )


def _grade_undisturbed(
    submission: Submission, file: SubmittedFile, inputs: InputsSet, order: bytes, wall: RaisedWall
) -> Result:
    """The result of a file none of whose processes was killed from outside: such a grading is begun anew, since a new
    process has nothing of what the student's code keeps from call to call. Raises Disturbed where it never ends well.
    """
    for _ in range(DISTURBANCES - 1):
        with suppress(Disturbed):
            return _grade_file(submission, file, inputs, order, wall)
    return _grade_file(submission, file, inputs, order, wall)


def _grade_file(
    submission: Submission, file: SubmittedFile, inputs: InputsSet, order: bytes, wall: RaisedWall
) -> Result:
    ungraded = replace(_ungraded(submission, inputs, wall), file=file.name)
    if file.problem is not None:
        return replace(ungraded, status_reason=file.problem)
    assignment, rehearsal = ASSIGNMENTS[submission.assignment], rehearsal_of(submission.assignment, inputs)
    with Desk(wall.with_torch if rehearsal.needs_torch else wall, file.cells, order_key=order) as desk:
        loaded = desk.loaded
        if (reason := _does_not_parse(file, loaded)) is not None:
            return replace(ungraded, status_reason=reason)
        exercises = _Examination(assignment, suite_of(assignment.id), rehearsal, desk).results()
    attempts = dict.fromkeys((*loaded.attempts, *desk.attempts))
    return replace(
        ungraded,
        status=Status.GRADED,
        score=round(sum(exercise.score for exercise in exercises), 4),
        exercises=exercises,
        flags=tuple(_flag(attempt) for attempt in attempts),
        notes=(*submission.notes, *_notes(loaded)),
    )


def _better(results: list[Result]) -> Result:
    best = max(results, key=lambda result: (result.status is Status.GRADED, result.score))
    if len(results) == 1:
        return best
    told = ", ".join(f"{result.file} {result.score:g}" for result in results)
    return replace(best, notes=(*best.notes, f"Several files were marked, and the better counts: {told}."))


def _does_not_parse(file: SubmittedFile, loaded: Loaded) -> str | None:
    """Why a file is unreadable as a whole: each of its cells has a syntax error."""
    errors = [problem for problem in loaded.problems if problem.is_syntax_error]
    if not errors or len({problem.cell for problem in errors}) < len({cell.name for cell in file.cells}):
        return None
    where = f", line {errors[0].line}" if errors[0].line else ""
    return f"{file.name} is not Python that can be read: {errors[0].error.message} ({errors[0].cell}{where})."


def _notes(loaded: Loaded) -> list[str]:
    notes = []
    for problem in loaded.problems:
        where = problem.cell + (f", line {problem.line}" if problem.line else "")
        cell, statement = "this cell does not parse and was left out", "this statement failed, and the rest went on"
        notes.append(f"{where}: {cell if problem.is_syntax_error else statement} ({_short(problem.error)}).")
    if loaded.stand_in_imports:
        names = ", ".join(loaded.stand_in_imports)
        notes.append(f"Not installed where work is graded, and replaced by something that does nothing: {names}.")
    return notes


def _short(error: StudentError) -> str:
    return f"{error.type}: {error.message}" if error.message else error.type


def _flag(attempt: str) -> Flag:
    name, _, detail = attempt.partition(": ")
    return Flag(name, detail or "seen while this submission ran")


@dataclass
class _Examination:
    """All exercises of a file, in the assignment's order; what earlier ones came to decides on follow-through."""

    assignment: Assignment
    suite: Suite
    rehearsal: Rehearsal
    desk: Desk

    def results(self) -> tuple[ExerciseResult, ...]:
        outcomes: dict[str, Outcome] = {}
        results = []
        for exercise in self.assignment.exercises:
            result, own_outcome = self._result(exercise, outcomes)
            outcomes[exercise.name] = own_outcome
            results.append(result)
        return tuple(results)

    def _result(self, exercise: Exercise, outcomes: dict[str, Outcome]) -> tuple[ExerciseResult, Outcome]:
        """The exercise's result, and what became of it with the student's own earlier work."""
        own = Marked.of(examine(self.rehearsal.exercises[exercise.name], self.desk, self.rehearsal.modules))
        counted, told = own, None
        if own.share < 1 and own.outcome is not Outcome.MISSING:
            followed = follow(exercise, outcomes, own.transcript, self.suite)
            if followed is not None:
                told = FollowThrough(points_of(own.share, exercise.points), followed.given)
                counted = followed.marked if followed.marked.share >= own.share else own
        return self._told(exercise, counted, told), own.outcome

    def _told(self, exercise: Exercise, marked: Marked, told: FollowThrough | None) -> ExerciseResult:
        named = diagnose(marked.transcript, self.assignment.id) if marked.share < 1 else ()
        return ExerciseResult(
            exercise=exercise.name,
            score=points_of(marked.share, exercise.points),
            max_score=float(exercise.points),
            outcome=marked.outcome,
            checks=tuple(_check(v) for v in marked.verdicts),
            diagnoses=named,
            follow_through=told,
            observations=() if named else marked.observations,
            error=marked.error,
        )


def _check(verdict: Verdict) -> CheckResult:
    law = verdict.check.law
    message = law if verdict.passed else f"{law} Here {verdict.seen}."
    return CheckResult(verdict.check.name, verdict.passed, message, seen=verdict.seen)
