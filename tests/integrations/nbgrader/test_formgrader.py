"""The formgrader under `jupyter server`, driven in Chromium as an instructor would."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from selenium.common.exceptions import StaleElementReferenceException

from ... import waiting
from ...waiting import PATIENCE
from .conftest import EVEN_COLUMNS, NUMPY, Course, cell_of, hidden_lines, process_environment, student_grade

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="Debian's chromium and chromium-driver are missing")

TOKEN = "formgrader-test"
STUDENT, OTHER = "student-01", "student-02"
ESSAY = "reflection-scale"
SCRIPT = "<script>document.title = 'taken over'</script><img src='x' onerror=\"document.title = 'taken over'\">"
# A heading whose id is that of a check's box for its mark, and a link that would run as the instructor.
ANSWER = f"Scores grow.\n\n# self_attention-check\n\n[more](javascript:grade()) {SCRIPT}"
COMMENT = "Say with what they grow."


@dataclass(frozen=True)
class Formgrader:
    """A server in a course's folder."""

    course: Course
    address: str

    def page(self, path: str) -> str:
        return f"{self.address}/formgrader/{path}"


@pytest.fixture(scope="module")
def formgrader(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Formgrader]:
    """Two submissions, not graded yet, and a written question that counts 2 points."""
    source = course.folder / "source" / NUMPY / "numpy_self_attention.ipynb"
    notebook = nbformat.read(source, as_version=4)
    cell_of(notebook, ESSAY).metadata.nbgrader.points = 2
    nbformat.write(notebook, source)
    assert course.run("generate_assignment", NUMPY, "--force")[0] == 0
    course.submit(
        STUDENT,
        {"softmax_rows": EVEN_COLUMNS},
        edit=lambda n: cell_of(n, ESSAY).update(source=ANSWER),
    )
    course.submit(OTHER)
    (course.folder.parent / "exchange").mkdir()
    with (course.folder / "nbgrader_config.py").open("a") as file:
        file.write(f"\nc.Exchange.root = {str(course.folder.parent / 'exchange')!r}\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = tmp_path_factory.mktemp("jupyter")
    with (home / "log").open("w") as log:
        server = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "jupyter",
                "server",
                "--no-browser",
                "--allow-root",
                "--ip=127.0.0.1",
                f"--port={port}",
                "--ServerApp.port_retries=0",
                f"--IdentityProvider.token={TOKEN}",
            ],
            cwd=course.folder,
            stdout=log,
            stderr=log,
            env=process_environment(
                JUPYTER_CONFIG_DIR=str(home), JUPYTER_DATA_DIR=str(home), HOME=str(home), JUPYTER_RUNTIME_DIR=str(home)
            ),
        )
    try:
        there = Formgrader(course, f"http://127.0.0.1:{port}")
        until(lambda: answers(f"{there.address}/api?token={TOKEN}") or server.poll() is not None)
        assert server.poll() is None, (home / "log").read_text()
        yield there
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory):
    """Chromium without a window, which can reach this machine alone."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for argument in (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--window-size=1200,900",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    driver.set_page_load_timeout(PATIENCE)
    yield driver
    driver.quit()


def answers(address: str) -> bool:
    try:
        return urllib.request.urlopen(address, timeout=5).status == 200
    except OSError:
        return False


def until(done):
    """What `done()` returns, as soon as that is true."""

    def looked():
        with suppress(StaleElementReferenceException):  # the pages draw their tables anew
            return done()

    return waiting.until(looked)


def all_of(browser, css: str):
    return browser.find_elements("css selector", css)


def row_of(browser, student: str):
    return until(lambda: [row for row in all_of(browser, "tbody tr") if student in row.text])[0]


def press(browser, student: str, column: str) -> str:
    """Press a button of the student's row, and read and close what opens."""

    def pressed() -> bool:
        button = row_of(browser, student).find_element("css selector", f".{column} a")
        browser.execute_script("arguments[0].click()", button)
        return True

    until(pressed)
    told = until(
        lambda: [
            box.text
            for box in all_of(browser, ".modal.in .modal-body")
            if "Success" in box.text or "error" in box.text.lower()
        ]
    )[0]
    browser.execute_script("$('.modal').modal('hide')")
    until(lambda: not all_of(browser, ".modal-backdrop"))
    return told


def hidden_in(browser) -> list[str]:
    shown = browser.page_source
    return [line for line in hidden_lines() if line in shown]


def saved_comment(course: Course) -> str | None:
    with course.gradebook() as gradebook:
        return gradebook.find_comment(ESSAY, "numpy_self_attention", NUMPY, STUDENT).manual_comment


def test_an_instructor_grades_from_the_page(formgrader: Formgrader, browser, tmp_path: Path) -> None:
    course = formgrader.course
    browser.get(f"{formgrader.address}/formgrader?token={TOKEN}")
    assert row_of(browser, NUMPY)

    # Autograde both from the page: the second meets the wall that the first has raised.
    browser.get(formgrader.page(f"manage_submissions/{NUMPY}"))
    for student in (STUDENT, OTHER):
        assert "Successfully autograded" in press(browser, student, "autograde")
    until(lambda: "84 / 102" in row_of(browser, STUDENT).text)
    assert sum(course.marks(OTHER).values()) == 100.0

    # Open a submission: the message and the mark are there, and the student's script did not run.
    with course.gradebook() as gradebook:
        submission = gradebook.find_submission_notebook("numpy_self_attention", NUMPY, STUDENT).id
    browser.get(formgrader.page(f"submissions/{submission}/"))
    until(lambda: all_of(browser, "[id='softmax_rows-check']")[0].get_attribute("placeholder") == "0")
    assert "each column sums to 1" in browser.find_element("css selector", "body").text
    assert "84 of 100 points" in browser.find_element("css selector", "body").text
    assert browser.title != "taken over"
    assert not all_of(browser, "#notebook script, #notebook img, #notebook a[href^='javascript']")
    assert len(all_of(browser, "[id='self_attention-check']")) == 1, "a student's heading takes no mark's place"
    assert hidden_in(browser) == []
    browser.execute_script("document.querySelectorAll('.attnkit')[7].scrollIntoView({block: 'end'})")
    browser.save_screenshot(str(tmp_path / "formgrader.png"))

    # Mark the written answer by hand, and give some credit for the wrong one.
    for cell, mark in ((ESSAY, "1.5"), ("softmax_rows-check", "4")):
        box = browser.find_element("css selector", f"[id='{cell}']")
        box.send_keys(mark)
        browser.execute_script("$(arguments[0]).trigger('change').blur()", box)

    comment = browser.find_element("css selector", f"[id='{ESSAY}-comment']")
    comment.send_keys(COMMENT)
    browser.execute_script("$(arguments[0]).trigger('change').blur()", comment)

    def saved(name: str) -> float | None:
        with student_grade(course, STUDENT, name) as grade:
            return grade.manual_score

    until(lambda: (saved(ESSAY), saved("softmax_rows-check")) == (1.5, 4.0))
    until(lambda: saved_comment(course) == COMMENT)
    assert saved("self_attention-check") is None

    # Make the feedback from the page, and see it as the student does.
    browser.get(formgrader.page(f"manage_submissions/{NUMPY}"))
    assert "Success" in press(browser, STUDENT, "generate-feedback")
    page = course.folder / "feedback" / STUDENT / NUMPY / "numpy_self_attention.html"
    browser.get(page.as_uri())
    text = browser.find_element("css selector", "body").text
    assert "numpy_self_attention (Score: 89.5 / 102.0)" in text
    assert "each column sums to 1" in text
    assert COMMENT in text
    assert browser.title != "taken over"
    browser.save_screenshot(str(tmp_path / "feedback.png"))

    # No other page holds a hidden test either.
    for path in (
        "manage_assignments",
        "gradebook",
        f"gradebook/{NUMPY}",
        f"gradebook/{NUMPY}/numpy_self_attention",
        "manage_students",
        f"manage_students/{STUDENT}",
        f"manage_students/{STUDENT}/{NUMPY}",
    ):
        browser.get(formgrader.page(path))
        assert hidden_in(browser) == [], path

    # Grade again from the page: what a person gave stays.
    browser.get(formgrader.page(f"manage_submissions/{NUMPY}"))
    assert "Successfully autograded" in press(browser, STUDENT, "autograde")
    assert (saved(ESSAY), saved("softmax_rows-check"), saved_comment(course)) == (1.5, 4.0, COMMENT)
