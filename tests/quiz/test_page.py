"""A quiz as a page: for anyone, without a network, and a graded one knows no answer."""

import csv
import io
import json
import re

import pytest

from autograder.quiz.banks.loading import bank_names, load_bank
from autograder.quiz.marks.grading import grade
from autograder.quiz.marks.numbers import readings
from autograder.quiz.marks.responses import read_responses
from autograder.quiz.model import Choice, Numeric, ShortAnswer, TrueFalse
from autograder.quiz.notebook import graded_quiz, quiz
from autograder.quiz.pages.page import graded_page, self_check_page
from autograder.quiz.pages.page_text import PAGE_TEXT
from autograder.quiz.texts.markup import parse_markup

from ..browser import CHROMIUM, DESK, PHONE, Browser
from .test_marking import NO_NUMBERS, NUMBERS, RIGHT, TWO_READINGS, WRONG

BUILDS = {"self-check": self_check_page, "graded": graded_page}


@pytest.mark.parametrize(("dark", "width"), [(False, DESK), (True, PHONE)])
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", bank_names())
def test_axe_finds_nothing_wrong_on_a_desk_in_the_light_and_on_a_phone_in_the_dark(axe, name, build, dark, width):
    assert axe(BUILDS[build](load_bank(name)), dark=dark, width=width) == []


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", bank_names())
def test_a_page_asks_for_nothing_from_elsewhere(name, build):
    page = BUILDS[build](load_bank(name))
    assert not re.search(r"""(?:src|href)="(?!#)|(?:src|href)=[^"]""", page)
    assert "default-src 'none'" in page
    assert "://" not in page


@pytest.mark.parametrize("name", bank_names())
def test_a_graded_page_holds_no_key_no_feedback_and_no_trace_of_them(name):
    """The page of a bank is the same as that of a bank whose keys, feedback and rules are others."""
    bank = load_bank(name)
    page = graded_page(bank)
    assert "data-answers" not in page and "correct" not in page.casefold().replace("incorrect", "correct")
    for item in bank.items:
        assert PAGE_TEXT.blocks(item.explanation) not in page
        if isinstance(item, Choice) and not isinstance(item, TrueFalse):
            assert all(PAGE_TEXT.blocks(option.feedback) not in page for option in item.options)
        if isinstance(item, ShortAnswer):
            assert PAGE_TEXT.line(item.answer) not in page
        if isinstance(item, Numeric):
            assert all(PAGE_TEXT.blocks(wrong.feedback) not in page for wrong in item.wrong)


def test_a_change_of_the_key_changes_no_byte_of_a_graded_page():
    from dataclasses import replace

    bank = load_bank("knowledge_check")
    turned = []
    for item in bank.items:
        changed = replace(item, explanation=parse_markup("other"))
        if isinstance(changed, Choice):
            options = tuple(replace(o, correct=not o.correct, feedback=()) for o in changed.options)
            changed = replace(changed, options=options)
        turned.append(changed)
    assert graded_page(replace(bank, items=tuple(turned))) == graded_page(bank)


def test_a_text_can_not_break_out_of_its_place():
    markup = parse_markup('<script>alert(1)</script> & "quotes" `</code><b>` $a < b$')
    assert "<script" not in PAGE_TEXT.blocks(markup) and "<b>" not in PAGE_TEXT.blocks(markup)


def test_in_a_notebook_the_page_stands_in_a_frame_that_needs_no_kernel():
    shown = quiz("knowledge_check")._repr_html_()
    assert shown.startswith('<iframe title="Knowledge check: self-attention" srcdoc="&lt;!doctype html&gt;')
    assert "data-answers" in shown and "data-answers" not in graded_quiz("knowledge_check")._repr_html_()


@pytest.fixture
def open_page(tmp_path):
    """Opens a page's HTML in Chromium; all are closed at the end."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed, so no page can be opened")
    pytest.importorskip("websocket", reason="websocket-client (of jupyter-server) is not installed")
    opened = []

    def open_in_browser(page: str) -> Browser:
        path = tmp_path / f"page{len(opened)}.html"
        path.write_text(page, encoding="utf-8")
        opened.append(Browser(CHROMIUM, path.as_uri(), tmp_path / f"profile{len(opened)}"))
        return opened[-1]

    yield open_in_browser
    for browser in opened:
        browser.close()


def answer_by_keyboard(browser: Browser, bank, answers: dict[str, str]) -> None:
    """Answer each question with Tab, arrows, Space and letters alone, from the top of the page."""
    for item in bank.items:
        if isinstance(item, Choice):
            value = answers[item.id].upper() if len(answers[item.id]) == 1 else answers[item.id].lower()
            browser.tab_to(f"e.name === {json.dumps(item.id)}")
            browser.press("Space")
            while browser.run(f"document.querySelector('[name={item.id}]:checked').value") != value:
                browser.press("ArrowDown")
        else:
            browser.tab_to(f"e.name === {json.dumps(item.id)}")
            browser.type(answers[item.id])
        yield item


def test_a_self_check_taken_by_keyboard_says_at_once_what_is_right_and_what_is_not(open_page):
    bank = load_bank("knowledge_check")
    for answers, verdict in ((RIGHT, "Correct."), (WRONG, "Not yet.")):
        browser = open_page(self_check_page(bank))
        for item in answer_by_keyboard(browser, bank, answers):
            browser.tab_to(f"e.tagName === 'BUTTON' && e.closest('fieldset').id === {json.dumps(item.id)}")
            browser.press("Enter")
            told = browser.run(f"document.querySelector('#{item.id} .feedback').innerText")
            if isinstance(item, ShortAnswer):
                assert told.startswith("Compare your answer with this one:")
                assert "$" not in told and len(told) > 60, "the model answer, its formulas set"
            else:
                assert told.startswith(verdict), item.id
                assert len(told) > len(verdict) + 20, "feedback explains"


def test_numbers_are_checked_at_once(open_page):
    bank = load_bank("numeric")
    browser = open_page(self_check_page(bank))
    item = bank.item("nu-weights")
    for typed, verdict in (("36", "Correct."), ("24", "Not yet."), ("3x", "Type a number first")):
        browser.run(f"document.querySelector('#{item.id} input').value = {json.dumps(typed)}")
        browser.run(f"document.querySelector('#{item.id} button').click()")
        assert browser.run(f"document.querySelector('#{item.id} .feedback').innerText").startswith(verdict)


def test_a_page_reads_numbers_as_grading_does(open_page):
    browser = open_page(self_check_page(load_bank("numeric")))
    typed = [*NUMBERS, *NO_NUMBERS, *TWO_READINGS]
    read = json.loads(browser.run(f"JSON.stringify({json.dumps(typed)}.map(readings))"))
    for text, numbers in zip(typed, read, strict=True):
        assert tuple(numbers) == pytest.approx(readings(text)), text


@pytest.mark.parametrize(("answers", "score"), [(RIGHT, 10), (WRONG, 0)], ids=["right", "wrong"])
def test_a_graded_page_filled_in_by_keyboard_saves_a_file_that_is_graded_rightly(open_page, tmp_path, answers, score):
    bank = load_bank("knowledge_check")
    browser = open_page(graded_page(bank))
    browser.run("window.blobs = []; URL.createObjectURL = blob => { blobs.push(blob); return '#'; }; 0")
    list(answer_by_keyboard(browser, bank, answers))
    browser.tab_to("e.type === 'submit'")
    browser.press("Enter")
    assert browser.run("document.activeElement.id") == "student", "without an id nothing is saved"
    assert browser.run("document.getElementById('student-problem').textContent") != ""
    browser.type("student-01")
    browser.tab_to("e.type === 'submit'")
    browser.press("Enter")
    saved = browser.run("blobs[0].text()")
    assert [row[1] for row in csv.reader(io.StringIO(saved))][1:] == [item.id for item in bank.items]
    path = tmp_path / "responses.csv"
    path.write_bytes(saved.encode())
    total = grade(bank, read_responses(path)).totals[0]
    assert (total.student, total.lowest, total.highest) == ("student-01", score, score)
    assert browser.run("document.getElementById('saved').textContent").startswith(
        "Saved as knowledge_check_student-01.csv"
    )
