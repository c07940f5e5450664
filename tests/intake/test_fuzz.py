"""Whatever bytes a student hands in: a Submission, and one clear line where it cannot be read."""

import json
import os
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.intake import Submission, collect
from autograder.intake.entries import UnreadableError
from autograder.intake.reading import read_file
from autograder.intake.students import is_safe

from .conftest import SOURCE, notebook, zipped

FIRST = ASSIGNMENTS["01_numpy_self_attention"]
BOUNDED = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)

BLOB = st.binary(max_size=400)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    max_leaves=12,
    extend=lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["cells", "cell_type", "source", "metadata", "nbgrader", "nbformat", "worksheets", "grade"]
            ),
            inner,
            max_size=5,
        )
    ),
)
CELL = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["code", "markdown", "raw", 3])},
    optional={
        "source": JSON,
        "input": JSON,
        "metadata": JSON,
    },
)


def is_one_clear_line(text: str) -> bool:
    return 10 < len(text) < 600 and text.isprintable() and text.endswith(".")


def check(submission: Submission) -> None:
    assert is_safe(submission.student)
    assert (submission.problem is None) == (bool(submission.files) and all(not f.problem for f in submission.files))
    for line in (submission.problem, *submission.notes):
        assert line is None or is_one_clear_line(line)
    for file in submission.files:
        for cell in file.cells:
            cell.source.encode("utf-8")
    json.dumps([submission.student, submission.student_as_given], ensure_ascii=False).encode("utf-8")


def damaged(data: bytes, cuts: list[tuple[float, bytes]]) -> bytes:
    """`data` with some of its bytes overwritten."""
    for place, patch in cuts:
        at = int(place * len(data))
        data = data[:at] + patch + data[at + len(patch) :]
    return data


CUTS = st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=6)), max_size=4)


@given(st.sampled_from(["a.py", "a.ipynb"]), BLOB)
def test_any_bytes_are_read_or_told_in_one_line(name, data):
    try:
        for cell in read_file(name, data).cells:
            cell.source.encode("utf-8")
    except UnreadableError as error:
        assert is_one_clear_line(str(error))


@given(JSON | st.fixed_dictionaries({"nbformat": st.sampled_from([3, 4]), "cells": st.lists(CELL | JSON, max_size=5)}))
def test_any_json_is_read_as_a_notebook_or_told_in_one_line(content):
    try:
        for cell in read_file("a.ipynb", json.dumps(content).encode()).cells:
            cell.source.encode("utf-8")
    except UnreadableError as error:
        assert is_one_clear_line(str(error))


@BOUNDED
@given(CUTS)
def test_any_damage_to_a_students_zip_is_that_students_alone(tmp_path, cuts):
    whole = zipped({"work/numpy_self_attention.py": SOURCE, "work/numpy_self_attention.ipynb": notebook(SOURCE)})
    for student, data in (("student-01", damaged(whole, cuts)), ("student-02", whole)):
        (tmp_path / student).mkdir(exist_ok=True)
        (tmp_path / student / "homework.zip").write_bytes(data)
    first, second = collect([tmp_path], FIRST)
    check(first)
    assert second.problem is None


@BOUNDED
@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30),
        BLOB,
        min_size=1,
        max_size=5,
    )
)
def test_any_names_in_a_students_zip_are_read_or_told(tmp_path, files):
    (tmp_path / "student-01").mkdir(exist_ok=True)
    (tmp_path / "student-01/homework.zip").write_bytes(zipped(files))
    (submission,) = collect([tmp_path], FIRST)
    check(submission)


NAMES = (
    st.binary(min_size=1, max_size=40)
    .map(lambda name: name.replace(b"/", b"_").replace(b"\0", b"_"))
    .filter(lambda name: name not in (b".", b".."))
)


@BOUNDED
@given(st.sets(NAMES, min_size=1, max_size=4), st.sampled_from([b".py", b".ipynb", b".zip", b""]))
def test_any_names_on_disk_are_read_or_told(tmp_path_factory, names, suffix):
    root = os.fsencode(tmp_path_factory.mktemp("class"))
    os.mkdir(root + b"/student-01")
    for name in names:
        os.makedirs(root + b"/" + name, exist_ok=True)
        Path(os.fsdecode(root + b"/" + name + b"/" + name + suffix)).write_bytes(SOURCE.encode())
    for submission in collect([Path(os.fsdecode(root))], FIRST):
        check(submission)
