"""QTI 3.0: played and scored by qti3-item-player; the package names what it holds."""

import io
import re
import xml.etree.ElementTree as ET
import zipfile

import pytest

from autograder.quiz.export.qti import item_xml
from autograder.quiz.export.qti3 import QTI3, export_qti3
from autograder.quiz.model import ShortAnswer
from autograder.quiz.texts.plain import plain_text

from .qti_player import Play, play, skip_without_player, wrong_scores
from .taking import QUIZZES, Attempt, attempts, each_quiz, knowledge_check, one_right_and_one_wrong, traps


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """What the player makes of attempts on every item of every bank, in one launch of Chromium."""
    skip_without_player()
    found = [each for item in traps().items for each in attempts(item)]
    found += [each for load in QUIZZES.values() for each in one_right_and_one_wrong(load())]
    found += [
        Attempt(item, True, typed=plain_text(item.answer))
        for quiz in (knowledge_check(), traps())
        for item in quiz.items
        if isinstance(item, ShortAnswer)
    ]
    found = list(dict.fromkeys(found))
    plays = [Play(str(item_xml(each.item, QTI3)), each.chosen, each.typed) for each in found]
    return dict(zip(found, play(plays, tmp_path_factory.mktemp("player")), strict=True))


class TestThePlayer:
    def test_gives_each_item_the_right_mark_for_right_and_wrong_responses(self, played):
        marked = {attempt: each for attempt, each in played.items() if not isinstance(attempt.item, ShortAnswer)}
        items = {item for load in QUIZZES.values() for item in load().items if not isinstance(item, ShortAnswer)}
        assert {attempt.item for attempt in marked} == items
        assert wrong_scores(marked) == []

    def test_leaves_a_sentence_to_a_person(self, played):
        told = [each for attempt, each in played.items() if isinstance(attempt.item, ShortAnswer)]
        assert len(told) == 5
        assert {float(each.outcomes["SCORE"] or 0) for each in told} == {0.0}

    def test_chooses_the_feedback_of_the_option_and_of_the_wrong_number(self, played):
        for attempt, each in played.items():
            if attempt.chosen and not isinstance(each.outcomes["FEEDBACK"], list):
                assert each.outcomes["FEEDBACK"] == attempt.chosen[0]
        wrong = next(each for attempt, each in played.items() if str(attempt) == "trap-negative 5")
        assert wrong.outcomes["FEEDBACK"] == "wrong-1"

    def test_shows_a_letter_before_an_option_that_is_only_a_formula(self, played):
        shown = next(each for attempt, each in played.items() if attempt.item.id == "kc-03")
        assert [re.match(r"[A-C]\.", option) is not None for option in shown.options] == [True] * 3


def package(quiz) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(export_qti3(quiz).files[0].data))


def test_the_manifest_names_every_file_of_the_package():
    with package(traps()) as archive:
        manifest = ET.fromstring(archive.read("imsmanifest.xml"))
        named = {file.get("href") for file in manifest.iter(f"{{{QTI3.package}}}file")}
        assert named | {"imsmanifest.xml"} == set(archive.namelist())


def test_the_test_selects_one_of_an_items_variants():
    with package(traps(variants=3)) as archive:
        test = ET.fromstring(archive.read("test.xml"))
    sections = [section for section in test.iter(f"{{{QTI3.namespace}}}qti-assessment-section")]
    variants = next(section for section in sections if section.get("identifier") == "trap-number-variants")
    assert variants.find(f"{{{QTI3.namespace}}}qti-selection").get("select") == "1"
    assert len(variants.findall(f"{{{QTI3.namespace}}}qti-assessment-item-ref")) == 3


@each_quiz
def test_every_item_is_well_formed_xml(quiz):
    """A name of HTML, such as the sign that is written between log and its argument, is none of XML."""
    for item in quiz.items:
        root = ET.fromstring(item_xml(item, QTI3))
        assert root.get("identifier") == item.id


def test_formulas_are_mathml_with_a_name_in_words():
    item = ET.fromstring(item_xml(knowledge_check().items[2], QTI3))
    formulas = list(item.iter("{http://www.w3.org/1998/Math/MathML}math"))
    assert "n × n" in [formula.get("alttext") for formula in formulas]


def test_no_item_trusts_a_template_of_response_processing():
    for item in traps().items:
        processing = ET.fromstring(item_xml(item, QTI3)).find(f"{{{QTI3.namespace}}}qti-response-processing")
        if isinstance(item, ShortAnswer):
            assert processing is None
        else:
            assert processing.get("template") is None
            assert processing.find(f".//{{{QTI3.namespace}}}qti-set-outcome-value[@identifier='SCORE']") is not None
