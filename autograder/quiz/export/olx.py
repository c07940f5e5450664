r"""Open edX: a content library of OLX problems, formulas as `\( \)`.

In Studio: a library's Import. A library adds to a course; the import of a course would take the place of one.
"""

from __future__ import annotations

import gzip
import io
import tarfile

from autograder.quiz.formulas import number_text
from autograder.quiz.model import Choice, Item, MultipleResponse, Numeric, Option, TrueFalse
from autograder.quiz.texts.html_text import HtmlText
from autograder.quiz.texts.markup import Paragraph
from autograder.quiz.texts.xml import Xml, document, element, lines

from .formulas_in_html import tex_math
from .numbers import exact, tolerance
from .output import Export, File, Loss
from .quiz import Quiz

_HTML = HtmlText(tex_math)


def export_olx(quiz: Quiz) -> Export:
    """`<bank>-olx.tar.gz`. Its short answers have to be choices: nothing in a library marks a sentence."""
    items = quiz.items
    problems = [element("problem", {"url_name": item.id}) for item in items]
    about = {
        "display_name": quiz.title,
        "org": "attnkit",
        "library": quiz.name,
        "xblock-family": "xblock.v1",
        "url_name": "library",
    }
    files = (
        File("library/library.xml", document(element("library", about, lines(*problems)))),
        File("library/policies/assets.json", b"{}\n"),
        *(File(f"library/problem/{item.id}.xml", document(problem(item))) for item in items),
    )
    losses = [
        Loss(item.id, f"feedback on {len(item.wrong)} wrong values: Open edX has none for numbers")
        for item in (slot.first for slot in quiz.slots)
        if isinstance(item, Numeric) and item.wrong
    ]
    losses += [
        Loss(slot.first.id, "its variants are problems of their own: draw one by a library block with a limit of 1")
        for slot in quiz.slots
        if len(slot.variants) > 1
    ]
    return Export((_tar(f"{quiz.name}-olx.tar.gz", files),), tuple(losses))


def problem(item: Item) -> Xml:
    """The `<problem>` of an item. Raises TypeError for a short answer."""
    head = {"display_name": item.id, "weight": number_text(item.points), "markdown": "null", "showanswer": "finished"}
    solution = element("solution", {}, element("div", {"class": "detailed-solution"}, _HTML.blocks(item.explanation)))
    asked, label = _stem(item)
    match item:
        case Choice():
            kind = "choiceresponse" if isinstance(item, MultipleResponse) else "multiplechoiceresponse"
            response = element(kind, {}, label, _choices(item), solution)
        case Numeric():
            within = element("responseparam", {"type": "tolerance", "default": exact(tolerance(item))})
            field = element("formulaequationinput")
            response = element("numericalresponse", {"answer": exact(item.key)}, label, within, field, solution)
        case _:
            raise TypeError(f"{item.id} is a short answer, and nothing in an Open edX library marks a sentence")
    return element("problem", head, lines(asked, response))


def _choices(item: Choice) -> Xml:
    several = isinstance(item, MultipleResponse)
    choices = [
        element("choice", {"correct": str(option.correct).lower()}, _HTML.line(option.text), _hint(option, several))
        for option in item.options
    ]
    if several:
        return element("checkboxgroup", {}, lines(*choices))
    shuffle = {} if item.ordered or isinstance(item, TrueFalse) else {"shuffle": "true"}
    return element("choicegroup", {"type": "MultipleChoice", **shuffle}, lines(*choices))


def _stem(item: Item) -> tuple[Xml, Xml]:
    """What stands before the response, and the label of its field: one paragraph is the label itself."""
    if len(item.stem) == 1 and isinstance(item.stem[0], Paragraph):
        return Xml(), element("label", {}, _HTML.line(item.stem))
    if isinstance(item, Numeric):
        return _HTML.blocks(item.stem), element("label", {}, "Your number")
    how = "Choose all that hold" if isinstance(item, MultipleResponse) else "Choose one"
    return _HTML.blocks(item.stem), element("label", {}, how)


def _hint(option: Option, several: bool) -> Xml:
    return element("choicehint", {"selected": "true"} if several else {}, _HTML.line(option.feedback))


def _tar(path: str, files: tuple[File, ...]) -> File:
    """A tar.gz that tells nothing of when and where it was made."""
    stream = io.BytesIO()
    with (
        gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for file in files:
            entry = tarfile.TarInfo(file.path)
            entry.size = len(file.data)
            archive.addfile(entry, io.BytesIO(file.data))
    return File(path, stream.getvalue())
