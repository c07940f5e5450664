"""Collecting from the exchange: what students handed in themselves, whatever else they put there."""

from __future__ import annotations

import os
import pwd
import subprocess
from datetime import UTC, datetime

import nbformat
import pytest

from autograder.integrations.nbgrader.collecting import CollectRegularFiles

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
    assert collected(course, "student-01") == {"second.txt", "timestamp.txt"}


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


@pytest.mark.parametrize("name", [
    f"student-01+{NUMPY}+", f"student-01+{NUMPY}+yesterday+aaaa", f"student-01+{NUMPY}+9999999-03-02 12:00:00 UTC+a",
    f"student-01+{NUMPY}+2026-03-02 12:00:00 99999999999999999999+a", f"+{NUMPY}+2026-03-02 12:00:00 UTC+aaaa",
    f"new\nline+{NUMPY}+2026-03-02 12:00:00 UTC+aaaa", f"[s]tudent-02+{NUMPY}+2026-03-02 12:00:00 UTC+aaaa",
    f"?tudent-02+{NUMPY}+2026-03-02 12:00:00 UTC+aaaa", f"\x1b[2J+{NUMPY}+2026-03-02 12:00:00 UTC+aaaa",
    f"student-01+{NUMPY}+2026-03-02 12:00:00 UTC+\x1b[2J", f"\udcff+{NUMPY}+2026-03-02 12:00:00 UTC+aaaa",
])  # fmt: skip
def test_a_name_that_nbgrader_does_not_give_holds_up_nobody_else(course, hand_in, inbound, name):
    (inbound / name).mkdir()
    (hand_in("student-02") / NOTEBOOK).write_text("{}")
    log = collect(course)
    assert "was not collected" in log and "\x1b" not in log
    assert [path.name for path in (course.folder / "submitted").iterdir()] == ["student-02"]


def test_a_link_to_nowhere_holds_up_nobody_else_where_owners_are_checked(course, hand_in, inbound):
    (inbound / f"student-01+{NUMPY}+2026-03-02 12:00:00 UTC+aaaa").symlink_to("nowhere")
    (hand_in("student-02") / NOTEBOOK).write_text("{}")
    status, log = course.run("collect", NUMPY, "--ExchangeCollect.check_owner=True")
    assert status == 0 and "it is a link or a file, not a folder" in log
    assert collected(course, "student-02") == {NOTEBOOK, "timestamp.txt"}


def test_what_vanishes_meanwhile_holds_up_nobody_else(course, hand_in, monkeypatch):
    """Their owner can take a submission back at any moment, and has the moments tried out."""
    vanishing = hand_in("student-01")
    (hand_in("student-02") / NOTEBOOK).write_text("{}")
    known = CollectRegularFiles.init_src

    def init_src(self):
        known(self)
        subprocess.run(["rm", "-rf", vanishing], check=True)

    monkeypatch.setattr(CollectRegularFiles, "init_src", init_src)
    status, log = course.run("collect", NUMPY, "--ExchangeCollect.check_owner=True")
    assert status == 0 and "student-01" in log
    assert collected(course, "student-02") == {NOTEBOOK, "timestamp.txt"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can hand in as somebody else")
def test_who_hands_in_for_another_account_takes_nobodys_place(course, hand_in, inbound):
    victim, stranger = pwd.getpwnam("daemon"), pwd.getpwnam("nobody")
    own = hand_in("daemon")
    (own / NOTEBOOK).write_text("{}")
    os.chown(own, victim.pw_uid, victim.pw_gid)
    newer = inbound / f"daemon+{NUMPY}+2027-03-02 13:00:00.000000 UTC+bbbb"
    newer.mkdir()
    (newer / "nothing.txt").write_text("")
    os.chown(newer, stranger.pw_uid, stranger.pw_gid)
    status, log = course.run("collect", NUMPY, "--ExchangeCollect.check_owner=True")
    assert status == 0 and "it is not daemon's own" in log
    assert collected(course, "daemon") == {NOTEBOOK, "timestamp.txt"}


@pytest.mark.parametrize("forged", ["1999-01-01 00:00:00 UTC", "soon", ""])
def test_a_submission_has_the_time_of_its_name_whatever_its_file_says(course, hand_in, forged):
    """By the name the newest is chosen, and by the file the penalty for lateness."""
    (hand_in("student-01") / "timestamp.txt").write_text(forged)
    collect(course)
    told = (course.folder / "submitted" / "student-01" / NUMPY / "timestamp.txt").read_text()
    assert told == "2026-03-02 12:00:00.000000 UTC"


def test_the_time_is_kept_to_the_letter_since_feedback_is_found_by_it(course, hand_in, inbound):
    (inbound / f"student-01+{NUMPY}+2026-03-02 12:00:00.5 Europe/Berlin".replace("/", "_")).mkdir()
    (inbound / f"student-02+{NUMPY}+2026-03-02 12:00 CET+aaaa").mkdir()
    collect(course)
    told = [(course.folder / "submitted" / f"student-0{n}" / NUMPY / "timestamp.txt").read_text() for n in (1, 2)]
    assert told == ["2026-03-02 12:00:00.5 Europe_Berlin", "2026-03-02 12:00 CET"]


def test_a_folder_that_was_changed_after_the_time_that_it_claims_is_told(course, hand_in, inbound):
    hand_in("student-01")
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f} UTC"
    (inbound / f"student-02+{NUMPY}+{now}+aaaa").mkdir()
    told = [line for line in collect(course).splitlines() if "was changed at" in line]
    assert len(told) == 1 and "student-01" in told[0]


def test_a_file_whose_name_does_things_to_a_terminal_is_left_out(course, hand_in):
    folder = hand_in("student-01")
    for name in ("\x1b[2J.txt", "line\nbreak.txt", "\udcff.txt"):
        (folder / name).write_text("")
    (folder / "\x1b[2J").mkdir()
    (folder / "\x1b[2J" / "below.txt").write_text("")
    log = collect(course)
    assert collected(course, "student-01") == {"timestamp.txt"}
    assert log.count("no readable file of its own") == 4 and "\x1b" not in log
