"""The starter repository for GitHub Classroom."""

import pytest
import yaml

from autograder.authoring.release import released_names
from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.commands import main

ASSIGNMENT = "02_torch_self_attention"


@pytest.fixture
def starter(tmp_path):
    assert main(["export", "github-classroom", "--assignment", ASSIGNMENT, "--out", str(tmp_path / "starter")]) == 0
    return tmp_path / "starter"


def test_it_holds_the_release_of_one_assignment(starter):
    assert (starter / "torch_self_attention.py").is_file()
    assert (starter / "test_visible_torch_self_attention.py").is_file()


def test_its_workflow_runs_the_visible_checks_and_may_only_read(starter):
    workflow = yaml.safe_load((starter / ".github/workflows/classroom.yml").read_text())
    steps = workflow["jobs"]["visible-checks"]["steps"]
    assert steps[-1]["run"].endswith("test_visible_torch_self_attention.py")
    assert workflow["permissions"] == {"contents": "read"}


def test_it_says_what_it_cannot_hide(starter):
    assert "can be read there" in (starter / ".github/INSTRUCTORS.md").read_text()


def test_nothing_hidden_is_in_it(starter):
    text = "".join(path.read_text(encoding="utf-8") for path in starter.rglob("*") if path.is_file())
    assert "BEGIN SOLUTION" not in text
    assert "autograder.suite" not in text


@pytest.mark.parametrize("held", ["a folder", "a file"])
def test_somebodys_work_is_left_alone(held, starter, capsys):
    out = starter if held == "a folder" else starter / "README.md"
    before = {path: path.read_bytes() for path in starter.rglob("*") if path.is_file()}
    assert main(["export", "github-classroom", "--assignment", ASSIGNMENT, "--out", str(out)]) == 2
    assert "is in use" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in starter.rglob("*") if path.is_file()} == before


def test_it_holds_what_students_receive_and_nothing_that_lies_beside_it(starter):
    own = {path.name for path in starter.iterdir() if path.name not in (".github", "requirements.txt")}
    assert own == set(released_names(ASSIGNMENTS[ASSIGNMENT]))
