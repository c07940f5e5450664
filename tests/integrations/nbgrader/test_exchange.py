"""A course from its making to its export by the real commands, with two students, as root and as an ordinary user."""

from __future__ import annotations

import csv
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest

from .conftest import ANSWERS, EVEN_COLUMNS, NUMPY, Course, grade_id, hidden_lines, process_environment

STUDENTS = {"student-01": {}, "student-02": {"softmax_rows": EVEN_COLUMNS}}


@dataclass(frozen=True)
class Users:
    """One user's machine: a course, an exchange, and a folder for each student."""

    base: Path
    user: str

    @property
    def course(self) -> Course:
        return Course(self.base / "attention")

    def run(self, folder: Path, *command: str) -> str:
        """A command as this user, who must succeed; what it printed."""
        entry, change = pwd.getpwnam(self.user), []
        if os.geteuid() != entry.pw_uid:
            change = ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]
        done = subprocess.run(
            [*change, sys.executable, "-m", *command],
            cwd=folder, capture_output=True, text=True, timeout=600,
            env=process_environment(HOME=str(self.base), JUPYTER_CONFIG_DIR=str(self.base / "jupyter"),
                                    PYTHONDONTWRITEBYTECODE="1"),
        )  # fmt: skip
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


def users() -> list[str]:
    me = pwd.getpwuid(os.geteuid()).pw_name
    return ["root", "nobody"] if os.geteuid() == 0 else ["root", me]


@pytest.fixture(scope="module", params=users(), ids=["root", "ordinary user"])
def exchanged(request: pytest.FixtureRequest) -> Iterator[Users]:
    """Everything done once: what students handed in was graded, and they have their feedback."""
    if request.param == "root" and os.geteuid() != 0:
        pytest.skip("only root can grade as root")
    base = Path(tempfile.mkdtemp(prefix="nbgrader-exchange-"))  # pytest's own folders are closed to other users
    try:
        yield run_through(base, request.param)
    finally:
        shutil.rmtree(base)


def run_through(base: Path, user: str) -> Users:
    entry = pwd.getpwnam(user)
    for folder in (base, base / "exchange", *(base / student for student in STUDENTS)):
        folder.mkdir(exist_ok=True)
        os.chown(folder, entry.pw_uid, entry.pw_gid)
    (base / "exchange").chmod(0o777)
    on = Users(base, user)
    on.run(base, "autograder", "nbgrader", "init", "attention")
    on.instructor("generate_assignment", NUMPY, "--force")
    on.instructor("release_assignment", NUMPY)
    for student, answers in STUDENTS.items():
        on.student(student, "fetch_assignment", NUMPY)
        write_answers(base / student / NUMPY / "numpy_self_attention.ipynb", answers)
        on.student(student, "submit", NUMPY)
    on.instructor("collect", NUMPY, "--ExchangeCollect.check_owner=False")
    on.instructor("autograde", NUMPY)
    on.instructor("generate_feedback", NUMPY)
    on.instructor("release_feedback", NUMPY)
    for student in STUDENTS:
        on.student(student, "fetch_feedback", NUMPY)
    on.instructor("export")
    return on


def write_answers(path: Path, answers: dict[str, str]) -> None:
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if source := {**ANSWERS[NUMPY], **answers}.get(grade_id(cell)):
            cell.source = source
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
