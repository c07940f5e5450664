"""What the rebuilt notebook holds of a submission, and what is told."""

from __future__ import annotations

from copy import deepcopy

import nbformat
import pytest
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell

from autograder.catalogue.shipped import shipped
from autograder.integrations.nbgrader.rebuild import rebuild
from autograder.integrations.nbgrader.student_text import BREAK, harmless

from .conftest import NUMPY, cell_of, grade_id

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
ANSWER = "def scale_scores(S, d_k):\n    return S / d_k ** 0.5"


@pytest.fixture(scope="module")
def release():
    return nbformat.read(shipped("assignments") / NUMPY / "numpy_self_attention.ipynb", as_version=4)


@pytest.fixture
def submitted(release):
    notebook = deepcopy(release)
    cell_of(notebook, "scale_scores").source = ANSWER
    return notebook


def sources(notebook):
    return [cell.source for cell in notebook.cells]


def test_an_untouched_release_is_rebuilt_to_itself(release):
    rebuilt = rebuild(release, release)
    assert (rebuilt.notebook.cells, rebuilt.notes) == (release.cells, ())


def test_answers_stand_in_the_releases_cells(release, submitted):
    rebuilt = rebuild(release, submitted)
    assert sources(rebuilt.notebook) == sources(submitted)
    assert cell_of(rebuilt.notebook, "scale_scores").metadata == cell_of(release, "scale_scores").metadata
    assert rebuilt.notes == ()


def test_the_order_is_the_releases(release, submitted):
    submitted.cells.reverse()
    assert [grade_id(cell) for cell in rebuild(release, submitted).notebook.cells] == [
        grade_id(cell) for cell in release.cells
    ]


def test_a_students_own_cells_stay_below_the_cell_that_they_followed(release, submitted):
    at = submitted.cells.index(cell_of(submitted, "scale_scores"))
    submitted.cells.insert(at + 1, new_code_cell("half = 0.5", metadata={"tags": ["skip-execution"]}))
    submitted.cells.insert(0, new_markdown_cell("My notes"))
    cells = rebuild(release, submitted).notebook.cells
    assert cells[0].source == "My notes"
    own = next(cell for cell in cells if cell.source == "half = 0.5")
    assert (grade_id(cells[cells.index(own) - 1]), own.metadata) == ("scale_scores", {})


def test_given_code_that_was_changed_stands_in_its_place_once(release, submitted):
    imports = next(cell for cell in submitted.cells if cell.source.startswith("import numpy"))
    imports.source += "\nfrom math import sqrt"
    rebuilt = sources(rebuild(release, submitted).notebook)
    assert rebuilt.count(imports.source) == 1
    assert "import numpy as np" not in rebuilt


def test_what_is_written_into_given_text_stays_below_it(release, submitted):
    submitted.cells[0].source += "\nMy answer"
    rebuilt = sources(rebuild(release, submitted).notebook)
    assert rebuilt[:2] == [release.cells[0].source, harmless(submitted.cells[0].source)]


def test_of_copies_the_last_that_is_written_counts_and_the_others_are_shown_and_told(release, submitted):
    at = submitted.cells.index(cell_of(submitted, "scale_scores"))
    first, stub = deepcopy(submitted.cells[at]), deepcopy(cell_of(release, "scale_scores"))
    first.source = "def scale_scores(S, d_k):\n    return S"
    submitted.cells.insert(at, first)
    submitted.cells.append(stub)
    rebuilt = rebuild(release, submitted)
    assert cell_of(rebuilt.notebook, "scale_scores").source == ANSWER
    assert sources(rebuilt.notebook).count(first.source) == 1
    assert "2 different cells have the id scale_scores" in rebuilt.notes[0]


def test_equal_copies_are_not_ambiguous(release, submitted):
    submitted.cells.append(deepcopy(cell_of(submitted, "scale_scores")))
    rebuilt = rebuild(release, submitted)
    assert (len(rebuilt.notebook.cells), rebuilt.notes) == (len(release.cells), ())


def test_missing_answers_are_told_in_one_sentence(release, submitted):
    gone = [
        cell_of(submitted, "scale_scores"),
        cell_of(submitted, "softmax_rows"),
        cell_of(submitted, "reflection-scale"),
    ]
    submitted.cells = [cell for cell in submitted.cells if cell not in gone]
    rebuilt = rebuild(release, submitted)
    assert len(rebuilt.notes) == 1
    assert "scale_scores, reflection-scale, softmax_rows" in rebuilt.notes[0]
    assert cell_of(rebuilt.notebook, "reflection-scale").source == "YOUR ANSWER HERE", "nbgrader knows it as no answer"


def test_cell_ids_are_unique_and_the_notebook_is_valid(release, submitted):
    for cell in submitted.cells:
        cell.id = "same"
    submitted.cells.extend([new_raw_cell("x", id="cell-00"), new_code_cell("y", id="cell-00")])
    rebuilt = rebuild(release, submitted).notebook
    nbformat.validate(rebuilt)
    assert len({cell.id for cell in rebuilt.cells}) == len(rebuilt.cells)


@pytest.mark.parametrize("text", ["<script>grade()</script>", '<img src=x onerror="grade()">', "a <!-- b", "</div>"])
def test_a_students_text_brings_no_html_of_its_own(release, submitted, text):
    cell_of(submitted, "reflection-scale").source = text
    submitted.cells.append(new_markdown_cell(text))
    rebuilt = sources(rebuild(release, submitted).notebook)
    assert text not in rebuilt
    assert rebuilt.count(text.replace("<", f"<{BREAK}")) == 2


def test_pictures_that_were_pasted_into_a_text_stay_and_other_attachments_do_not(release, submitted):
    answer = cell_of(submitted, "reflection-scale")
    answer.source = "![a](attachment:plot.png) ![b](attachment:s.svg) ![c](attachment:gone.png)"
    answer.attachments = {
        "plot.png": {"image/png": PIXEL},
        "s.svg": {"image/svg+xml": "<svg onload='grade()'/>"},
        "odd.png": {"image/png": '"><script>grade()</script>'},
    }
    rebuilt = rebuild(release, submitted).notebook
    nbformat.validate(rebuilt)
    cell = cell_of(rebuilt, "reflection-scale")
    assert cell.attachments == {"plot.png": {"image/png": PIXEL}}
    page, _ = HTMLExporter(template_name="classic").from_notebook_node(rebuilt)
    assert page.count("<img") == 1
    assert f"data:image/png;base64,{PIXEL}" in page


@pytest.mark.parametrize("cells", [None, 3, [None, 3, [], {}], [{"cell_type": 3, "source": {}, "metadata": []}]])
def test_nonsense_is_rebuilt_to_the_release(release, cells):
    rebuilt = rebuild(release, nbformat.from_dict({"cells": cells, "metadata": {}}))
    assert [cell for cell in rebuilt.notebook.cells if grade_id(cell).endswith("-check")] == [
        cell for cell in release.cells if grade_id(cell).endswith("-check")
    ]
