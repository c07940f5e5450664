"""A few students' results, made by hand, one of them with hostile text wherever a student can put some."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from autograder import __version__
from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.misconceptions import misconceptions
from autograder.catalogue.result import (
    CheckResult,
    Diagnosis,
    ExerciseResult,
    Flag,
    FollowThrough,
    Outcome,
    Result,
    Status,
    StudentError,
)

NUMPY = "01_numpy_self_attention"
TORCH = "02_torch_self_attention"
WALLS = ("bwrap", "landlock", "seccomp", "limits")
CHECKS = ("shape_is_that_of_the_answer", "equals_the_definition", "one_token", "input_is_not_modified")
DELIGHTS = {
    "script": "</script><script>alert(1)</script>",
    "image": "<img src=x onerror=alert(1)>",
    "colour": "\x1b[31mred\x1b[0m",
    "title": "\x1b]0;owned\x07",
    "override": "\u202etxt.exe",
    "bell": "a\x00\x07\x08b",
    "formula": '=HYPERLINK("x")',
    "template": "{{ 7*7 }}{% raw %}",
    "half": "\ud800",
    "style": "</style><style>*{display:none}",
}
HOSTILE = " ".join(DELIGHTS.values())


def passed(exercise: str, points: float) -> ExerciseResult:
    return ExerciseResult(
        exercise, points, points, Outcome.PASSED, tuple(CheckResult(name, True, "") for name in CHECKS)
    )


def full_marks(student: str, assignment: str = NUMPY) -> Result:
    exercises = tuple(passed(exercise.name, float(exercise.points)) for exercise in ASSIGNMENTS[assignment].exercises)
    return Result(
        __version__,
        assignment,
        student,
        Status.GRADED,
        100.0,
        100.0,
        "set-3",
        "ab" * 32,
        0.04,
        WALLS,
        exercises,
        file=ASSIGNMENTS[assignment].file + ".py",
    )


def with_exercises(result: Result, *changed: ExerciseResult, **more: object) -> Result:
    """`result` with some exercises exchanged, and the score that follows."""
    by_name = {exercise.exercise: exercise for exercise in changed}
    exercises = tuple(by_name.get(exercise.exercise, exercise) for exercise in result.exercises)
    return replace(result, exercises=exercises, score=sum(exercise.score for exercise in exercises), **more)


def checks(
    *failed: str, message: str = "softmax_rows(scores) with 3 rows and 5 columns: a row does not sum to 1."
) -> tuple[CheckResult, ...]:
    return tuple(CheckResult(name, name not in failed, message if name in failed else "") for name in CHECKS)


def softmax_over_queries(student: str) -> Result:
    """One misconception, and an exercise that was marked twice because of it."""
    name = "softmax-over-queries"
    wrong = ExerciseResult(
        "softmax_rows",
        3.2,
        16.0,
        Outcome.FAILED,
        checks("equals_the_definition"),
        (Diagnosis(name, misconceptions()[name].feedback),),
    )
    twice = replace(passed("self_attention", 18.0), follow_through=FollowThrough(3.6, ("softmax_rows",)))
    return with_exercises(full_marks(student), wrong, twice)


def half_done(student: str) -> Result:
    """The first four are right; then an observation, an error, and exercises that are not written."""
    seen = ExerciseResult(
        "attention_scores",
        2.4,
        12.0,
        Outcome.FAILED,
        checks(
            "equals_the_definition",
            message="attention_scores(Q, K) with 4 queries and 6 keys: the values are off.",
        ),
        observations=("Every entry is the dot product divided by 5.0.",),
    )
    error = ExerciseResult(
        "scale_scores",
        0.0,
        10.0,
        Outcome.ERROR,
        checks(*CHECKS, message=""),
        error=StudentError("NameError", "name 'sqrt' is not defined", 41, "return S / sqrt(d_k)"),
    )
    stub = StudentError("NotImplementedError", "softmax_rows is not implemented yet")
    unwritten = [
        ExerciseResult(name, 0.0, points, Outcome.NOT_IMPLEMENTED)
        for name, points in (("softmax_rows", 16.0), ("attention_output", 10.0))
    ]
    last = ExerciseResult("self_attention", 0.0, 18.0, Outcome.ERROR, error=stub)
    return with_exercises(
        full_marks(student),
        seen,
        error,
        *unwritten,
        last,
        notes=(
            "Line 3: import matplotlib.pyplot was replaced by a stand-in; this costs no marks.",
            "Cell 7 stopped with NameError: name 'X' is not defined; the rest was run.",
        ),
    )


def stopped(student: str) -> Result:
    """An endless loop and an ended process."""
    return with_exercises(
        full_marks(student),
        ExerciseResult("softmax_rows", 0.0, 16.0, Outcome.TIMEOUT),
        ExerciseResult("self_attention", 0.0, 18.0, Outcome.CRASHED),
        flags=(Flag("writes-to-protocol", "14 bytes were written to a descriptor that is the grader's"),),
    )


def unreadable(student: str) -> Result:
    return replace(
        full_marks(student),
        status=Status.UNREADABLE,
        score=0.0,
        exercises=(),
        status_reason="numpy_self_attention.py does not parse: line 12, invalid syntax.",
    )


def empty(student: str) -> Result:
    return with_exercises(
        full_marks(student),
        *(ExerciseResult(e.name, 0.0, float(e.points), Outcome.NOT_IMPLEMENTED) for e in ASSIGNMENTS[NUMPY].exercises),
    )


def hostile(student: str) -> Result:
    """What a student can fill, filled with what can hurt a page, a terminal, a table or a file."""
    error = StudentError(HOSTILE, HOSTILE, 3, HOSTILE)
    parts = [
        ExerciseResult(
            "softmax_rows",
            0.0,
            16.0,
            Outcome.ERROR,
            checks(*CHECKS, message=HOSTILE),
            observations=(HOSTILE,),
            error=error,
        )
    ]
    return with_exercises(
        full_marks(student),
        *parts,
        notes=(HOSTILE,),
        flags=(Flag("canary-flag", HOSTILE),),
        student_as_given=HOSTILE,
        file=HOSTILE,
    )


MAKERS: tuple[Callable[[str], Result], ...] = (
    full_marks,
    softmax_over_queries,
    half_done,
    stopped,
    unreadable,
    empty,
    hostile,
)


@pytest.fixture
def make() -> dict[str, Callable[[str], Result]]:
    """The makers above by name."""
    return {maker.__name__: maker for maker in MAKERS}


@pytest.fixture
def a_class() -> list[Result]:
    """Each maker's result, as student-01 and so on."""
    return [maker(f"student-{number:02}") for number, maker in enumerate(MAKERS, 1)]
