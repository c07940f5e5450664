"""A student's feedback page: what was right, what was seen, and the one thing to look at next.

It never shows flags, expected values, the reference or a test's source.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cached_property
from pathlib import Path

from autograder.catalogue.assignments import ASSIGNMENTS, Exercise
from autograder.catalogue.objectives import OBJECTIVES, Objective
from autograder.catalogue.plain_text import one_line
from autograder.catalogue.result import UNWRITTEN, CheckResult, ExerciseResult, Outcome, Result, Status
from autograder.whole_file import write_whole

from .pages import points, templates

FOLDER = "feedback"
STUDENT = 80  # characters of an id that a page shows

WORD_GAP = re.compile(r"(?<![A-Z])(?<!_d)(?<!^d)_")  # the underscore of W_Q or d_k is none
BROKEN_OFF = (Outcome.ERROR, Outcome.TIMEOUT, Outcome.CRASHED)

SAW = {
    Outcome.TIMEOUT: "Your code was still running when its time was up. Look for a loop that does not end, "
    "or for work that is done again in every step.",
    Outcome.CRASHED: "Your code ended the Python process before it answered. Look for exit() or quit(), "
    "recursion without an end, and arrays that are far larger than the input.",
    Outcome.MISSING: "The file defines nothing with this name. Is it spelled as in the task sheet, and at "
    "the top level of the file?",
    Outcome.NOT_IMPLEMENTED: "This exercise is not implemented yet.",
}


class State(StrEnum):
    """How an exercise stands, in the words of the page."""

    RIGHT = "Right"
    PARTLY = "Partly right"
    WRONG = "Not right yet"
    ERROR = "Raised an error"
    TIMEOUT = "Took too long"
    CRASHED = "Ended the process"
    MISSING = "Not found"
    NOT_IMPLEMENTED = "Not implemented yet"

    @property
    def tone(self) -> str:
        """The style sheet's class: right, partly, wrong or open."""
        return {
            State.RIGHT: "right",
            State.PARTLY: "partly",
            State.MISSING: "open",
            State.NOT_IMPLEMENTED: "open",
        }.get(self, "wrong")


class Evidence(IntEnum):
    """What is known about lost marks; the strongest first."""

    DIAGNOSIS = 0
    OBSERVATION = 1
    ERROR = 2
    UNWRITTEN = 3


@dataclass(frozen=True)
class Sight:
    """What was seen in one or more checks that failed. One check is told by its message, several by their names."""

    seen: str
    checks: tuple[CheckResult, ...]

    @property
    def text(self) -> str:
        return self.seen if len(self.checks) > 1 else self.checks[0].message

    @property
    def where(self) -> str:
        """The names of several checks, in words."""
        names = tuple(in_words(check.check) for check in self.checks)
        return f"In {len(names)} checks: {', '.join(names)}." if len(names) > 1 else ""

    @property
    def visible(self) -> bool:
        return any(check.visible for check in self.checks)


@dataclass(frozen=True)
class ExercisePart:
    """One exercise on the page. `entry` is the catalogue's, None for an exercise that it does not know."""

    result: ExerciseResult
    entry: Exercise | None

    @property
    def name(self) -> str:
        return self.result.exercise

    @property
    def signature(self) -> str:
        return self.entry.signature if self.entry else ""

    @property
    def objective(self) -> Objective | None:
        return OBJECTIVES.get(self.entry.objective) if self.entry else None

    @property
    def lost_marks(self) -> bool:
        return self.result.score < self.result.max_score

    @property
    def state(self) -> State:
        match self.result.outcome:
            case _ if not self.lost_marks:
                return State.RIGHT
            case Outcome.PASSED | Outcome.FAILED:
                return State.PARTLY if self.result.score > 0 else State.WRONG
            case outcome:
                return State[outcome.name]

    @property
    def passed(self) -> list[str]:
        """The names of the checks that held, in words; none where nothing was earned, since zeros keep many a law."""
        return [in_words(check.check) for check in self.result.checks if check.passed and self.result.score > 0]

    @cached_property
    def sights(self) -> list[Sight]:
        """The checks that failed, those together where the same was seen; none for what is not written."""
        if self.result.outcome in UNWRITTEN:
            return []
        together: dict[str, list[CheckResult]] = {}
        for check in self.result.checks:
            if not check.passed and check.message:
                together.setdefault(check.seen or check.message, []).append(check)
        return [Sight(as_sentence(seen), tuple(checks)) for seen, checks in together.items()]

    @property
    def observations(self) -> list[str]:
        """What was observed and no check says as well."""
        said = {sight.seen for sight in self.sights}
        return [text for text in self.result.observations if text not in said and self.result.outcome not in UNWRITTEN]

    @property
    def saw(self) -> str | None:
        """What is to be said of the outcome itself."""
        return SAW.get(self.result.outcome) if self.lost_marks else None

    @property
    def evidence(self) -> Evidence:
        """The strongest thing known about the lost marks."""
        result = self.result
        if result.diagnoses:
            return Evidence.DIAGNOSIS
        if result.outcome in UNWRITTEN or (result.error and result.error.type == "NotImplementedError"):
            return Evidence.UNWRITTEN
        return Evidence.ERROR if result.outcome in BROKEN_OFF else Evidence.OBSERVATION

    @property
    def follow_through(self) -> str | None:
        """Both marks of an exercise that was marked twice, as a sentence."""
        follow, result = self.result.follow_through, self.result
        if follow is None:
            return None
        given = in_series(follow.given)
        theirs, place = ("it", "its place") if len(follow.given) == 1 else ("them", "their place")
        twice = (
            f"This exercise builds on {given}, so it was marked twice: with your own it earns "
            f"{points(follow.own_score)} of {points(result.max_score)} points, "
        )
        if result.score > follow.own_score:
            return twice + (
                f"with a right version in {place} {points(result.score)}. The better mark counts, so you "
                f"lose nothing here for what is wrong in {theirs}."
            )
        return twice + f"and a right version in {place} earns no more. The better mark counts."


@dataclass(frozen=True)
class NextStep:
    """The one thing to look at next."""

    exercise: str
    text: str


@dataclass(frozen=True)
class FeedbackPage:
    """What the template shows of a Result."""

    result: Result

    @cached_property
    def parts(self) -> list[ExercisePart]:
        """The exercises in the assignment's order."""
        assignment = ASSIGNMENTS.get(self.result.assignment)
        known = {exercise.name: exercise for exercise in assignment.exercises} if assignment else {}
        order = {name: place for place, name in enumerate(known)}
        exercises = sorted(self.result.exercises, key=lambda exercise: order.get(exercise.exercise, len(order)))
        return [ExercisePart(exercise, known.get(exercise.exercise)) for exercise in exercises]

    @property
    def title(self) -> str:
        assignment = ASSIGNMENTS.get(self.result.assignment)
        return assignment.title if assignment else self.result.assignment

    @property
    def student(self) -> str:
        return one_line(self.result.student_as_given or self.result.student, STUDENT)

    @property
    def is_graded(self) -> bool:
        return self.result.status is Status.GRADED

    @property
    def right(self) -> int:
        return sum(part.state is State.RIGHT for part in self.parts)

    @property
    def next_step(self) -> NextStep | None:
        """See `choose_next`; None where no marks were lost."""
        part = choose_next(self.parts)
        return None if part is None else NextStep(part.name, next_text(part))


def choose_next(parts: list[ExercisePart]) -> ExercisePart | None:
    """Where to look next: of the exercises that lost marks by a fault of their own, the earliest of those
    with the strongest evidence; None where there is none."""
    by_name = {part.name: part for part in parts}
    lost = [part for part in parts if part.lost_marks and not is_consequence(part, by_name)]
    return min(lost, key=lambda part: part.evidence, default=None)


def is_consequence(part: ExercisePart, by_name: Mapping[str, ExercisePart]) -> bool:
    """Whether an exercise stopped only because an earlier one that it uses is not written yet."""
    stopped = part.evidence >= Evidence.ERROR and part.result.outcome is not Outcome.MISSING
    used = [by_name[name] for name in (part.entry.uses if part.entry else ()) if name in by_name]
    named = any(earlier.name in part.result.error.message for earlier in used) if part.result.error else False
    return stopped and named and any(earlier.evidence is Evidence.UNWRITTEN and earlier.lost_marks for earlier in used)


def next_text(part: ExercisePart) -> str:
    """The strongest evidence about `part`, in words."""
    result = part.result
    match part.evidence:
        case Evidence.DIAGNOSIS:
            return result.diagnoses[0].feedback
        case Evidence.OBSERVATION:
            return next(
                iter([*result.observations, *(sight.text for sight in part.sights)]),
                "It does not give the right values yet.",
            )
        case Evidence.ERROR:
            if result.error is None:
                return SAW.get(result.outcome, "It raised an error.")
            line = f" in line {result.error.line}" if result.error.line else ""
            return f"It raised {result.error.type}{line}. The message is shown below, beside your own line."
        case Evidence.UNWRITTEN:
            if result.outcome is Outcome.MISSING:
                return SAW[Outcome.MISSING]
            return "It is not implemented yet. Write it next, then run the visible checks."


def in_words(check: str) -> str:
    """A check's name as words: "rows sum to one", "entry W_Q"."""
    return "right on ordinary inputs" if check == "value" else WORD_GAP.sub(" ", check)


def as_sentence(text: str) -> str:
    """`text` with a capital and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!", "…")) else ".")


def in_series(names: tuple[str, ...]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def feedback_path(out: Path, student: str, assignment: str) -> Path:
    """Where the page of one submission lies below `out`."""
    return out / FOLDER / student / f"{assignment}.html"


def feedback_html(result: Result) -> str:
    """The page as text."""
    return templates().get_template("feedback.html").render(page=FeedbackPage(result), result=result)


def write_feedback(out: Path, result: Result) -> Path:
    """Write the page below `out`, whole or not at all. Raises OutputError."""
    path = feedback_path(out, result.student, result.assignment)
    write_whole(path, feedback_html(result))
    return path
