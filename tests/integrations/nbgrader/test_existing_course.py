"""A course that nbgrader's own quickstart made takes one assignment of the kit, as the guide says."""

from __future__ import annotations

import shutil

import pytest

from .conftest import ROOT, TORCH, Course, cell_of

LINES = """
from autograder.integrations.nbgrader import AUTOGRADE, COLLECT
c.Autograde.update(AUTOGRADE)
c.ExchangeFactory.collect = COLLECT
"""


@pytest.fixture(scope="module")
def existing(tmp_path_factory, made_course):
    """quickstart's course with its own ps1 and the kit's 02, a submission of each, both graded."""
    base = tmp_path_factory.mktemp("existing")
    made = Course(base).command("quickstart", "course101")
    assert made.returncode == 0, made.stderr
    course = Course(base / "course101")
    with (course.folder / "nbgrader_config.py").open("a") as file:
        file.write(LINES)
    shutil.copytree(made_course.folder / "source" / TORCH, course.folder / "source" / TORCH)
    for assignment in ("ps1", TORCH):
        made = course.command("generate_assignment", assignment)
        assert made.returncode == 0, made.stderr
    theirs = course.folder / "submitted" / "hacker" / "ps1"
    shutil.copytree(course.folder / "source" / "ps1", theirs)  # its own solution
    course.submit(
        "bitdiddle", {"parameter_count": "def parameter_count(d_model, d_k=None):\n    return 0\n"}, assignment=TORCH
    )
    for assignment in ("ps1", TORCH):
        status, log = course.run("autograde", assignment)
        assert status == 0, log
    return course


def test_the_kits_assignment_is_marked_by_the_kit(existing):
    assert existing.marks("bitdiddle", TORCH) == {
        "scaled_dot_product_attention": 35.0,
        "SelfAttention": 50.0,
        "parameter_count": 0.0,
    }
    output = cell_of(existing.autograded("bitdiddle", TORCH), "parameter_count-check").outputs[0]
    assert 'class="attnkit' in output.data["text/html"]


def test_the_courses_own_assignment_goes_nbgraders_own_way(existing):
    with existing.gradebook() as gradebook:
        submission = gradebook.find_submission("ps1", "hacker")
        scores = {grade.name: grade.auto_score for notebook in submission.notebooks for grade in notebook.grades}
    assert scores["correct_squares"] == 1.0
    assert scores["squares_invalid_input"] == 1.0


def test_collecting_follows_no_link_there_either(existing):
    exchange = existing.folder.parent / "exchange"
    handed_in = exchange / "course101" / "inbound" / "hacker+ps1+2026-03-02 12:00:00 UTC+aaaa"
    handed_in.mkdir(parents=True)
    (handed_in / "problem1.ipynb").symlink_to(existing.folder / "source" / "ps1" / "problem1.ipynb")
    shutil.rmtree(existing.folder / "submitted" / "hacker")
    status, log = existing.run("collect", "ps1", "--course", "course101", f"--Exchange.root={exchange}")
    assert status == 0 and "no readable file of its own" in log
    assert [path.name for path in (existing.folder / "submitted" / "hacker" / "ps1").iterdir()] == ["timestamp.txt"]


def test_the_guide_names_the_lines_that_were_added_and_they_are_at_most_three():
    lines = LINES.strip().splitlines()
    assert len(lines) <= 3
    guide = (ROOT / "instructor_guide" / "nbgrader.md").read_text()
    assert all(f"    {line}\n" in guide for line in lines)
