"""Moodle XML: shares that Moodle knows, formulas that stay formulas, the right mark."""

import string
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from autograder.quiz.export.moodle import export_moodle, share
from autograder.quiz.model import MultipleResponse, ShortAnswer

from .moodle_scorer import FRACTIONS, questions, score
from .taking import Attempt, each_quiz, knowledge_check, marked_wrongly, traps


def places(attempt: Attempt) -> list[int]:
    return [string.ascii_uppercase.index(letter) for letter in attempt.chosen]


def share_of_key(attempt: Attempt, written) -> float | None:
    return score(written[attempt.item.id], places(attempt), attempt.typed)


@each_quiz
def test_each_item_gives_the_right_mark_to_right_and_wrong_responses(quiz):
    written = questions(export_moodle(quiz).files[0].data)
    assert list(written) == [item.id for item in quiz.items]
    told = marked_wrongly(quiz, lambda attempt: share_of_key(attempt, written))
    # the one thing that Moodle marks otherwise, and that the report tells: a share for some of the right options
    assert [each for each in told if not each.attempt.is_part_of_the_key] == []
    assert {each.attempt.item for each in told} <= {item for item in quiz.items if isinstance(item, MultipleResponse)}


def test_every_fraction_is_one_of_moodles():
    for quiz in (knowledge_check(), traps()):
        for answer in ET.fromstring(export_moodle(quiz).files[0].data).iter("answer"):
            assert abs(float(answer.get("fraction"))) in FRACTIONS


def test_a_third_is_written_as_moodle_writes_it():
    assert [share(count) for count in (1, 3, 6, 7, 9)] == ["100", "33.33333", "16.66667", "14.28571", "11.11111"]
    with pytest.raises(ValueError, match="11 right options"):
        share(11)


def test_no_text_is_matched_as_a_pattern_in_which_a_star_stands_for_anything():
    written = questions(export_moodle(traps()).files[0].data)
    assert "*" in written["trap-short"].findtext("questiontext/text")
    assert {question.get("type") for question in written.values()} == {"multichoice", "truefalse", "numerical", "essay"}


def test_formulas_are_tex_in_html_never_in_markdown():
    question = questions(export_moodle(traps()).files[0].data)["trap-math"]
    assert question.find("questiontext").get("format") == "html"
    assert r"\(\nabla_{W_Q} L\)" in question.findtext("questiontext/text")
    assert r"\(a &lt; b\)" in question.findtext("questiontext/text")
    assert {answer.get("format") for answer in question.findall("answer")} == {"html"}


def test_an_option_that_is_only_a_formula_has_a_letter_before_it():
    question = questions(export_moodle(knowledge_check()).files[0].data)["kc-03"]
    assert question.findtext("answer/text") == r"\(n \times n\)"
    assert question.findtext("answernumbering") == "ABCD"


def test_ordered_options_are_not_shuffled():
    quiz = knowledge_check()
    ordered = replace(quiz.items[2], ordered=True)
    slots = tuple(replace(slot, variants=(ordered,)) if slot.first.id == ordered.id else slot for slot in quiz.slots)
    question = questions(export_moodle(replace(quiz, slots=slots)).files[0].data)["kc-03"]
    assert question.findtext("shuffleanswers") == "false"


def test_the_marker_of_an_essay_sees_the_model_answer_and_the_student_does_not():
    written = questions(export_moodle(knowledge_check()).files[0].data)
    for item in knowledge_check().items:
        if isinstance(item, ShortAnswer):
            assert "Model answer" in written[item.id].findtext("graderinfo/text")
            assert not written[item.id].findtext("responsetemplate/text")


def test_variants_have_a_category_of_their_own_to_draw_from():
    root = ET.fromstring(export_moodle(traps(variants=3)).files[0].data)
    names = [question.findtext("category/text") for question in root.findall("question[@type='category']")]
    assert names.count("$course$/top/Traps & <signs>/trap-number") == 1


def test_feedback_on_a_wrong_number_comes_from_its_wrong_formula():
    answers = questions(export_moodle(traps()).files[0].data)["trap-negative"].findall("answer")
    assert [(answer.findtext("text"), answer.get("fraction")) for answer in answers] == [("-3", "100"), ("5", "0")]
    assert "Mind the sign." in answers[1].findtext("feedback/text")
