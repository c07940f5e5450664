"""A quiz taken in the terminal: question by question, with feedback at once, and what was answered kept in a file."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from autograder.catalogue.plain_text import plain
from autograder.quiz.marks.marking import Mark, mark
from autograder.quiz.marks.responses import HEADER
from autograder.quiz.outcome import Outcome
from autograder.quiz.texts.markup import CodeBlock, Markup, Paragraph
from autograder.quiz.texts.plain import plain_text
from autograder.spreadsheet import csv_text

from .formulas import Number, number_text
from .model import Bank, Choice, Item, MultipleResponse, Numeric, ShortAnswer, TrueFalse

WIDTH = 80

_VERDICTS = {
    Outcome.CORRECT: "Correct.",
    Outcome.INCORRECT: "Not yet.",
    Outcome.REVIEW: "This needs a person's eye. Compare:",
    Outcome.BLANK: "Skipped.",
}


@dataclass(frozen=True)
class Taken:
    """What was answered: (item, response, mark), as far as the quiz was taken."""

    answers: tuple[tuple[Item, str, Mark], ...]

    @property
    def score(self) -> Number:
        """In points, as far as no person has to read an answer."""
        return sum(made.score for _, _, made in self.answers)

    def responses_csv(self, student: str) -> str:
        """The response file of this sitting, as `attnkit quiz grade` reads it."""
        rows = [(student, item.asked_as, response) for item, response, _ in self.answers]
        return csv_text((HEADER, *rows))


def take(bank: Bank, ask: Callable[[str], str] = input, say: Callable[[str], None] = print) -> Taken:
    """Ask every item. The end of the input, or Ctrl-C, ends the quiz; what was answered counts."""
    answers: list[tuple[Item, str, Mark]] = []
    say(f"{bank.title}: {len(bank.items)} questions. An empty answer skips one; Ctrl-D ends.\n")
    try:
        for number, item in enumerate(bank.items, start=1):
            say(question_text(number, item))
            response, made = _answered(item, ask, say)
            say(f"{answer_text(item, made)}\n")
            answers.append((item, response, made))
    except (EOFError, KeyboardInterrupt):
        say("")
    taken = Taken(tuple(answers))
    asked = sum(item.points for item, _, _ in taken.answers)
    say(f"{number_text(taken.score)} of {number_text(asked)} points for {len(taken.answers)} questions.")
    return taken


def _answered(item: Item, ask: Callable[[str], str], say: Callable[[str], None]) -> tuple[str, Mark]:
    """A response and its mark. What can't be one, like “E” of four options, is asked again."""
    while True:
        response = plain(ask(f"{_prompt(item)} "), 1000)
        made = mark(item, response)
        if made.outcome is not Outcome.REVIEW or isinstance(item, ShortAnswer):
            return response, made
        say(f"That is no answer to this question: {made.reason}. Try again, or skip it with an empty answer.")


def question_text(number: int, item: Item) -> str:
    """An item as it stands in a terminal."""
    lines = [f"{number}. {wrapped(item.stem)}"]
    if isinstance(item, Choice) and not isinstance(item, TrueFalse):
        for letter, option in item.lettered:
            text = f"   {letter}. {plain_text(option.text)}"
            lines.append(textwrap.fill(text, WIDTH, subsequent_indent="      "))
    return "\n".join(lines)


def answer_text(item: Item, made: Mark) -> str:
    """What is said to an answer: a verdict, and what explains it."""
    texts = [_VERDICTS[made.outcome]]
    if made.outcome is Outcome.REVIEW and isinstance(item, ShortAnswer):
        texts += [wrapped(item.answer), wrapped(item.explanation)]
    elif made.feedback:
        texts.append(wrapped(made.feedback))
    return "\n".join(texts)


def wrapped(markup: Markup) -> str:
    """Plain text in the terminal's width; code as it stands."""
    parts = []
    for block in markup:
        text = plain_text((block,))
        if isinstance(block, CodeBlock) or (isinstance(block, Paragraph) and "\n" in text):
            parts.append(text.strip("\n"))
        else:
            parts.append("\n".join(textwrap.fill(line, WIDTH) for line in text.splitlines()))
    return "\n\n".join(parts)


def _prompt(item: Item) -> str:
    match item:
        case TrueFalse():
            return "true or false?"
        case MultipleResponse():
            return "all right letters, like A, C:"
        case Choice():
            return f"A to {item.lettered[-1][0]}:"
        case Numeric():
            return "a number:"
    return "a sentence:"
