"""The Result of one submission: what grading writes and every record is made of."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

SCHEMA_VERSION = 1


class Status(StrEnum):
    GRADED = "graded"
    UNREADABLE = "unreadable"


class Outcome(StrEnum):
    """What became of an exercise. Of several the gravest counts: crashed, timeout, error, failed."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    MISSING = "missing"
    NOT_IMPLEMENTED = "not_implemented"


@dataclass(frozen=True)
class CheckResult:
    """One hidden test's verdict; `message` may be shown to the student."""

    check: str
    passed: bool
    message: str
    visible: bool = False


@dataclass(frozen=True)
class Diagnosis:
    """A misconception that the evidence singled out, and the text a student reads."""

    misconception: str
    feedback: str


@dataclass(frozen=True)
class FollowThrough:
    """The mark with the student's own earlier exercises, beside `score` with right ones `given`."""

    own_score: float
    given: tuple[str, ...]


@dataclass(frozen=True)
class StudentError:
    """An exception of the student's code: its type, 200 characters at most, and the student's own line."""

    type: str
    message: str
    line: int | None = None
    source: str = ""


@dataclass(frozen=True)
class ExerciseResult:
    """`observations` say what was seen where no misconception could be named."""

    exercise: str
    score: float
    max_score: float
    outcome: Outcome
    checks: tuple[CheckResult, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()
    follow_through: FollowThrough | None = None
    observations: tuple[str, ...] = ()
    error: StudentError | None = None


@dataclass(frozen=True)
class Flag:
    """What looks like an attempt on the grader. For the instructor alone; never moves a mark."""

    flag: str
    detail: str


@dataclass(frozen=True)
class Result:
    """`notes` are told to the student: a statement that failed, an import that was replaced, a file that counted."""

    kit_version: str
    assignment: str
    student: str
    status: Status
    score: float
    max_score: float
    inputs_id: str
    submission_sha256: str
    duration_s: float
    walls: tuple[str, ...]
    exercises: tuple[ExerciseResult, ...] = ()
    flags: tuple[Flag, ...] = ()
    status_reason: str | None = None
    notes: tuple[str, ...] = ()
    student_as_given: str | None = None
    file: str | None = None
    schema_version: int = field(default=SCHEMA_VERSION)

    def to_json(self) -> dict[str, Any]:
        """Plain lists, dicts, numbers and strings, as `result.schema.json` has them."""
        return _plain(asdict(self))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Result:
        """The Result that `to_json` made `data` from; raises KeyError or ValueError on other data."""
        exercises = tuple(_exercise_from_json(e) for e in data["exercises"])
        flags = tuple(Flag(**f) for f in data["flags"])
        rest = {k: v for k, v in data.items() if k not in ("exercises", "flags", "status", "walls", "notes")}
        return cls(
            **rest,
            status=Status(data["status"]),
            walls=tuple(data["walls"]),
            notes=tuple(data["notes"]),
            exercises=exercises,
            flags=flags,
        )


def _exercise_from_json(data: dict[str, Any]) -> ExerciseResult:
    follow, error = data["follow_through"], data["error"]
    return ExerciseResult(
        exercise=data["exercise"],
        score=data["score"],
        max_score=data["max_score"],
        outcome=Outcome(data["outcome"]),
        checks=tuple(CheckResult(**c) for c in data["checks"]),
        diagnoses=tuple(Diagnosis(**d) for d in data["diagnoses"]),
        follow_through=follow and FollowThrough(follow["own_score"], tuple(follow["given"])),
        observations=tuple(data["observations"]),
        error=error and StudentError(**error),
    )


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, StrEnum) else value
