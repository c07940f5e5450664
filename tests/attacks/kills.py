"""Kill students' processes, zygotes and graders at random moments of a grading: nothing may come out different.

    python -m tests.attacks.kills 1000

grades the sample class over and over while killing, and compares every result with an undisturbed grading's, but for
its times. A grader that is killed is started again with --resume.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from autograder.commands.sample_class import SAMPLES, hand_in

ROOT = Path(__file__).resolve().parents[2]
TIMES = ("duration_s",)
GENTLE = tuple(sample for sample in SAMPLES if not sample.hostile)
HOLD_SECONDS = (0.05, 1.5)  # between two kills


def grading(submissions: Path, out: Path, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "autograder", "grade", str(submissions), "--out", str(out), "--seed", "kills"]
    log = (out.parent / f"{out.name}.log").open("ab")
    return subprocess.Popen(
        [*command, *options], cwd=ROOT, stdout=log, stderr=log, env={**os.environ, "PYTHONPATH": "."}
    )


def family(pid: int) -> list[tuple[int, str]]:
    """All processes below `pid`, with the kind of each: a grader, a zygote (with its bwrap) or a student's process."""
    parents: dict[int, list[int]] = {}
    commands: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            parents.setdefault(parent, []).append(int(folder.name))
            commands[int(folder.name)] = (
                (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            )
    found, waiting = [], list(parents.get(pid, ()))
    while waiting:
        child = waiting.pop()
        found.append((child, commands.get(child, "")))
        waiting += parents.get(child, ())
    return found


def kill_one(grader: subprocess.Popen[bytes], kinds: random.Random) -> str:
    """Kill the grader itself, or any process below it; says which."""
    if kinds.random() < 0.05:
        grader.kill()
        return "grader"
    below = family(grader.pid)
    if not below:
        return ""
    pid, command = kinds.choice(below)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    return "zygote or student" if "inside.zygote" in command else "grader's helper"


def under_fire(submissions: Path, out: Path, kills: int, kinds: random.Random) -> int:
    """Grade into `out`, killing up to `kills` processes on the way; how many were."""
    done = 0
    grader = grading(submissions, out, "--jobs", "2")
    until = time.monotonic() + 600
    while time.monotonic() < until:
        with suppress(subprocess.TimeoutExpired):
            status = grader.wait(kinds.uniform(*HOLD_SECONDS))
            if status == 0:
                return done
            grader = grading(submissions, out, "--jobs", "2", "--resume")
            continue
        if done < kills and kill_one(grader, kinds):
            done += 1
    grader.kill()
    raise AssertionError(f"the grading did not end; see {out.parent / (out.name + '.log')}")


def records(out: Path) -> dict[str, object]:
    """Everything in the records but times."""
    found: dict[str, object] = {}
    for path in sorted(out.rglob("*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        found[str(path.relative_to(out))] = {key: value for key, value in result.items() if key not in TIMES}
    found["gradebook.csv"] = (out / "gradebook.csv").read_text(encoding="utf-8")
    return found


def compare(total: int, seed: int = 0) -> tuple[int, int]:
    """Kill `total` processes over as many gradings as it takes; how many were killed, and in how many gradings."""
    kinds = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="attnkit-kills-") as folder:
        submissions = Path(folder, "submissions")
        hand_in(submissions, GENTLE)
        grading(submissions, Path(folder, "undisturbed")).wait()
        wanted = records(Path(folder, "undisturbed"))
        killed = rounds = 0
        while killed < total:
            out = Path(folder, f"round-{rounds}")
            killed += under_fire(submissions, out, min(total - killed, 40), kinds)
            rounds += 1
            found = records(out)
            for name in wanted.keys() | found.keys():
                assert wanted.get(name) == found.get(name), f"round {rounds}: {name} is {found.get(name)}"
            left = [path for path in out.rglob("*") if path.is_file() and path.name.startswith((".tmp", "tmp"))]
            assert not left, f"half-written files are left: {left}"
            print(f"{killed} killed in {rounds} gradings, all records as undisturbed", flush=True)
    return killed, rounds


if __name__ == "__main__":
    compare(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
