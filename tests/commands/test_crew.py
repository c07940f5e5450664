"""Graders side by side: each has the wall of the one that they work for, or leaves the work to it."""

import os

import pytest

from autograder.boundary.outside.wall import WallError
from autograder.commands.crew import Crew
from autograder.commands.sample_class import IMPORTS, NUMPY_PARTS
from autograder.grading.grade import Course

from ..submitted import submitted

NUMPY = "01_numpy_self_attention"
SOURCE = IMPORTS + "".join(NUMPY_PARTS.values())


def test_no_worker_grades_behind_a_weaker_wall(tmp_path, monkeypatch):
    refusing = tmp_path / "bwrap"
    refusing.write_text("#!/bin/sh\necho 'bwrap: no namespace is left' >&2\nexit 1\n")
    refusing.chmod(0o755)
    try:
        with Crew(2, Course("a course"), frozenset()) as crew:
            if "bwrap" not in crew.walls:
                pytest.skip("bubblewrap does not run here")
            monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")  # for workers, which start now
            results = [result for _, result in crew.grade(submitted(NUMPY, SOURCE, f"student-0{n}") for n in (1, 2, 3))]
    except WallError as error:
        pytest.skip(f"no wall here: {error}")
    assert [(result.score, result.walls) for result in results] == [(100, crew.walls)] * 3
