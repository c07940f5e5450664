"""Processes that are killed in the middle of a grading change no record. `make kills` kills a thousand."""

import time

import pytest

from autograder.commands.sample_class import NUMPY_PARTS, Sample, hand_in

from ..waiting import PATIENCE
from .kills import GENTLE, alive, compare, family, grading, kill

SLEEPER = NUMPY_PARTS["softmax_rows"] + "\nimport time\nwhile True: time.sleep(1)\n"


def test_a_few_random_kills_change_nothing():
    killed, _ = compare(5, tuple(sample for sample in GENTLE if sample.torch is None), seed=7)
    assert killed.total() >= 5


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_grader_leaves_no_process(tmp_path, jobs):
    names = [f"student-{number:02}" for number in range(1, 9)]
    hand_in(tmp_path / "in", tuple(Sample(name, "sleeps", numpy={"softmax_rows": SLEEPER}) for name in names))
    grader = grading(tmp_path / "in", tmp_path / "out", "--jobs", jobs)
    try:
        last = time.monotonic() + PATIENCE
        processes = family(grader.pid)
        while not any(process.kind == "student" for process in processes):
            assert grader.poll() is None and time.monotonic() < last, "no student's process was seen"
            processes = family(grader.pid)
    finally:
        grader.kill()
        grader.wait()
    last = time.monotonic() + PATIENCE
    while (left := [process for process in processes if alive(process)]) and time.monotonic() < last:
        time.sleep(0.02)
    for process in left:
        kill(process)
    assert not left
