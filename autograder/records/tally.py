"""A class in numbers, counted up in one pass over its results, in memory that does not grow with it."""

import statistics
from collections import Counter
from dataclasses import dataclass, field

from autograder.catalogue.assignments import ASSIGNMENTS, Exercise
from autograder.catalogue.plain_text import one_line
from autograder.catalogue.result import UNWRITTEN, ExerciseResult, Outcome, Result, Status

from .gradebook import NotGraded

STOPPED = {Outcome.CRASHED: "ended the process", Outcome.TIMEOUT: "ran out of time"}

ROWS = 2000  # students that the report's table shows
NAMED = 200  # submissions that are named in a list: unreadable, broken off, flagged
BINS = 10
TENTHS = 10  # scores are counted in tenths of a point
STUDENT = 80  # characters


@dataclass(frozen=True)
class Row:
    """One submission in the class's table. `folder` is the student's folder below results/ and feedback/."""

    folder: str
    student: str
    assignment: str
    score: float
    max_score: float
    status: Status


@dataclass(frozen=True)
class Named:
    """A submission that someone should look at, and why."""

    folder: str
    student: str
    assignment: str
    reason: str


@dataclass
class NamedList:
    """The first `NAMED` entries, and how many there were in all."""

    first: list[Named] = field(default_factory=list)
    total: int = 0

    def add(self, named: Named) -> None:
        self.total += 1
        if len(self.first) < NAMED:
            self.first.append(named)

    @property
    def more(self) -> int:
        return self.total - len(self.first)


@dataclass
class ExerciseTally:
    """One exercise over all graded submissions."""

    name: str
    max_score: float
    graded: int = 0
    written: int = 0  # by students: neither missing nor a stub
    points: float = 0.0
    full: int = 0
    nothing: int = 0
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    failed_checks: Counter[str] = field(default_factory=Counter)

    def add(self, result: ExerciseResult) -> None:
        self.graded += 1
        self.points += result.score
        self.full += result.score >= result.max_score
        self.nothing += result.score == 0
        self.outcomes[result.outcome] += 1
        if result.outcome not in UNWRITTEN:
            self.written += 1
            self.failed_checks.update(list(dict.fromkeys(c.check for c in result.checks if not c.passed)))

    @property
    def mean(self) -> float:
        return self.points / self.graded if self.graded else 0.0

    @property
    def share(self) -> float:
        """Of the points that could be earned, 0 to 1."""
        return self.mean / self.max_score if self.max_score else 0.0


@dataclass
class AssignmentTally:
    """One assignment over all submissions. Means and medians are those of graded submissions."""

    id: str
    graded: int = 0
    unreadable: int = 0
    points: float = 0.0
    max_score: float = 100.0
    scores: Counter[int] = field(default_factory=Counter)
    bins: list[int] = field(default_factory=lambda: [0] * BINS)
    exercises: dict[str, ExerciseTally] = field(default_factory=dict)
    misconceptions: Counter[str] = field(default_factory=Counter)  # submissions that show each
    seen_in: dict[str, set[str]] = field(default_factory=dict)  # the exercises where each was seen

    def __post_init__(self) -> None:
        known = ASSIGNMENTS.get(self.id)
        for exercise in known.exercises if known else ():
            self.exercises[exercise.name] = ExerciseTally(exercise.name, exercise.points)

    def add(self, result: Result) -> None:
        if result.status is Status.UNREADABLE:
            self.unreadable += 1
            return
        self.graded += 1
        self.points += result.score
        self.max_score = result.max_score
        self.scores[round(TENTHS * result.score)] += 1
        share = result.score / result.max_score if result.max_score else 0.0
        self.bins[min(int(BINS * share), BINS - 1)] += 1
        for exercise in result.exercises:
            self.exercises.setdefault(exercise.exercise, ExerciseTally(exercise.exercise, exercise.max_score)).add(
                exercise
            )
            for diagnosis in exercise.diagnoses:
                self.seen_in.setdefault(diagnosis.misconception, set()).add(exercise.exercise)
        self.misconceptions.update(
            {diagnosis.misconception for exercise in result.exercises for diagnosis in exercise.diagnoses}
        )

    @property
    def title(self) -> str:
        known = ASSIGNMENTS.get(self.id)
        return known.title if known else self.id

    @property
    def mean(self) -> float:
        return self.points / self.graded if self.graded else 0.0

    @property
    def median(self) -> float:
        """The middle score, to a tenth of a point; of two middle ones the mean."""
        return statistics.median(self.scores.elements()) / TENTHS if self.scores else 0.0

    @property
    def full(self) -> int:
        return self.scores[round(TENTHS * self.max_score)]

    @property
    def nothing(self) -> int:
        return self.scores[0]

    def entry(self, exercise: str) -> Exercise | None:
        """The catalogue's exercise of this name."""
        known = ASSIGNMENTS.get(self.id)
        return next((entry for entry in known.exercises if entry.name == exercise), None) if known else None


@dataclass
class ClassTally:
    """All results of an output folder. `rows` and the lists of names are cut; the counts are not."""

    assignments: dict[str, AssignmentTally] = field(default_factory=dict)
    submissions: int = 0
    rows: list[Row] = field(default_factory=list)
    unreadable: NamedList = field(default_factory=NamedList)
    broke_off: NamedList = field(default_factory=NamedList)
    flagged: NamedList = field(default_factory=NamedList)
    not_graded: list[NotGraded] = field(default_factory=list)
    walls: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def add(self, result: Result) -> None:
        self.submissions += 1
        self.assignments.setdefault(result.assignment, AssignmentTally(result.assignment)).add(result)
        self.walls[result.walls] += 1
        student = one_line(result.student_as_given or result.student, STUDENT)
        if len(self.rows) < ROWS:
            self.rows.append(
                Row(result.student, student, result.assignment, result.score, result.max_score, result.status)
            )

        def name(reason: str) -> Named:
            return Named(result.student, student, result.assignment, reason)

        if result.status is Status.UNREADABLE:
            self.unreadable.add(name(result.status_reason or ""))
        stopped = [
            f"{exercise.exercise} {STOPPED[exercise.outcome]}"
            for exercise in result.exercises
            if exercise.outcome in STOPPED
        ]
        if stopped:
            self.broke_off.add(name(", ".join(stopped)))
        if result.flags:
            self.flagged.add(name("; ".join(f"{flag.flag}: {flag.detail}" for flag in result.flags)))
