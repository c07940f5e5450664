"""The Result of one submission: what grading writes and every record is made of.

Text that may hold a student's own words is made plain and cut where it enters one of these classes, so that
no reader of a Result has to. `result.schema.json` states the same form for other programs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, TypeVar

from .plain_text import one_line, plain

SCHEMA_VERSION = 1
T = TypeVar("T")

ERROR_MESSAGE = 200  # characters, as the contract has it
SOURCE_LINE = 200
NAME = 200
MESSAGE = 1000
FEEDBACK = 2000
ITEMS = 50  # notes, observations or flags; the last of a longer list says how many more there were


class Status(StrEnum):
    """Whether a submission has a mark, or could not be read and has a reason."""

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


UNWRITTEN = (Outcome.MISSING, Outcome.NOT_IMPLEMENTED)  # what the student has not begun


@dataclass(frozen=True)
class CheckResult:
    """One hidden test's verdict; `message` may be shown to the student: the law, and what was `seen` if it failed."""

    check: str
    passed: bool
    message: str
    visible: bool = False
    seen: str = ""

    def __post_init__(self) -> None:
        _set(self, message=plain(self.message, MESSAGE), seen=plain(self.seen, MESSAGE))


@dataclass(frozen=True)
class Diagnosis:
    """A misconception that the evidence singled out, and the text a student reads."""

    misconception: str
    feedback: str

    def __post_init__(self) -> None:
        _set(self, feedback=plain(self.feedback, FEEDBACK))


@dataclass(frozen=True)
class FollowThrough:
    """The mark in points with the student's own earlier exercises, beside `score` with right ones `given`."""

    own_score: float
    given: tuple[str, ...]


@dataclass(frozen=True)
class StudentError:
    """An exception of the student's code: its type, at most 200 characters of its text, and the student's own line."""

    type: str
    message: str
    line: int | None = None
    source: str = ""

    def __post_init__(self) -> None:
        _set(
            self,
            type=one_line(self.type, NAME),
            message=plain(self.message, ERROR_MESSAGE),
            source=one_line(self.source, SOURCE_LINE),
        )


@dataclass(frozen=True)
class ExerciseResult:
    """One exercise's mark in points. `observations` say what was seen where no misconception could be named."""

    exercise: str
    score: float
    max_score: float
    outcome: Outcome
    checks: tuple[CheckResult, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()
    follow_through: FollowThrough | None = None
    observations: tuple[str, ...] = ()
    error: StudentError | None = None

    def __post_init__(self) -> None:
        _set(self, observations=_texts(self.observations))


@dataclass(frozen=True)
class Flag:
    """What looks like an attempt on the grader. For the instructor alone; never moves a mark."""

    flag: str
    detail: str

    def __post_init__(self) -> None:
        _set(self, detail=plain(self.detail, MESSAGE))


@dataclass(frozen=True)
class Result:
    """What the grader answers for one submission.

    `student` is the id as a safe file name; `student_as_given` is the original to the letter, where it
    differs. `notes` are told to the student: a statement that failed, an import that was replaced, a file
    that counted.
    """

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
    schema_version: int = SCHEMA_VERSION

    def __post_init__(self) -> None:
        _set(
            self,
            notes=_texts(self.notes),
            flags=_first(self.flags, lambda n: Flag("more", f"{n} more flags")),
            status_reason=self.status_reason and plain(self.status_reason, MESSAGE),
            file=self.file and one_line(self.file, NAME),
        )

    def to_json(self) -> dict[str, Any]:
        """Plain lists, dicts, numbers and strings, as `result.schema.json` has them."""
        data = _plain(asdict(self))
        return {"schema_version": data.pop("schema_version"), **data}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Result:
        """The Result that `to_json` made `data` from. Fields that are not ours are left out.

        Raises KeyError, TypeError or ValueError on data that does not follow the schema.
        """
        own = _own(cls, data)
        return cls(
            **own
            | {
                "status": Status(data["status"]),
                "walls": tuple(data["walls"]),
                "notes": tuple(data.get("notes", ())),
                "exercises": tuple(_exercise_from_json(exercise) for exercise in data["exercises"]),
                "flags": tuple(Flag(**_own(Flag, flag)) for flag in data["flags"]),
            }
        )


def _exercise_from_json(data: dict[str, Any]) -> ExerciseResult:
    follow, error = data["follow_through"], data.get("error")
    return ExerciseResult(
        **_own(ExerciseResult, data)
        | {
            "outcome": Outcome(data["outcome"]),
            "checks": tuple(CheckResult(**_own(CheckResult, check)) for check in data["checks"]),
            "diagnoses": tuple(Diagnosis(**_own(Diagnosis, diagnosis)) for diagnosis in data["diagnoses"]),
            "follow_through": follow and FollowThrough(follow["own_score"], tuple(follow["given"])),
            "observations": tuple(data.get("observations", ())),
            "error": error and StudentError(**_own(StudentError, error)),
        }
    )


def _own(model: type, data: dict[str, Any]) -> dict[str, Any]:
    names = {f.name for f in fields(model)}
    return {name: value for name, value in data.items() if name in names}


def _set(instance: object, **values: object) -> None:
    """How a frozen dataclass settles its own fields in `__post_init__`."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)


def _texts(items: Sequence[str]) -> tuple[str, ...]:
    return tuple(plain(item, MESSAGE) for item in _first(items, lambda n: f"… and {n} more like these."))


def _first(items: Sequence[T], more: Callable[[int], T]) -> tuple[T, ...]:
    return tuple(items) if len(items) <= ITEMS else (*items[: ITEMS - 1], more(len(items) - ITEMS + 1))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, StrEnum) else value
