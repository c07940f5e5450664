"""A course that `attnkit nbgrader init` made, and what students hand in there."""

from __future__ import annotations

import io
import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat
import pytest
from jupyter_core.application import NoStart
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from nbgrader.api import Grade, Gradebook
from nbgrader.apps import NbGraderApp

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.commands import main
from autograder.commands.sample_class import NUMPY_PARTS, TORCH_PARTS

ROOT = Path(__file__).resolve().parents[3]
NUMPY, TORCH = "01_numpy_self_attention", "02_torch_self_attention"
ANSWERS = {NUMPY: NUMPY_PARTS, TORCH: TORCH_PARTS}
EVEN_COLUMNS = "def softmax_rows(scores):\n    E = np.exp(scores)\n    return E / E.sum(axis=0)\n"

Edit = Callable[[NotebookNode], None]


@dataclass(frozen=True)
class Course:
    """An nbgrader course's folder. `log` is what nbgrader said to the last command that `run` ran."""

    folder: Path

    def run(self, *arguments: str) -> tuple[int, str]:
        """An nbgrader command in this process, which has the wall standing already: exit status and log."""
        log = io.StringIO()
        handler = logging.StreamHandler(log)
        before = Path.cwd()
        os.chdir(self.folder)
        NbGraderApp.clear_instance()
        try:
            app = NbGraderApp.instance()
            app.initialize([*arguments])
            app.subapp.log.addHandler(handler)
            with suppress(NoStart):  # how it says that the subcommand did it
                app.start()
        except SystemExit as stop:
            return int(stop.code or 0), log.getvalue()
        finally:
            os.chdir(before)
            type(app.subapp).clear_instance()  # which would keep its arguments
            NbGraderApp.clear_instance()
        return 0, log.getvalue()

    def command(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """An nbgrader command as people run it."""
        return subprocess.run(
            [sys.executable, "-m", "nbgrader", *arguments],
            cwd=self.folder,
            env=process_environment(**environment),
            capture_output=True,
            text=True,
            timeout=300,
        )

    def released(self, assignment: str) -> NotebookNode:
        path = self.folder / "release" / assignment / f"{ASSIGNMENTS[assignment].file}.ipynb"
        return nbformat.read(path, as_version=4)

    def submit(
        self, student: str, answers: dict[str, str] | None = None, *, assignment: str = NUMPY, edit: Edit | None = None
    ) -> Path:
        """Place a submission where `collect` would; right but for `answers` and what `edit` does to the notebook."""
        notebook = self.released(assignment)
        write_answers(notebook, {**ANSWERS.get(assignment, {}), **(answers or {})})
        if edit:
            edit(notebook)
        folder = self.folder / "submitted" / student / assignment
        folder.mkdir(parents=True)
        path = folder / f"{ASSIGNMENTS[assignment].file}.ipynb"
        path.write_text(json.dumps(notebook))  # as it is: nbformat would mend what a test broke
        return path

    def gradebook(self) -> Gradebook:
        return Gradebook(f"sqlite:///{self.folder / 'gradebook.db'}")

    def marks(self, student: str, assignment: str = NUMPY) -> dict[str, float]:
        """The scores of a student's grade cells, by exercise; those graded by hand are left out."""
        with self.gradebook() as gradebook:
            submission = gradebook.find_submission(assignment, student)
            return {
                grade.name.removesuffix("-check"): grade.score
                for notebook in submission.notebooks
                for grade in notebook.grades
                if grade.name.endswith("-check")
            }

    def autograded(self, student: str, assignment: str = NUMPY) -> NotebookNode:
        path = self.folder / "autograded" / student / assignment / f"{ASSIGNMENTS[assignment].file}.ipynb"
        return nbformat.read(path, as_version=4)

    def kits_marks(self, students: Iterable[str], out: Path, assignment: str = NUMPY) -> dict[str, dict[str, float]]:
        """What `attnkit grade` says of the students' submissions, by student and exercise."""
        secret = (self.folder / "course_secret").read_text().strip()
        folders = [str(self.folder / "submitted" / student) for student in students]
        status = main(
            ["grade", *folders, "--assignment", assignment, "--seed", secret, "--jobs", "1", "--out", str(out)]
        )
        assert status == 0
        marks = {}
        for path in (out / "results").glob(f"*/{assignment}.json"):
            result = json.loads(path.read_text())
            marks[path.parent.name] = {e["exercise"]: e["score"] for e in result["exercises"]}
        return marks


@contextmanager
def student_grade(course: Course, student: str, name: str, assignment: str = NUMPY) -> Iterator[Grade]:
    """One grade in the gradebook, to look at or to change as the formgrader does."""
    with course.gradebook() as gradebook:
        yield gradebook.find_grade(name, ASSIGNMENTS[assignment].file, assignment, student)
        gradebook.db.commit()


def process_environment(**more: str) -> dict[str, str]:
    """For commands: the kit from this clone, and programs from this Python's folder."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, **more}


def write_answers(notebook: NotebookNode, answers: Mapping[str, str]) -> None:
    """Write each answer into the cell with its name; what has no cell of its own, above them all."""
    left = dict(answers)
    for cell in notebook.cells:
        if source := left.pop(grade_id(cell), None):
            cell.source = source
    for source in filter(None, left.values()):
        notebook.cells.insert(0, new_code_cell(source))


def grade_id(cell: NotebookNode) -> str:
    return cell.metadata.get("nbgrader", {}).get("grade_id", "")


def cell_of(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


@pytest.fixture(scope="session")
def made_course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course as `attnkit nbgrader init` makes it, without submissions; to be copied, not changed."""
    folder = tmp_path_factory.mktemp("nbgrader") / "attention"
    assert main(["nbgrader", "init", str(folder)]) == 0
    return Course(folder)


@pytest.fixture(scope="module")
def course(made_course: Course, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Course]:
    """A copy of the course for one file of tests."""
    folder = tmp_path_factory.mktemp("course") / "attention"
    shutil.copytree(made_course.folder, folder)
    yield Course(folder)


@cache
def hidden_lines() -> tuple[str, ...]:
    """Lines of the hidden tests and of what they know, long enough to be nobody else's."""
    answers = [*(ROOT / "reference_solutions").glob("*.py"), ROOT / "autograder" / "commands" / "sample_class.py"]
    others = [path for path in (ROOT / "assignments").rglob("*") if path.suffix in {".py", ".md", ".ipynb"}]
    known = "".join(path.read_text(encoding="utf-8") for path in (*answers, *others))
    lines = {
        line.strip()
        for path in (ROOT / "autograder" / "suite").rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
    }
    hidden = tuple(sorted(line for line in lines if len(line) > 40 and "(" in line and line not in known))
    assert len(hidden) > 100
    return hidden
