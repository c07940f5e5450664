"""A course from its making to its export by the real commands, with two students, as root and as an ordinary user."""

from __future__ import annotations

import csv
import os
import pwd
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest

from .conftest import ANSWERS, EVEN_COLUMNS, NUMPY, ROOT, Course, hidden_lines, process_environment, write_answers

STUDENTS = {"student-01": {}, "student-02": {"softmax_rows": EVEN_COLUMNS}}


@dataclass(frozen=True)
class Python:
    """A Python with the kit and nbgrader in it."""

    program: str
    environment: dict[str, str]


@dataclass(frozen=True)
class Users:
    """One user's machine: a course, an exchange, and a folder for each student."""

    base: Path
    user: str
    python: Python

    @property
    def course(self) -> Course:
        return Course(self.base / "attention")

    def run(self, folder: Path, *command: str) -> str:
        """A command as this user, who must succeed; what it printed."""
        environment = process_environment(
            HOME=str(self.base), JUPYTER_CONFIG_DIR=str(self.base / "jupyter"), **self.python.environment
        )
        done = subprocess.run(
            [*as_user(self.user), self.python.program, "-m", *command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def instructor(self, *arguments: str) -> str:
        """An nbgrader command in the course's folder."""
        return self.run(self.course.folder, "nbgrader", *arguments, f"--Exchange.root={self.base / 'exchange'}")

    def student(self, student: str, *arguments: str) -> str:
        """An nbgrader command in the student's folder."""
        folder = self.base / student
        exchange = (f"--Exchange.root={self.base / 'exchange'}", f"--Exchange.cache={folder / 'cache'}")
        return self.run(folder, "nbgrader", *arguments, "--course", "attention", "--student", student, *exchange)


def users() -> Iterator[object]:
    """root, and an ordinary user: who runs the tests, or else nobody."""
    me = pwd.getpwuid(os.geteuid()).pw_name
    for name, user in (("root", "root"), ("ordinary user", "nobody" if me == "root" else me)):
        yield pytest.param(user, id=name)


def as_user(user: str) -> list[str]:
    """What stands before a command that another user runs; only root can do so."""
    entry = pwd.getpwnam(user)
    if os.geteuid() == entry.pw_uid:
        return []
    return ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]


def python_for(user: str, base: Path) -> Python:
    """This Python; for a user who can't enter its folder, the system's of the same version with the same packages."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    programs = base / "programs"
    programs.mkdir()
    alembic = programs / "alembic"  # nbgrader calls it by its name, and its script names this Python
    alembic.write_text(f'#!/bin/sh\nexec /usr/bin/{version} -m alembic.config "$@"\n')
    alembic.chmod(0o755)
    packages = os.pathsep.join((str(ROOT), sysconfig.get_path("purelib")))
    path = os.pathsep.join((str(programs), "/usr/bin", "/bin"))
    systems = {"PYTHONPATH": packages, "PATH": path, "JUPYTER_PATH": f"{sys.prefix}/share/jupyter"}
    for python in (Python(sys.executable, {}), Python(f"/usr/bin/{version}", systems)):
        # By way of a shell: what setpriv starts itself is still found with root's rights.
        imports = ["sh", "-c", '"$0" -c "import nbgrader, numpy, sys; print(sys.prefix)"', python.program]
        tried = subprocess.run(
            [*as_user(user), *imports],
            env=process_environment(**python.environment),
            cwd=base,
            capture_output=True,
            text=True,
        )
        if tried.returncode == 0 and tried.stdout.strip() in {sys.prefix, "/usr"}:
            return python
    pytest.skip(f"{user} can enter no folder with {version} and nbgrader")


@pytest.fixture(scope="module", params=users())
def exchanged(request: pytest.FixtureRequest) -> Iterator[Users]:
    """Everything done once: what students handed in was graded, and they have their feedback."""
    user = request.param
    if user == "root" and os.geteuid() != 0:
        pytest.skip("only root can grade as root")
    base = Path(tempfile.mkdtemp(prefix="nbgrader-exchange-"))  # pytest's own folders are closed to other users
    try:
        for folder in (base, base / "exchange", *(base / student for student in STUDENTS)):
            folder.mkdir(exist_ok=True)
            os.chown(folder, pwd.getpwnam(user).pw_uid, pwd.getpwnam(user).pw_gid)
        (base / "exchange").chmod(0o777)
        there = Users(base, user, python_for(user, base))
        run_through(there)
        yield there
    finally:
        shutil.rmtree(base)


def run_through(on: Users) -> None:
    """All of nbgrader's commands, in a course's order."""
    on.run(on.base, "autograder", "nbgrader", "init", "attention")
    on.instructor("generate_assignment", NUMPY, "--force")
    on.instructor("release_assignment", NUMPY)
    for student, answers in STUDENTS.items():
        on.student(student, "fetch_assignment", NUMPY)
        hand_in(on.base / student / NUMPY / "numpy_self_attention.ipynb", answers)
        on.student(student, "submit", NUMPY)
    on.instructor("collect", NUMPY, "--ExchangeCollect.check_owner=False")
    on.instructor("autograde", NUMPY)
    on.instructor("generate_feedback", NUMPY)
    on.instructor("release_feedback", NUMPY)
    for student in STUDENTS:
        on.student(student, "fetch_feedback", NUMPY)
    on.instructor("export")


def hand_in(path: Path, answers: dict[str, str]) -> None:
    notebook = nbformat.read(path, as_version=4)
    write_answers(notebook, {**ANSWERS[NUMPY], **answers})
    nbformat.write(notebook, path)


def test_marks_arrive_in_the_export(exchanged):
    with (exchanged.course.folder / "grades.csv").open(newline="") as file:
        scores = {(row["student_id"], row["assignment"]): float(row["score"]) for row in csv.DictReader(file)}
    assert [scores[student, NUMPY] for student in STUDENTS] == [100.0, 84.0]


def test_feedback_arrives_with_the_student_and_says_why(exchanged):
    (page,) = (exchanged.base / "student-02").glob(f"{NUMPY}/feedback/*/*.html")
    text = page.read_text()
    assert "each column sums to 1" in text
    assert "84 of 100 points" in text
    (page,) = (exchanged.base / "student-01").glob(f"{NUMPY}/feedback/*/*.html")
    assert "Partly right" not in page.read_text()


def test_no_hidden_test_is_in_anything_that_a_student_can_reach(exchanged):
    reachable = [path for student in STUDENTS for path in (exchanged.base / student).rglob("*")]
    reachable += (exchanged.base / "exchange").rglob("*")
    texts = {path: path.read_bytes().decode("utf-8", "replace") for path in reachable if path.is_file()}
    assert len(texts) > 20
    secret = (exchanged.course.folder / "course_secret").read_text().strip()
    for path, text in texts.items():
        assert secret not in text, path
        assert [line for line in hidden_lines() if line in text] == [], path


def test_no_hidden_test_is_in_the_course_or_its_gradebook(exchanged):
    for path in exchanged.course.folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes().decode("utf-8", "replace")
            assert [line for line in hidden_lines() if line in data] == [], path


def test_solutions_are_in_the_source_alone(exchanged):
    course = exchanged.course.folder
    for path in (course / "release").rglob("*"):
        if path.is_file():
            text = path.read_text()
            assert "SOLUTION" not in text, path
            assert "scores.max" not in text, path


def test_the_courses_folder_is_closed_to_students(exchanged):
    assert exchanged.course.folder.stat().st_mode & 0o077 == 0
