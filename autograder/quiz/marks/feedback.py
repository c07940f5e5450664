"""What a student gets back from a graded quiz: one page each, with what explains every answer.

A wrong answer meets the question that its distractor or misconception leads to, never the key, as others
may still have the quiz before them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from autograder.catalogue.plain_text import one_line, plain
from autograder.intake.students import Register
from autograder.quiz.formulas import number_text
from autograder.quiz.model import Bank
from autograder.quiz.outcome import Outcome
from autograder.quiz.pages.page import environment
from autograder.quiz.pages.page_text import PAGE_TEXT
from autograder.quiz.texts.xml import Xml
from autograder.whole_file import write_whole

from .grading import QuizGrades, QuizResult, StudentTotal

FOLDER = "feedback"
LONGEST_RESPONSE = 1000  # characters that are shown back

_VERDICTS = {
    Outcome.CORRECT: ("right", "Correct."),
    Outcome.INCORRECT: ("wrong", "Not yet."),
    Outcome.REVIEW: ("", "A person will read this answer."),
    Outcome.BLANK: ("", "No answer."),
}


@dataclass(frozen=True)
class _Answer:
    """One answer as the page shows it."""

    id: str
    stem: Xml
    response: str
    kind: str
    verdict: str
    feedback: Xml
    score: str
    max_score: str


def write_feedback(folder: Path, grades: QuizGrades) -> None:
    """Write `feedback/<student>.html` for each student. Raises OutputError."""
    by_student: dict[str, list[QuizResult]] = defaultdict(list)
    for result in grades.results:
        by_student[result.student].append(result)
    register = Register()
    for total in grades.totals:
        name = register.enter(total.student).id
        write_whole(folder / FOLDER / f"{name}.html", _page(grades.bank, total, by_student[total.student]))


def _page(bank: Bank, total: StudentTotal, results: list[QuizResult]) -> str:
    bounds = dict.fromkeys((number_text(total.lowest), number_text(total.highest)))
    return (
        environment()
        .get_template("feedback.html")
        .render(
            bank=bank,
            student=one_line(total.student, 200),
            total=total,
            score=" to ".join(bounds),
            answers=[_answer(result) for result in results],
        )
    )


def _answer(result: QuizResult) -> _Answer:
    mark = result.mark
    kind, verdict = _VERDICTS[mark.outcome]
    return _Answer(
        result.item.id,
        PAGE_TEXT.blocks(result.item.stem),
        plain(result.response, LONGEST_RESPONSE),
        kind,
        verdict,
        PAGE_TEXT.blocks(mark.feedback) if _may_be_shown(result) else Xml(),
        number_text(mark.score),
        number_text(mark.max_score),
    )


def _may_be_shown(result: QuizResult) -> bool:
    """The explanation names the key: only who has found it sees it."""
    is_explanation = result.mark.feedback == result.item.explanation
    return result.mark.outcome is Outcome.CORRECT or not is_explanation
