"""`python -m benchmarks`: CPU a submission, kit against floor, and what diagnosis and follow-through add."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from dataclasses import dataclass

from autograder.catalogue.assignments import ASSIGNMENTS


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


def each(module: str, assignment: str, kind: str, count: int) -> tuple[Cost, Cost]:
    """Start-up, and one submission without it."""
    start, whole = run(module, assignment, kind, 0), run(module, assignment, kind, count)
    return start, Cost((whole.cpu - start.cpu) / count, (whole.wall - start.wall) / count, whole.calls // count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assignments", nargs="*", default=list(ASSIGNMENTS))
    parser.add_argument("--submissions", type=int, default=200)
    asked = parser.parse_args()
    print(f"CPU milliseconds a submission, over {asked.submissions} submissions; start-up in CPU seconds beside it")
    print(
        f"{'assignment':28} {'calls':>5} {'floor':>12} {'kit':>12} {'kit/floor':>9} {'failing kit':>11} {'/right':>6}"
    )
    for name in ASSIGNMENTS:
        if not any(name.startswith(prefix) for prefix in asked.assignments):
            continue
        floor_start, floor = each("floor", name, "right", asked.submissions)
        kit_start, kit = each("kit", name, "right", asked.submissions)
        _, failing = each("kit", name, "failing", asked.submissions)
        print(
            f"{name:28} {kit.calls:5} {floor.cpu * 1e3:6.1f} ({floor_start.cpu:.1f}) {kit.cpu * 1e3:6.1f} "
            f"({kit_start.cpu:.1f}) {kit.cpu / floor.cpu:9.2f} {failing.cpu * 1e3:11.1f} {failing.cpu / kit.cpu:6.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
