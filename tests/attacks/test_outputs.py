"""Nothing that is secret comes out of a grading: not in a record, not in the memory of a student's process."""

import json
import os
import re
import secrets
from pathlib import Path

import pytest

import autograder
from autograder.boundary.outside.exchange import Limits
from autograder.boundary.outside.wall import raise_wall
from autograder.catalogue.cell import Cell
from autograder.commands.sample_class import IMPORTS, NUMPY_PARTS
from autograder.grading.grade import Course, grade
from autograder.grading.inputs import chosen_set
from autograder.grading.rehearsal import rehearsal_of
from autograder.integrations.gradescope import results_json
from autograder.integrations.nbgrader.cell_output import about_html, marks_of
from autograder.records.folder import OutputFolder
from autograder.records.summary import summary_json, summary_text

from ..submitted import submitted

ORACLE = Path(autograder.__file__).resolve().parent / "suite/numpy_self_attention/oracle.py"
ASSIGNMENT = "01_numpy_self_attention"
CAP_SYS_PTRACE = 19
HOSTILE_TEXT = "<script>alert(1)</script>\\x1b[31m\\x00=HYPERLINK(1)"
TELLING = f"""
def tell(*arrays):
    text = "{HOSTILE_TEXT}" + repr(arrays) * 50
    print(text)
    raise ValueError(text)
"""
TELLTALE = (
    IMPORTS
    + TELLING
    + "".join(
        re.sub(r"(def (\w+)\((.*)\):\n)[\s\S]*", r"\1    return tell(\3)\n", part.strip("\n")) + "\n"
        for part in NUMPY_PARTS.values()
    )
)


@pytest.fixture(scope="module")
def canaries():
    """Secrets of the grader's: in its environment, in its memory, in a course's secret."""
    found = {place: f"canary_{place}_{secrets.token_hex(8)}" for place in ("environment", "memory", "course")}
    os.environ["ATTNKIT_CANARY"] = found["environment"]
    yield found
    del os.environ["ATTNKIT_CANARY"]


@pytest.fixture(scope="module")
def wall(canaries):
    with raise_wall(limits=Limits(load_seconds=2.0, call_seconds=1.0)) as wall:
        yield wall


@pytest.fixture(scope="module")
def records(wall, canaries, tmp_path_factory):
    """All that is told of a class of one whose every function tells what it was given."""
    out = tmp_path_factory.mktemp("out")
    submission = submitted(ASSIGNMENT, TELLTALE)
    course = Course(canaries["course"])
    result = grade(submission, wall, course)
    with OutputFolder(out) as folder:
        folder.record(result)
        tally = folder.finish()
    texts = {path.relative_to(out): path.read_text(encoding="utf-8") for path in out.rglob("*") if path.is_file()}
    rehearsal = rehearsal_of(ASSIGNMENT, chosen_set(course.secret, submission))
    texts |= {
        Path("terminal"): summary_text(out, tally),
        Path("terminal.json"): json.dumps(summary_json(out, tally), ensure_ascii=False),
        Path("gradescope.json"): json.dumps(results_json(result), ensure_ascii=False),
        Path("nbgrader.html"): "".join([about_html(result, ()), *(mark.html for mark in marks_of(result).values())]),
    }
    return {path: text for path, text in texts.items() if text}, rehearsal


def test_no_record_holds_a_secret(records, canaries):
    texts, _ = records
    assert len(texts) >= 8
    for path, text in texts.items():
        assert not [place for place, canary in canaries.items() if canary in text], path


def test_no_record_shows_an_expected_value(records):
    texts, rehearsal = records
    expected = set()
    for exercise in rehearsal.exercises.values():
        for case in exercise.cases.ordinary:
            values = case.expected if isinstance(case.expected, tuple) else (case.expected,)
            expected |= {f"{entry:.6f}" for array in values if hasattr(array, "flat") for entry in array.flat}
    given = {
        f"{entry:.6f}"
        for exercise in rehearsal.exercises.values()
        for question in exercise.questions
        for argument in question.request.args
        if hasattr(argument, "flat")
        for entry in argument.flat
    }
    expected = {text for text in expected - given if len(text.strip("-0.")) >= 6}
    assert len(expected) > 50
    for path, text in texts.items():
        shown = {number for number in expected if re.search(rf"(?<![\d.]){re.escape(number)}", text)}
        assert not shown, (path, shown)


def test_no_record_holds_test_source(records):
    texts, _ = records
    source = ORACLE.read_text(encoding="utf-8")
    lines = [line.strip() for line in source.splitlines() if len(line.strip()) > 30 and "=" in line]
    assert lines
    for path, text in texts.items():
        assert not [line for line in lines if line in text], path


def test_students_text_is_escaped_and_cut_in_pages(records):
    texts, _ = records
    for path, text in texts.items():
        assert "\x1b" not in text and "\x00" not in text, path
        if path.suffix == ".html":
            assert "<script>alert" not in text
        if path.suffix == ".csv":
            assert not re.search(r"(^|,)[=+@-]\w*\(", text, re.MULTILINE)


def may_trace():
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return bool(int(re.search(r"^CapEff:\s*(\w+)", status, re.MULTILINE)[1], 16) & 1 << CAP_SYS_PTRACE)


def memory_of(pid):
    """All that the process has in memory that can be read."""
    if not may_trace():
        pytest.skip("only root with CAP_SYS_PTRACE may read the memory of a process that is not dumpable")
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            where, rights = line.split()[:2]
            start, end = (int(edge, 16) for edge in where.split("-"))
            if "r" in rights and "[v" not in line:
                memory.seek(start)
                try:
                    yield memory.read(end - start)
                except OSError:
                    continue


def test_a_students_process_has_nothing_of_the_grader_in_its_memory(wall, canaries):
    honest = submitted(ASSIGNMENT, IMPORTS + "".join(NUMPY_PARTS.values()))
    course = Course(canaries["course"])
    rehearsal = rehearsal_of(ASSIGNMENT, chosen_set(course.secret, honest))
    process = wall.admit(honest.files[0].cells)
    process.ask([question.request for exercise in rehearsal.exercises.values() for question in exercise.questions])
    with open(f"/proc/self/fdinfo/{process._pidfd}") as info:
        pid = next(line.split()[1] for line in info if line.startswith("Pid:"))
    oracle = ORACLE.read_bytes()
    own = honest.files[0].cells[0].source.encode()
    lines = [line.strip() for line in oracle.splitlines() if b"import" not in line]
    hidden = [line for line in lines if len(line) > 30 and line not in own]
    assert hidden
    secret = [*(canary.encode() for canary in canaries.values()), *hidden]
    seen = list(memory_of(pid))
    assert any(b"def softmax_rows" in piece for piece in seen), "the student's own source should be there"
    assert not [text for text in secret for piece in seen if text in piece]
    process.close()


def test_another_submissions_source_is_not_in_the_memory(wall):
    mark = f"another_{secrets.token_hex(8)}"
    first = wall.admit([Cell(f"def f(): return '{mark}'", "a.py")])
    second = wall.admit([Cell("def f(): return 1", "b.py")])
    for process, holds in ((first, True), (second, False)):
        with open(f"/proc/self/fdinfo/{process._pidfd}") as info:
            pid = next(line.split()[1] for line in info if line.startswith("Pid:"))
        assert any(mark.encode() in piece for piece in memory_of(pid)) is holds
    first.close()
    second.close()
