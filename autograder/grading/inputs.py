"""Which inputs a submission meets: one of a course's sets, chosen by a keyed hash."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from autograder.intake.submission import Submission

SETS = 8


@dataclass(frozen=True)
class InputsSet:
    """`id` is told in the result; `seed` draws the inputs and never leaves the grader."""

    id: str
    seed: bytes


def inputs_set(secret: str, assignment: str, number: int) -> InputsSet:
    """A course's set of inputs; the id names its number and a fingerprint of the seed."""
    seed = _keyed(secret, "inputs", assignment, str(number))
    return InputsSet(f"{number}-{hashlib.sha256(seed).hexdigest()[:8]}", seed)


def chosen_set(secret: str, submission: Submission) -> InputsSet:
    """The set for one submission: the same submission always meets the same one."""
    number = int.from_bytes(_keyed(secret, "choice", *_told_apart_by(submission))[:8]) % SETS
    return inputs_set(secret, submission.assignment, number)


def order_key(secret: str, submission: Submission) -> bytes:
    """What the order of a submission's questions is drawn from: another for each, and the same when graded again."""
    return _keyed(secret, "order", *_told_apart_by(submission))


def _told_apart_by(submission: Submission) -> tuple[str, str, str]:
    """By the student's id as it was given: its safe form may depend on who else is in the class."""
    student = submission.student_as_given or submission.student
    return student, submission.assignment, submission.sha256


def _keyed(secret: str, *parts: str) -> bytes:
    message = "\0".join(part.replace("\0", "\0\0") for part in parts)
    return hmac.new(secret.encode(), message.encode(), hashlib.sha256).digest()
