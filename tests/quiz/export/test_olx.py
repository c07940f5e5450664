"""Open edX: every problem shown and marked by the grader of Open edX itself."""

import importlib.util
import io
import json
import string
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from autograder.quiz.export.olx import export_olx, problem
from autograder.quiz.export.quiz import with_choices_for_short_answers
from autograder.quiz.model import MultipleResponse

from .taking import QUIZZES, Attempt, all_ten_as_choices, attempts, knowledge_check

GRADER = Path(__file__).with_name("grade_olx.py")
needs_grader = pytest.mark.skipif(
    importlib.util.find_spec("xblocks_contrib") is None,
    reason="xblocks-contrib, Open edX's grader, is not installed: tests/requirements.txt",
)


def quizzes():
    return [with_choices_for_short_answers(load()) for load in QUIZZES.values()]


def response_of(attempt: Attempt) -> str | list[str]:
    names = [f"choice_{string.ascii_uppercase.index(letter)}" for letter in attempt.chosen]
    if isinstance(attempt.item, MultipleResponse):
        return names
    return names[0] if names else attempt.typed


@needs_grader
def test_each_problem_gets_the_right_mark_for_right_and_wrong_responses():
    asked = list(dict.fromkeys(each for quiz in quizzes() for item in quiz.items for each in attempts(item)))
    assert {attempt.item.id for attempt in asked} == {item.id for quiz in quizzes() for item in quiz.items}
    sent = json.dumps([[str(problem(attempt.item)), response_of(attempt)] for attempt in asked])
    ran = subprocess.run([sys.executable, GRADER], input=sent, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    shares = json.loads(ran.stdout)
    assert [str(each) for each, share in zip(asked, shares, strict=True) if share != float(each.right)] == []


def test_the_library_holds_each_problem_by_its_id():
    quiz = all_ten_as_choices()
    with tarfile.open(fileobj=io.BytesIO(export_olx(quiz).files[0].data)) as archive:
        library = ET.parse(archive.extractfile("library/library.xml")).getroot()
        named = [each.get("url_name") for each in library.findall("problem")]
        assert named == [item.id for item in quiz.items]
        for name in named:
            assert ET.parse(archive.extractfile(f"library/problem/{name}.xml")).getroot().tag == "problem"
        assert {entry.mtime for entry in archive} == {0}


def test_a_field_is_labelled_with_its_question():
    for item in all_ten_as_choices().items:
        label = ET.fromstring(problem(item)).find(".//label")
        assert "".join(label.itertext()).strip()


def test_a_sentence_is_refused_rather_than_marked_by_its_letters():
    with pytest.raises(TypeError, match="kc-01 is a short answer"):
        export_olx(knowledge_check())
