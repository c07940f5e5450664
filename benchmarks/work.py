"""The submissions that all ways of grading get, and how they are asked to grade them."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterator

import psutil

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.cell import Cell
from autograder.catalogue.shipped import shipped
from autograder.commands.sample_class import SAMPLES
from autograder.intake import Submission, SubmittedFile

SECRET = "benchmark"


def sources(assignment: str, kind: str) -> list[str]:
    """`right`: the reference solution. Else: the sample class's misconceptions, or the reference with its first square
    root left out."""
    file = f"{ASSIGNMENTS[assignment].file}.py"
    reference = (shipped("reference_solutions") / file).read_text(encoding="utf-8")
    if kind == "right":
        return [reference]
    told = [sample for sample in SAMPLES if not sample.hostile and not {"right", "loop"} & {*sample.what.split(", ")}]
    wrong = [sample.files()[file] for sample in told if file in sample.files() and "loop" not in sample.what]
    return wrong or [reference.replace("sqrt(", "abs(")]


def submissions(assignment: str, kind: str, count: int) -> Iterator[Submission]:
    """`count` submissions, each by another student and of other bytes, so that all inputs sets are met."""
    texts = sources(assignment, kind)
    for number in range(count):
        source = f"{texts[number % len(texts)]}\n# {number}\n"
        cells = (Cell(source, "submission.py"),)
        sha256 = hashlib.sha256(source.encode()).hexdigest()
        yield Submission(f"student-{number}", assignment, (SubmittedFile("submission.py", cells),), sha256)


def serve(run: Callable[[str, int], int]) -> None:
    """Does what each line of stdin says, a kind and a number of submissions; tells the calls made to student code, and
    CPU seconds. First comes what starting up took."""
    print(0, cpu_seconds(), flush=True)
    for line in sys.stdin:
        kind, count = line.split()
        before = cpu_seconds()
        calls = run(kind, int(count))
        print(calls, cpu_seconds() - before, flush=True)


def cpu_seconds() -> float:
    """Of this process and of all below it, those that have ended included."""
    time.sleep(0.1)  # a child that was killed just now is counted once its parent has seen it
    here = psutil.Process()
    return sum(_cpu_seconds(process) for process in (here, *here.children(recursive=True)))


def _cpu_seconds(process: psutil.Process) -> float:
    try:
        return sum(process.cpu_times()[:4])
    except psutil.NoSuchProcess:  # a child that ended just now is counted with its parent
        return 0.0
