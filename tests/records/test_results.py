"""A result is written whole, follows its schema, and is read back as it was."""

import json
import os
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from autograder.catalogue.result import ERROR_MESSAGE, ITEMS, CheckResult, Flag, Result, StudentError
from autograder.records import results
from autograder.records.results import ResultError, read_result, result_files, result_path, write_result

SCHEMA = json.loads(results.SCHEMA.read_bytes())


def test_a_result_is_read_back_as_it_was_written(tmp_path, a_class):
    for result in a_class:
        assert read_result(write_result(tmp_path, result)) == result


def test_every_result_follows_the_2020_12_schema(a_class):
    Draft202012Validator.check_schema(SCHEMA)
    for result in a_class:
        Draft202012Validator(SCHEMA).validate(result.to_json())


def test_the_contracts_own_example_follows_the_schema_and_is_read():
    example = {
        "schema_version": 1,
        "kit_version": "1.0",
        "assignment": "01_numpy_self_attention",
        "student": "student-01",
        "status": "graded",
        "status_reason": None,
        "score": 81.4,
        "max_score": 100.0,
        "inputs_id": "x",
        "submission_sha256": "y",
        "duration_s": 0.04,
        "walls": ["bwrap", "landlock", "seccomp", "limits"],
        "exercises": [
            {
                "exercise": "softmax_rows",
                "score": 3.2,
                "max_score": 16.0,
                "outcome": "failed",
                "checks": [{"check": "rows_sum_to_one", "passed": False, "visible": False, "message": "…"}],
                "diagnoses": [{"misconception": "softmax-over-queries", "feedback": "…"}],
                "follow_through": {"own_score": 3.6, "given": ["softmax_rows"]},
            }
        ],
        "flags": [{"flag": "writes-to-protocol", "detail": "…"}],
        "a_later_field": 1,
    }
    Draft202012Validator(SCHEMA).validate(example)
    assert Result.from_json(example).exercises[0].follow_through.given == ("softmax_rows",)


def test_keys_stand_in_the_order_of_the_model(tmp_path, make):
    written = list(json.loads(write_result(tmp_path, make["half_done"]("student-01")).read_text("utf-8")))
    assert written[:4] == ["schema_version", "kit_version", "assignment", "student"]
    assert (
        write_result(tmp_path, make["half_done"]("student-01")).read_bytes()
        == result_path(tmp_path, "student-01", "01_numpy_self_attention").read_bytes()
    )


paths = [(), ("exercises", 0), ("exercises", 4), ("exercises", 4, "checks", 0), ("exercises", 5, "error")]
values = (
    st.none()
    | st.booleans()
    | st.integers(-3, 300)
    | st.text(max_size=3)
    | st.just([])
    | st.just({})
    | st.just("x" * 3000)
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(paths), st.integers(0, 30), values | st.just(...))
def test_the_compiled_schema_and_the_2020_12_validator_give_one_verdict(make, path, key, value):
    data = make["half_done"]("student-01").to_json()
    place = data
    for part in path:
        place = place[part]
    name = list(place)[key % len(place)]
    if value is ...:
        del place[name]
    else:
        place[name] = value
    try:
        results._follows_schema()(data)
        follows = True
    except results.fastjsonschema.JsonSchemaException:
        follows = False
    assert follows == Draft202012Validator(SCHEMA).is_valid(data)


@pytest.mark.parametrize(
    "change",
    [
        {"score": 101.0},
        {"score": -1.0},
        {"score": float("nan")},
        {"student": "../up"},
        {"student": ".."},
        {"student": ""},
        {"student": "a\nb"},
        {"status": "unreadable"},
    ],
)
def test_a_result_that_breaks_the_schema_is_not_written(tmp_path, make, change):
    with pytest.raises((ResultError, ValueError)):
        write_result(tmp_path, replace(make["full_marks"]("student-01"), **change))
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize("damage", ["cut", "empty", "not utf-8", "nan", "moved", "deep", "list"])
def test_a_damaged_file_is_no_result(tmp_path, make, damage):
    path = write_result(tmp_path, make["full_marks"]("student-01"))
    whole = path.read_bytes()
    if damage == "moved":
        path = path.rename(path.with_name("02_torch_self_attention.json"))
    else:
        path.write_bytes(
            {
                "cut": whole[:-40],
                "empty": b"",
                "not utf-8": b"\xff" + whole,
                "deep": b"[" * 100_000,
                "list": b"[]",
                "nan": whole.replace(b'"score": 100.0', b'"score": NaN', 1),
            }[damage]
        )
    with pytest.raises(ResultError, match=path.name):
        read_result(path)


def test_a_result_file_holds_no_character_that_moves_a_cursor_or_turns_the_text(tmp_path, make):
    written = write_result(tmp_path, make["hostile"]("student-01")).read_text("utf-8")
    assert not [c for c in written if (ord(c) < 32 and c != "\n") or c in "\x7f\x9b\u202e\u2066\u200f\ud800"]


def test_the_original_id_is_kept_to_the_letter(tmp_path, make):
    result = make["hostile"]("student-01")
    assert "\x1b]0;owned\x07" in result.student_as_given and "\ud800" in result.student_as_given
    assert read_result(write_result(tmp_path, result)).student_as_given == result.student_as_given


def test_two_hundred_megabytes_are_cut_at_the_models_border():
    flood = "A" * 200_000_000
    error = StudentError(flood, flood, 1, flood)
    assert len(error.message) == ERROR_MESSAGE and error.message.endswith("…")
    assert len(CheckResult("check", False, flood).message) <= 1000
    assert len(Flag("flag", flood).detail) <= 1000


def test_a_flood_of_notes_is_cut_and_counted(make):
    notes = replace(make["full_marks"]("student-01"), notes=tuple(f"cell {n} failed" for n in range(100_000))).notes
    assert len(notes) == ITEMS and notes[-1] == f"… and {100_000 - ITEMS + 1} more like these."


def test_result_files_come_by_student_then_assignment_and_leave_out_what_a_killed_run_left(tmp_path, make):
    for student in ("student-02", "student-01"):
        for assignment in ("02_torch_self_attention", "01_numpy_self_attention"):
            write_result(tmp_path, make["full_marks"](student, assignment))
    (tmp_path / "results" / "student-01" / ".01_numpy_self_attention.json.part").write_text("{")
    assert [os.fspath(path.relative_to(tmp_path / "results")) for path in result_files(tmp_path)] == [
        "student-01/01_numpy_self_attention.json",
        "student-01/02_torch_self_attention.json",
        "student-02/01_numpy_self_attention.json",
        "student-02/02_torch_self_attention.json",
    ]
