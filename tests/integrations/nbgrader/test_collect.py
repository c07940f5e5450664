"""Collecting from the exchange: what students handed in themselves, whatever else they put there."""

from __future__ import annotations

import os
import subprocess

import nbformat
import pytest

from .conftest import ANSWERS, NUMPY, Course, write_answers

NOTEBOOK = "numpy_self_attention.ipynb"


@pytest.fixture(scope="module")
def inbound(course: Course):
    """The exchange's folder for submissions, with an honest one; a stranger's is put beside it by each test."""
    exchange = course.folder.parent / "exchange"
    exchange.mkdir()
    with (course.folder / "nbgrader_config.py").open("a") as file:
        file.write(f"\nc.Exchange.root = {str(exchange)!r}\nc.ExchangeCollect.check_owner = False\n")
    assert course.run("release_assignment", NUMPY)[0] == 0
    return exchange / "attention" / "inbound"


@pytest.fixture
def hand_in(course, inbound):
    """`hand_in(student)` is the folder that a student's `submit` would make, to be filled."""

    def folder_of(student):
        folder = inbound / f"{student}+{NUMPY}+2026-03-02 12:00:00.000000 UTC+aaaa"
        folder.mkdir()
        (folder / "timestamp.txt").write_text("2026-03-02 12:00:00.000000 UTC")
        return folder

    yield folder_of
    for folder in (*inbound.iterdir(), course.folder / "submitted"):
        subprocess.run(["rm", "-rf", folder], check=True)  # which goes deeper than shutil.rmtree


def write_right(course, path):
    notebook = course.released(NUMPY)
    write_answers(notebook, ANSWERS[NUMPY])
    nbformat.write(notebook, path)


def collected(course, student):
    folder = course.folder / "submitted" / student / NUMPY
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def collect(course):
    status, log = course.run("collect", NUMPY)
    assert status == 0, log
    return log


def test_a_submission_arrives_whole(course, hand_in):
    folder = hand_in("student-01")
    write_right(course, folder / NOTEBOOK)
    (folder / "below").mkdir()
    (folder / "below" / "notes.txt").write_text("mine")
    collect(course)
    assert collected(course, "student-01") == {NOTEBOOK, "timestamp.txt", "below/notes.txt"}


def test_a_newer_submission_takes_the_place_of_the_older(course, hand_in, inbound):
    (hand_in("student-01") / NOTEBOOK).write_text("{}")
    collect(course)
    newer = inbound / f"student-01+{NUMPY}+2026-03-02 13:00:00.000000 UTC+bbbb"
    newer.mkdir()
    (newer / "second.txt").write_text("later")
    assert course.run("collect", NUMPY, "--update")[0] == 0
    assert collected(course, "student-01") == {"second.txt"}


@pytest.mark.parametrize("target", ["the solutions", "another's work", "the secret"])
def test_a_link_is_not_followed(course, hand_in, target):
    """Read as the instructor, it would hand in what it leads to: for full marks, and in the feedback to read."""
    other = hand_in("student-01")
    write_right(course, other / NOTEBOOK)
    leads_to = {
        "the solutions": course.folder / "source" / NUMPY / NOTEBOOK,
        "another's work": other / NOTEBOOK,
        "the secret": course.folder / "course_secret",
    }
    (hand_in("student-02") / NOTEBOOK).symlink_to(leads_to[target])
    log = collect(course)
    assert collected(course, "student-02") == {"timestamp.txt"}
    assert f"{NOTEBOOK} is no readable file of its own" in log


def test_a_link_to_a_folder_is_not_followed(course, hand_in, inbound):
    (hand_in("student-01") / "below").symlink_to(course.folder / "source")
    (inbound / f"student-02+{NUMPY}+2026-03-02 12:00:00.000000 UTC+aaaa").symlink_to(course.folder / "source" / NUMPY)
    log = collect(course)
    assert collected(course, "student-01") == {"timestamp.txt"}
    assert "below is no readable file of its own" in log
    assert collected(course, "student-02") == set()
    assert "was not collected" in log


def test_what_cannot_be_copied_holds_up_nobody_else(course, hand_in):
    os.mkfifo(hand_in("student-01") / NOTEBOOK)
    with (hand_in("student-02") / "huge.bin").open("wb") as huge:
        huge.truncate(1 << 40)
    (hand_in("student-03") / NOTEBOOK).symlink_to("nowhere")
    write_right(course, hand_in("student-04") / NOTEBOOK)
    log = collect(course)
    assert collected(course, "student-01") == collected(course, "student-03") == {"timestamp.txt"}
    assert collected(course, "student-02") == set()
    assert "larger than the course allows" in log
    assert collected(course, "student-04") == {NOTEBOOK, "timestamp.txt"}


def test_folders_without_end_hold_up_nobody_else(course, hand_in):
    deep = hand_in("student-01")
    back = os.open(".", os.O_RDONLY)
    try:
        os.chdir(deep)
        for _ in range(1500):  # more than a path can name
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.fchdir(back)
        os.close(back)
    write_right(course, hand_in("student-02") / NOTEBOOK)
    log = collect(course)
    assert "was not collected" in log
    assert collected(course, "student-02") == {NOTEBOOK, "timestamp.txt"}
