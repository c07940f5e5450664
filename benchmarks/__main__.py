"""`python -m benchmarks`: CPU a submission of the kit, of the floor below any grader, and of pytest started anew.

Beside them stands what diagnosis and follow-through add. Prints the table that docs/speed.md shows.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.command_line import whole_number


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


@dataclass(frozen=True)
class Row:
    """What a submission of one assignment costs in each way, start-up left out."""

    assignment: str
    floor: Cost
    kit: Cost
    failing: Cost
    usual: Cost
    start_cpu: float

    @classmethod
    def of(cls, assignment: str, count: int) -> Row:
        _, floor = start_and_each("floor", assignment, "right", count)
        start, kit = start_and_each("kit", assignment, "right", count)
        _, failing = start_and_each("kit", assignment, "failing", count)
        _, usual = start_and_each("usual", assignment, "right", USUAL)
        return cls(assignment, floor, kit, failing, usual, start.cpu)

    def cells(self) -> Iterator[str]:
        yield self.assignment
        yield str(self.kit.calls)
        yield f"{self.start_cpu:.1f}"
        for cost in (self.floor, self.kit, self.failing, self.usual):
            yield f"{cost.cpu * 1e3:.1f}"
        yield f"{self.kit.cpu / self.floor.cpu:.2f}"
        yield f"{self.failing.cpu / self.kit.cpu:.2f}"
        yield f"{self.usual.cpu / self.kit.cpu:.0f}"


HEAD = (
    *("assignment", "calls", "start-up, s", "floor, ms", "kit, ms", "kit on failing work, ms", "pytest anew, ms"),
    *("kit / floor", "failing / right", "pytest anew / kit"),
)
USUAL = 5  # submissions are enough of what takes seconds each


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="ids, or how they begin; default: all")
    parser.add_argument("--submissions", type=whole_number(least=1), default=200, metavar="N")
    asked = parser.parse_args()
    chosen = [name for name in ASSIGNMENTS if not asked.assignments or name.startswith(tuple(asked.assignments))]
    if not chosen:
        parser.error(f"no assignment is called so; there are {', '.join(ASSIGNMENTS)}")
    for line in (HEAD, ["---"] * len(HEAD)):
        print(f"| {' | '.join(line)} |", flush=True)
    for name in chosen:
        print(f"| {' | '.join(Row.of(name, asked.submissions).cells())} |", flush=True)


if __name__ == "__main__":
    main()
