"""What the benchmarks measure is the same work on both sides; no test here looks at a clock."""

import subprocess
import sys
from pathlib import Path

import pytest

from autograder.catalogue.assignments import ASSIGNMENTS

GRADED = """
import sys
from benchmarks import floor, work
(submission,) = work.submissions(sys.argv[1], "right", 1)
inputs = floor.chosen_set(work.SECRET, submission)
floor.warm_up(["torch"] if "torch" in work.sources(sys.argv[1], "right")[0] else [])
print(floor.grade_here(submission, floor.rehearsal_of(submission.assignment, inputs)))
"""


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_the_floor_gives_a_right_submission_every_point(assignment):
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", GRADED, assignment], capture_output=True, text=True, cwd=root)
    assert done.stdout.split() == [f"{len(ASSIGNMENTS[assignment].exercises)}.0"], done.stderr
