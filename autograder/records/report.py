"""`report.html`: how a class did, what it believes, what to teach again, and whom to look at."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from autograder.catalogue.misconceptions import Misconception, misconceptions
from autograder.catalogue.objectives import OBJECTIVES, Objective
from autograder.catalogue.result import Outcome
from autograder.whole_file import write_whole

from . import feedback, gradebook
from .feedback import in_words
from .pages import templates
from .tally import ROWS, AssignmentTally, ClassTally

NAME = "report.html"
CHECKS = 10  # of the checks failed by most, and
CHECKS_OF_ONE = 3  # of one exercise: a wrong answer fails many at once
TAUGHT = 0.9  # an objective with this share of its points needs no second lesson
HIDING_LAYERS = {"bwrap", "landlock"}

OUTCOMES = {
    Outcome.PASSED: "passed",
    Outcome.FAILED: "failed",
    Outcome.ERROR: "error",
    Outcome.TIMEOUT: "timeout",
    Outcome.CRASHED: "crashed",
    Outcome.MISSING: "missing",
    Outcome.NOT_IMPLEMENTED: "not implemented",
}


@dataclass(frozen=True)
class Belief:
    """A misconception in a class. `known` is None for one that the catalogue does not have."""

    id: str
    known: Misconception | None
    exercises: tuple[str, ...]
    submissions: int
    share: float


@dataclass(frozen=True)
class FailedCheck:
    """A check, in words, that `failed` students did not pass: `share` of those who wrote the exercise."""

    exercise: str
    check: str
    failed: int
    share: float


@dataclass
class ToTeach:
    """An objective, the points earned on its exercises, and the beliefs found there."""

    objective: Objective
    points: float = 0.0
    max_points: float = 0.0
    exercises: list[str] = field(default_factory=list)
    beliefs: list[Belief] = field(default_factory=list)

    @property
    def share(self) -> float:
        return self.points / self.max_points if self.max_points else 0.0


@dataclass(frozen=True)
class AssignmentPart:
    """What the report says of one assignment."""

    tally: AssignmentTally

    @property
    def beliefs(self) -> list[Belief]:
        """The misconceptions, those of most submissions first."""
        known, tally = misconceptions(), self.tally
        return [
            Belief(
                name,
                known.get(name),
                tuple(e for e in tally.exercises if e in tally.seen_in[name]),
                number,
                number / tally.graded,
            )
            for name, number in sorted(tally.misconceptions.items(), key=lambda item: (-item[1], item[0]))
        ]

    @property
    def failed_checks(self) -> list[FailedCheck]:
        """Those that most of the students who wrote the exercise failed."""
        checks = [
            FailedCheck(exercise.name, in_words(check), number, number / exercise.written)
            for exercise in self.tally.exercises.values()
            for check, number in exercise.failed_checks.most_common(CHECKS_OF_ONE)
        ]
        return sorted(checks, key=lambda check: -check.failed)[:CHECKS]

    @property
    def outcomes(self) -> list[Outcome]:
        """Those that occurred, in the order of `OUTCOMES`."""
        seen = {outcome for exercise in self.tally.exercises.values() for outcome in exercise.outcomes}
        return [outcome for outcome in OUTCOMES if outcome in seen]

    @property
    def to_teach(self) -> list[ToTeach]:
        """The objectives with less than `TAUGHT` of their points, the weakest first."""
        found: dict[str, ToTeach] = {}
        for exercise in self.tally.exercises.values():
            entry = self.tally.entry(exercise.name)
            if entry is None or not exercise.graded:
                continue
            aim = found.setdefault(entry.objective, ToTeach(OBJECTIVES[entry.objective]))
            aim.points += exercise.points
            aim.max_points += exercise.max_score * exercise.graded
            aim.exercises.append(exercise.name)
        for belief in self.beliefs:
            if belief.known and belief.known.objective in found:
                found[belief.known.objective].beliefs.append(belief)
        return sorted((aim for aim in found.values() if round(aim.share, 2) < TAUGHT), key=lambda aim: aim.share)


@dataclass(frozen=True)
class ReportPage:
    """What the template shows of a class."""

    tally: ClassTally

    @property
    def parts(self) -> Iterator[AssignmentPart]:
        return (AssignmentPart(self.tally.assignments[name]) for name in sorted(self.tally.assignments))

    @property
    def unwalled(self) -> int:
        """Submissions that ran where nothing hid the host's files."""
        return sum(number for walls, number in self.tally.walls.items() if not HIDING_LAYERS & set(walls))

    @property
    def to_look_at(self) -> int:
        """Entries in the lists of submissions that someone should look at."""
        tally = self.tally
        return len(tally.not_graded) + tally.unreadable.total + tally.broke_off.total + tally.flagged.total

    @property
    def rows_cut(self) -> bool:
        return self.tally.submissions > ROWS


def link(folder: str, assignment: str) -> str:
    """The feedback page, as seen from the report."""
    return quote(f"{feedback.FOLDER}/{folder}/{assignment}.html")


def report_html(tally: ClassTally) -> str:
    """The page as text."""
    return (
        templates()
        .get_template("report.html")
        .render(
            page=ReportPage(tally),
            tally=tally,
            link=link,
            OUTCOMES=OUTCOMES,
            ROWS=ROWS,
            TAUGHT=TAUGHT,
            GRADEBOOK=gradebook.NAME,
        )
    )


def write_report(out: Path, tally: ClassTally) -> None:
    """Write the page below `out`, whole or not at all. Raises OutputError."""
    write_whole(out / NAME, report_html(tally))
