"""What of a notebook is the student's, and what is said of one that cannot be read."""

import json

import pytest
from nbformat.v4 import new_code_cell
from nbgrader.utils import compute_checksum

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.intake import collect
from autograder.intake import notebook as notebooks
from autograder.intake.entries import MIB, UnreadableError
from autograder.intake.notebook import read_notebook

from .conftest import SOURCE, found, notebook

FIRST = ASSIGNMENTS["01_numpy_self_attention"]


def written(cells, **fields) -> bytes:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells, **fields}).encode()


def code(source, **nbgrader):
    metadata = {"nbgrader": {"schema_version": 3, **nbgrader}} if nbgrader else {}
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": [], "execution_count": 1}


def sources(data: bytes) -> list[str]:
    return [cell.source for cell in read_notebook("a.ipynb", data).cells]


def test_code_cells_come_in_order_and_are_named_by_their_place_among_all_cells():
    cells = [{"cell_type": "markdown", "metadata": {}, "source": "# Query"}, code(["x = 1\n", "y = 2"]), code("z")]
    read = read_notebook("a.ipynb", written(cells))
    assert [(cell.name, cell.source) for cell in read.cells] == [("cell 2", "x = 1\ny = 2"), ("cell 3", "z")]


def test_check_cells_are_the_graders_and_given_helper_and_answer_cells_are_kept():
    cells = [
        code("import numpy as np", grade=False, solution=False, locked=True, grade_id="imports"),
        code(
            "def helper(): ...",
        ),
        code("def project_query(): ...", grade=False, solution=True, locked=False, grade_id="project_query"),
        code("assert project_query()", grade=True, solution=False, locked=True, points=8, grade_id="checks"),
        code("essay = 1", grade=True, solution=True, locked=False, points=2, grade_id="written"),
    ]
    read = read_notebook("a.ipynb", written(cells))
    assert [cell.grade_id for cell in read.cells] == ["imports", None, "project_query", "written"]


def test_a_cell_that_was_copied_with_its_id_is_kept_too():
    answer = code("x = 1", grade=False, solution=True, locked=False, grade_id="answer")
    assert sources(written([answer, answer])) == ["x = 1", "x = 1"]


def released_answer(name: str, stub: str) -> dict:
    """An answer's cell as nbgrader releases it: with the checksum of what stands in it."""
    settings = {"grade": False, "solution": True, "locked": False, "grade_id": name, "cell_type": "code"}
    cell = new_code_cell(stub, metadata={"nbgrader": {"schema_version": 3, **settings}})
    cell.metadata.nbgrader["checksum"] = compute_checksum(cell)
    return cell


def test_a_copied_stub_does_not_take_the_place_of_the_answer_above_it():
    stub = released_answer("scale_scores", "def scale_scores(S, d_k):\n    raise NotImplementedError()")
    answer = {**stub, "source": "def scale_scores(S, d_k):\n    return S / d_k**0.5"}
    assert sources(written([answer, stub])) == [answer["source"]]
    assert sources(written([stub, stub])) == [stub["source"], stub["source"]]


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_an_answer_counts_as_code_whatever_its_cell_was_turned_into(kind):
    answer = released_answer("scale_scores", "def scale_scores(S, d_k): ...")
    assert sources(written([{**answer, "cell_type": kind}])) == [answer["source"]]


def test_a_written_answer_in_a_code_cell_is_no_code():
    essay = code("Because.", grade=True, solution=True, locked=False, grade_id="reflection", cell_type="markdown")
    assert sources(written([essay])) == []


def test_an_answer_whose_cell_was_made_a_test_cell_is_still_an_answer():
    answer = code("def scale_scores(S, d_k): ...", grade=True, solution=False, locked=True, grade_id="scale_scores")
    assert sources(written([answer])) == [answer["source"]]


def test_notebooks_of_nbformat_3_are_read():
    cells = [{"cell_type": "heading", "source": "Query"}, {"cell_type": "code", "input": ["x = 1\n", "y"]}]
    data = json.dumps({"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]}).encode()
    assert sources(data) == ["x = 1\ny"]


def test_magics_go_cell_by_cell_and_other_programs_cells_are_told():
    read = read_notebook("a.ipynb", notebook("%matplotlib inline\nx = 1", "%%bash\nls", "%%time\ny = 2", "  z = 3"))
    assert [cell.source for cell in read.cells] == ["pass\nx = 1", "pass\ny = 2", "z = 3"]
    assert read.notes == ("a.ipynb: cell 2 is no Python but for another program, so it was left out.",)


@pytest.mark.parametrize(
    "cell",
    [
        None,
        3,
        [],
        {},
        {"cell_type": 3},
        {"cell_type": "code", "source": 3},
        {"cell_type": "code", "source": ["x", 3]},
        {"cell_type": "code"},
        {"cell_type": "code", "source": "x = '\0'"},
    ],
)
def test_a_cell_that_breaks_the_schema_is_left_out_and_told(cell):
    read = read_notebook("a.ipynb", written([cell, code("x = 1")]))
    assert [c.source for c in read.cells] == ["x = 1"]
    assert len(read.notes) == 1
    assert "cell 1" in read.notes[0]


@pytest.mark.parametrize("metadata", [None, [], {"nbgrader": 3}, {"nbgrader": {"grade_id": 3, "grade": "yes"}}])
def test_metadata_that_breaks_the_schema_costs_no_cell(metadata):
    cell = {"cell_type": "code", "source": "x = 1", "metadata": metadata}
    assert read_notebook("a.ipynb", written([cell])).cells[0].grade_id is None


def test_half_a_character_is_replaced_so_that_the_source_can_be_sent():
    (source,) = sources(b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "s = \'\\ud800\'"}]}')
    assert source == "s = '?'"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "its JSON is wrong at line 1, column 1"),
        (b"def f(): ...", "its JSON is wrong at line 1, column 1"),
        (b'{"nbformat": 4,\n "cells": [', "its JSON is wrong at line 2, column 12"),
        (b"[]", "its JSON is no object"),
        (b"{}", "has no nbformat, and 3 and 4 can be read"),
        (b'{"nbformat": 2, "worksheets": []}', "has nbformat 2"),
        (b'{"nbformat": 5, "cells": []}', "has nbformat 5"),
        (b'{"nbformat": true, "cells": []}', "has nbformat True"),
        (b'{"nbformat": "4\\n", "cells": []}', r"has nbformat '4\n', and"),
        (b'{"nbformat": 4}', "has no list of cells"),
        (b'{"nbformat": 3, "worksheets": {}}', "has no list of cells"),
        (b'{"nbformat": 4, "cells": {}}', "has no list of cells"),
        (b"[" * 200_000, "is not a notebook"),
        (b'{"nbformat": ' + b"9" * 5000 + b"}", "is not a notebook"),
        (b'{"nbformat": 4, "cells": ["\xe9"]}', "is not UTF-8 at byte 27"),
        (json.dumps({"nbformat": 4, "cells": []}).encode("utf-16"), "is not UTF-8 at byte 0"),
        (written([], metadata={"language_info": {"name": "R"}}), "is a notebook in R"),
        (written([], metadata={"kernelspec": {"language": "julia"}}), "is a notebook in julia"),
        (notebook("#" * (MIB + 1)), "holds more than 1 MiB of code"),
    ],
)
def test_a_file_that_is_no_notebook_is_told_in_one_line(data, reason):
    with pytest.raises(UnreadableError) as caught:
        read_notebook("a.ipynb", data)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("a.ipynb ")


def test_a_byte_order_mark_is_accepted():
    assert sources(b"\xef\xbb\xbf" + notebook("x = 1")) == ["x = 1"]


def test_a_python_notebook_may_name_its_language():
    assert sources(notebook("x", language_info={"name": "python"}, kernelspec={"language": "python"})) == ["x"]


def test_large_outputs_cost_nothing_below_the_cap(folder):
    cell = {**code(SOURCE), "outputs": [{"output_type": "stream", "name": "stdout", "text": "y" * (20 * MIB)}]}
    root = folder({"student-01/numpy_self_attention.ipynb": written([cell])})
    assert found(root)["student-01", FIRST.id].files[0].cells[0].source == SOURCE


def test_a_notebook_of_60_megabytes_is_refused_unread(folder, monkeypatch):
    root = folder({"student-01/numpy_self_attention.ipynb": b"", "student-02/numpy_self_attention.py": SOURCE})
    with open(root / "student-01/numpy_self_attention.ipynb", "wb") as file:
        file.truncate(60_000_000)
    monkeypatch.setattr(notebooks, "_parsed", None)  # nothing is parsed
    first, second = collect([root])
    assert first.problem == ("numpy_self_attention.ipynb is larger than 32 MiB, so it was not read; clear its outputs.")
    assert second.problem is None


def test_nested_data_that_would_fill_the_memory_is_refused_unparsed(monkeypatch):
    monkeypatch.setattr(notebooks.json, "loads", None)
    with pytest.raises(UnreadableError, match="holds more data than a notebook does"):
        read_notebook("a.ipynb", b'{"nbformat": 4, "cells": [' + b"[]," * notebooks.MAX_CONTAINERS)
