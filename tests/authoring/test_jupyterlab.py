"""The notebooks in JupyterLab, driven in Chromium as a student would."""

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.authoring.notebook import notebook_text, release_notebook, solution_notebook
from autograder.catalogue.assignments import ASSIGNMENTS

from ..browser import CHROMIUM, DESK, Browser
from ..waiting import PATIENCE, until
from .conftest import reference_of

TOKEN = "student"
PROMPTS = "[...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(e => e.textContent)"
PRINTED = "[...document.querySelectorAll('.jp-OutputArea-output')].map(e => e.textContent).join('\\n')"
STOPPED = (
    "[...document.querySelectorAll('[data-mime-type=\"application/vnd.jupyter.stderr\"]')].map(e => e.textContent)"
)
PICTURES = "[...document.querySelectorAll('.jp-OutputArea-output img')].filter(e => e.naturalWidth > 100).length"


@dataclass(frozen=True)
class Lab:
    """A JupyterLab in a folder that holds each notebook twice, untouched and with the reference filled in."""

    address: str

    def run_all(self, browser: Browser, notebook: str) -> None:
        """Open a notebook and choose Run All Cells from the menu; return when all have run or one has stopped it."""
        browser.look(width=DESK, dark=False)
        browser.call("Page.navigate", url=f"{self.address}/lab/tree/{notebook}?token={TOKEN}&reset")
        until(lambda: browser.run("document.querySelectorAll('.jp-CodeCell').length > 3"))
        until(
            lambda: browser.run("document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status === 'idle'")
        )
        until(lambda: self._begun(browser))
        until(lambda: browser.run(STOPPED) or browser.run(PROMPTS)[-1].strip("[]: ").isdigit())

    def _begun(self, browser: Browser) -> bool:
        """Chooses from the menu, and looks whether anything comes of it: a page that is still busy misses a click."""
        browser.click(".lm-MenuBar-itemLabel", "Run")
        browser.click(".lm-Menu-itemLabel", "Run All Cells")
        try:
            return until(
                lambda: browser.run(STOPPED) or browser.run(f"{PROMPTS}.some(e => /[0-9*]/.test(e))"), seconds=5
            )
        except AssertionError:
            return False


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed, so no notebook can be opened")
    work, home = tmp_path_factory.mktemp("work"), tmp_path_factory.mktemp("home")
    for id_ in ASSIGNMENTS:
        reference = reference_of(id_)
        (work / f"{id_}.ipynb").write_text(notebook_text(release_notebook(reference)), encoding="utf-8")
        (work / f"{id_}_solved.ipynb").write_text(notebook_text(solution_notebook(reference)), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        name: str(home)
        for name in ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    }
    with (home / "log").open("w") as log:
        server = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "jupyterlab",
                "--no-browser",
                "--allow-root",
                "--ip=127.0.0.1",
                f"--port={port}",
                "--ServerApp.port_retries=0",
                f"--IdentityProvider.token={TOKEN}",
                f"--ServerApp.root_dir={work}",
            ],
            cwd=work,
            stdout=log,
            stderr=log,
            env={**os.environ, **settings},
        )
    there = Lab(f"http://127.0.0.1:{port}")

    def answers() -> bool:
        assert server.poll() is None, (home / "log").read_text()
        try:
            return urllib.request.urlopen(f"{there.address}/api/status?token={TOKEN}", timeout=5).status == 200
        except OSError:
            return False

    try:
        until(answers)
        yield there
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE)


@pytest.fixture
def window(lab: Lab, tmp_path: Path) -> Iterator[Browser]:
    """A browser of its own: JupyterLab asks before it leaves a notebook that has run."""
    assert CHROMIUM is not None
    opened = Browser(CHROMIUM, "about:blank", tmp_path / "profile")
    yield opened
    opened.close()


def test_with_the_reference_filled_in_a_notebook_runs_to_its_end(lab, window, reference):
    lab.run_all(window, f"{reference.assignment.id}_solved.ipynb")
    assert window.run(STOPPED) == []
    lines = {f"{exercise.name}: the visible check passes." for exercise in reference.assignment.exercises}
    until(lambda: lines <= set(window.run(PRINTED).splitlines()))  # what is out of sight comes a little later
    if reference.assignment.file == "numpy_self_attention":
        assert "'cat' borrows most from" in window.run(PRINTED)
        until(lambda: window.run(PICTURES) == 2 or window.run(PRINTED).count("matplotlib is not installed") == 2)


def test_an_unsolved_notebook_stops_with_one_sentence_that_says_what_is_next(lab, window, reference):
    first = reference.assignment.exercises[0].name
    lab.run_all(window, f"{reference.assignment.id}.ipynb")
    assert window.run(STOPPED) == [
        f"STOP: exercise {first}: not implemented yet. Next: write it in its cell above, run that cell, then this one."
    ]
