"""`python -m benchmarks`: CPU a submission, kit against floor, and what diagnosis and follow-through add."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from dataclasses import dataclass

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.command_line import whole_number

HEAD = f"{'assignment':28} {'calls':>5} {'floor':>12} {'kit':>12} {'kit/floor':>9} {'failing kit':>11} {'/right':>6}"


@dataclass(frozen=True)
class Cost:
    """CPU and wall seconds of a whole run, and the calls that it made to student code."""

    cpu: float
    wall: float
    calls: int


def run(module: str, assignment: str, kind: str, count: int) -> Cost:
    """A way of grading `count` submissions, in a process of its own that tells its calls and its CPU time."""
    started = time.perf_counter()
    command = [sys.executable, "-m", f"benchmarks.{module}", assignment, kind, str(count)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    calls, cpu = done.stdout.split()[-2:]
    return Cost(float(cpu), time.perf_counter() - started, int(calls))


def start_and_each(module: str, assignment: str, kind: str, count: int) -> tuple[Cost, Cost]:
    """What starting up costs, and one submission without it."""
    start, whole = run(module, assignment, kind, 0), run(module, assignment, kind, count)
    return start, Cost((whole.cpu - start.cpu) / count, (whole.wall - start.wall) / count, whole.calls // count)


def row(assignment: str, count: int) -> str:
    """One assignment's figures, under `HEAD`."""
    floor_start, floor = start_and_each("floor", assignment, "right", count)
    kit_start, kit = start_and_each("kit", assignment, "right", count)
    _, failing = start_and_each("kit", assignment, "failing", count)
    return (
        f"{assignment:28} {kit.calls:5} {floor.cpu * 1e3:6.1f} ({floor_start.cpu:.1f}) {kit.cpu * 1e3:6.1f} "
        f"({kit_start.cpu:.1f}) {kit.cpu / floor.cpu:9.2f} {failing.cpu * 1e3:11.1f} {failing.cpu / kit.cpu:6.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="ids, or how they begin; default: all")
    parser.add_argument("--submissions", type=whole_number(least=1), default=200, metavar="N")
    asked = parser.parse_args()
    chosen = [name for name in ASSIGNMENTS if not asked.assignments or name.startswith(tuple(asked.assignments))]
    if not chosen:
        parser.error(f"no assignment is called so; there are {', '.join(ASSIGNMENTS)}")
    print(f"CPU milliseconds a submission, over {asked.submissions} submissions; start-up in CPU seconds beside it")
    print(HEAD)
    for name in chosen:
        print(row(name, asked.submissions), flush=True)


if __name__ == "__main__":
    main()
