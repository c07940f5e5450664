"""Nothing is run that lies where the command is given, which may be in a student's folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.commands.sample_class import IMPORTS, NUMPY_PARTS

ROOT = Path(__file__).resolve().parents[2]
SOURCE = IMPORTS + "".join(NUMPY_PARTS.values())
# Modules that the kit, or the Python that it starts, imports; and those that are imported wherever they lie.
SHADOWS = ("numpy", "msgpack", "jinja2", "yaml", "argparse", "multiprocessing", "pickle", "socket", "signal", "struct",
           "threading", "sitecustomize", "usercustomize", "conftest")  # fmt: skip
SCRIPT = "import sys\nfrom autograder.__main__ import main\nsys.exit(main())\n"  # as pip writes attnkit


@pytest.fixture
def hostile_folder(tmp_path):
    """A working folder in which each of these modules would make the file `touched`, and a class of three."""
    folder = tmp_path / "here"
    for number in (1, 2, 3):
        student = folder / "class" / f"student-0{number}"
        student.mkdir(parents=True)
        (student / "numpy_self_attention.py").write_text(SOURCE, encoding="utf-8")
    for name in SHADOWS:
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'touched')!r}, 'w').close()\n", encoding="utf-8")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "attnkit.py").write_text(SCRIPT, encoding="utf-8")
    return folder


def grade(folder, *started, jobs):
    """`attnkit grade`, started so in this folder; what it said."""
    command = [sys.executable, *started, "grade", "class", "--out", "../out", "--jobs", str(jobs)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(
        command, cwd=folder, env={**environment, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("started", [["../bin/attnkit.py"], ["-m", "autograder"]], ids=["attnkit", "python -m"])
def test_a_module_in_the_working_folder_is_not_imported(hostile_folder, tmp_path, started, jobs):
    assert "3 graded" in grade(hostile_folder, *started, jobs=jobs)
    assert not (tmp_path / "touched").exists()


def test_python_itself_would_import_it(hostile_folder, tmp_path):
    """Else these tests could not fail."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONSAFEPATH", "PYTHONPATH")}
    subprocess.run([sys.executable, "-c", "import multiprocessing"], cwd=hostile_folder, env=environment, timeout=60)
    assert (tmp_path / "touched").exists()
