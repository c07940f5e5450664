"""Marks through nbgrader's autograde: those of `attnkit grade`, whatever is tried on the pipeline."""

from __future__ import annotations

from copy import deepcopy

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from .conftest import EVEN_COLUMNS, NUMPY, cell_of

WRONG = {"softmax_rows": EVEN_COLUMNS}
ZEROS = {"softmax_rows": "def softmax_rows(scores):\n    return np.zeros_like(scores)\n"}
FULL = {
    "matrix_dimensions": 10.0, "project_query": 8.0, "project_key": 8.0, "project_value": 8.0, "attention_scores": 12.0,
    "scale_scores": 10.0, "softmax_rows": 16.0, "attention_output": 10.0, "self_attention": 18.0,
}  # fmt: skip


def at_the_top(source):
    return lambda notebook: notebook.cells.insert(0, new_code_cell(source))


# What earns full marks in the stock pipeline, with an answer that earns none.
CHEATS = {
    "numpy.testing patched": at_the_top(
        "import numpy.testing\nfor name in dir(numpy.testing):\n"
        "    if name.startswith('assert'): setattr(numpy.testing, name, lambda *a, **k: None)"),
    "allclose patched": at_the_top("import numpy\nnumpy.allclose = numpy.isclose = lambda *a, **k: True"),
    "AST transformer": at_the_top(
        "import ast\nclass NoAsserts(ast.NodeTransformer):\n    def visit_Assert(self, node): return ast.Pass()\n"
        "get_ipython().ast_transformers.append(NoAsserts())"),
    "input transformer": at_the_top("get_ipython().input_transformers_post.append(lambda lines: ['16.0\\n'])"),
    "displayhook": at_the_top("import sys\nsys.displayhook = lambda value: print(16.0)"),
    "always equal": at_the_top(
        "class Always(float):\n    def __eq__(self, other): return True\n    def __le__(self, other): return True\n"
        "    def __abs__(self): return self\n    def __sub__(self, other): return self"),
    "hidden tests from In": at_the_top("try:\n    print(In[-1], _ih)\nexcept Exception as error:\n    print(error)"),
    "number printed as a result": lambda notebook: notebook.cells.append(new_code_cell("16.0")),
    "output handed in": lambda notebook: cell_of(notebook, "softmax_rows-check").update(
        outputs=[{"output_type": "execute_result", "execution_count": 1, "metadata": {},
                  "data": {"text/plain": "16.0"}}]),
    "check rewritten": lambda notebook: cell_of(notebook, "softmax_rows-check").update(source="16.0"),
    "points raised": lambda notebook: cell_of(notebook, "softmax_rows-check").metadata.nbgrader.update(points=1000),
    "check made an answer": lambda notebook: cell_of(notebook, "softmax_rows-check").metadata.nbgrader.update(
        solution=True, locked=False),
    "check made text": lambda notebook: cell_of(notebook, "softmax_rows-check").update(
        cell_type="markdown", source="16.0"),
    "check's id renamed": lambda notebook: cell_of(notebook, "softmax_rows-check").metadata.nbgrader.update(
        grade_id="other-check"),
    "check tagged not to run": lambda notebook: cell_of(notebook, "softmax_rows-check").metadata.update(
        tags=["skip-execution"]),
    "notes of the kit's own": lambda notebook: notebook.metadata.update(attnkit_notes=["full marks"]),
    "gradebook opened": at_the_top(
        "import sqlite3\nfrom pathlib import Path\n"
        "for path in ['gradebook.db', '../../../gradebook.db', *map(str, Path('/').glob('*/*/*/*/gradebook.db'))]:\n"
        "    try:\n        with sqlite3.connect(path) as db:\n"
        "            db.execute('update grade set auto_score = 100, manual_score = 100')\n"
        "    except Exception as error:\n        print(error)"),
}  # fmt: skip


def copy(name):
    def edit(notebook):
        at = next(k for k, cell in enumerate(notebook.cells) if cell is cell_of(notebook, name))
        notebook.cells.insert(at, {**deepcopy(notebook.cells[at]), "id": "the-copy"})

    return edit


def delete(name):
    return lambda notebook: notebook.cells.remove(cell_of(notebook, name))


def rename(name, new):
    return lambda notebook: cell_of(notebook, name).metadata.nbgrader.update(grade_id=new)


def retype(name, kind):
    def edit(notebook):
        cell = cell_of(notebook, name)
        for field in ("outputs", "execution_count"):
            cell.pop(field, None)
        cell.cell_type = kind

    return edit


def move_to_the_end(name):
    def edit(notebook):
        cell = cell_of(notebook, name)
        notebook.cells.remove(cell)
        notebook.cells.append(cell)

    return edit


def helper(notebook):
    """A cell of the student's own that an answer calls."""
    cell_of(notebook, "scale_scores").source = "def scale_scores(S, d_k):\n    return S / root(d_k)"
    at = notebook.cells.index(cell_of(notebook, "scale_scores"))
    notebook.cells.insert(at, new_code_cell("def root(number):\n    return number ** 0.5"))


def imports_changed(notebook):
    first = next(cell for cell in notebook.cells if cell.source.startswith("import numpy"))
    first.source = "import numpy as np\nfrom math import sqrt"
    cell_of(notebook, "scale_scores").source = "def scale_scores(S, d_k):\n    return S / sqrt(d_k)"


# What happens to honest notebooks whose answers are all right.
ACCIDENTS = {
    "answer copied": copy("softmax_rows"),
    "check copied": copy("softmax_rows-check"),
    "check deleted": delete("softmax_rows-check"),
    "check renamed": rename("softmax_rows-check", "checked"),
    "answer renamed": rename("softmax_rows", "my_softmax"),
    "answer turned into text": retype("softmax_rows", "markdown"),
    "answer turned into raw text": retype("softmax_rows", "raw"),
    "check turned into text": retype("softmax_rows-check", "markdown"),
    "answer made a test cell": lambda notebook: cell_of(notebook, "softmax_rows").metadata.nbgrader.update(
        grade=True, solution=False, locked=True, points=3),
    "answer moved": move_to_the_end("softmax_rows"),
    "check moved": move_to_the_end("softmax_rows-check"),
    "helper added": helper,
    "imports changed": imports_changed,
    "warning on stderr": at_the_top("import sys, warnings\nwarnings.warn('old')\nprint('careful', file=sys.stderr)"),
    "no metadata": lambda notebook: [cell.metadata.pop("nbgrader", None) for cell in notebook.cells],
    "old metadata": lambda notebook: [cell.metadata.nbgrader.update(schema_version=1) for cell in notebook.cells
                                      if "nbgrader" in cell.metadata],
    "metadata of nonsense": lambda notebook: notebook.cells.append(
        new_markdown_cell("x", metadata={"nbgrader": {"grade_id": "x", "grade": True, "points": "many"}})),
    "half a mark": lambda notebook: notebook.cells.append(new_code_cell("# BEGIN HIDDEN TESTS")),
}  # fmt: skip

# Answers that end or hold up the process: what they cost is theirs alone.
LOOP = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ndef self_attention(*_):\n    while True: pass\n"
CRASHES = {
    "exits": "import os\ndef softmax_rows(scores):\n    os._exit(0)\n",
    "ends the kernel": "import os, signal\ndef softmax_rows(scores):\n    os.kill(os.getppid(), signal.SIGKILL)\n",
}


def student(what):
    return "".join(c if c.isalnum() else "-" for c in what)


@pytest.fixture(scope="module")
def graded(course):
    """All of these, graded by one command."""
    course.submit("right")
    course.submit("wrong", WRONG)
    course.submit("partly", {"softmax_rows": "def softmax_rows(scores):\n    powers = np.exp(scores)\n"
                             "    return powers / powers.sum(axis=1, keepdims=True)\n"})  # fmt: skip
    course.submit("untouched", dict.fromkeys(FULL, ""))
    for what, edit in CHEATS.items():
        course.submit(student(what), ZEROS, edit=edit)
    for what, edit in ACCIDENTS.items():
        course.submit(student(what), edit=edit)
    for what, source in CRASHES.items():
        course.submit(student(what), {"softmax_rows": source})
    course.submit("loop", {"self_attention": LOOP})
    path = course.submit("numpy-handed-in", ZEROS).with_name("numpy.py")
    path.write_text("class Always:\n    def __getattr__(self, name): return lambda *a, **k: True\ntesting = Always()\n")
    for name, data in {"no-notebook": b'{"cells": [', "other-bytes": b"\xff\xfe\x00", "no-cells": b"{}"}.items():
        course.submit(name).write_bytes(data)
    status, log = course.run("autograde", NUMPY)
    assert status == 0, log
    return course, log


@pytest.mark.parametrize("what", CHEATS)
def test_a_cheat_earns_what_its_answer_earns(graded, what):
    assert graded[0].marks(student(what)) == {**FULL, "softmax_rows": 0.0}


def test_a_numpy_of_the_students_own_earns_what_its_answer_earns(graded):
    assert graded[0].marks("numpy-handed-in") == {**FULL, "softmax_rows": 0.0}


@pytest.mark.parametrize("what", ACCIDENTS)
def test_an_accident_costs_no_marks(graded, what):
    assert graded[0].marks(student(what)) == FULL


@pytest.mark.parametrize("what", CRASHES)
def test_what_ends_its_process_costs_that_exercise_alone(graded, what):
    assert graded[0].marks(student(what)) == {**FULL, "softmax_rows": 0.0}


def test_a_loop_that_ignores_signals_costs_its_exercise_alone(graded):
    assert graded[0].marks("loop") == {**FULL, "self_attention": 0.0}


def test_a_wrong_answer_has_partial_credit_or_none(graded):
    course, _ = graded
    assert course.marks("wrong") == {**FULL, "softmax_rows": 0.0}
    assert course.marks("partly")["softmax_rows"] not in (0.0, 16.0)


def test_every_mark_is_that_of_attnkit_grade_to_the_last_digit(graded, tmp_path):
    course, _ = graded
    students = {path.name for path in (course.folder / "submitted").iterdir()}
    kits = course.kits_marks(students, tmp_path / "out")
    assert kits.keys() == students
    for name, expected in kits.items():
        assert course.marks(name) == {**dict.fromkeys(FULL, 0.0), **expected}, name


@pytest.mark.parametrize("name", ["no-notebook", "other-bytes", "no-cells", "untouched"])
def test_what_cannot_be_read_or_is_not_written_earns_nothing(graded, name):
    assert set(graded[0].marks(name).values()) == {0.0}


def test_the_page_of_an_unreadable_submission_says_why(graded):
    notebook = graded[0].autograded("no-notebook")
    assert "could not be read" in notebook.cells[0].outputs[0].data["text/html"]
    assert "JSON is wrong at line 1" in notebook.cells[0].outputs[0].data["text/html"]
    assert "Not graded" in cell_of(notebook, "softmax_rows-check").outputs[0].data["text/html"]


def test_a_grade_cells_output_is_its_points_and_beside_them_the_diagnosis(graded):
    data = cell_of(graded[0].autograded("wrong"), "softmax_rows-check").outputs[0].data
    assert data["text/plain"] == "0.0"
    assert "each column sums to 1" in data["text/html"]


def test_what_is_ambiguous_is_told(graded):
    course, log = graded
    assert "my_softmax, which the release does not have" in log
    about = course.autograded(student("answer turned into text")).cells[0].outputs[0].data["text/html"]
    assert "had become a markdown cell" in about


def test_flags_are_told_to_the_instructor_alone(graded):
    course, log = graded
    flagged = [line for line in log.splitlines() if line.startswith(student("ends the kernel"))]
    assert flagged
    assert "kill" not in str(course.autograded(student("ends the kernel")).cells[0].outputs)
