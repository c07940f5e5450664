"""The whole battery on every machine that can be emulated here, as root and as an ordinary user.

    python -m tests.attacks.battery              tells what came of it
    python -m tests.attacks.battery --write      writes docs/walls.md besides

The kit is installed there as a wheel, among NumPy, PyTorch and pytest, and the tests are a copy.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .emulation import EMULATED, USERS, Machine, command, python_for_anyone, why_not
from .test_crossings import LAYER_SETS

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = Path(pytest.__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "walls.md"
TESTS = (
    "test_crossings.py",
    "test_marks.py",
    "test_all_assignments.py",
    "test_exhaustion.py",
    "test_flags.py",
    "test_outputs.py",
)
BESIDE = ("submitted.py", "waiting.py")  # what they share with other rooms' tests
FLAGS = (
    "test_an_attempt_while_loading_is_flagged",
    "test_an_attempt_in_a_call_is_flagged",
    "test_honest_work_raises_no_flag",
    "test_what_a_process_tells_of_itself_is_bounded",
)
WHERE_LAYERS_ARE_TAKEN = (
    "test_crossings.py::test_without_a_layer",
    "test_marks.py::test_without_a_wall",
    "test_exhaustion.py::test_without_limits",
    "test_exhaustion.py::test_nothing_is_left_running[forks allowed",
    *(f"test_flags.py::{name}[no bwrap" for name in FLAGS),
    *(f"test_crossings.py::test_behind_the_wall_it_fails[{name}" for name in list(LAYER_SETS)[1:]),
)


@dataclass(frozen=True)
class Outcome:
    """What came of the battery on one machine."""

    machine: Machine
    user: str
    held: int
    through: tuple[str, ...]
    skipped: tuple[str, ...]

    @property
    def told(self) -> str:
        if not self.machine.hides_files:
            return "nothing is graded"
        return f"all {self.held} hold" if not self.through else f"{self.held} hold, {len(self.through)} don't"


def installed(folder: Path) -> Path:
    """A virtual environment that anyone may use, with the kit as a wheel among all packages of this one; its Python."""
    base = python_for_anyone()
    assert base, "no Python that an ordinary user may run"
    subprocess.run([base, "-I", "-m", "venv", "--without-pip", folder / "venv"], check=True)
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    site.rmdir()
    shutil.copytree(
        PACKAGES, site, symlinks=True, copy_function=_link, ignore=shutil.ignore_patterns("*attention_kit*")
    )
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT], check=True
    )
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(site)
    shutil.copytree(ROOT / "tests" / "attacks", folder / "tests" / "attacks")
    for beside in BESIDE:
        shutil.copy(ROOT / "tests" / beside, folder / "tests")
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder / "venv" / "bin" / "python"


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another disk
        shutil.copy2(source, target)


def outcome(machine: Machine, user: str, python: Path, folder: Path) -> Outcome:
    """Run the battery, or where nothing hides files, see that grading is refused."""
    environment = {"HOME": "/nonexistent", "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    away = ("env", f"--chdir={folder}")  # where the clone is not to be found
    if not machine.hides_files:
        raising = "from autograder.boundary.outside.wall import raise_wall\nwith raise_wall(): pass"
        line = command(machine.name, user, *away, str(python), "-c", raising)
        refused = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True)
        assert refused.returncode == 1 and "WallError: no layer hides" in refused.stderr, refused.stderr
        return Outcome(machine, user, 0, (), ())
    report = folder / f"{machine.name}-{user}.xml".replace(" ", "-")
    report.touch()
    report.chmod(0o666)
    left_out = [f"--deselect=tests/attacks/{start}" for start in WHERE_LAYERS_ARE_TAKEN]
    attacks = [f"tests/attacks/{name}" for name in TESTS]
    pytest_line = [
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-n2",
        "--dist=loadfile",
        f"--junitxml={report}",
        *left_out,
        *attacks,
    ]
    line = command(machine.name, user, *away, str(python), *pytest_line)
    run = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode in (0, 1), run.stdout[-3000:] + run.stderr
    cases = list(ElementTree.parse(report).iter("testcase"))
    unread = [case.get("name") for case in cases if not case.get("classname")]
    assert not unread, f"pytest can't import {', '.join(map(str, unread))} there: {run.stdout[-3000:]}"
    through = tuple(_name(case) for case in cases if case.find("failure") is not None or case.find("error") is not None)
    skipped = tuple(_name(case) for case in cases if case.find("skipped") is not None)
    return Outcome(machine, user, len(cases) - len(through) - len(skipped), through, skipped)


def _name(case: ElementTree.Element) -> str:
    return f"{case.get('classname', '').rpartition('.')[2]}::{case.get('name')}"


def page(outcomes: list[Outcome]) -> str:
    """The table as a page of the documentation."""
    rows = [f"| {o.machine.name} | {o.user} | {layers(o)} | {o.told} |" for o in outcomes]
    hows = [f"- **{machine.name}**: {machine.how}." for machine in EMULATED]
    through = [
        f"- {o.machine.name}, {o.user}: "
        + "; ".join(name.partition("[all layers-")[2].rstrip("]") or name for name in o.through)
        for o in outcomes
        if o.through
    ]
    return "\n".join(
        [
            "# Where layers fall",
            "",
            "The whole battery, on every machine that could be emulated, as root and as an ordinary user, with the kit",
            "installed as a wheel among NumPy and PyTorch. `python -m tests.attacks.battery --write` wrote this page",
            f"(Linux {platform.release().partition('-')[0]}, {platform.machine()}).",
            "",
            "| machine | user | layers that stand | tests of the battery |",
            "|---|---|---|---|",
            *rows,
            "",
            "How each was emulated:",
            "",
            *hows,
            "",
            *(
                ["What doesn't hold, and is not promised there ([Security](../SECURITY.md)):", "", *through, ""]
                if through
                else []
            ),
            "None of these is another kernel. Not emulated: macOS and Windows, where no wall can be raised; older",
            "kernels, but for the system calls that they lack; Docker's own daemon.",
            "",
            "In a container whose first process takes up no orphans (Docker without `--init`), each wall leaves behind",
            "an entry `[bwrap] <defunct>` in the table of processes: it runs nothing and holds nothing.",
            "",
        ]
    )


def layers(outcome: Outcome) -> str:
    return f"`{outcome.machine.stands[outcome.user]}`"


def main(arguments: list[str]) -> int:
    if reason := why_not():
        print(f"The battery is not run on other machines: {reason}.")
        return 0
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="attnkit-battery-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        python = installed(folder)
        for machine in EMULATED:
            for user in USERS:
                outcomes.append(outcome(machine, user, python, folder))
                print(f"{machine.name}, {user}: {outcomes[-1].told}", *outcomes[-1].through, sep="\n    ", flush=True)
                print(*(f"    skipped: {name}" for name in outcomes[-1].skipped), sep="\n", flush=True)
    if "--write" in arguments:
        PAGE.write_text(page(outcomes), encoding="utf-8")
    return int(any(o.through and not o.machine.crossed for o in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
