"""`nbgrader autograde` of 20 submissions of 02: the kit's pipeline and nbgrader's own, in turn in one run.

    python -m benchmarks.nbgrader

What a command costs once (nbgrader's imports, a raised wall) is told apart: each pipeline grades one submission,
then all, and the difference is the others'. nbgrader's own pipeline runs the same notebooks, whose test cells hold
the visible checks alone.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import nbformat

from autograder.commands import main as attnkit
from autograder.commands.sample_class import FUSED, LIBRARY, TORCH_PARTS

ROOT = Path(__file__).resolve().parents[1]
ASSIGNMENT, NOTEBOOK = "02_torch_self_attention", "torch_self_attention.ipynb"
SUBMISSIONS = 20
UNSCALED = {
    "scaled_dot_product_attention": TORCH_PARTS["scaled_dot_product_attention"].replace(" / math.sqrt(Q.shape[-1])", "")
}
ANSWERS = (TORCH_PARTS, {**TORCH_PARTS, **FUSED}, {**TORCH_PARTS, **LIBRARY}, {**TORCH_PARTS, **UNSCALED})


@dataclass(frozen=True)
class Cost:
    """Seconds that a command took by the clock, and on processors, those of its processes included."""

    wall: float
    cpu: float

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.wall - other.wall, self.cpu - other.cpu)

    def each(self, count: int) -> Cost:
        return Cost(self.wall / count, self.cpu / count)

    def __str__(self) -> str:
        return f"{self.wall:8.3f} s by the clock, {self.cpu:8.3f} s of CPU"


@dataclass(frozen=True)
class Figures:
    """What one pipeline costs: for each submission, once for each command, and both together."""

    each: Cost
    once: Cost
    whole: Cost


def make_courses(base: Path, count: int) -> dict[str, Path]:
    """The kit's course, and the same without the kit's configuration; both with the same submissions."""
    kit, stock = base / "kit", base / "stock"
    if attnkit(["nbgrader", "init", str(kit)]) != 0:
        raise SystemExit("the course could not be made")
    for number in range(count):
        folder = kit / "submitted" / f"student-{number:02}" / ASSIGNMENT
        folder.mkdir(parents=True)
        notebook = nbformat.read(kit / "release" / ASSIGNMENT / NOTEBOOK, as_version=4)
        for cell in notebook.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id")
            cell.source = ANSWERS[number % len(ANSWERS)].get(name, cell.source)
        nbformat.write(notebook, folder / NOTEBOOK)
    shutil.copytree(kit, stock)
    (stock / "nbgrader_config.py").write_text('c = get_config()\nc.CourseDirectory.course_id = "stock"\n')
    return {"kit": kit, "stock": stock}


def autograde(course: Path, *arguments: str) -> Cost:
    """What the command costs, anew for all that are chosen."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", ASSIGNMENT, "--force", *arguments],
        cwd=course,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)
    return Cost(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measure(course: Path, count: int) -> Figures:
    one, whole = autograde(course, "--student", "student-00"), autograde(course)
    each = (whole - one).each(count - 1)
    return Figures(each, one - each, whole)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=SUBMISSIONS)
    parser.add_argument("--rounds", type=int, default=1, help="how often each pipeline has its turn")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="attnkit-bench-") as base:
        courses = make_courses(Path(base), asked.submissions)
        for turn in range(asked.rounds):
            print(f"round {turn + 1}: nbgrader autograde {ASSIGNMENT}, {asked.submissions} submissions")
            figures = {name: measure(course, asked.submissions) for name, course in courses.items()}
            for name, measured in figures.items():
                print(f"  {name:5}  each submission {measured.each}")
                print(f"         once a command  {measured.once}\n         whole command   {measured.whole}")
            kit, stock = figures["kit"], figures["stock"]
            print(
                f"  stock / kit, each submission: {stock.each.wall / kit.each.wall:.1f} by the clock, "
                f"{stock.each.cpu / kit.each.cpu:.1f} of CPU; whole command: {stock.whole.wall / kit.whole.wall:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
