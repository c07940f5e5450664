"""A class's responses against a bank: one result for each student and item."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from autograder.quiz.formulas import Number
from autograder.quiz.model import Bank, Item
from autograder.quiz.outcome import Outcome

from .marking import Mark, for_review, mark
from .responses import Response, ResponseSheet
from .review import Review


@dataclass(frozen=True)
class QuizResult:
    """The mark of one student on one item, and the response that it is for."""

    student: str
    item: Item
    response: str
    mark: Mark
    reviewed: Review | None = None


@dataclass(frozen=True)
class StudentTotal:
    """A student's score. It lies between `lowest` and `highest` until no response is for review."""

    student: str
    lowest: Number
    highest: Number
    max_score: Number
    review: int
    blank: int


@dataclass(frozen=True)
class QuizGrades:
    """Results by student, in the order of first response, and in the bank's order of items."""

    bank: Bank
    results: tuple[QuizResult, ...]
    problems: tuple[str, ...]
    stale: tuple[Review, ...] = ()

    @property
    def totals(self) -> tuple[StudentTotal, ...]:
        """One for each student, in the results' order."""
        by_student: dict[str, list[QuizResult]] = defaultdict(list)
        for result in self.results:
            by_student[result.student].append(result)
        return tuple(_total(student, results) for student, results in by_student.items())


def grade(
    bank: Bank, sheet: ResponseSheet, students: tuple[str, ...] = (), reviews: tuple[Review, ...] = ()
) -> QuizGrades:
    """Mark all responses in `sheet`.

    With `students` (a roster) others are told, and those who did not respond are blank. A person's `reviews` take the
    place of a mark where they were made for the same response.
    """
    problems = list(sheet.problems)
    given: dict[tuple[str, str], list[Response]] = defaultdict(list)
    order = dict.fromkeys(students)
    items = {item.id.casefold(): item for item in bank.items}
    for response in sheet.responses:
        item = items.get(response.item.partition("@")[0].strip().casefold())
        if item is None:
            problems.append(f"Row {response.row}: the bank {bank.name} has no item {response.item[:60]!r}.")
        elif why := _why_not_counted(response, item, students):
            problems.append(f"Row {response.row}: {why}")
        else:
            order.setdefault(response.student)
            given[response.student, item.id].append(response)
    made = {(review.student, review.item): review for review in reviews}
    results = tuple(
        _result(student, item, given[student, item.id], made.get((student, item.id)))
        for student in order
        for item in bank.items
    )
    used = {id(result.reviewed) for result in results}
    stale = tuple(review for review in reviews if id(review) not in used)
    problems += [
        f"The review of {review.student}, {review.item} is not used: the response is another one now."
        for review in stale
    ]
    return QuizGrades(bank, results, tuple(problems), stale)


def _why_not_counted(response: Response, item: Item, students: tuple[str, ...]) -> str | None:
    if "@" in response.item and response.item.casefold() != item.asked_as.casefold():
        return (
            f"it answers {response.item[:100]!r}, and the bank has {item.asked_as} now; give the --seed, or the "
            "version, that the quiz was made with."
        )
    if students and response.student not in students:
        return f"{response.student[:60]!r} is not on the list of students."
    return None


def _result(student: str, item: Item, responses: list[Response], review: Review | None) -> QuizResult:
    if not responses:
        return QuizResult(student, item, "", Mark(Outcome.BLANK, 0, item.points, "no response"))
    text = responses[-1].text
    if len({response.text.strip() for response in responses}) > 1:
        rows = ", ".join(str(response.row) for response in responses)
        text = "\n".join(f"row {response.row}: {response.text}" for response in responses)
        made = for_review(item, f"different responses in rows {rows}")
    elif responses[-1].damage:
        made = for_review(item, f"row {responses[-1].row}: {responses[-1].damage}")
    else:
        made = mark(item, text)
    if review is not None and review.is_for(text):
        return QuizResult(student, item, text, review.as_mark(item), review)
    return QuizResult(student, item, text, made)


def _total(student: str, results: list[QuizResult]) -> StudentTotal:
    lowest = sum(result.mark.score for result in results)
    open_points = sum(result.mark.max_score for result in results if result.mark.outcome is Outcome.REVIEW)
    return StudentTotal(
        student,
        lowest,
        lowest + open_points,
        sum(result.mark.max_score for result in results),
        sum(result.mark.outcome is Outcome.REVIEW for result in results),
        sum(result.mark.outcome is Outcome.BLANK for result in results),
    )
