"""The output folder: one grader at a time, whole files at every moment, the same records after a resume."""

import errno
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.records.folder import LOCK, OutputFolder
from autograder.records.gradebook import NotGraded
from autograder.whole_file import OutputError, write_whole

NUMPY = "01_numpy_self_attention"


def has(folder: OutputFolder, result, **changed) -> bool:
    made_of = {
        "submission_sha256": result.submission_sha256,
        "inputs_id": result.inputs_id,
        "walls": result.walls,
    }
    return folder.has(result.student, result.assignment, **made_of | changed)


def files(out: Path) -> dict[str, bytes]:
    """Every file below `out` but the lock, by name."""
    return {
        str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file() and path.name != LOCK
    }


def test_a_grading_leaves_results_feedback_gradebook_and_report(tmp_path, make):
    with OutputFolder(tmp_path / "out") as folder:
        folder.record(make["full_marks"]("student-01"))
        folder.finish()
    assert sorted(files(tmp_path / "out")) == [
        f"feedback/student-01/{NUMPY}.html",
        "gradebook.csv",
        "report.html",
        f"results/student-01/{NUMPY}.json",
    ]


def test_a_new_folder_is_its_owners_alone(tmp_path):
    with OutputFolder(tmp_path / "deep" / "out") as folder:
        assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700


def test_a_second_grader_is_told_in_a_sentence(tmp_path):
    with (
        OutputFolder(tmp_path),
        pytest.raises(OutputError, match=r"Another grading is writing to .*\."),
        OutputFolder(tmp_path),
    ):
        pass
    with OutputFolder(tmp_path):
        pass


def test_a_result_counts_as_there_only_for_the_same_submission_inputs_walls_and_kit(tmp_path, make):
    result = make["half_done"]("student-01")
    with OutputFolder(tmp_path) as folder:
        assert not has(folder, result)
        folder.record(result)
        assert has(folder, result)
        for changed in ({"submission_sha256": "cd" * 32}, {"inputs_id": "set-4"}, {"walls": ("limits",)}):
            assert not has(folder, result, **changed)
        folder.record(replace(result, kit_version="0.0.1"))
        assert not has(folder, result)


@pytest.mark.parametrize("damage", ["cut", "removed", "page removed"])
def test_a_damaged_record_counts_as_not_there(tmp_path, make, damage):
    result = make["half_done"]("student-01")
    with OutputFolder(tmp_path) as folder:
        folder.record(result)
        path = tmp_path / "results" / "student-01" / f"{NUMPY}.json"
        if damage == "cut":
            path.write_bytes(path.read_bytes()[:-9])
        elif damage == "removed":
            path.unlink()
        else:
            (tmp_path / "feedback" / "student-01" / f"{NUMPY}.html").unlink()
        assert not has(folder, result)


def test_a_resumed_grading_gives_the_records_of_an_undisturbed_one(tmp_path, a_class):
    with OutputFolder(tmp_path / "whole") as folder:
        for result in a_class:
            folder.record(result)
        folder.finish()
    with OutputFolder(tmp_path / "resumed") as folder:
        for result in a_class[:3]:
            folder.record(result)
    with OutputFolder(tmp_path / "resumed") as folder:
        for result in a_class:
            if not has(folder, result):
                folder.record(result)
        folder.finish()
    assert files(tmp_path / "whole") == files(tmp_path / "resumed")


def test_a_result_file_that_is_not_whole_is_told_and_stops_nothing(tmp_path, a_class):
    with OutputFolder(tmp_path) as folder:
        for result in a_class:
            folder.record(result)
        (tmp_path / "results" / "student-02" / f"{NUMPY}.json").write_text("{")
        tally = folder.finish()
    assert [entry.student for entry in tally.not_graded] == ["student-02"]
    assert "--resume" in tally.not_graded[0].reason and tally.submissions == len(a_class) - 1
    assert "student-02,01_numpy_self_attention,,,not_graded" in (tmp_path / "gradebook.csv").read_text()


def test_an_older_result_does_not_stand_for_a_submission_that_was_not_graded(tmp_path, make):
    with OutputFolder(tmp_path) as folder:
        folder.record(make["full_marks"]("student-01"))
        tally = folder.finish([NotGraded("student-01", NUMPY, "The wall fell.")])
    assert tally.submissions == 0 and len((tmp_path / "gradebook.csv").read_text().splitlines()) == 2


KILLED = """
import os, signal, sys
from pathlib import Path
from autograder import whole_file
replace = os.replace
def killed(source, target):
    os.kill(os.getpid(), signal.SIGKILL)
whole_file.os.replace = killed
whole_file.write_whole(Path(sys.argv[1]), "new " * 100_000)
"""


def test_a_kill_in_the_middle_of_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "gradebook.csv"
    write_whole(path, "old")
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, path], env=os.environ | {"PYTHONPATH": os.getcwd()}, timeout=600
    )
    assert killed.returncode == -9 and path.read_text() == "old"
    write_whole(path, "new")
    assert [entry.name for entry in tmp_path.iterdir()] == ["gradebook.csv"] and path.read_text() == "new"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "is full"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "may not write"),
        (errno.EIO, "could not be written"),
    ],
)
def test_a_full_or_closed_disk_is_a_sentence_and_leaves_the_old_file(tmp_path, monkeypatch, number, words):
    path = tmp_path / "report.html"
    write_whole(path, "old")

    def fails(descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OutputError, match=words):
        write_whole(path, "new")
    assert path.read_text() == "old" and [entry.name for entry in tmp_path.iterdir()] == ["report.html"]


def test_an_output_folder_that_is_a_file_is_told(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(OutputError, match="file"), OutputFolder(tmp_path / "out"):
        pass


def test_a_student_without_an_assignment_takes_no_columns_from_the_others(tmp_path, make):
    with OutputFolder(tmp_path) as folder:
        folder.record(make["full_marks"]("student-01"))
        folder.finish([NotGraded("student-02", "", "No file of an assignment.")])
    header, _, last = (tmp_path / "gradebook.csv").read_text().splitlines()
    assert "softmax_rows" in header and last.startswith("student-02,,,,not_graded")
