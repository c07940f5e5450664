"""A release folder holds both a .py and a .ipynb; the one that was worked on counts."""

import json

import pytest

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.shipped import shipped

from .conftest import SOURCE, found

FIRST = ASSIGNMENTS["01_numpy_self_attention"]
NAME = "numpy_self_attention"


@pytest.fixture
def released():
    place = shipped("assignments") / FIRST.id
    return {suffix: (place / f"{NAME}{suffix}").read_bytes() for suffix in (".py", ".ipynb")}


@pytest.fixture
def hand_in(folder):
    def hand_in(files):
        root = folder({f"student-01/{name}": content for name, content in files.items()})
        return found(root, FIRST)["student-01", FIRST.id]

    return hand_in


def worked_on(notebook: bytes) -> bytes:
    """The notebook with a new answer, run, and saved by another Jupyter."""
    data = json.loads(notebook)
    answer = next(c for c in data["cells"] if c["metadata"].get("nbgrader", {}).get("solution"))
    answer["source"] = SOURCE
    return json.dumps(data).encode()


def only_run(notebook: bytes) -> bytes:
    """The notebook with outputs, counts, metadata and an empty cell, and not an answer in it."""
    data = json.loads(notebook)
    for count, cell in enumerate(data["cells"]):
        if cell["cell_type"] == "code":
            cell.update(execution_count=count, outputs=[{"output_type": "stream", "name": "stdout", "text": "1"}])
        cell["metadata"]["collapsed"] = True
    data["cells"].append({"cell_type": "code", "metadata": {}, "source": "", "outputs": [], "execution_count": None})
    data["metadata"]["kernelspec"] = {"language": "python", "name": "other", "display_name": "Other"}
    return json.dumps(data, indent=3).encode()


def names(submission):
    return [file.name for file in submission.files]


def test_the_file_that_was_worked_on_counts(hand_in, released):
    assert names(hand_in({f"{NAME}.py": SOURCE, f"{NAME}.ipynb": released[".ipynb"]})) == [f"{NAME}.py"]
    answered = {f"{NAME}.py": released[".py"], f"{NAME}.ipynb": worked_on(released[".ipynb"])}
    assert names(hand_in(answered)) == [f"{NAME}.ipynb"]


def test_line_ends_outputs_and_metadata_are_no_work(hand_in, released):
    crlf = released[".py"].replace(b"\n", b"\r\n") + b"\r\n"
    assert names(hand_in({f"{NAME}.py": SOURCE, f"{NAME}.ipynb": only_run(released[".ipynb"])})) == [f"{NAME}.py"]
    answered = {f"{NAME}.py": crlf, f"{NAME}.ipynb": worked_on(released[".ipynb"])}
    assert names(hand_in(answered)) == [f"{NAME}.ipynb"]


def test_nbgraders_own_words_for_a_stub_are_no_work(hand_in, released):
    notebook = json.loads(released[".ipynb"])
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution") and cell["cell_type"] == "code":
            text = "".join(cell["source"]).partition("raise NotImplementedError")[0]
            cell["source"] = f"{text}# YOUR CODE HERE\n    raise NotImplementedError()"
    assert names(hand_in({f"{NAME}.py": SOURCE, f"{NAME}.ipynb": json.dumps(notebook)})) == [f"{NAME}.py"]


def test_if_both_were_worked_on_both_count_and_it_is_told(hand_in, released):
    submission = hand_in({f"{NAME}.py": SOURCE, f"{NAME}.ipynb": worked_on(released[".ipynb"])})
    assert names(submission) == [f"{NAME}.py", f"{NAME}.ipynb"]
    assert submission.notes == ("Both the .py and the .ipynb were worked on, so both count.",)


def test_if_neither_was_worked_on_the_untouched_stub_counts(hand_in, released):
    submission = hand_in({f"{NAME}{suffix}": content for suffix, content in released.items()})
    assert (names(submission), submission.problem) == ([f"{NAME}.py"], None)


def test_a_copy_that_was_worked_on_counts_over_an_untouched_original(hand_in, released):
    copy = f"{NAME}-Copy1.ipynb"
    answered = {copy: worked_on(released[".ipynb"]), f"{NAME}.ipynb": released[".ipynb"]}
    assert names(hand_in(answered)) == [copy]


def test_an_unreadable_file_is_work_beside_an_untouched_one(hand_in, released):
    submission = hand_in({f"{NAME}.py": SOURCE.encode("utf-16"), f"{NAME}.ipynb": released[".ipynb"]})
    assert names(submission) == [f"{NAME}.py"]
    assert "UTF-16" in submission.problem


def test_a_readable_file_counts_over_an_unreadable_one_and_it_is_told(hand_in, released):
    submission = hand_in({f"{NAME}.py": SOURCE.encode("utf-16"), f"{NAME}.ipynb": worked_on(released[".ipynb"])})
    assert (names(submission), submission.problem) == ([f"{NAME}.ipynb"], None)
    assert "UTF-16" in submission.notes[0]


def test_the_releases_own_folder_is_an_untouched_submission(folder):
    root = folder(
        {f"student-01/{path.name}": path.read_bytes() for path in (shipped("assignments") / FIRST.id).iterdir()}
    )
    assert names(found(root)["student-01", FIRST.id]) == [f"{NAME}.py"]
