"""The starter repository for GitHub Classroom."""

import pytest
import yaml

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


def test_a_folder_with_something_in_it_is_left_alone(starter, capsys):
    assert main(["export", "github-classroom", "--assignment", ASSIGNMENT, "--out", str(starter)]) == 2
    assert "is not empty" in capsys.readouterr().err
