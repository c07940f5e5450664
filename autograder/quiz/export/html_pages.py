"""HTML: the kit's own two pages, one for practice and one for marks."""

from __future__ import annotations

from autograder.quiz.model import Bank
from autograder.quiz.pages.page import graded_page, self_check_page

from .output import Export, File, Loss
from .quiz import Quiz


def export_html(quiz: Quiz) -> Export:
    """`<bank>-self_check.html` with answers and feedback, `<bank>-graded.html` without. Of variants the first."""
    bank = Bank(quiz.name, quiz.title, tuple(slot.first for slot in quiz.slots))
    losses = tuple(
        Loss(slot.first.id, f"{len(slot.variants) - 1} more variants; with another --seed, another one is asked")
        for slot in quiz.slots
        if len(slot.variants) > 1
    )
    files = (
        File.of_text(f"{quiz.name}-self_check.html", self_check_page(bank)),
        File.of_text(f"{quiz.name}-graded.html", graded_page(bank)),
    )
    return Export(files, losses)
