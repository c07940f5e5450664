r"""GIFT, read by gift-pegjs: nothing is corrupted, and the right mark follows from what it reads."""

import json
import random
import shutil
import string
import subprocess
from pathlib import Path

import pytest

from autograder.quiz.export.formulas_in_html import tex_math
from autograder.quiz.export.gift import escaped, export_gift, option_text
from autograder.quiz.model import Choice, MultipleResponse, Numeric, ShortAnswer, TrueFalse
from autograder.quiz.texts.html_text import HtmlText
from autograder.quiz.texts.markup import parse_markup

from .taking import Attempt, each_quiz, marked_wrongly, traps

HERE = Path(__file__).parent
PARSER = HERE.parents[1] / "node_modules" / "gift-pegjs"
needs_parser = pytest.mark.skipif(
    shutil.which("node") is None or not PARSER.exists(),
    reason="gift-pegjs is not installed: npm install --prefix tests --no-package-lock",
)


def parsed(text: str) -> list[dict]:
    ran = subprocess.run(
        ["node", HERE / "parse_gift.cjs"], input=text, capture_output=True, text=True, encoding="utf-8", timeout=600
    )
    assert ran.returncode == 0, ran.stderr
    return [question for question in json.loads(ran.stdout) if question["type"] != "Category"]


def written(quiz) -> str:
    return export_gift(quiz).files[0].data.decode()


def score(question: dict, attempt: Attempt) -> float | None:
    """As Moodle marks what was read."""
    places = [string.ascii_uppercase.index(letter) for letter in attempt.chosen]
    match question["type"]:
        case "TF":
            return float(question["isTrue"] == (places == [0]))
        case "MC":
            choices = [question["choices"][place] for place in places]
            return max(0.0, sum((100 if each["isCorrect"] else each["weight"] or 0) for each in choices) / 100)
        case "Numerical":
            for choice in question["choices"]:
                number = choice["text"]
                if abs(float(attempt.typed) - number["number"]) <= number["range"]:
                    return (100 if choice["weight"] is None else choice["weight"]) / 100
            return 0.0
        case "Essay":
            return None
    raise ValueError(question["type"])


@needs_parser
@each_quiz
def test_each_item_gives_the_right_mark_to_right_and_wrong_responses(quiz):
    read = {question["id"]: question for question in parsed(written(quiz))}
    assert list(read) == [item.id for item in quiz.items]
    told = marked_wrongly(quiz, lambda attempt: score(read[attempt.item.id], attempt))
    # as in Moodle XML, the report tells of shares for some of the right options
    assert [each for each in told if not each.attempt.is_part_of_the_key] == []


@needs_parser
@each_quiz
def test_every_text_is_read_back_as_it_was_written(quiz):
    html = HtmlText(tex_math)
    kinds = {TrueFalse: "TF", Numeric: "Numerical", ShortAnswer: "Essay"}
    for item, question in zip(quiz.items, parsed(written(quiz)), strict=True):
        assert question["type"] == kinds.get(type(item), "MC")
        assert question["title"] == item.id
        assert question["stem"]["format"] == "html"
        for stem, markup in [(question["stem"], item.stem), (question["globalFeedback"], item.explanation)]:
            assert stem["text"].replace("<br/>", "\n") == html.blocks(markup)
        if isinstance(item, Choice) and not isinstance(item, TrueFalse):
            for choice, option in zip(question["choices"], item.options, strict=True):
                assert choice["text"]["text"] == html.line(option.text)
                if option.feedback != item.explanation:
                    assert choice["feedback"]["text"] == html.blocks(option.feedback)


def test_a_backslash_is_escaped_before_the_other_signs():
    assert escaped(r"\nabla \{a: 1\} ~ = #") == r"\\nabla \\\{a\: 1\\\} \~ \= \#"


def test_no_question_has_a_blank_line_or_an_arrow_in_it():
    questions = written(traps()).strip().split("\n\n")
    assert len(questions) == len(traps().items) + 2  # a comment and the category come first
    assert "->" not in written(traps())


@needs_parser
def test_an_option_that_begins_with_a_percentage_is_no_weight():
    question = parsed("q{\n=" + option_text(parse_markup("%50% of it")) + "\n~no\n}\n")[0]
    assert question["choices"][0]["weight"] is None
    assert question["choices"][0]["text"]["text"] == "&#37;50% of it"


@needs_parser
def test_any_text_survives():
    """Three hundred texts of GIFT's signs in one file, so that one process reads them."""
    draw = random.Random(8)
    texts = ["".join(draw.choices("\\~=#{}:->%n/$*abc &;[]", k=draw.randint(1, 20))) for _ in range(300)]
    html = [HtmlText(tex_math).text(f"x{' '.join(text.split())}x") for text in texts]
    gift = "\n\n".join(f"::{number}::[html]{escaped(text)}{{TRUE}}" for number, text in enumerate(html)) + "\n"
    assert [question["stem"]["text"] for question in parsed(gift)] == html


def test_what_gift_does_not_carry_is_told():
    told = {loss.item for loss in export_gift(traps()).losses}
    expected = {
        item.id for item in traps().items if item.points != 1 or isinstance(item, MultipleResponse | ShortAnswer)
    }
    assert told == expected
