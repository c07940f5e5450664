"""No trick earns a mark for wrong answers, and each would where the file runs beside the answers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.boundary.outside.exchange import Limits
from autograder.boundary.outside.wall import raise_wall
from autograder.commands.sample_class import IMPORTS, NUMPY_PARTS, TORCH_PARTS
from autograder.grading.grade import Course, grade

from ..submitted import submitted
from .marks import CHEATS

ROOT = Path(__file__).resolve().parents[2]
LIMITS = Limits(load_seconds=1.0, call_seconds=0.5, memory_bytes=512 << 20)
HONEST = {
    "01_numpy_self_attention": IMPORTS + "".join(NUMPY_PARTS.values()),
    "02_torch_self_attention": "".join(TORCH_PARTS.values()),
}


@pytest.fixture(scope="module")
def wall():
    with raise_wall(limits=LIMITS) as wall:
        yield wall


def graded(wall, assignment, source, secret="a course"):
    return grade(submitted(assignment, source), wall, Course(secret))


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.name)
def test_a_trick_earns_nothing(cheat, wall):
    result = graded(wall, cheat.assignment, cheat.source)
    assert result.score == 0, [(e.exercise, e.score, e.outcome) for e in result.exercises if e.score]


@pytest.mark.parametrize("assignment", HONEST)
def test_right_work_after_all_these_tricks_earns_everything(assignment, wall):
    assert graded(wall, assignment, HONEST[assignment]).score == 100


@pytest.fixture(scope="module")
def naive():
    """What the grader without a wall was fooled by."""
    names = "\n".join(cheat.name for cheat in CHEATS)
    run = subprocess.run(
        [sys.executable, "-m", "tests.attacks.naive"],
        input=names,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    return dict(json.loads(line) for line in run.stdout.splitlines())


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.name)
def test_without_a_wall_it_would_earn_marks(cheat, naive):
    assert naive[cheat.name], "shows nothing, for it earns nothing anywhere"
