"""The kit works as a wheel, outside a clone."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from autograder.commands.sample_class import Sample, hand_in

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the wheel's files, as an installer lays them."""
    wheels = tmp_path_factory.mktemp("wheels")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    (wheel,) = wheels.glob("self_attention_kit-*.whl")
    site = tmp_path_factory.mktemp("site")
    zipfile.ZipFile(wheel).extractall(site)
    return site


@pytest.fixture
def attnkit(installed, tmp_path):
    """Runs the installed command in an empty folder."""

    def run(*arguments):
        environment = {**os.environ, "PYTHONPATH": str(installed)}
        command = [sys.executable, "-m", "autograder", *map(str, arguments)]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)

    return run


def test_the_wheel_is_what_runs(installed, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    command = [sys.executable, "-c", "import autograder; print(autograder.__file__)"]
    found = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.startswith(str(installed))


@pytest.fixture
def among_packages(installed, tmp_path):
    """The wheel's files beside NumPy's and msgpack's, as in anyone's site-packages."""
    site = tmp_path / "lib" / "site-packages"
    shutil.copytree(installed, site)
    packages = Path(np.__file__).parents[1]
    same_disk = packages.stat().st_dev == site.stat().st_dev
    for entry in packages.iterdir():
        if entry.name.startswith(("numpy", "msgpack")):
            shutil.copytree(entry, site / entry.name, copy_function=os.link if same_disk else shutil.copy2)
    return site


EXAMINED = """
import sys
import autograder, numpy
from autograder.boundary.outside.doctor import examine
examination = examine(frozenset(sys.argv[2:]))
print("\\n".join(examination.lines()))
assert autograder.__file__.startswith(sys.argv[1]) and numpy.__file__.startswith(sys.argv[1])
crossed = [crossing.attempt for crossing in examination.crossings if crossing.crossed]
sys.exit(0 if examination.ok and "list the kit's folder" not in crossed else 1)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a wall can be raised on Linux alone")
@pytest.mark.parametrize("without", [(), ("bwrap",), ("landlock",)], ids=["all layers", "no bwrap", "no Landlock"])
def test_student_code_cannot_read_it_among_the_packages_that_it_may_read(among_packages, tmp_path, without):
    environment = {**os.environ, "PYTHONPATH": str(among_packages)}
    command = [sys.executable, "-c", EXAMINED, str(among_packages), *without]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_right_submission_earns_full_marks(attnkit, tmp_path):
    hand_in(tmp_path / "in", (Sample("student-01", "right", numpy={}),))
    done = attnkit("grade", "in", "--out", "out", "--seed", "s", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "out/results/student-01/01_numpy_self_attention.json").read_text())
    assert result["score"] == 100


def test_it_releases_what_students_receive(attnkit, tmp_path):
    done = attnkit("release", "--out", "release")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "release/01_numpy_self_attention/numpy_self_attention.py").is_file()


def test_its_hidden_tests_are_not_in_the_release(attnkit, tmp_path):
    attnkit("release", "--out", "release")
    text = "".join(p.read_text(encoding="utf-8") for p in (tmp_path / "release").rglob("*") if p.is_file())
    assert "HIDDEN" not in text
    assert "autograder.suite" not in text


def test_the_command_line_says_how_it_is_used(attnkit):
    assert attnkit("--help").returncode == 0
    assert attnkit("no-such-command").returncode == 2
