"""Print: exam and key apart, as HTML and LaTeX, and as PDF where pdflatex (or else Chromium) is installed."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from autograder.quiz.formulas import number_text
from autograder.quiz.model import Belief, Choice, Item, Numeric, ShortAnswer, TrueFalse
from autograder.quiz.texts.html_text import HtmlText
from autograder.quiz.texts.markup import Markup, Paragraph, Text

from .formulas_in_html import mathml_math
from .latex_text import LatexText
from .output import Export, File, Loss
from .pdf import PdfError, pdf
from .quiz import Quiz

_TEMPLATES = FileSystemLoader(Path(__file__).parent / "templates")
_HTML = Environment(loader=_TEMPLATES, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=True)
_LATEX = Environment(
    loader=_TEMPLATES,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=False,
    variable_start_string="<<",
    variable_end_string=">>",
    block_start_string="<%",
    block_end_string="%>",
    comment_start_string="<#",
    comment_end_string="#>",
)


def export_print(quiz: Quiz) -> Export:
    """`<bank>-exam` and `<bank>-key`, each as .html, .tex and .pdf. Of several variants the first is printed."""
    files, losses = [], []
    for name, key in (("exam", False), ("key", True)):
        latex_text = LatexText()
        values = {
            "title": quiz.title,
            "items": [slot.first for slot in quiz.slots],
            "points": quiz.points,
            "key": key,
            "number": number_text,
            "answer": _answer,
            "wrong": _wrong,
        }
        html = _HTML.get_template("print.html.j2").render(values, text=HtmlText(mathml_math)) + "\n"
        latex = _LATEX.get_template("print.tex.j2").render(values, text=latex_text) + "\n"
        stem = f"{quiz.name}-{name}"
        files += [File.of_text(f"{stem}.html", html), File.of_text(f"{stem}.tex", latex)]
        try:
            files.append(File(f"{stem}.pdf", pdf(html, latex)))
        except PdfError as error:
            losses.append(Loss(None, f"{stem}.pdf is not made: {error}"))
        if latex_text.unknown:
            losses.append(Loss(None, f"pdflatex has no {' '.join(sorted(latex_text.unknown))}: a ? in {stem}.tex"))
    losses += [
        Loss(slot.first.id, f"{len(slot.variants) - 1} more variants; with another --seed, another one is printed")
        for slot in quiz.slots
        if len(slot.variants) > 1
    ]
    return Export(tuple(files), tuple(losses))


def _answer(item: Item) -> Markup:
    match item:
        case TrueFalse():
            return _plain(f"{item.key[0]} ({str(item.answer).lower()})")
        case Choice():
            return _plain(", ".join(item.key))
        case Numeric():
            within = f" (within {number_text(item.tolerance)})" if item.tolerance else ""
            return _plain(number_text(item.key) + within)
        case ShortAnswer():
            return item.answer
    raise TypeError(f"{item.id} is of no kind that can be printed")


def _plain(text: str) -> Markup:
    return (Paragraph((Text(text),)),)


def _wrong(item: Item) -> list[tuple[str, Markup]]:
    """What a marker may meet, and the feedback on it."""
    match item:
        case Choice():
            return [(letter, option.feedback) for letter, option in item.lettered if not option.correct]
        case Numeric():
            return [(number_text(wrong.value), wrong.feedback) for wrong in item.wrong]
        case ShortAnswer():
            return [(_named(each.belief), each.feedback) for each in item.contradictions]
    return []


def _named(belief: Belief) -> str:
    return (belief.misconception or belief.stated or "").rstrip(".")
