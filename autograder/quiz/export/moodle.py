r"""Moodle XML: Question bank, Import. Formulas are `\( … \)` in format html; Markdown would take its backslashes.

Moodle's short answer is not used: it marks by patterns, in which `*` stands for anything, and a right answer in other
words gets 0. Short answers are essays with the model answer for the marker.
"""

from __future__ import annotations

from fractions import Fraction

from autograder.quiz.formulas import Number, number_text
from autograder.quiz.model import Choice, Item, MultipleResponse, Numeric, ShortAnswer, TrueFalse
from autograder.quiz.texts.html_text import HtmlText
from autograder.quiz.texts.markup import Markup
from autograder.quiz.texts.xml import Xml, document, element, lines

from .formulas_in_html import tex_math
from .numbers import exact, tolerance
from .output import Export, File, Loss
from .quiz import Quiz, Slot

_HTML = HtmlText(tex_math)
# The shares that Moodle knows, as it writes them: an import refuses any other, 33.3 for one.
_SHARES = {count: f"{float(Fraction(100, count)):.7g}" for count in range(1, 11)}


def export_moodle(quiz: Quiz) -> Export:
    """`<bank>-moodle.xml`: a category of the quiz's title; items with variants have a category of their own."""
    rows: list[Xml] = []
    category = None
    for slot in quiz.slots:
        if _category(quiz, slot) != category:
            category = _category(quiz, slot)
            rows.append(category)
        rows += (_question(item) for item in slot.variants)
    losses = tuple(loss for slot in quiz.slots for loss in _losses(slot.first))
    return Export((File(f"{quiz.name}-moodle.xml", document(element("quiz", {}, lines(*rows)))),), losses)


def share(count: int) -> str:
    """What one of `count` right options earns, in per cent. Raises ValueError for a share that Moodle has not."""
    if count not in _SHARES:
        raise ValueError(f"Moodle has no share for one of {count} right options; at most 10 serve")
    return _SHARES[count]


def _losses(item: Item) -> list[Loss]:
    if isinstance(item, ShortAnswer):
        return [Loss(item.id, "an essay: marked by a person, or by attnkit quiz grade from the responses")]
    if isinstance(item, MultipleResponse):
        return [
            Loss(
                item.id,
                "the kit gives no part marks; Moodle gives a share for each right option, and none beside a wrong one",
            )
        ]
    return []


def _category(quiz: Quiz, slot: Slot) -> Xml:
    path = [quiz.title] if len(slot.variants) == 1 else [quiz.title, slot.first.id]
    name = "/".join(["$course$", "top", *(part.replace("/", "//") for part in path)])
    return element("question", {"type": "category"}, element("category", {}, _text(name)))


def _question(item: Item) -> Xml:
    match item:
        case TrueFalse():
            kind, parts = "truefalse", _true_false(item)
        case Choice():
            kind, parts = "multichoice", _choice(item)
        case Numeric():
            kind, parts = "numerical", _numeric(item)
        case ShortAnswer():
            kind, parts = "essay", _essay(item)
        case _:
            raise TypeError(f"{item.id} is of no kind that Moodle has")
    return element(
        "question",
        {"type": kind},
        lines(
            element("name", {}, _text(item.id)),
            element("questiontext", {"format": "html"}, _text(_HTML.blocks(item.stem))),
            element("generalfeedback", {"format": "html"}, _text(_HTML.blocks(item.explanation))),
            element("defaultgrade", {}, number_text(item.points)),
            element("penalty", {}, "0"),
            element("hidden", {}, "0"),
            element("idnumber", {}, item.id),
            *parts,
            element("tags", {}, *(element("tag", {}, _text(tag)) for tag in (item.objective, item.source))),
        ),
    )


def _true_false(item: TrueFalse) -> list[Xml]:
    return [
        _answer("100" if option.correct else "0", value, _feedback(item, option.feedback), "moodle_auto_format")
        for value, (_, option) in zip(("true", "false"), item.lettered, strict=True)
    ]


def _choice(item: Choice) -> list[Xml]:
    """Letters stand before the options, so that one that is only a formula has a name."""
    several = isinstance(item, MultipleResponse)
    right, wrong = share(len(item.key)), "-100" if several else "0"
    return [
        element("single", {}, str(not several).lower()),
        element("shuffleanswers", {}, str(not item.ordered).lower()),
        element("answernumbering", {}, "ABCD"),
        *(
            _answer(right if option.correct else wrong, _HTML.line(option.text), _feedback(item, option.feedback))
            for option in item.options
        ),
    ]


def _numeric(item: Numeric) -> list[Xml]:
    def answer(fraction: str, value: Number, feedback: Xml) -> Xml:
        within = element("tolerance", {}, exact(tolerance(item)))
        return element(
            "answer",
            {"fraction": fraction, "format": "moodle_auto_format"},
            _text(exact(value)),
            _told(feedback),
            within,
        )

    return [
        answer("100", item.key, Xml()),  # the first that fits counts
        *(answer("0", wrong.value, _HTML.blocks(wrong.feedback)) for wrong in item.wrong),
        element("unitgradingtype", {}, "0"),
        element("showunits", {}, "3"),
    ]


def _essay(item: ShortAnswer) -> list[Xml]:
    model = element("p", {}, "Model answer: ", _HTML.line(item.answer))
    return [
        element("responseformat", {}, "editor"),
        element("responserequired", {}, "1"),
        element("responsefieldlines", {}, "5"),
        element("attachments", {}, "0"),
        element("graderinfo", {"format": "html"}, _text(model + _HTML.blocks(item.explanation))),
        element("responsetemplate", {"format": "html"}, _text("")),
    ]


def _feedback(item: Item, feedback: Markup) -> Xml:
    """None where it would say again what the general feedback says."""
    return Xml() if feedback == item.explanation else _HTML.blocks(feedback)


def _answer(fraction: str, text: str, feedback: Xml, text_format: str = "html") -> Xml:
    return element("answer", {"fraction": fraction, "format": text_format}, _text(text), _told(feedback))


def _told(feedback: Xml) -> Xml:
    return element("feedback", {"format": "html"}, _text(feedback))


def _text(text: str) -> Xml:
    """HTML as the text of an element: it is escaped once more."""
    return element("text", {}, str(text))
