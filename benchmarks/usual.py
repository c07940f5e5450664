"""The usual way: pytest started anew for each submission, in its folder, as Gradescope and GitHub Classroom do.

It runs the visible checks, fewer than the hidden ones, and tells them for calls.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.shipped import shipped
from autograder.intake import Submission

from .work import serve, submissions


def main(assignment: str) -> None:
    """Grades as many submissions as are asked for."""
    file = ASSIGNMENTS[assignment].file

    def run(kind: str, count: int) -> int:
        checks = 0
        for submission in submissions(assignment, kind, count):
            with tempfile.TemporaryDirectory() as folder:
                shutil.copy(shipped("assignments") / assignment / f"test_visible_{file}.py", folder)
                checks += _passed(submission, Path(folder), file)
        return checks

    serve(run)


def _passed(submission: Submission, folder: Path, file: str) -> int:
    """How many visible checks pass in a process that is started for this submission."""
    (cell,) = submission.files[0].cells
    (folder / f"{file}.py").write_text(cell.source, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    told = re.search(r"(\d+) passed", done.stdout)
    if told is None:
        sys.exit(f"the visible checks did not run: {done.stdout}{done.stderr}")
    return int(told[1])


if __name__ == "__main__":
    main(*sys.argv[1:])
