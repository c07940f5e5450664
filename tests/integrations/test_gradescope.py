"""The zip for Gradescope, and what runs in its container, in a folder laid out as its container is."""

import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile

import pytest

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.commands import main
from autograder.commands.sample_class import NUMPY_PARTS
from autograder.integrations.gradescope import run_in_container

ASSIGNMENT = "01_numpy_self_attention"
RIGHT = "import numpy as np\n" + "\n\n".join(NUMPY_PARTS.values())
WRONG = RIGHT.replace("axis=1", "axis=0")
RESULT_KEYS = {
    "score",
    "execution_time",
    "output",
    "output_format",
    "visibility",
    "stdout_visibility",
    "tests",
    "extra_data",
}
TEST_KEYS = {"name", "score", "max_score", "status", "output", "output_format", "visibility"}


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    path = tmp_path_factory.mktemp("zip") / "autograder.zip"
    assert main(["export", "gradescope", "--assignment", ASSIGNMENT, "--out", str(path), "--seed", "s"]) == 0
    return path


@pytest.fixture
def container(archive, tmp_path):
    """/autograder as Gradescope fills it: source from the zip, submission, metadata, and an empty results folder."""

    def laid_out(source=RIGHT, name="numpy_self_attention.py"):
        home = tmp_path / "autograder"
        (home / "submission").mkdir(parents=True)
        (home / "results").mkdir()
        with zipfile.ZipFile(archive) as zipped:
            zipped.extractall(home / "source")
        if source is not None:
            (home / "submission" / name).write_text(source, encoding="utf-8")
        (home / "submission_metadata.json").write_text(json.dumps({"id": 7, "users": [{"id": 42, "email": "a@b.c"}]}))
        return home

    return laid_out


def results(home):
    return json.loads((home / "results" / "results.json").read_text(encoding="utf-8"))


def test_the_zip_has_the_two_scripts_that_gradescope_runs(archive):
    with zipfile.ZipFile(archive) as zipped:
        assert {"setup.sh", "run_autograder"} <= set(zipped.namelist())
        for name in ("setup.sh", "run_autograder"):
            assert stat.S_IMODE(zipped.getinfo(name).external_attr >> 16) == 0o700


def test_every_other_file_is_closed_to_all_but_its_owner(archive):
    with zipfile.ZipFile(archive) as zipped:
        modes = {stat.S_IMODE(entry.external_attr >> 16) for entry in zipped.infolist()}
    assert modes == {0o700, 0o600}


def test_the_same_kit_and_secret_make_the_same_zip(archive, tmp_path):
    again = tmp_path / "again.zip"
    main(["export", "gradescope", "--assignment", ASSIGNMENT, "--out", str(again), "--seed", "s"])
    assert again.read_bytes() == archive.read_bytes()


def test_a_right_submission_earns_full_marks_in_the_documented_form(container):
    home = container()
    run_in_container(home)
    found = results(home)
    assert found["score"] == 100
    assert set(found) <= RESULT_KEYS
    assert all(set(test) <= TEST_KEYS for test in found["tests"])
    assert [test["name"] for test in found["tests"]] == [e.name for e in ASSIGNMENTS[ASSIGNMENT].exercises]
    assert found["stdout_visibility"] == "hidden"


def test_a_misconception_is_told_and_points_add_up(container):
    home = container(WRONG)
    run_in_container(home)
    found = results(home)
    assert found["score"] == pytest.approx(sum(test["score"] for test in found["tests"]))
    (softmax,) = [test for test in found["tests"] if test["name"] == "softmax_rows"]
    assert "column" in softmax["output"]


def test_students_read_what_their_feedback_page_says(container):
    stub = "def softmax_rows(scores):\n    raise NotImplementedError\n"
    home = container(WRONG.replace("def scale_scores", "def scale_score") + "\n" + stub)
    run_in_container(home)
    said = {test["name"]: test["output"].splitlines() for test in results(home)["tests"]}
    assert said["project_query"][0] == "Right."
    assert said["softmax_rows"][:2] == ["Not implemented yet.", "This exercise is not implemented yet."]
    assert said["scale_scores"][0] == "Not found." and "Is it spelled as in the task sheet" in said["scale_scores"][1]


@pytest.mark.parametrize("source, name", [(None, ""), ("def f(:\n", "numpy_self_attention.py"), ("x", "essay.txt")])
def test_what_cannot_be_graded_gets_no_marks_and_a_reason(container, source, name):
    home = container(source, name)
    run_in_container(home)
    assert results(home)["score"] == 0
    assert results(home)["output"].startswith("Not graded: ")


def test_a_fault_of_the_grader_gives_no_marks_and_never_no_result(container, capfd):
    """Its reason may be a hidden test's: it is the instructor's to read, who sees what is printed."""
    home = container()
    (home / "submission_metadata.json").write_text("[]")
    run_in_container(home)
    assert results(home)["score"] == 0
    assert "AttributeError" in capfd.readouterr().err and "Error" not in results(home)["output"]


def test_all_that_is_uploaded_is_one_students(container):
    """Folders are no other students, and no platform's download is looked for among them."""
    home = container()
    uploaded = home / "submission"
    for name in ("a/essay.py", "submission_metadata.yml", "student-02_7_8_numpy_self_attention.txt"):
        (uploaded / name).parent.mkdir(exist_ok=True)
        (uploaded / name).write_text("submission_1:\n  :submitters: x\n")
    (uploaded / "src").mkdir()
    (uploaded / "numpy_self_attention.py").rename(uploaded / "src" / "numpy_self_attention.py")
    run_in_container(home)
    assert results(home)["score"] == 100


STEALS = """
import os, pathlib
def softmax_rows(scores):
    home = pathlib.Path({home!r})
    took = [(home / "source" / "course.json").read_text(), os.listdir(home / "source")]
    for name in ("results.json", ".results.json.part"):
        (home / "results" / name).write_text('{{"score": 100}}')
    raise ValueError(took)
"""


def test_a_submission_reaches_neither_the_secret_nor_the_results(container):
    home = container("")
    (home / "results" / "results.json").write_text('{"score": 100}')
    (home / "submission" / "numpy_self_attention.py").write_text(RIGHT + STEALS.format(home=str(home)))
    (home / "submission" / "numpy_self_attention.ipynb").symlink_to(home / "source" / "course.json")
    run_in_container(home)
    (found,) = (test for test in results(home)["tests"] if test["name"] == "softmax_rows")
    assert found["score"] == 0 and "secret" not in json.dumps(results(home))
    assert [path.name for path in (home / "results").iterdir()] == ["results.json"]


def test_the_zip_runs_on_its_own_with_nothing_of_the_clone(container):
    home = container()
    code = "import sys, pathlib, autograder.integrations.gradescope as g; g.run_in_container(pathlib.Path(sys.argv[1]))"
    environment = {**os.environ, "PYTHONPATH": str(home / "source" / "kit")}
    done = subprocess.run(
        [sys.executable, "-c", code, str(home)], cwd=home, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert results(home)["score"] == 100


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can lay out /autograder in a mount namespace of its own")
@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not installed")
def test_run_autograder_itself_grades_as_root_in_a_container_without_namespaces(container, tmp_path):
    home = container(WRONG)
    for folder in (path for path in tmp_path.parents if tmp_path.owner() == path.owner() and "pytest" in path.name):
        folder.chmod(0o755)
    tmp_path.chmod(0o755)
    script = f"""
        set -e
        mount --bind /dev/null "$(command -v bwrap || echo /dev/null)"
        mount -t tmpfs none /opt && mkdir -p /opt/attnkit/bin
        printf '#!/bin/sh\\nexec {sys.executable} "$@"\\n' > /opt/attnkit/bin/python
        chmod 0755 /opt /opt/attnkit /opt/attnkit/bin /opt/attnkit/bin/python
        mount -t tmpfs none /mnt && mkdir /mnt/autograder && mount --bind {home} /mnt/autograder
        find {home}/source -type d -exec chmod 0700 {{}} +
        chmod 0700 {home}/source/run_autograder
        sed -i s,/autograder/,/mnt/autograder/, {home}/source/run_autograder
        sed -i 's,run(),run(__import__("pathlib").Path("/mnt/autograder")),' {home}/source/run_autograder
        exec {home}/source/run_autograder
    """
    done = subprocess.run(["unshare", "--mount", "sh", "-c", script], capture_output=True, text=True, timeout=300)
    if "Operation not permitted" in done.stderr or "permission denied" in done.stderr:
        pytest.skip(f"this machine lets nobody make a mount namespace: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr
    found = results(home)
    assert "bwrap" not in found["extra_data"]["walls"]
    assert {"landlock", "uid"} & set(found["extra_data"]["walls"])
    assert 0 < found["score"] < 100
