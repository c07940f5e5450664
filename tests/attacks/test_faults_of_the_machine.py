"""A disk that is full or read-only, a full /tmp, a clock that jumps, a second grader: a sentence, and no record that is
not whole. What is missing afterwards is graded with --resume, and all is as it would have been.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograder.boundary.outside.clock import clock
from autograder.boundary.outside.exchange import Limits
from autograder.boundary.outside.wall import raise_wall
from autograder.commands.sample_class import IMPORTS, NUMPY_PARTS, SAMPLES, hand_in
from autograder.grading.grade import Course, grade
from autograder.records.feedback import FOLDER as FEEDBACK
from autograder.records.results import FOLDER as RESULTS

from ..submitted import submitted
from .kills import ROOT, family, grading, records

A_CLASS = tuple(
    sample for sample in SAMPLES if sample.student in ("student-01", "student-06", "student-07", "student-09")
)
OWN_MOUNTS = ("unshare", "--mount", "--propagation", "private", "--")


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory):
    folder = tmp_path_factory.mktemp("submissions")
    hand_in(folder, A_CLASS)
    return folder


@pytest.fixture(scope="module")
def undisturbed(handed_in, tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    assert grading(handed_in, out, "--jobs", "1").wait() == 0
    return records(out)


@pytest.fixture
def with_mounts():
    """Runs a shell script that may mount what it likes, for itself alone; its last line says how a grading ended."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("only root may mount a small disk, in a mount namespace (unshare, of util-linux) of its own")

    def run(script, **environment):
        line = [*OWN_MOUNTS, "sh", "-ec", script]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
        done = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
        if "mount:" in done.stderr:
            pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
        return done

    return run


def command(submissions, out, *options):
    line = [sys.executable, "-m", "autograder", "grade", submissions, "--out", out, "--seed", "kills", "--jobs", "1"]
    return shlex.join([*map(str, line), *options])


def is_one_sentence(text):
    return text.count("\n") == 1 and text.startswith("attnkit grade: ") and text.endswith(".\n") and "Error" not in text


@pytest.mark.parametrize("size", ["12k", "40k", "72k"])
def test_a_full_disk_is_told_and_what_is_there_is_whole(size, handed_in, undisturbed, with_mounts, tmp_path):
    out, kept, final = (tmp_path / name for name in ("out", "kept", "final"))
    out.mkdir()
    done = with_mounts(
        f"mount -t tmpfs -o size={size} none {out}\n"
        f"{command(handed_in, out)} || echo status $?\n"
        f"cp -a {out} {kept}\n"
        f"mount -o remount,size=64m {out}\n"
        f"{command(handed_in, out, '--resume')} >&2\n"
        f"cp -a {out} {final}\n"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "status 1\n"
    told = done.stderr.partition("\n")[0] + "\n"
    assert is_one_sentence(told) and "is full" in told and "Free some space" in told and "--resume" in told, told
    for name, content in records(kept).items():
        if name.startswith((RESULTS, FEEDBACK)):
            assert content == undisturbed[name], f"{name} is not whole"
    assert records(final) == undisturbed


def test_a_read_only_folder_is_told_and_stays_as_it_is(handed_in, undisturbed, with_mounts, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    grade_here = command(handed_in, out)
    done = with_mounts(
        f"mount -t tmpfs none {out}\n{grade_here} >/dev/null 2>&1\nmount -o remount,ro {out}\n"
        f"{grade_here} || echo status $?\ncp -a {out} {tmp_path / 'kept'}\n"
    )
    assert done.stdout == "status 2\n", done.stderr
    assert is_one_sentence(done.stderr) and "read-only" in done.stderr and "another folder" in done.stderr
    assert records(tmp_path / "kept") == undisturbed


def test_a_folder_of_somebody_else_is_told(handed_in, tmp_path):
    out = tmp_path / "out"
    out.mkdir(mode=0o555)
    done = subprocess.run(
        shlex.split(command(handed_in, out)),
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": "."},
    )
    if os.geteuid() == 0:
        assert done.returncode == 0  # root may write everywhere
    else:
        assert done.returncode == 2 and is_one_sentence(done.stderr) and "may not write" in done.stderr


def with_full_tmp(line, tmp_path):
    """A script that runs `line` in the folder that was `tmp_path`, with no byte free in /tmp and /var/tmp."""
    full = "".join(
        f"mount -t tmpfs -o size=4k none {place}\nhead -c 4096 /dev/zero > {place}/full || true\n"
        for place in ("/tmp", "/var/tmp")
    )
    return f"mount --bind {tmp_path} /mnt\n{full}cd /mnt\nmount -o remount,bind,ro /mnt || true\n{line}"


def test_a_full_tmp_changes_nothing(handed_in, undisturbed, with_mounts, tmp_path):
    if Path("/tmp") in ROOT.parents:
        pytest.skip("the kit itself lies in /tmp, over which this test mounts a full disk")
    shutil.copytree(handed_in, tmp_path / "in")
    (tmp_path / "out").mkdir()
    done = with_mounts(with_full_tmp(f"mount -o remount,bind,rw /mnt\n{command('in', 'out')}\n", tmp_path))
    assert done.returncode == 0, done.stderr
    assert records(tmp_path / "out") == undisturbed


@pytest.mark.parametrize("what", ["doctor", "demo"])
def test_what_needs_a_folder_for_temporary_files_says_so_in_a_sentence(what, with_mounts, tmp_path):
    if Path("/tmp") in ROOT.parents:
        pytest.skip("the kit itself lies in /tmp, over which this test mounts a full disk")
    line = shlex.join([sys.executable, "-m", "autograder", what])
    done = with_mounts(with_full_tmp(f"{line} || echo status $?\n", tmp_path))
    assert done.stdout in ("status 1\n", "status 2\n")
    assert done.stderr.count("\n") == 1 and done.stderr.startswith(f"attnkit {what}: "), done.stderr
    assert "TMPDIR" in done.stderr


def test_of_two_graders_on_one_folder_the_second_is_told_and_the_first_goes_on(handed_in, undisturbed, tmp_path):
    out = tmp_path / "out"
    first = grading(handed_in, out, "--jobs", "1")
    while not (out / ".lock").exists():
        assert first.poll() is None
        time.sleep(0.01)
    first.send_signal(signal.SIGSTOP)
    second = subprocess.run(
        shlex.split(command(handed_in, out)),
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": "."},
    )
    first.send_signal(signal.SIGCONT)
    assert second.returncode == 2 and is_one_sentence(second.stderr), second.stderr
    assert "Another grading is writing" in second.stderr and "Wait" in second.stderr
    assert first.wait() == 0
    assert records(out) == undisturbed
    assert grading(handed_in, out, "--jobs", "1", "--resume").wait() == 0
    assert records(out) == undisturbed


def test_graders_that_start_together_leave_right_records(handed_in, undisturbed, tmp_path):
    graders = [grading(handed_in, tmp_path / "out", "--jobs", "1", "--resume") for _ in range(3)]
    statuses = sorted(grader.wait() for grader in graders)
    assert statuses[0] == 0 and set(statuses) <= {0, 2}
    assert records(tmp_path / "out") == undisturbed


def test_a_grading_that_was_stopped_for_a_while_gives_the_same_records(handed_in, undisturbed, tmp_path):
    out = tmp_path / "out"
    grader = grading(handed_in, out, "--jobs", "1")
    processes = family(grader.pid)
    while not any(process.kind == "student" for process in processes):
        assert grader.poll() is None, "no student's process was seen"
        processes = family(grader.pid)
    for order in (signal.SIGSTOP, signal.SIGCONT):
        for process in processes:
            try:
                os.kill(process.pid, order)
            except ProcessLookupError:
                continue
        if order is signal.SIGSTOP:
            time.sleep(3 * Limits().call_seconds + 2)
    assert grader.wait() == 0
    assert records(out) == undisturbed


@pytest.mark.parametrize("jump", [3600.0, -3600.0, 1e9], ids=["an hour on", "an hour back", "thirty years on"])
def test_clocks_that_jump_change_no_mark(jump, monkeypatch):
    source = IMPORTS + "".join(NUMPY_PARTS.values())
    submission = submitted("01_numpy_self_attention", source)
    looks = []

    def jumping(real):
        def now():
            looks.append(real)
            return real() + jump * (len(looks) // 5)

        return now

    for what in ("time", "monotonic"):
        monkeypatch.setattr(time, what, jumping(getattr(time, what)))
    with raise_wall() as wall:
        result = grade(submission, wall, Course("a course"))
    assert len(looks) > 20
    assert result.score == 100


def test_the_clock_counts_what_passes_while_it_is_looked_at(monkeypatch):
    now = time.monotonic()
    moments = iter([now + 1000, now + 1000.5, now + 1001.0, now + 5000, now + 5000.25])
    monkeypatch.setattr(time, "monotonic", lambda: next(moments))
    started = clock()
    assert [round(clock() - started, 3) for _ in range(4)] == [0.5, 1.0, 3.0, 3.25]
