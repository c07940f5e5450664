"""A quiz in a notebook cell: `quiz("module_08")` shows the self-check page, which needs neither kernel nor network."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

from autograder.quiz.banks.loading import load_bank
from autograder.quiz.pages.page import graded_page, self_check_page


@dataclass(frozen=True)
class NotebookQuiz:
    """What a notebook shows in place of its value."""

    title: str
    page: str
    height: int = 640  # CSS pixels

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="{escape(self.title)}" srcdoc="{escape(self.page)}" width="100%" height="{self.height}" '
            'style="border: 1px solid #767c89"></iframe>'
        )


def quiz(bank: str | Path, seed: str | None = None) -> NotebookQuiz:
    """A bank to practise with, by name or file. Raises BankError."""
    loaded = load_bank(bank, seed)
    return NotebookQuiz(loaded.title, self_check_page(loaded))


def graded_quiz(bank: str | Path, seed: str | None = None) -> NotebookQuiz:
    """The same without key or feedback; it saves a response file. Raises BankError."""
    loaded = load_bank(bank, seed)
    return NotebookQuiz(loaded.title, graded_page(loaded))
