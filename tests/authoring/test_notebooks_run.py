"""The notebooks, run from the top in a real kernel, as a student runs them."""

import builtins
import contextlib
import io

import nbclient
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.authoring.notebook import release_notebook, solution_notebook
from autograder.authoring.reference import Role, read_reference
from autograder.authoring.templates.run_check import Stop, run_check
from autograder.catalogue.assignments import ASSIGNMENTS

from ..waiting import PATIENCE


@pytest.fixture(scope="module")
def kernel():
    """One kernel for all notebooks, so that torch is imported once; `run` empties it first."""
    client = nbclient.NotebookClient(new_notebook(), timeout=PATIENCE, startup_timeout=PATIENCE)
    with client.setup_kernel():
        yield client


def run(kernel, notebook):
    """Run all cells: the texts printed, the kinds of the other outputs, and the error that stopped it."""
    notebook.cells.insert(0, new_code_cell("%reset -f"))
    kernel.nb = notebook
    kernel.reset_execution_trackers()
    with contextlib.suppress(nbclient.exceptions.CellExecutionError):
        for index, cell in enumerate(notebook.cells):
            kernel.execute_cell(cell, index)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    printed = [output.text for output in outputs if output.output_type == "stream" and output.name == "stdout"]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    errors = ["\n".join(output.traceback) for output in outputs if output.output_type == "error"]
    return "".join(printed), kinds, errors


def test_with_the_reference_filled_in_all_cells_run_and_all_checks_pass(kernel, reference):
    printed, kinds, errors = run(kernel, solution_notebook(reference))
    assert errors == []
    assert "everything is there" in printed
    for exercise in reference.assignment.exercises:
        assert f"{exercise.name}: the visible check passes." in printed
    if reference.assignment.file == "numpy_self_attention":
        assert "'cat' borrows most from" in printed
        assert "image/png" in kinds or "matplotlib is not installed" in printed
    if reference.assignment.file == "attention_properties":
        assert "plain self-attention   equivariant: True" in printed
        assert "with positions         equivariant: False" in printed


def test_unsolved_it_stops_at_the_first_exercise_and_says_what_is_next(kernel, reference):
    first = reference.assignment.exercises[0].name
    printed, _, errors = run(kernel, release_notebook(reference))
    assert "everything is there" in printed
    assert errors == [
        f"STOP: exercise {first}: not implemented yet. Next: write it in its cell above, run that cell, then this one."
    ]


def test_a_check_cell_shows_a_wrong_answers_own_message():
    def check(answer):
        assert answer() == 2, "one and one make 2"

    with pytest.raises(AssertionError, match="one and one make 2"):
        run_check(check, lambda: 3)
    with pytest.raises(Stop, match="exercise add: not implemented yet"):
        run_check(check, lambda: (_ for _ in ()).throw(NotImplementedError("exercise add: not implemented yet")))


@pytest.mark.parametrize(
    "A", [np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([[np.nan, 2.0], [-1.0, 0.5]])], ids=["right", "wrong"]
)
def test_without_matplotlib_the_attention_matrix_is_drawn_in_characters(monkeypatch, root, A):
    real = builtins.__import__

    def without_matplotlib(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest)

    numpy_reference = read_reference(root / "reference_solutions", ASSIGNMENTS["01_numpy_self_attention"])
    source = next(cell.source for cell in numpy_reference.of(Role.CODE) if "def show_attention" in cell.source)
    namespace = {"np": np}
    exec(source, namespace)
    monkeypatch.setattr(builtins, "__import__", without_matplotlib)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        namespace["show_attention"](A, ["the", "cat"])
    lines = printed.getvalue().splitlines()
    assert lines[1].split() == ["the", "cat"]
    assert len(lines) == 6
    if A[0, 1] == 0.75:
        assert "0.25" in lines[2] and "0.75" in lines[2]
        assert lines[4] == "'the' borrows most from 'cat' (75%); its row sums to 1.0000"
