"""An output folder with a few students' results, whose ids are as the platforms' downloads have them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder import __version__
from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.result import ExerciseResult, Outcome, Result, Status
from autograder.records.folder import OutputFolder

TORCH = "02_torch_self_attention"


def result(student: str, scores: tuple[float, ...] | None = None, as_given: str | None = None) -> Result:
    """A result of assignment 02 with these scores; without scores an unreadable one."""
    assignment = ASSIGNMENTS[TORCH]
    exercises = tuple(
        ExerciseResult(
            entry.name, score, float(entry.points), Outcome.PASSED if score == entry.points else Outcome.FAILED
        )
        for entry, score in zip(assignment.exercises, scores or (), strict=bool(scores))
    )
    status, reason = (Status.GRADED, None) if scores else (Status.UNREADABLE, "It does not parse.")
    return Result(
        __version__,
        TORCH,
        student,
        status,
        sum(scores or ()),
        100.0,
        "set-1",
        "ab" * 32,
        0.1,
        ("bwrap",),
        exercises,
        status_reason=reason,
        student_as_given=as_given,
        file="torch_self_attention.py",
    )


@pytest.fixture
def graded(tmp_path: Path) -> Callable[..., Path]:
    """`graded(name=scores, …)` is a folder with these results; with a dict, of ids that are no Python names."""

    def grade(scores: dict[str, tuple[float, ...] | None]) -> Path:
        out = tmp_path / "out"
        with OutputFolder(out) as folder:
            for number, (student, marks) in enumerate(scores.items()):
                safe = student if student.isprintable() and "/" not in student else f"safe-{number}"
                folder.record(result(safe, marks, student if safe != student else None))
            folder.finish()
        return out

    return grade
