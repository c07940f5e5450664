r"""Anki: a deck (.apkg) of cards that ask for the letter, the number or the word, formulas as `\( \)`.

Cards are of one kind with fields, not cloze: a `}}` in a formula would end a cloze.
"""

from __future__ import annotations

import hashlib
import zipfile

import genanki

from autograder.quiz.formulas import number_text
from autograder.quiz.model import Choice, Item, MultipleResponse, Numeric, ShortAnswer, TrueFalse
from autograder.quiz.texts.html_text import HtmlText
from autograder.quiz.texts.xml import Xml, element
from autograder.whole_file import temporary_folder

from .formulas_in_html import tex_math
from .output import Export, File, Loss, zipped
from .quiz import Quiz

_HTML = HtmlText(tex_math)
_FIRST = 1_600_000_000  # a fixed day: Anki takes ids of notes from the time of their making
_MODEL = genanki.Model(
    1_706_081_001,
    "attnkit item",
    fields=[{"name": name} for name in ("Id", "Question", "Options", "How", "Key", "Explanation")],
    templates=[
        {
            "name": "Item",
            "qfmt": "{{Question}}{{Options}}<p><i>{{How}}</i></p>{{#Key}}{{type:Key}}{{/Key}}",
            "afmt": "{{FrontSide}}<hr id=answer>{{Explanation}}",
        }
    ],
    css=".card { font-family: sans-serif; text-align: left } li { margin: .3em 0 }",
)


def export_anki(quiz: Quiz) -> Export:
    """`<bank>-anki.apkg`. A second import of a bank changes its cards and makes no others."""
    deck = genanki.Deck(_number(quiz.name), quiz.title)
    for item in quiz.items:
        deck.add_note(_note(quiz, item))
    losses = tuple(Loss(slot.first.id, what) for slot in quiz.slots for what in _losses(slot.first))
    return Export((_package(f"{quiz.name}-anki.apkg", deck, _FIRST + _number(quiz.name) % 100_000_000),), losses)


def _losses(item: Item) -> list[str]:
    losses = []
    if item.points != 1:
        losses.append("its points: who learns rates the card")
    if isinstance(item, Choice) and any(option.feedback != item.explanation for option in item.options):
        losses.append("feedback by option is shown for all wrong ones at once")
    if isinstance(item, Numeric) and item.tolerance:
        losses.append(f"its tolerance: Anki compares letters, and {number_text(item.key)} is expected as it stands")
    if isinstance(item, ShortAnswer):
        losses.append("compared with the model answer by who learns")
    return losses


def _note(quiz: Quiz, item: Item) -> genanki.Note:
    fields = [item.id, _HTML.blocks(item.stem), _options(item), _how(item), key_of(item), _explanation(item)]
    return genanki.Note(
        model=_MODEL,
        fields=[str(field) for field in fields],
        guid=genanki.guid_for("attnkit", quiz.name, item.id),
        tags=[item.objective],
    )


def key_of(item: Item) -> str:
    """What is to be typed; nothing for a sentence."""
    match item:
        case TrueFalse():
            return str(item.answer).lower()
        case Choice():
            return "".join(item.key)
        case Numeric():
            return number_text(item.key)
    return ""


def _how(item: Item) -> str:
    match item:
        case TrueFalse():
            return "Type true or false."
        case MultipleResponse():
            return "Type the letters of all that hold, in order."
        case Choice():
            return "Type the letter."
        case Numeric():
            return "Type the number."
    return "Answer in a sentence, then compare."


def _options(item: Item) -> Xml:
    if not isinstance(item, Choice) or isinstance(item, TrueFalse):
        return Xml()
    rows = (element("li", {}, _HTML.line(option.text)) for option in item.options)
    return element("ol", {"type": "A"}, *rows)


def _explanation(item: Item) -> Xml:
    told = _HTML.blocks(item.explanation)
    match item:
        case Choice():
            wrong = [(letter, option.feedback) for letter, option in item.lettered if not option.correct]
        case Numeric():
            wrong = [(number_text(each.value), each.feedback) for each in item.wrong]
        case ShortAnswer():
            return _HTML.blocks(item.answer) + told
        case _:
            return told
    rows = [element("li", {}, f"{given}: ", _HTML.line(feedback)) for given, feedback in wrong]
    return told + element("ul", {}, *rows) if rows else told


def _package(path: str, deck: genanki.Deck, timestamp: int) -> File:
    """genanki's package with the dates of its zip taken out."""
    with temporary_folder("anki") as folder:
        written = folder / "deck.apkg"
        genanki.Package(deck).write_to_file(written, timestamp=timestamp)
        with zipfile.ZipFile(written) as archive:
            return zipped(path, [File(name, archive.read(name)) for name in archive.namelist()])


def _number(name: str) -> int:
    """An id for a deck, the same for the same bank."""
    return (1 << 30) + int.from_bytes(hashlib.sha256(name.encode("utf-8")).digest()[:4]) % (1 << 30)
