"""One grading of a class of thousands, by the command that an instructor runs: has everybody a mark, is memory flat?

    python -m benchmarks.large_class 10000

hands in what the sample class made of 01 under as many names as asked for, and grades it twice: anew, and with
--resume, which may change nothing. Ends with status 1 where a submission has no row, result or page, or the second
grading changed a file. Times and memory are figures, which fail nothing.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from pathlib import Path

import psutil

from autograder.command_line import whole_number
from autograder.commands.sample_class import SAMPLES, Sample, hand_in
from autograder.records import gradebook, report
from autograder.records.feedback import FOLDER as FEEDBACK
from autograder.records.results import FOLDER as RESULTS

ROOT = Path(__file__).resolve().parents[1]
SLOW = ("an endless loop", "a memory bomb")  # seconds each, by the deadline: one in ten would be all that is measured
CLASS = [s for s in SAMPLES if not s.hostile and s.what not in SLOW and (s.numpy is not None or s.raw is not None)]
MEBIBYTE = 2**20
LOOK_SECONDS = 0.5


@dataclass
class Grading:
    """Seconds by the clock of one grading, its CPU seconds, and the resident bytes of its processes at every look.

    `grader` is the process that collects and records, `family` that and all below it: the graders' workers and their
    warm processes. A page that processes share counts for each of them.
    """

    wall: float = 0.0
    cpu: float = 0.0
    grader: list[int] = field(default_factory=list)
    family: list[int] = field(default_factory=list)


def submissions(count: int) -> Iterator[Sample]:
    """The sample class over and over, each time under other names and with other bytes, so that all inputs are met."""
    for number, sample in enumerate(islice(cycle(CLASS), count)):
        yield replace(sample, student=f"student-{number:05}", torch=None, after=f"{sample.after}\n# {number}\n")


def graded(folder: Path, out: Path, *options: str) -> Grading:
    """Run `attnkit grade` on `folder`, and watch it."""
    command = [sys.executable, "-m", "autograder", "grade", str(folder), "--out", str(out), "--seed", "large class"]
    seen, started = Grading(), time.perf_counter()
    with psutil.Popen([*command, *options], cwd=ROOT, stdout=subprocess.DEVNULL) as grader:
        while grader.poll() is None:
            with suppress(psutil.NoSuchProcess):
                family = [grader, *grader.children(recursive=True)]
                times = [member.cpu_times() for member in family]
                seen.cpu = max(seen.cpu, sum(sum(each[:4]) for each in times))
                memory = [member.memory_info().rss for member in family]
                seen.grader.append(memory[0])
                seen.family.append(sum(memory))
            time.sleep(LOOK_SECONDS)
    seen.wall = time.perf_counter() - started
    if grader.returncode != 0:
        raise SystemExit(f"The grading ended with status {grader.returncode}.")
    return seen


def records(out: Path) -> dict[Path, str]:
    """A hash of every file of an output folder."""
    files = (path for path in out.rglob("*") if path.is_file())
    return {path.relative_to(out): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def missing(out: Path, students: list[str]) -> list[str]:
    """What of whom is not there, as sentences."""
    with (out / gradebook.NAME).open(encoding="utf-8", newline="") as file:
        rows = [row["student"] for row in csv.DictReader(file)]
    lacks = [] if rows == students else [f"{gradebook.NAME} has {len(rows)} rows for {len(students)} students."]
    for student in students:
        for folder in (RESULTS, FEEDBACK):
            if len(list((out / folder / student).glob("*"))) != 1:
                lacks.append(f"{student} has not one file in {folder}.")
    return lacks


def quarters(memory: list[int]) -> str:
    """The largest memory in each quarter of a run, in MiB: a leak shows as a rise."""
    parts = [memory[k * len(memory) // 4 : (k + 1) * len(memory) // 4] or memory for k in range(4)]
    return ", ".join(f"{max(part) / MEBIBYTE:.0f}" for part in parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", nargs="?", type=whole_number(least=1), default=10_000, metavar="SUBMISSIONS")
    count: int = parser.parse_args().count
    with tempfile.TemporaryDirectory() as temporary:
        folder, out = Path(temporary) / "submissions", Path(temporary) / "graded"
        hand_in(folder, tuple(submissions(count)))
        anew = graded(folder, out)
        print(f"{count} submissions: {anew.wall:.0f} s by the clock, {anew.cpu / count * 1e3:.1f} ms of CPU each")
        print(f"MiB of the grader, a quarter of the time after the other: {quarters(anew.grader)}")
        print(f"MiB with all its processes: {quarters(anew.family)}", flush=True)
        before = records(out)
        again = graded(folder, out, "--resume")
        print(f"with --resume, nothing new: {again.wall:.0f} s", flush=True)
        faults = missing(out, [f"student-{number:05}" for number in range(count)])
        faults += [
            f"{path} was changed by --resume." for path, told in records(out).items() if before.get(path) != told
        ]
        for name in (gradebook.NAME, report.NAME):
            print(f"{name}: {(out / name).stat().st_size / MEBIBYTE:.1f} MiB")
    print("\n".join(faults[:20]) or f"All {count} have a row, a result and a page, and --resume changed no file.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
