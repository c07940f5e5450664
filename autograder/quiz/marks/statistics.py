"""The item analysis of a graded quiz, as files and as a few lines for the terminal."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path

from autograder.analysis.items import FEW_STUDENTS, THIRDS, ItemResponses, QuizAnalysis, analyse
from autograder.quiz.model import Choice
from autograder.quiz.outcome import Outcome
from autograder.spreadsheet import csv_text
from autograder.whole_file import write_whole

from .grading import QuizGrades, QuizResult

ITEMS, OPTIONS, ALL = "item_analysis.csv", "option_analysis.csv", "quiz_statistics.json"


def analysis_of(grades: QuizGrades) -> QuizAnalysis | None:
    """None where nobody responded. A response for review counts as not marked yet."""
    by_item: dict[str, list[QuizResult]] = defaultdict(list)
    for result in grades.results:
        by_item[result.item.id].append(result)
    return analyse([_column(results) for results in by_item.values()]) if by_item else None


def _column(results: list[QuizResult]) -> ItemResponses:
    item = results[0].item
    return ItemResponses(
        item.id,
        item.points,
        [None if result.mark.outcome is Outcome.REVIEW else result.mark.score for result in results],
        [result.mark.outcome is Outcome.BLANK for result in results],
        [result.mark.chosen for result in results],
        tuple((letter, option.correct) for letter, option in item.lettered) if isinstance(item, Choice) else (),
    )


def write_statistics(folder: Path, analysis: QuizAnalysis) -> None:
    """Write the analysis by item, by option, and whole as JSON. Raises OutputError."""
    header = ("item", "marked", "difficulty", "item_rest_correlation", "alpha_if_deleted", "omitted")
    rows = [
        (
            item.item,
            str(item.marked),
            *map(_figure, (item.difficulty, item.item_rest_correlation)),
            _figure(item.alpha_if_deleted),
            _figure(item.omitted),
        )
        for item in analysis.items
    ]
    write_whole(folder / ITEMS, csv_text((header, *rows)))
    options = ("item", "option", "correct", *THIRDS, "share", "works")
    uses = [
        (
            item.item,
            use.option,
            _yes(use.correct),
            str(use.lower),
            str(use.middle),
            str(use.upper),
            _figure(use.share),
            _yes(use.works),
        )
        for item in analysis.items
        for use in item.options
    ]
    write_whole(folder / OPTIONS, csv_text((options, *uses)))
    whole = asdict(analysis) | {"few_students": analysis.few_students}
    write_whole(folder / ALL, json.dumps(whole, indent=1) + "\n")


def summary(analysis: QuizAnalysis) -> str:
    """The quiz in a few lines: mean, reliability, and the items to look at."""
    lines = []
    if analysis.mean is not None:
        lines.append(
            f"Mean {analysis.mean:.2f} points, standard deviation {_figure(analysis.standard_deviation) or '-'}, "
            f"over {analysis.complete} students with every item marked."
        )
    if analysis.alpha is not None:
        interval = analysis.alpha_interval
        between = f" (95 % between {interval[0]:.2f} and {interval[1]:.2f})" if interval else ""
        lines.append(f"Alpha {analysis.alpha:.2f}{between}.")
    if analysis.few_students:
        lines.append(f"Fewer than {FEW_STUDENTS} students: read these figures as hints.")
    weak = [item.item for item in analysis.items if (item.item_rest_correlation or 0) < 0]
    if weak:
        lines.append(f"Items that the stronger students miss more often: {', '.join(weak)}.")
    return "\n".join(lines)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _yes(value: bool) -> str:
    return "yes" if value else "no"
