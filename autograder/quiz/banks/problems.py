"""What is wrong with a bank, and where."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.quiz.model import Place


@dataclass(frozen=True)
class Problem:
    """One fault of a bank and its place."""

    place: Place
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


class BankError(ValueError):
    """A bank that can't be used; `problems` are its faults, and the message tells them one a line."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class BankNotFoundError(BankError):
    """No such bank; the message names those that there are."""

    def __init__(self, message: str) -> None:
        ValueError.__init__(self, message)
        self.problems = ()
