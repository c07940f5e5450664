"""What the terminal shows after a grading: a short gradebook, means, and where the report lies."""

import unicodedata
from pathlib import Path
from typing import Any

from autograder.catalogue.plain_text import one_line

from . import gradebook, report
from .pages import count, percent, points
from .tally import AssignmentTally, ClassTally

WIDTH = 80
ROWS = 40
STUDENT = 32  # columns
ASSIGNMENT = 26


def summary_text(out: Path, tally: ClassTally) -> str:
    """The gradebook cut after `ROWS` rows and a few lines on the class, in 80 columns but for paths."""
    lines = [_row("student", "assignment", "score", "status")]
    lines += [_row(row.student, row.assignment, points(row.score), row.status) for row in tally.rows[:ROWS]]
    if tally.submissions > ROWS:
        lines.append(f"… and {tally.submissions - ROWS:,} more; all are in {gradebook.NAME}.")
    for name in sorted(tally.assignments):
        lines += ["", *_assignment(tally.assignments[name])]
    lines += ["", *_to_look_at(tally)]
    lines += [f"Gradebook: {out / gradebook.NAME}", f"Report:    {out / report.NAME}"]
    return "\n".join(lines)


def summary_json(out: Path, tally: ClassTally) -> dict[str, Any]:
    """The same for programs."""
    return {
        "out": str(out),
        "gradebook": str(out / gradebook.NAME),
        "report": str(out / report.NAME),
        "submissions": tally.submissions,
        "assignments": [
            {
                "assignment": a.id,
                "graded": a.graded,
                "unreadable": a.unreadable,
                "mean": round(a.mean, 2),
                "median": round(a.median, 2),
                "max_score": a.max_score,
                "exercises": [
                    {
                        "exercise": e.name,
                        "mean": round(e.mean, 2),
                        "max_score": e.max_score,
                        "outcomes": {str(outcome): number for outcome, number in sorted(e.outcomes.items())},
                    }
                    for e in a.exercises.values()
                ],
            }
            for _, a in sorted(tally.assignments.items())
        ],
        "not_graded": [
            {"student": entry.student, "assignment": entry.assignment, "reason": entry.reason}
            for entry in tally.not_graded
        ],
        "flagged": tally.flagged.total,
    }


def _row(student: str, assignment: str, score: str, status: str) -> str:
    return f"{fit(student, STUDENT)} {fit(assignment, ASSIGNMENT)} {score:>6}  {status}"


def _assignment(tally: AssignmentTally) -> list[str]:
    unreadable = f", {tally.unreadable:,} unreadable" if tally.unreadable else ""
    lines = [f"{tally.id}: {tally.graded:,} graded{unreadable}"]
    if tally.graded:
        weakest = min(tally.exercises.values(), key=lambda exercise: exercise.share)
        lines.append(f"  mean {points(tally.mean)}, median {points(tally.median)} of {points(tally.max_score)}")
        if weakest.share < 1:
            lines.append(f"  weakest: {weakest.name}, {percent(weakest.share)} of its points")
    return lines


def _to_look_at(tally: ClassTally) -> list[str]:
    lines = [
        f"Not graded: {', '.join(filter(None, (one_line(entry.student, 80), entry.assignment)))}: "
        f"{one_line(entry.reason, 300)}"
        for entry in tally.not_graded
    ]
    if tally.flagged.total:
        lines.append(f"{count(tally.flagged.total, 'submission')} flagged: signs, not verdicts; see the report.")
    return lines


def fit(text: str, columns: int) -> str:
    """`text` as one line, cut or filled to `columns` of a terminal."""
    shown = one_line(text, 4 * columns)
    if columns_of(shown) > columns:
        while columns_of(shown) > columns - 1:
            shown = shown[:-1]
        shown += "…"
    return shown + " " * (columns - columns_of(shown))


def columns_of(text: str) -> int:
    """How many columns a terminal gives `text`: East Asian wide characters take two, combining ones none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
