"""Marks through nbgrader's autograde: those of `attnkit grade`, whatever is tried on the pipeline."""

from __future__ import annotations

import shutil
from copy import deepcopy
from html.parser import HTMLParser

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.commands.sample_class import NUMPY_PARTS

from .conftest import EVEN_COLUMNS, NUMPY, cell_of, hidden_lines

NOTEBOOK = "numpy_self_attention.ipynb"

WRONG = {"softmax_rows": EVEN_COLUMNS}
ZEROS = {"softmax_rows": "def softmax_rows(scores):\n    return np.zeros_like(scores)\n"}
FULL = {
    "matrix_dimensions": 10.0,
    "project_query": 8.0,
    "project_key": 8.0,
    "project_value": 8.0,
    "attention_scores": 12.0,
    "scale_scores": 10.0,
    "softmax_rows": 16.0,
    "attention_output": 10.0,
    "self_attention": 18.0,
}


def at_the_top(source):
    return lambda notebook: notebook.cells.insert(0, new_code_cell(source))


def with_nbgrader(cell, **metadata):
    """A cell of the student's own that says it is one of nbgrader's."""
    plain = {"grade": True, "solution": False, "locked": False, "task": False, "schema_version": 3, "points": 16}
    cell.metadata["nbgrader"] = plain | metadata
    return lambda notebook: notebook.cells.append(cell)


# What earns full marks in the stock pipeline, with an answer that earns none.
CHEATS = {
    "numpy.testing patched": at_the_top(
        "import numpy.testing\nfor name in dir(numpy.testing):\n"
        "    if name.startswith('assert'): setattr(numpy.testing, name, lambda *a, **k: None)"
    ),
    "allclose patched": at_the_top("import numpy\nnumpy.allclose = numpy.isclose = lambda *a, **k: True"),
    "AST transformer": at_the_top(
        "import ast\nclass NoAsserts(ast.NodeTransformer):\n    def visit_Assert(self, node): return ast.Pass()\n"
        "get_ipython().ast_transformers.append(NoAsserts())"
    ),
    "input transformer": at_the_top("get_ipython().input_transformers_post.append(lambda lines: ['16.0\\n'])"),
    "displayhook": at_the_top("import sys\nsys.displayhook = lambda value: print(16.0)"),
    "always equal": at_the_top(
        "class Always(float):\n    def __eq__(self, other): return True\n    def __le__(self, other): return True\n"
        "    def __abs__(self): return self\n    def __sub__(self, other): return self"
    ),
    "hidden tests from In": at_the_top("try:\n    print(In[-1], _ih)\nexcept Exception as error:\n    print(error)"),
    "number printed as a result": lambda notebook: notebook.cells.append(new_code_cell("16.0")),
    "output handed in": lambda notebook: cell_of(notebook, "softmax_rows-check").update(
        outputs=[
            {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": "16.0"}}
        ]
    ),
    "check rewritten": lambda notebook: cell_of(notebook, "softmax_rows-check").update(source="16.0"),
    "points raised": lambda notebook: cell_of(notebook, "softmax_rows-check").metadata.nbgrader.update(points=1000),
    "check made an answer": lambda notebook: cell_of(notebook, "softmax_rows-check").metadata.nbgrader.update(
        solution=True, locked=False
    ),
    "check made text": lambda notebook: cell_of(notebook, "softmax_rows-check").update(
        cell_type="markdown", source="16.0"
    ),
    "check's id renamed": lambda notebook: cell_of(notebook, "softmax_rows-check").metadata.nbgrader.update(
        grade_id="other-check"
    ),
    "check tagged not to run": lambda notebook: cell_of(notebook, "softmax_rows-check").metadata.update(
        tags=["skip-execution"]
    ),
    "check copied with a number": with_nbgrader(new_code_cell("16.0"), grade_id="softmax_rows-check"),
    "check copied as an answer": with_nbgrader(
        new_code_cell("16.0"), grade_id="softmax_rows-check", solution=True, cell_type="code"
    ),
    "grade cell of one's own": with_nbgrader(new_code_cell("100.0"), grade_id="bonus", points=100),
    "grade cell without an error": with_nbgrader(new_code_cell("pass"), grade_id="project_query", points=16),
    "task of one's own": with_nbgrader(new_markdown_cell("done"), grade_id="task", grade=False, task=True),
    "reflection made code": lambda notebook: cell_of(notebook, "reflection-scale").update(
        cell_type="code", source="16.0", outputs=[], execution_count=1
    ),
    "check in the given text": lambda notebook: notebook.cells[0].metadata.update(
        nbgrader=cell_of(notebook, "softmax_rows-check").metadata.nbgrader
    ),
    "kernel of another name": lambda notebook: notebook.metadata.update(
        kernelspec={"name": "bash", "display_name": "Bash", "language": "python"}
    ),
    "no kernel": lambda notebook: notebook.metadata.clear(),
    "newest metadata": lambda notebook: [
        cell.metadata.nbgrader.update(schema_version=99) for cell in notebook.cells if "nbgrader" in cell.metadata
    ],
    "message of the kit's own": lambda notebook: notebook.cells.append(
        new_markdown_cell('<div class="attnkit"><p><strong>Right</strong>: 16 of 16 points</p></div>')
    ),
    "message of the kit's own as an output": lambda notebook: notebook.cells.append(
        new_code_cell(
            "1",
            outputs=[
                {
                    "output_type": "execute_result",
                    "execution_count": 1,
                    "metadata": {},
                    "data": {"text/plain": "16.0", "text/html": '<div class="attnkit">16 of 16 points</div>'},
                }
            ],
        )
    ),
    "notes of the kit's own that are none": lambda notebook: notebook.metadata.update(attnkit_notes={"full": 16}),
    "notes of the kit's own": lambda notebook: notebook.metadata.update(attnkit_notes=["full marks"]),
    "gradebook opened": at_the_top(
        "import sqlite3\nfrom pathlib import Path\n"
        "for path in ['gradebook.db', '../../../gradebook.db', *map(str, Path('/').glob('*/*/*/*/gradebook.db'))]:\n"
        "    try:\n        with sqlite3.connect(path) as db:\n"
        "            db.execute('update grade set auto_score = 100, manual_score = 100')\n"
        "    except Exception as error:\n        print(error)"
    ),
}


def nested(depth):
    """A dict in a dict, so deep."""
    inner = {}
    for _ in range(depth):
        inner = {"in": inner}
    return inner


def printed(size):
    return {"output_type": "stream", "name": "stdout", "text": "all is well\n" * (size // 12)}


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
        grade=True, solution=False, locked=True, points=3
    ),
    "answer moved": move_to_the_end("softmax_rows"),
    "check moved": move_to_the_end("softmax_rows-check"),
    "helper added": helper,
    "imports changed": imports_changed,
    "warning on stderr": at_the_top("import sys, warnings\nwarnings.warn('old')\nprint('careful', file=sys.stderr)"),
    "no metadata": lambda notebook: [cell.metadata.pop("nbgrader", None) for cell in notebook.cells],
    "old metadata": lambda notebook: [
        cell.metadata.nbgrader.update(schema_version=1) for cell in notebook.cells if "nbgrader" in cell.metadata
    ],
    "metadata of nonsense": lambda notebook: notebook.cells.append(
        new_markdown_cell("x", metadata={"nbgrader": {"grade_id": "x", "grade": True, "points": "many"}})
    ),
    "metadata that is no dict": lambda notebook: notebook.cells[0].update(metadata={"nbgrader": "x"}),
    "metadata of great depth": lambda notebook: notebook.metadata.update(deep=nested(150)),
    "metadata of greater depth": lambda notebook: notebook.metadata.update(deep=nested(400)),
    "outputs of 20 MB": lambda notebook: cell_of(notebook, "softmax_rows").update(outputs=[printed(20_000_000)]),
    "picture in a text": lambda notebook: cell_of(notebook, "reflection-scale").update(
        source="![plot.png](attachment:plot.png)", attachments={"plot.png": {"image/png": "iVBORw0KGgo="}}
    ),
    "picture that is not there": lambda notebook: cell_of(notebook, "reflection-scale").update(
        source="![plot.png](attachment:plot.png)"
    ),
    "cells without end": lambda notebook: notebook.cells.extend(
        {"cell_type": "markdown", "metadata": {}, "source": "x"} for _ in range(100_000)
    ),
    "half a mark": lambda notebook: notebook.cells.append(new_code_cell("# BEGIN HIDDEN TESTS")),
}

# What would run in the pages of who grades, and of who reads the feedback.
SCRIPT = "<script>document.title = 'taken over'</script><img src=x onerror=alert(1)>"
HOSTILE_ERROR = f"def softmax_rows(scores):\n    raise ValueError({SCRIPT!r})\n"


def hostile_words(notebook):
    notebook.cells.insert(0, new_markdown_cell(f"[a](javascript:alert(1))\n\n{SCRIPT}"))
    with_nbgrader(new_code_cell("1"), grade_id=SCRIPT)(notebook)
    with_nbgrader(new_code_cell("1"), grade_id=r"$\href{javascript:alert(1)}{x}$")(notebook)
    cell_of(notebook, "reflection-scale").source = f"[a](javascript:alert(1))\n\n{SCRIPT}"
    notebook.metadata.title = SCRIPT


# What sets the title of a terminal where it is printed.
ESCAPE = "\x1b]0;taken over\x07"
OPENS = f"open({'/etc/passwd' + ESCAPE!r})\ndef softmax_rows(scores):\n    return scores\n"

# Files beside the notebook that some program would run, were it started there.
TOUCHES = "open({mark!r}, 'w').close()\n"
SHADOWS = ("sitecustomize.py", "usercustomize.py", "nbgrader_config.py", "jupyter_config.py",
           "jupyter_nbconvert_config.py", "numpy.py", "torch.py", "nbgrader.py", "autograder/__init__.py", "own.pth",
           "conftest.py", "test_visible_numpy_self_attention.py")  # fmt: skip


def with_shadows(folder, mark):
    """Put these beside a notebook, and a notebook that is not the assignment's; each would make the file `mark`."""
    source = TOUCHES.format(mark=str(mark))
    for name in SHADOWS:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(source if not name.endswith(".pth") else f"import builtins; {source}")
    for name in ("extra.ipynb", "torch_self_attention.ipynb"):
        nbformat.write(new_notebook(cells=[new_code_cell(source)]), folder / name)


# Answers that end or hold up the process: what they cost is theirs alone.
LOOP = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ndef self_attention(*_):\n    while True: pass\n"
CRASHES = {
    "exits": "import os\ndef softmax_rows(scores):\n    os._exit(0)\n",
    "ends the kernel": "import os, signal\ndef softmax_rows(scores):\n    os.kill(os.getppid(), signal.SIGKILL)\n",
}


def sources(notebook):
    return [cell.source for cell in notebook.cells]


def file_of(course, name):
    return course.folder / "submitted" / name / NUMPY / NOTEBOOK


def about(course, name):
    """What is told of a submission as a whole."""
    return course.autograded(name).cells[0].outputs[0].data["text/html"]


def feedback_of(course, name):
    return (course.folder / "feedback" / name / NUMPY / "numpy_self_attention.html").read_text()


def student(what):
    return "".join(c if c.isalnum() else "-" for c in what)


@pytest.fixture(scope="module")
def graded(course):
    """All of these, graded by one command."""
    course.submit("right")
    course.submit("wrong", WRONG)
    course.submit(
        "partly",
        {
            "softmax_rows": "def softmax_rows(scores):\n    powers = np.exp(scores)\n"
            "    return powers / powers.sum(axis=1, keepdims=True)\n"
        },
    )
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
    course.submit("hostile-words", {"softmax_rows": HOSTILE_ERROR}, edit=hostile_words)
    file_of(course, "hostile-words").with_name(f"{SCRIPT.replace('/', '')}.ipynb").write_text("{}")
    escapes = with_nbgrader(new_code_cell("1"), grade_id=f"x{ESCAPE}y")
    course.submit("escapes", {"softmax_rows": OPENS}, edit=escapes)
    with_shadows(course.submit("shadows").parent, course.folder / "touched")
    course.submit("huge", edit=lambda notebook: notebook.cells[1].update(outputs=[printed(50_000_000)]))
    course.submit("renamed", WRONG).rename(file_of(course, "renamed").with_name(f"Copy of {NOTEBOOK}"))
    course.submit("renamed-wholly", WRONG).rename(file_of(course, "renamed-wholly").with_name("Homework.ipynb"))
    course.submit("two", WRONG).rename(file_of(course, "two").with_name("numpy_self_attention-Copy1.ipynb"))
    shutil.copy(course.folder / "release" / NUMPY / NOTEBOOK, file_of(course, "two"))
    course.submit("linked").unlink()
    file_of(course, "linked").symlink_to(file_of(course, "right"))
    shutil.copy(course.folder / "release" / NUMPY / NOTEBOOK, course.submit("script"))
    file_of(course, "script").with_suffix(".py").write_text(
        "import numpy as np\n" + "\n".join({**NUMPY_PARTS, **WRONG}.values())
    )
    status, log = course.run("autograde", NUMPY)
    assert status == 0, log
    status, feedback = course.run("generate_feedback", NUMPY)
    assert status == 0, feedback
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


@pytest.mark.parametrize("name", ["no-notebook", "other-bytes", "no-cells", "untouched", "huge", "linked"])
def test_what_cannot_be_read_or_is_not_written_earns_nothing(graded, name):
    assert set(graded[0].marks(name).values()) == {0.0}


def test_the_page_of_an_unreadable_submission_says_why(graded):
    course, _ = graded
    assert "could not be read" in about(course, "no-notebook")
    assert "JSON is wrong at line 1" in about(course, "no-notebook")
    assert "larger than 32 MiB, so it was not read; clear its outputs" in about(course, "huge")
    assert "symbolic link, which is not followed" in about(course, "linked")
    notebook = course.autograded("no-notebook")
    assert "Not graded" in cell_of(notebook, "softmax_rows-check").outputs[0].data["text/html"]


def test_nothing_is_shown_that_a_link_leads_to(graded):
    course, _ = graded
    answer = NUMPY_PARTS["project_query"]
    assert answer in sources(course.autograded("right"))
    assert answer not in sources(course.autograded("linked"))


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("renamed", "Copy of numpy_self_attention.ipynb"),
        ("renamed-wholly", "Homework.ipynb"),
        ("two", "numpy_self_attention-Copy1.ipynb"),
    ],
)
def test_a_renamed_notebook_is_marked_and_shown(graded, name, file):
    course, _ = graded
    assert course.marks(name) == {**FULL, "softmax_rows": 0.0}
    assert f"marked: {file}" in about(course, name)
    assert cell_of(course.autograded(name), "softmax_rows").source == EVEN_COLUMNS


def test_of_cells_without_end_some_are_shown_and_that_is_told(graded):
    cells = sources(graded[0].autograded(student("cells without end")))
    assert len(cells) < 2_100
    assert cells[-1].endswith("cells were handed in, and 2,000 are shown.")


def test_a_script_beside_an_untouched_notebook_is_marked(graded):
    course, _ = graded
    assert course.marks("script") == {**FULL, "softmax_rows": 0.0}
    assert "marked: numpy_self_attention.py" in about(course, "script")


def test_no_feedback_page_holds_a_hidden_test_or_runs_what_a_student_wrote(graded):
    course, _ = graded
    pages = {path.parts[-3]: path.read_text() for path in (course.folder / "feedback").glob(f"*/{NUMPY}/*.html")}
    assert pages.keys() == {path.name for path in (course.folder / "submitted").iterdir()}
    for name, page in pages.items():
        assert [line for line in hidden_lines() if line in page] == [], name
        assert Active(page).found == Active(pages["right"]).found, name
    assert "taken over" in pages["hostile-words"], "shown as text"


class Active(HTMLParser):
    """What a page would do by itself or at a click, but for its own places."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            inert = str(value).startswith(("#", "data:image/png;"))
            if name.startswith("on") or (name in {"href", "src"} and not inert):
                self.found.append((tag, name, value))
        if tag in {"script", "iframe", "object", "embed", "form", "svg"}:
            self.found.append(tag)


def test_a_grade_cells_output_is_its_points_and_beside_them_the_diagnosis(graded):
    data = cell_of(graded[0].autograded("wrong"), "softmax_rows-check").outputs[0].data
    assert data["text/plain"] == "0.0"
    assert "each column sums to 1" in data["text/html"]


def test_what_is_ambiguous_is_told(graded):
    course, log = graded
    assert "my_softmax, which the release does not have" in log
    assert "had become a markdown cell" in about(course, student("answer turned into text"))
    assert "my_softmax, which the release does not have" in feedback_of(course, student("answer renamed"))
    assert "had become a markdown cell" in feedback_of(course, student("answer turned into text"))


def test_what_students_wrote_does_nothing_to_the_instructors_terminal(graded):
    _, log = graded
    told = [line for line in log.splitlines() if line.startswith("escapes: ")]
    assert any("A cell has the id xy" in line for line in told) and any("/etc/passwd" in line for line in told)
    assert "\x1b" not in log and "\x07" not in log


def test_nothing_beside_the_notebook_is_run(graded):
    course, _ = graded
    assert course.marks("shadows") == FULL
    assert not (course.folder / "touched").exists()


def test_flags_are_told_to_the_instructor_alone(graded):
    course, log = graded
    flagged = [line for line in log.splitlines() if line.startswith(student("ends the kernel"))]
    assert flagged
    assert "kill" not in str(course.autograded(student("ends the kernel")).cells[0].outputs)
