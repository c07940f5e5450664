"""`python -m benchmarks`: CPU a submission of the kit, of the floor below any grader, and of pytest started anew.

Beside them stands what diagnosis and follow-through add. Prints the table that docs/speed.md shows.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median
from types import TracebackType
from typing import Self

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.command_line import whole_number


class Way:
    """A way of grading, in a process that has started up and waits. `start` is what that took, in CPU seconds."""

    def __init__(self, module: str, assignment: str):
        command = [sys.executable, "-m", f"benchmarks.{module}", assignment]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        _, self.start = self._told()

    def each(self, kind: str, count: int) -> tuple[int, float]:
        """Calls, and CPU milliseconds, of one of `count` submissions."""
        assert self._process.stdin
        self._process.stdin.write(f"{kind} {count}\n")
        self._process.stdin.flush()
        calls, seconds = self._told()
        return calls // count, seconds / count * 1e3

    def _told(self) -> tuple[int, float]:
        assert self._process.stdout
        calls, seconds = self._process.stdout.readline().split()
        return int(calls), float(seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()


@dataclass(frozen=True)
class Round:
    """CPU milliseconds a submission, in ways that were measured one right after the other: on a busy machine the same
    work takes more at one time than at another, and then all of it does."""

    calls: int
    floor: float
    kit: float
    failing: float
    marked: float
    usual: float

    @classmethod
    def of(cls, floor: Way, kit: Way, usual: Way, count: int) -> Round:
        calls, right = kit.each("right", count)
        failing, marked = (kit.each(kind, count)[1] for kind in ("failing", "marked"))
        return cls(calls, floor.each("right", count)[1], right, failing, marked, usual.each("right", 1)[1])


def cells(assignment: str, count: int) -> Iterator[str]:
    """A line of the table: medians over the rounds."""
    with ExitStack() as stack:
        ways = [stack.enter_context(Way(module, assignment)) for module in ("floor", "kit", "usual")]
        rounds = [Round.of(*ways, count) for _ in range(ROUNDS)]
    yield assignment
    yield str(rounds[0].calls)
    yield f"{ways[1].start:.1f}"
    for column in ("floor", "kit", "failing", "usual"):
        yield f"{median(getattr(each, column) for each in rounds):.1f}"
    yield f"{median(each.kit / each.floor for each in rounds):.2f}"
    yield f"{median(each.failing / each.kit for each in rounds):.2f}"
    yield f"{median(each.failing / each.marked for each in rounds):.2f}"
    yield f"{median(each.usual / each.kit for each in rounds):.0f}"


HEAD = (
    *(
        "assignment",
        "calls",
        "start and first 48, s",
        "floor, ms",
        "kit, ms",
        "kit on failing work, ms",
        "pytest anew, ms",
    ),
    *("kit / floor", "failing / right", "failing / only marked", "pytest anew / kit"),
)
ROUNDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="ids, or how they begin; default: all")
    help = f"submissions of a kind in each of {ROUNDS} rounds"
    parser.add_argument("--submissions", type=whole_number(least=1), default=40, metavar="N", help=help)
    asked = parser.parse_args()
    chosen = [name for name in ASSIGNMENTS if not asked.assignments or name.startswith(tuple(asked.assignments))]
    if not chosen:
        parser.error(f"no assignment is called so; there are {', '.join(ASSIGNMENTS)}")
    for line in (HEAD, ["---"] * len(HEAD)):
        print(f"| {' | '.join(line)} |", flush=True)
    for name in chosen:
        print(f"| {' | '.join(cells(name, asked.submissions))} |", flush=True)


if __name__ == "__main__":
    main()
