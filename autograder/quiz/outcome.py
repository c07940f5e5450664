"""What becomes of a response to an item."""

from enum import StrEnum


class Outcome(StrEnum):
    """In the contract's words. What is for review has no mark until a person has made one."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    REVIEW = "review"
    BLANK = "blank"
