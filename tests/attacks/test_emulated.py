"""The essential attacks on machines where layers are missing. `make attacks` runs the whole battery on each."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from .emulation import MACHINES, USERS, command, python_for_anyone, why_not

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = Path(pytest.__file__).resolve().parents[1]
MISSING = {
    "bwrap": ("not installed", "can't run here"),
    "landlock": ("Linux has it from 5.13 on",),
    "seccomp": ("libseccomp",),
    "uid": ("needs root",),
}


@pytest.fixture(scope="module", params=[(machine, user) for machine in MACHINES for user in USERS], ids=", ".join)
def probed(request):
    """A machine, a user there, and what the probe told."""
    if reason := why_not():
        pytest.skip(reason)
    python = python_for_anyone()
    if python is None:
        pytest.skip("no Python that an ordinary user may run")
    machine, user = request.param
    run = subprocess.run(
        command(machine, user, python, "-m", "tests.attacks.probe"),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        env={"HOME": "/nonexistent", "PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{PACKAGES}"},
    )
    assert run.returncode == 0, run.stderr
    return MACHINES[machine], user, json.loads(run.stdout)


def test_the_layers_that_can_stand_do(probed):
    machine, user, told = probed
    assert told["layers"] == machine.stands[user], told["troubles"]


def test_doctor_says_why_each_of_the_others_is_missing(probed):
    machine, user, told = probed
    missing = set(MISSING) - set(machine.stands[user].split())
    assert set(told["troubles"]) == missing
    for layer in missing:
        assert any(words in told["troubles"][layer] for words in MISSING[layer]), told["troubles"]


def test_what_student_code_tries_fails_or_nothing_is_graded(probed):
    machine, _, told = probed
    if not machine.hides_files:
        assert not told["ok"] and "--no-wall" in told["refused"] and "tricks" not in told
        return
    assert told["ok"] and set(told["crossed"]) <= set(machine.crossed)
    assert len(told["tricks"]) >= 5 and not any(told["tricks"].values()), told["tricks"]
    assert told["right work"] == 100
