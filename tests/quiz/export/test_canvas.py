"""Canvas: the structure is text2qti's, and every item marks itself rightly."""

import html
import io
import re
import xml.etree.ElementTree as ET
import zipfile

import pytest

from autograder.quiz.export.canvas import export_canvas
from autograder.quiz.model import MultipleResponse, Numeric, ShortAnswer
from autograder.quiz.texts.plain import plain_text

from .canvas_scorer import NAMESPACE, items, parts, score
from .taking import Attempt, each_quiz, knowledge_check, marked_wrongly, traps

TEXT2QTI = {
    "multiple_choice_question": "1. Which?\n... general\n*a) right\n... well\nb) wrong\n... why\n",
    "true_false_question": "1. Is it?\n... general\n*a) True\nb) False\n... why\n",
    "multiple_answers_question": "1. Which?\n... general\n[*] right\n[ ] wrong\n... why\n",
    "numerical_question": "1. How many?\n... general\n= 5 +- 0.5\n",
    "essay_question": "1. Why?\n... general\n____\n",
}


def given(attempt: Attempt) -> list[str]:
    return [f"{attempt.item.id}_{letter}" for letter in attempt.chosen] or [attempt.typed]


@each_quiz
def test_each_item_gives_the_right_mark_to_right_and_wrong_responses(quiz):
    written = items(export_canvas(quiz).files[0].data)
    assert list(written) == [item.id for item in quiz.items]
    assert marked_wrongly(quiz, lambda attempt: score(written[attempt.item.id], given(attempt))) == []


def test_no_short_answer_is_marked_by_the_platform():
    written = items(export_canvas(knowledge_check()).files[0].data)
    shorts = [item for item in knowledge_check().items if isinstance(item, ShortAnswer)]
    assert len(shorts) == 4
    for item in shorts:
        assert score(written[item.id], [plain_text(item.answer)]) is None


def skeleton(element: ET.Element) -> tuple:
    """Tags and names of attributes, repeated siblings once."""
    children = tuple(dict.fromkeys(skeleton(child) for child in element))
    return element.tag, tuple(sorted(element.attrib)), children


@pytest.mark.parametrize("kind", TEXT2QTI)
def test_an_item_of_each_kind_is_built_as_text2qti_builds_it(kind):
    config_of = pytest.importorskip("text2qti.config", reason="text2qti is not installed: tests/requirements.txt")
    from text2qti.qti import QTI
    from text2qti.quiz import Quiz as TheirQuiz

    config = config_of.Config()
    their_quiz = TheirQuiz("Quiz title: t\n\n" + TEXT2QTI[kind], config=config)
    theirs = next(iter(items(QTI(their_quiz).zip_bytes()).values()))
    ours = next(
        item
        for item in items(export_canvas(traps()).files[0].data).values()
        if f">{kind}<" in ET.tostring(item, encoding="unicode")
    )
    differing = set(skeleton(ours)[2]) ^ set(skeleton(theirs)[2])
    assert differing == set()


def test_the_package_names_every_file_that_it_holds():
    archive = export_canvas(knowledge_check()).files[0].data
    manifest = parts(archive)["imsmanifest.xml"]
    named = {file.get("href") for file in manifest.iter("{http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1}file")}
    assert named == set(parts(archive)) - {"imsmanifest.xml"}


def test_a_formula_is_canvass_own_image_with_the_latex_twice_encoded():
    item = items(export_canvas(traps()).files[0].data)["trap-math"]
    stem = item.find(f".//{NAMESPACE}mattext").text
    image = re.search(r"<img [^>]*>", stem)[0]
    assert 'class="equation_image"' in image
    assert r'data-equation-content="\nabla_{W_Q} L"' in image
    assert "/equation_images/%255Cnabla_%257BW_Q%257D%2520L" in image


def test_signs_of_markup_in_a_text_stay_text():
    item = items(export_canvas(traps()).files[0].data)["trap-math"]
    option = [text.text for text in item.iter(f"{NAMESPACE}mattext")][3]
    assert "<b>" not in option
    assert html.unescape(option) == "50% <b>bold</b> ::title:: -> =right ~wrong"


def test_variants_are_a_group_of_which_one_is_picked():
    quiz = traps(variants=3)
    root = next(root for root in parts(export_canvas(quiz).files[0].data).values() if "questestinterop" in root.tag)
    groups = [section for section in root.iter(f"{NAMESPACE}section") if section.get("ident") != "root_section"]
    assert [len(group.findall(f"{NAMESPACE}item")) for group in groups] == [3]
    assert groups[0].find(f".//{NAMESPACE}selection_number").text == "1"


def test_what_canvas_marks_otherwise_is_told():
    told = {loss.item for loss in export_canvas(traps()).losses}
    expected = {item.id for item in traps().items if isinstance(item, MultipleResponse | ShortAnswer | Numeric)}
    assert told == expected


def test_the_zip_holds_no_date_of_its_making():
    with zipfile.ZipFile(io.BytesIO(export_canvas(traps()).files[0].data)) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
