"""`attnkit grade`, as its users call it."""

import json
import stat

import pytest

from autograder.commands import main
from autograder.commands.sample_class import NUMPY_PARTS, Sample, hand_in

RIGHT = Sample("student-01", "right", numpy={})
HALF = Sample("student-02", "wrong softmax", numpy={"softmax_rows": "def softmax_rows(scores):\n    return scores\n"})


@pytest.fixture
def handed_in(tmp_path):
    hand_in(tmp_path / "in", (RIGHT, HALF))
    return tmp_path / "in"


def grade(*arguments):
    return main(["grade", *map(str, arguments), "--jobs", "1"])


def results(out):
    return {path.parent.name: json.loads(path.read_text()) for path in sorted(out.glob("results/*/*.json"))}


def test_two_runs_with_one_seed_give_the_same_marks_on_the_same_inputs(handed_in, tmp_path):
    for out in ("one", "two"):
        assert grade(handed_in, "--out", tmp_path / out, "--seed", "s") == 0
    one, two = results(tmp_path / "one"), results(tmp_path / "two")
    assert [(r["score"], r["inputs_id"]) for r in one.values()] == [(r["score"], r["inputs_id"]) for r in two.values()]


def test_without_a_seed_a_secret_is_made_once_that_only_its_owner_reads(handed_in, tmp_path):
    out = tmp_path / "out"
    assert grade(handed_in, "--out", out) == 0
    first = results(out)
    assert stat.S_IMODE((out / "course_secret").stat().st_mode) == 0o600
    assert grade(handed_in, "--out", out) == 0
    assert [r["inputs_id"] for r in results(out).values()] == [r["inputs_id"] for r in first.values()]


def test_resume_leaves_current_results_untouched_and_grades_what_is_missing(handed_in, tmp_path):
    out = tmp_path / "out"
    assert grade(handed_in, "--out", out, "--seed", "s") == 0
    kept, gone = out / "results/student-01", out / "results/student-02/01_numpy_self_attention.json"
    before = (kept / "01_numpy_self_attention.json").stat().st_mtime_ns
    gone.unlink()
    assert grade(handed_in, "--out", out, "--seed", "s", "--resume") == 0
    assert gone.exists()
    assert (kept / "01_numpy_self_attention.json").stat().st_mtime_ns == before


def test_without_a_wall_every_result_says_so(handed_in, tmp_path):
    assert grade(handed_in, "--out", tmp_path / "out", "--seed", "s", "--no-wall") == 0
    for result in results(tmp_path / "out").values():
        assert not {"bwrap", "landlock", "seccomp"} & set(result["walls"])


def test_several_graders_give_the_marks_that_one_gives(handed_in, tmp_path):
    grade(handed_in, "--out", tmp_path / "one", "--seed", "s")
    assert main(["grade", str(handed_in), "--out", str(tmp_path / "two"), "--seed", "s", "--jobs", "2"]) == 0
    marks = [{s: r["score"] for s, r in results(tmp_path / out).items()} for out in ("one", "two")]
    assert marks[0] == marks[1]


def test_a_path_that_is_not_there_is_wrong_usage(tmp_path, capsys):
    assert grade(tmp_path / "nowhere", "--out", tmp_path / "out") == 2
    assert "does not exist" in capsys.readouterr().err


def test_the_better_of_two_files_counts_and_it_is_told(tmp_path):
    folder = tmp_path / "in"
    hand_in(folder, (RIGHT,))
    whole = Sample(
        "student-01",
        "also a notebook",
        numpy={"project_key": "def project_key(X, W):\n    return X\n"},
        as_notebook=True,
    )
    hand_in(folder, (whole,))
    assert grade(folder, "--out", tmp_path / "out", "--seed", "s") == 0
    (result,) = results(tmp_path / "out").values()
    assert result["score"] == 100
    assert any("better counts" in note for note in result["notes"])


def test_what_a_student_printed_or_raised_is_cut_and_its_line_is_told(tmp_path):
    loud = Sample(
        "student-01", "loud", numpy={"scale_scores": "def scale_scores(S, d_k):\n    raise ValueError('x' * 10**6)\n"}
    )
    hand_in(tmp_path / "in", (loud,))
    assert grade(tmp_path / "in", "--out", tmp_path / "out", "--seed", "s") == 0
    (result,) = results(tmp_path / "out").values()
    error = next(e["error"] for e in result["exercises"] if e["exercise"] == "scale_scores")
    assert len(error["message"]) <= 200
    assert error["source"].strip() == "raise ValueError('x' * 10**6)"


def test_sample_parts_are_those_of_the_assignment():
    assert len(NUMPY_PARTS) == 9
