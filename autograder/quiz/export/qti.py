"""QTI items and tests, written once in the words of QTI 3.0: 2.1 differs in how names are spelled and in a few places.

A valid item need not be a gradable one. Each says how it is scored in full: no template of response processing is
used, since platforms differ in which they know, and an unknown one gives the right answer 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autograder.quiz.formulas import number_text
from autograder.quiz.model import Choice, Item, MultipleResponse, Numeric, ShortAnswer, TrueFalse
from autograder.quiz.texts.html_text import HtmlText
from autograder.quiz.texts.markup import Markup
from autograder.quiz.texts.xml import Attributes, Xml, document, element, lines

from .formulas_in_html import mathml_math
from .numbers import exact, tolerance
from .output import Export, File, Loss, zipped
from .quiz import Quiz

_HTML = HtmlText(mathml_math)
_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"


@dataclass(frozen=True)
class Dialect:
    """One version of QTI. `spell` turns a name of 3.0 into this version's; `content` wraps feedback's text."""

    version: str
    namespace: str
    schema: str
    package: str
    package_schema: str
    package_version: str
    resource: str
    spell: Callable[[str], str]
    content: Callable[[Xml], Xml]
    only_later: frozenset[str] = frozenset()  # attributes that this version does not have

    def __call__(self, tag: str, attributes: Attributes | None = None, *children: str) -> Xml:
        kept = {name: value for name, value in (attributes or {}).items() if name not in self.only_later}
        return element(self.spell(tag), {_spell_attribute(self, name): each for name, each in kept.items()}, *children)


def _spell_attribute(dialect: Dialect, name: str) -> str:
    return dialect.spell(name) if "-" in name else name


def export_qti(quiz: Quiz, dialect: Dialect, path: str) -> Export:
    """A package: an item a file, a test that asks them in order, and the manifest."""
    items = [File(f"items/{item.id}.xml", document(item_xml(item, dialect))) for item in quiz.items]
    files = (
        File("imsmanifest.xml", document(_manifest(quiz, dialect))),
        File("test.xml", document(_test(quiz, dialect))),
        *items,
    )
    losses = tuple(
        Loss(slot.first.id, "marked by a person, or by attnkit quiz grade from the responses")
        for slot in quiz.slots
        if isinstance(slot.first, ShortAnswer)
    )
    return Export((zipped(path, files),), losses)


def item_xml(item: Item, dialect: Dialect) -> Xml:
    """The whole document of an item, without its head."""
    head = {
        "xmlns": dialect.namespace,
        "xmlns:xsi": _INSTANCE,
        "xsi:schemaLocation": f"{dialect.namespace} {dialect.schema}",
        "identifier": item.id,
        "title": item.id,
        "adaptive": "false",
        "time-dependent": "false",
        "xml:lang": "en",
    }
    return dialect(
        "qti-assessment-item",
        head,
        lines(
            _response(item, dialect),
            *_outcomes(item, dialect),
            dialect("qti-item-body", {}, _HTML.blocks(item.stem), _interaction(item, dialect)),
            *([] if isinstance(item, ShortAnswer) else [_processing(item, dialect)]),
            *_feedback(item, dialect),
        ),
    )


def _response(item: Item, tag: Dialect) -> Xml:
    match item:
        case Choice():
            kind, right = "identifier", item.key
        case Numeric():
            kind, right = "float", (exact(item.key),)
        case _:
            return tag("qti-response-declaration", _variable("RESPONSE", "string"))
    values = [tag("qti-value", {}, value) for value in right]
    return tag(
        "qti-response-declaration",
        _variable("RESPONSE", kind, _cardinality(item)),
        tag("qti-correct-response", {}, *values),
    )


def _cardinality(item: Item) -> str:
    return "multiple" if isinstance(item, MultipleResponse) else "single"


def _variable(name: str, base_type: str, cardinality: str = "single") -> dict[str, str]:
    return {"identifier": name, "cardinality": cardinality, "base-type": base_type}


def _outcomes(item: Item, tag: Dialect) -> list[Xml]:
    def number(name: str, value: str, more: Attributes) -> Xml:
        default = tag("qti-default-value", {}, tag("qti-value", {}, value))
        return tag("qti-outcome-declaration", _variable(name, "float") | dict(more), default)

    by_person = {"external-scored": "human"} if isinstance(item, ShortAnswer) else {}
    outcomes = [number("SCORE", "0", by_person), number("MAXSCORE", number_text(item.points), {})]
    if not isinstance(item, ShortAnswer):
        outcomes.append(tag("qti-outcome-declaration", _variable("FEEDBACK", "identifier", _cardinality(item))))
        outcomes.append(tag("qti-outcome-declaration", _variable("EXPLANATION", "identifier")))
    return outcomes


def _interaction(item: Item, tag: Dialect) -> Xml:
    to = {"response-identifier": "RESPONSE"}
    match item:
        case Choice():
            choices = [
                tag("qti-simple-choice", {"identifier": letter}, _HTML.line(option.text))
                for letter, option in item.lettered
            ]
            # With a letter before it, an option that is only a formula has a name.
            how = {
                "shuffle": str(not (item.ordered or isinstance(item, TrueFalse))).lower(),
                "max-choices": "0" if isinstance(item, MultipleResponse) else "1",
                "class": "qti-labels-upper-alpha qti-labels-suffix-period",
            }
            return tag("qti-choice-interaction", to | how, *choices)
        case Numeric():
            return element("p", {}, tag("qti-text-entry-interaction", to | {"expected-length": "12"}))
    assert isinstance(item, ShortAnswer)
    model = element("p", {}, "Model answer: ", _HTML.line(item.answer)) + _HTML.blocks(item.explanation)
    rubric = tag("qti-rubric-block", {"use": "scoring", "view": "scorer"}, tag.content(model))
    return rubric + tag("qti-extended-text-interaction", to | {"expected-lines": "4"})


def _processing(item: Item, tag: Dialect) -> Xml:
    def put(name: str, value: Xml) -> Xml:
        return tag("qti-set-outcome-value", {"identifier": name}, value)

    def base(kind: str, value: str) -> Xml:
        return tag("qti-base-value", {"base-type": kind}, value)

    given = tag("qti-variable", {"identifier": "RESPONSE"})
    full = put("SCORE", base("float", number_text(item.points)))
    if isinstance(item, Numeric):
        branches = [tag("qti-response-if", {}, _near(item, item.key, given, tag), full)]
        branches += [
            tag(
                "qti-response-else-if",
                {},
                _near(item, wrong.value, given, tag),
                put("FEEDBACK", base("identifier", f"wrong-{number}")),
            )
            for number, wrong in enumerate(item.wrong, start=1)
        ]
        told = Xml()
    else:
        right = tag("qti-match", {}, given, tag("qti-correct", {"identifier": "RESPONSE"}))
        branches, told = [tag("qti-response-if", {}, right, full)], put("FEEDBACK", given)
    rule = tag("qti-response-condition", {}, *branches)
    return tag("qti-response-processing", {}, rule, told, put("EXPLANATION", base("identifier", "explanation")))


def _near(item: Numeric, value: float, given: Xml, tag: Dialect) -> Xml:
    width = exact(tolerance(item))
    how = (
        {"tolerance-mode": "exact"} if width == "0" else {"tolerance-mode": "absolute", "tolerance": f"{width} {width}"}
    )
    return tag("qti-equal", how, tag("qti-base-value", {"base-type": "float"}, exact(value)), given)


def _feedback(item: Item, tag: Dialect) -> list[Xml]:
    def modal(outcome: str, identifier: str, text: Markup) -> Xml:
        shown = {"outcome-identifier": outcome, "identifier": identifier, "show-hide": "show"}
        return tag("qti-modal-feedback", shown, tag.content(_HTML.blocks(text)))

    match item:
        case Choice():
            told = [
                modal("FEEDBACK", letter, option.feedback)
                for letter, option in item.lettered
                if option.feedback != item.explanation
            ]
        case Numeric():
            told = [
                modal("FEEDBACK", f"wrong-{number}", wrong.feedback) for number, wrong in enumerate(item.wrong, start=1)
            ]
        case _:
            return []
    return [*told, modal("EXPLANATION", "explanation", item.explanation)]


def _test(quiz: Quiz, tag: Dialect) -> Xml:
    """The items in order; of an item's variants one is selected."""
    parts = []
    for slot in quiz.slots:
        items = [
            tag("qti-assessment-item-ref", {"identifier": item.id, "href": f"items/{item.id}.xml"})
            for item in slot.variants
        ]
        if len(items) > 1:
            head = {"identifier": f"{slot.first.id}-variants", "title": slot.first.id, "visible": "false"}
            items = [tag("qti-assessment-section", head, tag("qti-selection", {"select": "1"}), *items)]
        parts += items
    section = {"identifier": "section", "title": quiz.title, "visible": "true"}
    part = {"identifier": "part", "navigation-mode": "nonlinear", "submission-mode": "simultaneous"}
    head = {
        "xmlns": tag.namespace,
        "xmlns:xsi": _INSTANCE,
        "xsi:schemaLocation": f"{tag.namespace} {tag.schema}",
        "identifier": quiz.name,
        "title": quiz.title,
    }
    inner = tag("qti-assessment-section", section, lines(*parts))
    return tag("qti-assessment-test", head, tag("qti-test-part", part, inner))


def _manifest(quiz: Quiz, dialect: Dialect) -> Xml:
    def resource(identifier: str, kind: str, href: str, *needs: Xml) -> Xml:
        named = {"identifier": identifier, "type": f"imsqti_{kind}_{dialect.resource}", "href": href}
        return element("resource", named, element("file", {"href": href}), *needs)

    needs = [element("dependency", {"identifierref": f"item-{item.id}"}) for item in quiz.items]
    resources = [
        resource(f"test-{quiz.name}", "test", "test.xml", *needs),
        *(resource(f"item-{item.id}", "item", f"items/{item.id}.xml") for item in quiz.items),
    ]
    schema = (
        element("schema", {}, dialect.package_schema),
        element("schemaversion", {}, dialect.package_version),
    )
    parts = (
        element("metadata", {}, *schema),
        element("organizations"),
        element("resources", {}, lines(*resources)),
    )
    return element("manifest", {"xmlns": dialect.package, "identifier": f"manifest-{quiz.name}"}, lines(*parts))
