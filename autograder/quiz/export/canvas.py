"""Canvas: a zip of QTI 1.2 with Canvas's own extensions, in the structure that text2qti 0.8 writes and Canvas imports.

Both kinds of quizzes in Canvas take it (New Quizzes reads no numeric item of QTI 2.x). In Canvas: Settings, Import
Course Content, QTI .zip file.
"""

from __future__ import annotations

from autograder.quiz.formulas import number_text
from autograder.quiz.model import Choice, Item, MultipleChoice, MultipleResponse, Numeric, ShortAnswer, TrueFalse
from autograder.quiz.texts.html_text import HtmlText
from autograder.quiz.texts.xml import Xml, document, element, lines

from .formulas_in_html import canvas_math
from .numbers import bounds, exact
from .output import Export, File, Loss, zipped
from .quiz import Quiz, Slot

_QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
_CANVAS = "http://canvas.instructure.com/xsd/cccv1p0"
_PACKAGE = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"
_HTML = HtmlText(canvas_math)
_TYPES: dict[type[Item], str] = {
    MultipleChoice: "multiple_choice_question",
    MultipleResponse: "multiple_answers_question",
    TrueFalse: "true_false_question",
    Numeric: "numerical_question",
    ShortAnswer: "essay_question",
}


def export_canvas(quiz: Quiz) -> Export:
    """`<bank>-canvas.zip`."""
    name = f"attnkit_{quiz.name}"
    files = (
        File("imsmanifest.xml", document(_manifest(name))),
        File("non_cc_assessments/", b""),
        File(f"{name}/assessment_meta.xml", document(_meta(quiz, name))),
        File(f"{name}/{name}.xml", document(_assessment(quiz, name))),
    )
    losses = [loss for slot in quiz.slots for loss in _losses(slot.first)]
    if not _may_shuffle(quiz):
        losses.append(
            Loss(None, "options are not shuffled: Canvas does it for all items or none, and some are ordered")
        )
    return Export((zipped(f"{quiz.name}-canvas.zip", files),), tuple(losses))


def _losses(item: Item) -> list[Loss]:
    if isinstance(item, ShortAnswer):
        return [Loss(item.id, "an essay question: marked by a person, or by attnkit quiz grade from the responses")]
    if isinstance(item, MultipleResponse):
        return [
            Loss(item.id, "the kit gives no part marks; Canvas gives some, unless New Quizzes is set to exact match")
        ]
    if isinstance(item, Numeric) and item.wrong:
        return [Loss(item.id, f"feedback on {len(item.wrong)} wrong values: Canvas has none for numbers")]
    return []


def _may_shuffle(quiz: Quiz) -> bool:
    return not any(isinstance(item, Choice) and item.ordered for item in quiz.items if not isinstance(item, TrueFalse))


def _assessment(quiz: Quiz, name: str) -> Xml:
    attempts = _fields({"cc_maxattempts": "1"})
    section = element("section", {"ident": "root_section"}, lines(*(_slot(slot) for slot in quiz.slots)))
    assessment = element("assessment", {"ident": name, "title": quiz.title}, attempts, section)
    schema = f"{_QTI} http://www.imsglobal.org/xsd/ims_qtiasiv1p2p1.xsd"
    head = {"xmlns": _QTI, "xmlns:xsi": _INSTANCE, "xsi:schemaLocation": schema}
    return element("questestinterop", head, assessment)


def _slot(slot: Slot) -> Xml:
    """An item; or its variants as a group of which Canvas picks one."""
    if len(slot.variants) == 1:
        return _item(slot.first)
    worth = element("points_per_item", {}, number_text(slot.first.points))
    one = (element("selection_number", {}, "1"), element("selection_extension", {}, worth))
    pick = element("selection_ordering", {}, element("selection", {}, *one))
    head = {"ident": f"{slot.first.id}_group", "title": slot.first.id}
    return element("section", head, pick, lines(*(_item(item) for item in slot.variants)))


def _item(item: Item) -> Xml:
    answers = [f"{item.id}_{letter}" for letter, _ in item.lettered] if isinstance(item, Choice) else []
    fields = {
        "question_type": _TYPES[type(item)],
        "points_possible": number_text(item.points),
        "original_answer_ids": ",".join(answers) or (f"{item.id}_key" if isinstance(item, Numeric) else ""),
        "assessment_question_identifierref": f"{item.id}_ref",
    }
    return element(
        "item",
        {"ident": item.id, "title": item.id},
        element("itemmetadata", {}, _fields(fields)),
        element("presentation", {}, _material(_HTML.blocks(item.stem)), _response(item)),
        _processing(item),
        *_feedback(item),
    )


def _response(item: Item) -> Xml:
    single = {"ident": "response1", "rcardinality": "Single"}
    if isinstance(item, Choice):
        labels = [
            element("response_label", {"ident": f"{item.id}_{letter}"}, _material(_HTML.line(option.text)))
            for letter, option in item.lettered
        ]
        many = "Multiple" if isinstance(item, MultipleResponse) else "Single"
        return element("response_lid", single | {"rcardinality": many}, element("render_choice", {}, *labels))
    if isinstance(item, Numeric):
        blank = element("render_fib", {"fibtype": "Decimal"}, element("response_label", {"ident": "answer1"}))
    else:
        blank = element("render_fib", {}, element("response_label", {"ident": "answer1", "rshuffle": "No"}))
    return element("response_str", single, blank)


def _processing(item: Item) -> Xml:
    score = {"maxvalue": "100", "minvalue": "0", "varname": "SCORE", "vartype": "Decimal"}
    outcomes = element("outcomes", {}, element("decvar", score))
    general = _condition("Yes", element("other"), _shown("general_fb"))
    if isinstance(item, ShortAnswer):
        return element("resprocessing", {}, outcomes, _condition("No", element("other")), general)
    told = []
    if isinstance(item, Choice):
        told = [
            _condition("Yes", _equals(f"{item.id}_{letter}"), _shown(f"{item.id}_{letter}_fb"))
            for letter, option in item.lettered
            if option.feedback != item.explanation
        ]
    full = element("setvar", {"action": "Set", "varname": "SCORE"}, "100")
    return element("resprocessing", {}, outcomes, general, *told, _condition("No", _is_right(item), full))


def _is_right(item: Item) -> Xml:
    if isinstance(item, Numeric):
        low, high = bounds(item)
        respondent = {"respident": "response1"}
        within = element("and", {}, element("vargte", respondent, low), element("varlte", respondent, high))
        return element("or", {}, _equals(exact(item.key)), within)
    assert isinstance(item, Choice)
    if not isinstance(item, MultipleResponse):
        return _equals(f"{item.id}_{item.key[0]}")
    each = [(_equals(f"{item.id}_{letter}"), option.correct) for letter, option in item.lettered]
    return element("and", {}, *(test if correct else element("not", {}, test) for test, correct in each))


def _condition(go_on: str, test: Xml, *then: Xml) -> Xml:
    return element("respcondition", {"continue": go_on}, element("conditionvar", {}, test), *then)


def _equals(value: str) -> Xml:
    return element("varequal", {"respident": "response1"}, value)


def _shown(feedback: str) -> Xml:
    return element("displayfeedback", {"feedbacktype": "Response", "linkrefid": feedback})


def _feedback(item: Item) -> list[Xml]:
    model = element("p", {}, "Model answer: ", _HTML.line(item.answer)) if isinstance(item, ShortAnswer) else Xml()
    texts = {"general_fb": model + _HTML.blocks(item.explanation)}
    if isinstance(item, Choice):
        for letter, option in item.lettered:
            if option.feedback != item.explanation:
                texts[f"{item.id}_{letter}_fb"] = _HTML.blocks(option.feedback)
    return [
        element("itemfeedback", {"ident": ident}, element("flow_mat", {}, _material(text)))
        for ident, text in texts.items()
    ]


def _material(html: Xml) -> Xml:
    """HTML as the text of an element: it is escaped once more."""
    return element("material", {}, element("mattext", {"texttype": "text/html"}, str(html)))


def _fields(fields: dict[str, str]) -> Xml:
    entries = (_elements({"fieldlabel": label, "fieldentry": entry}) for label, entry in fields.items())
    return element("qtimetadata", {}, *(element("qtimetadatafield", {}, *entry) for entry in entries))


def _meta(quiz: Quiz, name: str) -> Xml:
    points = f"{float(quiz.points):.1f}"
    settings = {
        "title": quiz.title,
        "description": "",
        "shuffle_answers": str(_may_shuffle(quiz)).lower(),
        "scoring_policy": "keep_highest",
        "hide_results": "",
        "quiz_type": "assignment",
        "points_possible": points,
        "show_correct_answers": "true",
        "allowed_attempts": "1",
        "one_question_at_a_time": "false",
        "cant_go_back": "false",
        "available": "false",
    }
    assignment = {
        "title": quiz.title,
        "workflow_state": "unpublished",
        "quiz_identifierref": name,
        "points_possible": points,
        "grading_type": "points",
        "submission_types": "online_quiz",
        "position": "1",
    }
    schema = f"{_CANVAS} https://canvas.instructure.com/xsd/cccv1p0.xsd"
    head = {"identifier": name, "xmlns": _CANVAS, "xmlns:xsi": _INSTANCE, "xsi:schemaLocation": schema}
    parts = [
        *_elements(settings),
        element("assignment", {"identifier": f"{name}_assignment"}, lines(*_elements(assignment))),
        element("assignment_group_identifierref", {}, f"{name}_assignment_group"),
    ]
    return element("quiz", head, lines(*parts))


def _elements(values: dict[str, str]) -> list[Xml]:
    return [element(tag, {}, value) for tag, value in values.items()]


def _manifest(name: str) -> Xml:
    assessment, meta = f"{name}/{name}.xml", f"{name}/assessment_meta.xml"
    quiz = {"identifier": name, "type": "imsqti_xmlv1p2"}
    settings = {
        "identifier": f"{name}_meta",
        "href": meta,
        "type": "associatedcontent/imscc_xmlv1p1/learning-application-resource",
    }
    needs = element("dependency", {"identifierref": f"{name}_meta"})
    resources = lines(
        element("resource", quiz, element("file", {"href": assessment}), needs),
        element("resource", settings, element("file", {"href": meta})),
    )
    schema = _elements({"schema": "IMS Content", "schemaversion": "1.1.3"})
    parts = (
        element("metadata", {}, *schema),
        element("organizations"),
        element("resources", {}, resources),
    )
    return element("manifest", {"identifier": f"{name}_manifest", "xmlns": _PACKAGE}, lines(*parts))
