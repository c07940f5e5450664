"""`export_report.md`: what was written, and what each target could not carry, one line an item."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .output import Export
from .quiz import Quiz
from .targets import Target

NAME = "export_report.md"


@dataclass(frozen=True)
class Exported:
    """One quiz as it was written for one target."""

    quiz: Quiz
    target: Target
    export: Export


def report(exported: Iterable[Exported]) -> str:
    """The report's Markdown, a section for each quiz and target."""
    parts = ["# What was exported"]
    for each in exported:
        quiz, export = each.quiz, each.export
        parts.append(f"## {quiz.title}: {each.target.title}")
        parts.append(
            f"{len(quiz.slots)} items of `{quiz.name}` in " + ", ".join(f"`{file.path}`" for file in export.files)
        )
        losses = (*quiz.losses, *export.losses)
        if losses:
            rows = [f"| {loss.item or 'all'} | {_cell(loss.what)} |" for loss in losses]
            parts.append("\n".join(["| item | what it does not carry |", "|---|---|", *rows]))
        else:
            parts.append("Everything is carried.")
    return "\n\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")
