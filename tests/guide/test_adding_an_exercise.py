"""The walk-through is followed word by word in a copy of the project."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .headings import PROJECT

PAGE = PROJECT / "instructor_guide" / "adding_an_exercise.md"
STEP = re.compile(
    r"`(?P<file>[\w/]+\.(?:py|toml))`(?:, above `(?P<mark>[^`]+)` at the end[^:]*|, (?P<end>at the end))?:\n\n"
    r"```\w+\n(?P<text>.*?)```"
    r"|^    attnkit (?P<command>author)$"
    r"|^> (?P<said>[^\n]+)$",
    re.DOTALL | re.MULTILINE,
)


NEEDED = ("autograder", "assignments", "quizzes", "reference_solutions")


@pytest.fixture
def clone(tmp_path) -> Path:
    """A copy of the project's code and data."""
    for folder in NEEDED:
        shutil.copytree(PROJECT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def attnkit(clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "autograder", *arguments]
    return subprocess.run(
        command,
        cwd=clone,
        env={"PYTHONPATH": str(clone), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_who_follows_the_walk_through_ends_with_an_exercise_that_is_proved(clone):
    steps = list(STEP.finditer(PAGE.read_text(encoding="utf-8")))
    assert [bool(step["said"]) for step in steps].count(True) >= 3, "the page says what verify says"
    for step in steps:
        if step["file"]:
            write(clone, step)
        elif step["command"]:
            done = attnkit(clone, step["command"])
            assert done.returncode == 0, done.stderr
        else:
            done = attnkit(clone, "verify", "07")
            assert step["said"] in done.stdout, f"verify says {done.stdout!r} {done.stderr!r}"
            assert done.returncode == 1
    done = attnkit(clone, "verify", "07")
    assert done.returncode == 0, done.stdout + done.stderr


def write(clone: Path, step: re.Match[str]) -> None:
    """A new file, or text at the end or above the last line that is `mark`."""
    target = clone / step["file"]
    target.parent.mkdir(parents=True, exist_ok=True)
    text = target.read_text(encoding="utf-8") if target.exists() else ""
    assert bool(text) == bool(step["mark"] or step["end"]), f"{step['file']} is {'there' if text else 'missing'}"
    above, mark, below = text.rpartition(f"\n{step['mark']}\n") if step["mark"] else (text, "", "")
    assert mark or not step["mark"], f"{step['file']} has no line {step['mark']!r}"
    joined = f"{above}\n{step['text']}{mark[1:]}{below}" if text else step["text"]
    target.write_text(joined, encoding="utf-8")
