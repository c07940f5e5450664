"""PostgreSQL as the gradebook, with eight graders at once."""

from __future__ import annotations

import csv
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from ...waiting import PATIENCE
from .conftest import EVEN_COLUMNS, NUMPY, Course, process_environment

PROGRAMS = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)
GRADERS = 8


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """A server of the test's own on a free loopback port, run by an unprivileged user; the URL of an empty database."""
    if PROGRAMS is None:
        pytest.skip("PostgreSQL is not installed; Debian: apt install postgresql")
    base = Path(tempfile.mkdtemp(prefix="nbgrader-postgresql-"))
    as_user: list[str] = []
    if os.geteuid() == 0:  # which PostgreSQL refuses
        nobody = pwd.getpwnam("nobody")
        os.chown(base, nobody.pw_uid, nobody.pw_gid)
        as_user = ["setpriv", "--reuid=nobody", f"--regid={nobody.pw_gid}", "--clear-groups"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def run(program: str, *arguments: str) -> None:
        command = [*as_user, str(PROGRAMS / program), *arguments]
        done = subprocess.run(command, cwd=base, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stdout + done.stderr

    data = base / "data"
    run("initdb", "--pgdata", str(data), "--username=grader", "--auth=trust", "--no-sync", "--encoding=UTF8")
    options = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories={base} -c fsync=off"
    server = subprocess.Popen(
        [*as_user, str(PROGRAMS / "postgres"), "-D", str(data), *options.split()],
        cwd=base,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        at = ("--host=127.0.0.1", f"--port={port}")
        while subprocess.run([PROGRAMS / "pg_isready", *at], stdout=subprocess.DEVNULL).returncode != 0:
            assert server.poll() is None, f"PostgreSQL ended with status {server.returncode}"
            time.sleep(0.2)
        run("createdb", *at, "--username=grader", "gradebook")
        yield f"postgresql+psycopg://grader@127.0.0.1:{port}/gradebook"
    finally:
        server.send_signal(signal.SIGINT)  # a shutdown that waits for nobody
        server.wait(timeout=PATIENCE)
        shutil.rmtree(base)


def test_eight_graders_at_once_fill_one_gradebook(course: Course, database: str, tmp_path: Path) -> None:
    with (course.folder / "nbgrader_config.py").open("a") as file:
        file.write(f"\nc.CourseDirectory.db_url = {database!r}\n")
    made = course.command("generate_assignment", NUMPY, "--force")
    assert made.returncode == 0, made.stderr
    students = [f"student-{number:02}" for number in range(1, GRADERS + 1)]
    for number, student in enumerate(students):
        course.submit(student, {"softmax_rows": EVEN_COLUMNS} if number % 2 else None)
    grade_at_once(course, students)
    expected = course.kits_marks(students, tmp_path / "out")
    assert marks_in(database, students) == expected
    assert {sum(marks.values()) for marks in expected.values()} == {84.0, 100.0}

    with Gradebook(database) as gradebook:
        grade = gradebook.find_grade("softmax_rows-check", "numpy_self_attention", NUMPY, "student-02")
        grade.manual_score = 4.5
        gradebook.db.commit()
    done = course.command("autograde", NUMPY, "--student", "student-02", "--force")
    assert done.returncode == 0, done.stderr
    assert marks_in(database, students) == {**expected, "student-02": {**expected["student-02"], "softmax_rows": 4.5}}

    for command in (("generate_feedback", NUMPY), ("export",)):
        done = course.command(*command)
        assert done.returncode == 0, done.stderr
    assert len(list((course.folder / "feedback").glob(f"*/{NUMPY}/*.html"))) == GRADERS
    with (course.folder / "grades.csv").open(newline="") as file:
        scores = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file) if row["assignment"] == NUMPY}
    assert scores == {s: sum(expected[s].values()) + (4.5 if s == "student-02" else 0) for s in students}


def grade_at_once(course: Course, students: list[str]) -> None:
    """A grader for each student, all of them at the same time."""
    graders = [
        subprocess.Popen(
            [sys.executable, "-m", "nbgrader", "autograde", NUMPY, "--student", student],
            cwd=course.folder,
            env=process_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for student in students
    ]
    for grader in graders:
        told, _ = grader.communicate(timeout=PATIENCE)
        assert grader.returncode == 0, told


def marks_in(database: str, students: list[str]) -> dict[str, dict[str, float]]:
    with Gradebook(database) as gradebook:
        return {
            student: {
                grade.name.removesuffix("-check"): grade.score
                for notebook in gradebook.find_submission(NUMPY, student).notebooks
                for grade in notebook.grades
                if grade.name.endswith("-check")
            }
            for student in students
        }
