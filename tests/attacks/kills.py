"""Kill graders, zygotes and students' processes at random moments of a grading: nothing may come out different.

    python -m tests.attacks.kills 1000

grades the sample class over and over while killing. A grader that was killed is started again with --resume. Compared
with an undisturbed grading, byte for byte but for times, are every result and feedback page that lies there whenever a
grader is killed, and every file of the output folder in the end. A killed grader may leave no process.
"""

from __future__ import annotations

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
from dataclasses import dataclass
from pathlib import Path

from autograder.commands.sample_class import SAMPLES, hand_in
from autograder.records.feedback import FOLDER as FEEDBACK
from autograder.records.folder import LOCK
from autograder.records.results import FOLDER as RESULTS
from autograder.whole_file import PART

ROOT = Path(__file__).resolve().parents[2]
DURATION = re.compile(rb'"duration_s": [\d.]+')
GENTLE = tuple(sample for sample in SAMPLES if not sample.hostile)
LIKELINESS = {"grader": 1, "grader's worker": 2, "bwrap": 2, "zygote": 3, "student": 6}
KILLS_A_GRADING = 40
HOLD_SECONDS = (0.02, 1.2)  # between two kills
GRADING_SECONDS = 1800
ALL_GONE_SECONDS = 20


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


def started(pid: int) -> tuple[int, str]:
    """The parent of `pid` and when it started. Raises OSError where there is no such process."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    if fields[0] in "ZX":
        raise ProcessLookupError(pid)
    return int(fields[1]), fields[19]


def family(grader: int) -> list[Process]:
    """The grader itself and all processes below it."""
    children: dict[int, list[tuple[int, str]]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent, since = started(int(folder.name))
            children.setdefault(parent, []).append((int(folder.name), since))
    found: list[Process] = []
    with suppress(OSError):
        found.append(Process(grader, "grader", started(grader)[1]))
    waiting = [(pid, since, "grader") for pid, since in children.get(grader, ())]
    while waiting:
        pid, since, parent_kind = waiting.pop()
        with suppress(OSError):
            kind = kind_of(Path(f"/proc/{pid}/cmdline").read_bytes(), parent_kind)
            found.append(Process(pid, kind, since))
            waiting += [(child, at, kind) for child, at in children.get(pid, ())]
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
            if started(process.pid)[1] == process.started:
                signal.pidfd_send_signal(handle, signal.SIGKILL)
                return True
        finally:
            os.close(handle)
    return False


def one_of(processes: list[Process], chance: random.Random) -> Process | None:
    """One of a kind that is drawn first, else graders would hardly be killed; None where there is none now."""
    (kind,) = chance.choices(list(LIKELINESS), list(LIKELINESS.values()))
    alike = [process for process in processes if process.kind == kind]
    return chance.choice(alike) if alike else None


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
            assert found.get(name) == self._wanted.get(name), f"{self._out / name} is not as it was undisturbed"

    def _start(self, *options: str) -> subprocess.Popen[bytes]:
        return grading(self._submissions, self._out, "--jobs", str(self._chance.choice((1, 2, 2))), *options)

    def _wait(self, grader: subprocess.Popen[bytes]) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return grader.wait(self._chance.uniform(*HOLD_SECONDS))
        return None

    def _disturb(self, grader: subprocess.Popen[bytes]) -> None:
        processes = family(grader.pid)
        process = one_of(processes, self._chance)
        if process and kill(process):
            self.killed[process.kind] += 1
            if process.kind == "grader":
                grader.wait()
                self._hold_that_all_are_gone(processes)
                self._hold_that_records_are_whole()

    def _hold_that_all_are_gone(self, processes: list[Process]) -> None:
        until = time.monotonic() + ALL_GONE_SECONDS
        while left := [process for process in processes if alive(process)]:
            assert time.monotonic() < until, f"a killed grader left {left}"
            time.sleep(0.05)

    def _hold_that_records_are_whole(self) -> None:
        for name, content in records(self._out).items():
            if name.startswith((RESULTS, FEEDBACK)) and not name.endswith(PART):
                assert content == self._wanted[name], f"{self._out / name} is not whole"


def alive(process: Process) -> bool:
    try:
        return started(process.pid)[1] == process.started
    except OSError:
        return False


def compare(total: int, seed: int = 0) -> tuple[Counter[str], int]:
    """Kill `total` processes over as many gradings as it takes; how many of each kind, and in how many gradings."""
    chance = random.Random(seed)
    killed: Counter[str] = Counter()
    rounds = 0
    with tempfile.TemporaryDirectory(prefix="attnkit-kills-") as folder:
        submissions, undisturbed = Path(folder, "submissions"), Path(folder, "undisturbed")
        hand_in(submissions, GENTLE)
        assert grading(submissions, undisturbed).wait() == 0
        wanted = records(undisturbed)
        while killed.total() < total:
            rounds += 1
            one = Round(submissions, Path(folder, f"round-{rounds}"), wanted, chance)
            one.run(min(total - killed.total(), KILLS_A_GRADING))
            killed += one.killed
            told = ", ".join(f"{number} of {kind}" for kind, number in sorted(killed.items()))
            print(f"{killed.total()} killed in {rounds} gradings ({told}): all records as undisturbed", flush=True)
    return killed, rounds


if __name__ == "__main__":
    compare(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
