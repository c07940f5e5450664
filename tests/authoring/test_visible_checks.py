"""What students run: pytest alone, in an assignment's folder or above it, with nothing of the kit."""

import os
import shutil
import subprocess
import sys

import pytest

from autograder.authoring.release import release
from autograder.catalogue.assignments import ASSIGNMENTS

NUMPY, TORCH = ASSIGNMENTS["01_numpy_self_attention"], ASSIGNMENTS["02_torch_self_attention"]


def run_pytest(folder, *arguments, **variables):
    """Run pytest as a student does: no plugin and no configuration of ours, no path to the kit."""
    ours = ("PYTHONPATH", "PYTEST")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} | variables
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", "-q", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout


def pointers(said):
    """How often pytest's output says what is next; its summary repeats whole messages where a `CI` is set."""
    return said.partition("short test summary info")[0].count("Next: ")


@pytest.fixture
def released(tmp_path):
    release(tmp_path / "release")
    return tmp_path / "release"


def answer(released, assignment, text):
    (released / assignment.id / f"{assignment.file}.py").write_text(text, encoding="utf-8")
    return released / assignment.id


def test_the_reference_solutions_pass_all_visible_checks_from_the_folder_above(released, root):
    for assignment in ASSIGNMENTS.values():
        shutil.copy(root / "reference_solutions" / f"{assignment.file}.py", released / assignment.id)
    status, said = run_pytest(released)
    assert status == 0, said
    assert f"{sum(len(a.exercises) + 1 for a in ASSIGNMENTS.values())} passed" in said


def test_an_untouched_release_fails_every_exercise_and_says_what_is_next(released):
    status, said = run_pytest(released)
    assert status == 1
    assert f"{sum(len(a.exercises) for a in ASSIGNMENTS.values())} failed, {len(ASSIGNMENTS)} passed" in said
    for assignment in ASSIGNMENTS.values():
        for exercise in assignment.exercises:
            assert f"exercise {exercise.name}: not implemented yet" in said
        first = assignment.exercises[0].name
        assert f"exercise {first}: not implemented yet. Next: write it in {assignment.file}.py" in said
    assert pointers(said) == len(ASSIGNMENTS)
    assert "Traceback" not in said and "During handling" not in said


def test_half_done_work_is_told_what_is_next_in_its_own_folder(released, root):
    text = (root / "reference_solutions" / f"{NUMPY.file}.py").read_text(encoding="utf-8")
    stop = 'raise NotImplementedError("exercise scale_scores: not implemented yet")'
    folder = answer(released, NUMPY, text.replace("return S / np.sqrt(d_k)", stop))
    status, said = run_pytest(folder)
    assert status == 1
    assert "2 failed, 8 passed" in said  # scale_scores, and self_attention, which calls it
    assert "exercise scale_scores: not implemented yet. Next: write it in numpy_self_attention.py" in said
    assert pointers(said) == 1


def test_only_the_pytorch_assignments_wait_for_pytorch_to_start(released, reference):
    """It takes seconds; all else in a visible check takes none that a student would notice."""
    hook = "def pytest_sessionfinish():\n    import sys\n    open('told', 'w').write(str('torch' in sys.modules))\n"
    folder = released / reference.assignment.id
    (folder / "conftest.py").write_text(hook)
    run_pytest(folder)
    assert (folder / "told").read_text() == str("torch" in reference.packages)


def test_a_wrong_answer_is_told_in_one_sentence(released, root):
    text = (root / "reference_solutions" / f"{NUMPY.file}.py").read_text(encoding="utf-8")
    folder = answer(released, NUMPY, text.replace("sum(axis=-1,", "sum(axis=0,"))
    status, said = run_pytest(folder, "-k", "softmax")
    assert status == 1
    assert "softmax_rows: each row must sum to 1, and your rows sum to" in said
    assert "def check_softmax_rows" not in said


def test_an_error_in_the_students_code_is_shown_with_its_line(released, root):
    text = (root / "reference_solutions" / f"{NUMPY.file}.py").read_text(encoding="utf-8")
    folder = answer(released, NUMPY, text.replace("return Q @ K.T", "assert Q.shape == K.shape"))
    _, said = run_pytest(folder, "-k", "attention_scores")
    assert "assert Q.shape == K.shape" in said
    assert "in examine" not in said and "def check_" not in said


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "def matrix_dimensions(n, d_model, d_k, d_v):\n    return 3\n",
            "matrix_dimensions: the check can't read what you return (TypeError: ",
        ),
        (
            "def matrix_dimensions(n, d_model, d_k, d_v):\n    print(n)\n",
            "matrix_dimensions returns nothing (None); does it end with `return`?",
        ),
        ("def matrix_dimensions(:\n", "numpy_self_attention.py is not Python: line 1"),
        ("import numpy as np\n", "numpy_self_attention.py has no matrix_dimensions"),
    ],
)
def test_a_file_that_cannot_be_checked_is_told_why(released, text, sentence):
    _, said = run_pytest(answer(released, NUMPY, text), "-k", "matrix_dimensions")
    assert sentence in said


def test_a_missing_package_is_told_first_and_the_other_tests_are_skipped(released, tmp_path):
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "torch.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n")
    status, said = run_pytest(released / TORCH.id, PYTHONPATH=str(hidden))
    assert status == 1
    assert "torch is missing: in a notebook cell run `%pip install -U torch`" in said
    assert f"1 failed, {len(TORCH.exercises)} skipped" in said
