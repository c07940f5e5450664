"""From verdicts to points, as the contract's table has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autograder.boundary.outside.exchange import Answer, AnswerKind, ModuleRun, Tensor
from autograder.catalogue.result import Outcome, StudentError
from autograder.suite.checks import GOT_THROUGH, Check, Role, Unanswered
from autograder.suite.expect import Unmet
from autograder.suite.observe import relation_to_input

from .examine import Transcript
from .rehearsal import Question

MOST_IF_WRONG = 0.2  # on ordinary inputs
LEAST_IF_RIGHT = 0.5  # on ordinary inputs

# What the wall itself says of an answer, as an error: it is none of the student's code.
OF_THE_WALL = ("ResultNotReadable", "MissingParameter", "WrongParameterShape", "NotAModule")


@dataclass(frozen=True)
class Verdict:
    """One check's verdict; `seen` is what was seen where the law does not hold."""

    check: Check
    passed: bool
    seen: str = ""


@dataclass(frozen=True)
class Marked:
    """A transcript with what its checks say of it."""

    transcript: Transcript
    verdicts: tuple[Verdict, ...]
    share: float
    outcome: Outcome

    @classmethod
    def of(cls, transcript: Transcript) -> Marked:
        """Runs the exercise's checks, once."""
        results = verdicts(transcript)
        return cls(transcript, results, earned(results, is_hollow(transcript)), outcome(transcript, results))

    @property
    def observations(self) -> tuple[str, ...]:
        """What was seen on ordinary inputs; if they were right, on the others. Of a test that the student wrote: which
        right implementation it rejects, or else how many wrong ones got through."""
        failed = [v for v in self.verdicts if not v.passed]
        gravest = [v for v in failed if v.check.role in (Role.VALUE, Role.ACCEPT)] or failed
        seen = dict.fromkeys(v.seen for v in gravest if v.seen and not v.seen.startswith(GOT_THROUGH))
        if let_through := sum(v.seen.startswith(GOT_THROUGH) for v in gravest):
            wrong = sum(v.check.role is Role.CATCH for v in self.verdicts)
            seen[f"{let_through} of {wrong} wrong implementations got through"] = None
        return tuple(text[:1].upper() + text[1:] + "." for text in seen)[:4]

    @property
    def error(self) -> StudentError | None:
        """The first error of the student's code, where it cost something and does not say "not implemented"."""
        raised = (e for e in _errors(self.transcript) if e.type != "NotImplementedError")
        return next(raised, None) if self.share < 1 else None


def verdicts(transcript: Transcript) -> tuple[Verdict, ...]:
    """Runs an exercise's hidden tests over its transcript."""
    return tuple(_verdict(check, transcript) for check in transcript.rehearsed.checks)


def _verdict(check: Check, transcript: Transcript) -> Verdict:
    try:
        with np.errstate(all="ignore"):
            check.test(transcript, transcript.rehearsed.cases)
    except Unmet as unmet:
        return Verdict(check, False, str(unmet))
    except Unanswered as unanswered:
        return Verdict(check, False, _unanswered(unanswered.answer))
    except (TypeError, ValueError, AttributeError, IndexError, KeyError, OverflowError):
        # The suite passes on the oracle, so this is an answer of a kind that no test had in mind.
        return Verdict(check, False, "the result is of a kind that can't be compared")
    return Verdict(check, True)


def _unanswered(answer: Answer) -> str:
    if answer.kind is AnswerKind.RAISED and answer.error is not None and answer.error.type in OF_THE_WALL:
        return answer.error.message
    if answer.kind is AnswerKind.RAISED and answer.error is not None:
        where = f" in line {answer.error.line}" if answer.error.line else ""
        return f"your code raised {answer.error.type}{where}"
    return {
        AnswerKind.MISSING: "there is nothing of this name in your file",
        AnswerKind.TIMEOUT: "your code did not finish in time",
        AnswerKind.CRASHED: "your code ended the process",
    }.get(answer.kind, "it was not asked, since an earlier call ended the process")


def earned(results: Sequence[Verdict], hollow: bool) -> float:
    """The share of an exercise's points that is earned, from 0 to 1 (docs/architecture.md, "How a mark is made")."""
    by_role = {role: [v.passed for v in results if v.check.role is role] for role in Role}
    if by_role[Role.ACCEPT]:
        return _share(by_role[Role.CATCH]) if all(by_role[Role.ACCEPT]) else 0.0
    if by_role[Role.ENTRY]:
        return _share(by_role[Role.ENTRY])
    if all(by_role[Role.VALUE]):
        kept = by_role[Role.EDGE] + by_role[Role.RULE]
        return LEAST_IF_RIGHT + (1 - LEAST_IF_RIGHT) * _share(kept) if kept else 1.0
    return 0.0 if hollow else MOST_IF_WRONG * _share(by_role[Role.SIGN])


def _share(passed: Sequence[bool]) -> float:
    """The share that passed; nothing where there was nothing to pass."""
    return sum(passed) / len(passed) if passed else 0.0


def points_of(share: float, maximum: float) -> float:
    """Points to four decimals, rounded down so that no bound of the contract's table is passed by rounding."""
    return float(maximum) if share >= 1 else int(share * maximum * 10_000 + 1e-6) / 10_000


def outcome(transcript: Transcript, results: Sequence[Verdict]) -> Outcome:
    """Of several the gravest: crashed, timeout, error, failed."""
    kinds = {answer.kind for answer in transcript.answers}
    errors = [error.type for error in _errors(transcript)]
    if AnswerKind.MISSING in kinds:
        return Outcome.MISSING
    if all(v.passed for v in results):
        return Outcome.PASSED
    if AnswerKind.CRASHED in kinds:
        return Outcome.CRASHED
    if AnswerKind.TIMEOUT in kinds:
        return Outcome.TIMEOUT
    if "NotImplementedError" in errors and (AnswerKind.VALUE not in kinds or _left_out(transcript)):
        return Outcome.NOT_IMPLEMENTED
    if any(v.check.role is Role.ACCEPT for v in results):
        return Outcome.FAILED  # a test that the student wrote fails by raising, or by not raising
    return Outcome.ERROR if errors else Outcome.FAILED


def _left_out(transcript: Transcript) -> bool:
    """Whether every ordinary question met a part that isn't written yet, as a module's `forward` may be."""
    asked = zip(transcript.rehearsed.questions, transcript.answers, strict=True)
    ordinary = [answer.error for question, answer in asked if question.role is Role.VALUE]
    return bool(ordinary) and all(error is not None and error.type == "NotImplementedError" for error in ordinary)


def _errors(transcript: Transcript) -> list[StudentError]:
    """What the student's code raised where nothing was to be raised."""
    return [
        answer.error
        for question, answer in zip(transcript.rehearsed.questions, transcript.answers, strict=True)
        if answer.error is not None
        and answer.error.type not in OF_THE_WALL
        and question.right.kind is not AnswerKind.RAISED
    ]


def is_hollow(transcript: Transcript) -> bool:
    """Whether the answers to ordinary questions show no work: zeros, NaN, a constant, an input handed back, or
    numbers that don't depend on the inputs."""
    asked = [
        (q, a) for q, a in zip(transcript.rehearsed.questions, transcript.answers, strict=True) if q.role is Role.VALUE
    ]
    answered = [(q, a) for q, a in asked if a.kind is AnswerKind.VALUE]
    if not answered:
        return True
    parts = [_parts(a.value) for _, a in answered]
    if all(_says_nothing(q, arrays) for (q, _), arrays in zip(answered, parts, strict=True)):
        return True
    return (
        len(parts) > 1
        and _shapes(parts[0]) == _shapes(parts[1])
        and any(_same(a, b) for a, b in zip(parts[0], parts[1], strict=True))
    )


def _parts(value: object) -> list[np.ndarray]:
    """The arrays of numbers in an answer."""
    if isinstance(value, ModuleRun):
        return _parts(value.output)
    if isinstance(value, Tensor):
        return _parts(value.array)
    if isinstance(value, list | tuple):
        return [array for item in value for array in _parts(item)]
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biuf":
        return [np.asarray(value, dtype=float)]
    return [np.asarray(float(value))] if isinstance(value, int | float) else []


def _shapes(arrays: list[np.ndarray]) -> list[tuple[int, ...]]:
    return [array.shape for array in arrays]


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.array_equal(a, b, equal_nan=True))


def _says_nothing(question: Question, arrays: list[np.ndarray]) -> bool:
    """Whether each array is one number throughout, or an input as it was."""
    handed_back = ("your input", "your input, transposed")
    return all(_constant(array) or relation_to_input(array, question.request.inputs) in handed_back for array in arrays)


def _constant(array: np.ndarray) -> bool:
    finite = np.isfinite(array)
    return not finite.any() or (array.size > 1 and finite.all() and float(np.ptp(array)) < 1e-12)
