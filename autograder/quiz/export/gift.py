r"""GIFT, Moodle's text format. Moodle XML carries more; GIFT is read by more tools.

An import says OK to what it has corrupted: an unescaped `\nabla` is a newline and "abla", a `{` in a formula begins the
answers, a blank line ends the question, and `->` in an option makes it a matching question. So every text is HTML
without line ends, in which `->` is `-&gt;`, and then every sign of GIFT's own is escaped, the backslash first.
"""

from __future__ import annotations

from autograder.quiz.formulas import Number
from autograder.quiz.model import Choice, Item, MultipleResponse, Numeric, ShortAnswer, TrueFalse
from autograder.quiz.texts.html_text import HtmlText
from autograder.quiz.texts.markup import Markup
from autograder.quiz.texts.xml import Xml, element

from .formulas_in_html import tex_math
from .moodle import share
from .numbers import exact, tolerance
from .output import Export, File, Loss
from .quiz import Quiz

_OWN_SIGNS = "\\~=#{}:"  # in the order of escaping


class _OneLine(HtmlText):
    """HTML without a line end."""

    def code_block(self, text: str) -> str:
        return element("pre", {}, element("code", {}, Xml("<br/>").join(text.splitlines())))


_HTML = _OneLine(tex_math)


def export_gift(quiz: Quiz) -> Export:
    """`<bank>-gift.txt`."""
    parts = [f"// {_comment(quiz.title)}", f"$CATEGORY: $course$/top/{_comment(quiz.title).replace('/', '//')}"]
    parts += [_question(item) for item in quiz.items]
    losses = tuple(Loss(slot.first.id, what) for slot in quiz.slots for what in _losses(slot.first))
    return Export((File.of_text(f"{quiz.name}-gift.txt", "\n\n".join(parts) + "\n"),), losses)


def escaped(text: str) -> str:
    """`text` as GIFT reads it back unchanged, but for line ends, which become spaces."""
    text = " ".join(text.splitlines())
    for sign in _OWN_SIGNS:
        text = text.replace(sign, "\\" + sign)
    return text


def _losses(item: Item) -> list[str]:
    losses = []
    if item.points != 1:
        losses.append("its points: every GIFT item has 1")
    if isinstance(item, Choice) and item.ordered and not isinstance(item, TrueFalse):
        losses.append("that its options stand in order: switch shuffling off in Moodle")
    if isinstance(item, MultipleResponse):
        losses.append("the kit gives no part marks; a share for each right option, and none beside a wrong one")
    if isinstance(item, ShortAnswer):
        losses.append("an essay: marked by a person, or by attnkit quiz grade; the model answer is not in it")
    return losses


def _question(item: Item) -> str:
    head = f"// [id:{item.id}]\n::{escaped(item.id)}::[html]{_html(item.stem)}"
    return "\n".join([head + "{" + _opening(item), *_answers(item), f"####{_html(item.explanation)}", "}"])


def _opening(item: Item) -> str:
    return "#" if isinstance(item, Numeric) else ""


def _answers(item: Item) -> list[str]:
    match item:
        case TrueFalse():
            wrong = next(option for option in item.options if not option.correct)
            return [f"{str(item.answer).upper()}#{_html(wrong.feedback)}"]
        case MultipleResponse():
            right = share(len(item.key))
            return [
                f"~%{right if option.correct else '-100'}%{option_text(option.text)}{_feedback(item, option.feedback)}"
                for option in item.options
            ]
        case Choice():
            return [
                f"{'=' if option.correct else '~'}{option_text(option.text)}{_feedback(item, option.feedback)}"
                for option in item.options
            ]
        case Numeric():
            return [
                f"={_within(item, item.key)}",  # the first that fits counts
                *(f"=%0%{_within(item, wrong.value)}#{_html(wrong.feedback)}" for wrong in item.wrong),
            ]
    return []


def _within(item: Numeric, value: Number) -> str:
    return f"{exact(value)}:{exact(tolerance(item))}"


def _feedback(item: Item, feedback: Markup) -> str:
    return "" if feedback == item.explanation else f"#{_html(feedback)}"


def _html(markup: Markup) -> str:
    return escaped(_HTML.blocks(markup))


def option_text(markup: Markup) -> str:
    """An option. One that begins with % would be read as a weight."""
    text = _HTML.line(markup)
    return escaped(Xml("&#37;") + Xml(text[1:]) if text.startswith("%") else text)


def _comment(text: str) -> str:
    return " ".join(text.split())
