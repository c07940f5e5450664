"""Kill graders, zygotes and students' processes at random moments of a grading: nothing may come out different.

    python -m tests.attacks.kills 1000

grades the sample class over and over while killing. A grader that was killed is started again with --resume. Compared
with an undisturbed grading, byte for byte but for times, are every result and feedback page that lies there whenever a
grader is killed, and every file of the output folder in the end. A killed grader may leave no process.
"""

from __future__ import annotations

import difflib
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.commands.sample_class import SAMPLES, Sample, hand_in
from autograder.records.feedback import FOLDER as FEEDBACK
from autograder.records.folder import LOCK
from autograder.records.results import FOLDER as RESULTS
from autograder.whole_file import PART

from ..waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
DURATION = re.compile(rb'"duration_s": [\d.]+')
GENTLE = tuple(sample for sample in SAMPLES if not sample.hostile)
# Torch warms up for seconds after each kill: one student uses it, and the others are there three times.
CLASS = (
    *(replace(s, student=f"{s.student}-{n}") for n in range(3) for s in GENTLE if s.torch is None),
    GENTLE[1],
)
LIKELINESS = {"grader": 1, "grader's worker": 2, "bwrap": 2, "zygote": 3, "student": 12}
LIVES_SECONDS = {"grader": 6.0, "grader's worker": 6.0, "bwrap": 4.0, "zygote": 4.0, "student": 0.05}
KILLS_A_GRADING = 100
HOLD_SECONDS = (0.0, 0.3)  # between two kills
WAIT_SECONDS = 10  # for a process of the kind that is to be killed
GRADING_SECONDS = 1800


@dataclass(frozen=True)
class Process:
    """One process below a grader: what it is, and a number that no other process ever has with its pid."""

    pid: int
    kind: str
    started: str


def grading(submissions: Path, out: Path, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "autograder", "grade", str(submissions), "--out", str(out), "--seed", "kills"]
    with (out.parent / f"{out.name}.log").open("ab") as log:
        return subprocess.Popen(
            [*command, *options], cwd=ROOT, stdout=log, stderr=log, env={**os.environ, "PYTHONPATH": "."}
        )


def started(pid: int) -> str:
    """When `pid` started. Raises OSError where it has ended."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    if fields[0] in "ZX":
        raise ProcessLookupError(pid)
    return fields[19]


def children(pid: int) -> list[int]:
    """Those that live. Raises OSError where it has ended."""
    return [int(child) for tasks in Path(f"/proc/{pid}/task").glob("*/children") for child in tasks.read_text().split()]


def family(grader: int) -> list[Process]:
    """The grader itself and all processes below it."""
    found: list[Process] = []
    waiting = [(grader, "")]
    while waiting:
        pid, parent_kind = waiting.pop()
        with suppress(OSError):
            kind = kind_of(Path(f"/proc/{pid}/cmdline").read_bytes(), parent_kind) if parent_kind else "grader"
            found.append(Process(pid, kind, started(pid)))
            waiting += [(child, kind) for child in children(pid)]
    return found


def kind_of(command: bytes, parent_kind: str) -> str:
    if os.path.basename(command.partition(b"\0")[0]) == b"bwrap":
        return "bwrap"
    if b"inside.zygote" in command:
        return "student" if parent_kind in ("zygote", "student") else "zygote"
    return "grader's worker"


def kill(process: Process) -> bool:
    """Kill just this process, not one that has its pid by now."""
    with suppress(OSError):
        handle = os.pidfd_open(process.pid)
        try:
            if started(process.pid) == process.started:
                signal.pidfd_send_signal(handle, signal.SIGKILL)
                return True
        finally:
            os.close(handle)
    return False


def records(out: Path) -> dict[str, bytes]:
    """Every file of an output folder by its name, without times."""
    return {
        str(path.relative_to(out)): DURATION.sub(b"", path.read_bytes())
        for path in out.rglob("*")
        if path.is_file() and path.name != LOCK
    }


class Round:
    """One grading into `out`, disturbed by up to `kills` kills, which `killed` counts by kind."""

    def __init__(self, submissions: Path, out: Path, wanted: dict[str, bytes], chance: random.Random):
        self._submissions, self._out, self._wanted, self._chance = submissions, out, wanted, chance
        self.killed: Counter[str] = Counter()

    def run(self, kills: int) -> None:
        until = time.monotonic() + GRADING_SECONDS
        grader = self._start()
        while (status := self._wait(grader)) != 0:
            assert time.monotonic() < until, f"the grading does not end; see {self._out}.log"
            if status is not None:
                grader = self._start("--resume")
            elif self.killed.total() < kills:
                self._disturb(grader)
        found = records(self._out)
        for name in sorted(self._wanted.keys() | found.keys()):
            self._hold_that_it_is_as_undisturbed(name, found.get(name, b""))

    def _start(self, *options: str) -> subprocess.Popen[bytes]:
        return grading(self._submissions, self._out, "--jobs", str(self._chance.choice((1, 2, 2))), *options)

    def _wait(self, grader: subprocess.Popen[bytes]) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return grader.wait(self._chance.uniform(*HOLD_SECONDS))
        return None

    def _disturb(self, grader: subprocess.Popen[bytes]) -> None:
        (kind,) = self._chance.choices(list(LIKELINESS), list(LIKELINESS.values()))
        process = self._next(kind, grader)
        processes = family(grader.pid)
        if process is None or not kill(process):
            return
        self.killed[kind] += 1
        print(".", end="", flush=True)
        if kind == "grader":
            grader.wait()
            self._hold_that_all_are_gone(processes)
            self._hold_that_records_are_whole()

    def _next(self, kind: str, grader: subprocess.Popen[bytes]) -> Process | None:
        """A process of this kind at a random moment of its life, as soon as there is one; None where none comes."""
        until = time.monotonic() + WAIT_SECONDS
        while grader.poll() is None and time.monotonic() < until:
            if alike := [process for process in family(grader.pid) if process.kind == kind]:
                time.sleep(self._chance.uniform(0, LIVES_SECONDS[kind]))
                return self._chance.choice(alike)
            time.sleep(0.01)
        return None

    def _hold_that_all_are_gone(self, processes: list[Process]) -> None:
        last = time.monotonic() + PATIENCE
        while left := [process for process in processes if alive(process)]:
            assert time.monotonic() < last, f"a killed grader left {left}"
            time.sleep(0.05)

    def _hold_that_records_are_whole(self) -> None:
        for name, content in records(self._out).items():
            if name.startswith((RESULTS, FEEDBACK)) and not name.endswith(PART):
                self._hold_that_it_is_as_undisturbed(name, content)

    def _hold_that_it_is_as_undisturbed(self, name: str, content: bytes) -> None:
        wanted, found = (text.decode().splitlines() for text in (self._wanted.get(name, b""), content))
        changes = difflib.unified_diff(wanted, found, "undisturbed", str(self._out), lineterm="", n=1)
        assert wanted == found, "\n".join([f"{name} is not as it was undisturbed:", *list(changes)[:40]])


def alive(process: Process) -> bool:
    try:
        return started(process.pid) == process.started
    except OSError:
        return False


def compare(total: int, samples: tuple[Sample, ...] = CLASS, seed: int = 0) -> tuple[Counter[str], int]:
    """Kill `total` processes over as many gradings as it takes; how many of each kind, and in how many gradings."""
    chance = random.Random(seed)
    killed: Counter[str] = Counter()
    rounds = 0
    with tempfile.TemporaryDirectory(prefix="attnkit-kills-") as folder:
        submissions, undisturbed = Path(folder, "submissions"), Path(folder, "undisturbed")
        hand_in(submissions, samples)
        assert grading(submissions, undisturbed).wait() == 0
        wanted = records(undisturbed)
        while killed.total() < total:
            rounds += 1
            one = Round(submissions, Path(folder, f"round-{rounds}"), wanted, chance)
            one.run(min(total - killed.total(), KILLS_A_GRADING))
            killed += one.killed
            told = ", ".join(f"{number} of {kind}" for kind, number in sorted(killed.items()))
            print(f"\n{killed.total()} killed in {rounds} gradings ({told}): all records as undisturbed", flush=True)
    return killed, rounds


if __name__ == "__main__":
    compare(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
