"""The kit's steps in nbgrader's pipeline, named by dotted strings in a course's configuration.

Notebooks that are not the kit's go nbgrader's own way through all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode, v4
from nbgrader import preprocessors as stock
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import is_grade, is_solution
from traitlets import Unicode

from autograder.catalogue.assignments import ASSIGNMENTS, Assignment, assignment_of_file
from autograder.catalogue.plain_text import one_line
from autograder.catalogue.result import Result
from autograder.catalogue.shipped import shipped
from autograder.course_secret import GROUPS, OWNERS, course_secret
from autograder.grading.grade import Course

from .cell_output import CellMark, about_html, marks_of, not_graded
from .marking import mark
from .pipeline import course_directory
from .rebuild import rebuild

NOTES = "attnkit_notes"  # in a rebuilt notebook's metadata, for the step that marks it
CHECKS = {f"{exercise.name}-check": exercise.name for a in ASSIGNMENTS.values() for exercise in a.exercises}
LOGGED = 300  # characters of what students wrote, in a line for the instructor's terminal
STOCK_SANITIZE = (
    stock.ClearOutput,
    stock.DeduplicateIds,
    stock.OverwriteKernelspec,
    stock.OverwriteCells,
    stock.CheckCellMetadata,
)

Resources = dict[str, Any]


class RebuildFromRelease(NbGraderPreprocessor):
    """Puts the student's answers into the release's notebook, in place of whatever structure was handed in.

    What nbgrader would check and mend in a submission is right in the release; what it keeps in the gradebook, points
    and tests, has the last word here too.
    """

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        about = resources["nbgrader"]
        assignment = assignment_of_file(about["notebook"])
        if assignment is None:
            return _in_turn(self, STOCK_SANITIZE, nb, resources)
        rebuilt = rebuild(_release(course_directory(self), about["assignment"], assignment), nb)
        for note in rebuilt.notes:
            self.log.warning("%s: %s", about["student"], one_line(note, LOGGED))
        rebuilt.notebook.metadata[NOTES] = list(rebuilt.notes)
        return _in_turn(self, (stock.OverwriteCells,), rebuilt.notebook, resources)


class MarkAcrossWall(NbGraderPreprocessor):
    """Gives each grade cell what `attnkit grade` gives its exercise. Student code runs behind the wall alone.

    nbgrader reads a cell's mark from its output and takes no output for full marks, so every grade cell gets one:
    0 where there is no result.
    """

    secret = Unicode("", help="The course secret that inputs are drawn from. Empty: the file course_secret.").tag(
        config=True
    )

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        about = resources["nbgrader"]
        if not self._is_the_kits(nb, about):
            return _in_turn(self, (stock.Execute, stock.CheckCellMetadata), nb, resources)
        notes = nb.metadata.pop(NOTES, ())
        marks: dict[str, CellMark] = {}
        try:
            result = self._result(about)
            marks = marks_of(result)
            nb.cells.insert(0, _about_cell(about_html(result, notes)))
        except Exception as error:  # no fault stops the batch, and none leaves a cell without its output
            why = f"{type(error).__name__}: {one_line(error, LOGGED)}"
            self.log.error("%s was not graded, and has 0 points: %s", about["student"], why)
        for cell in nb.cells:
            if cell.cell_type == "code" and is_grade(cell) and not is_solution(cell):
                earned = marks.get(CHECKS.get(_grade_id(cell), ""), not_graded())
                cell.outputs = [_execute_result(earned, float(cell.metadata.nbgrader.points))]
        return nb, resources

    def _is_the_kits(self, nb: NotebookNode, about: dict[str, str]) -> bool:
        """By its name, or where an instructor renamed it by its check cells: a student may have deleted those."""
        if assignment_of_file(about["notebook"]) is not None or _has_checks(nb):
            return True
        released = _released(course_directory(self), about["assignment"], about["notebook"])
        return released.is_file() and _has_checks(nbformat.read(released, as_version=4))

    def _result(self, about: dict[str, str]) -> Result:
        """Raises ValueError where the notebook's name tells no assignment, and what marking raises."""
        assignment = assignment_of_file(about["notebook"])
        if assignment is None:
            names = ", ".join(f"{a.file}.ipynb" for a in ASSIGNMENTS.values())
            raise ValueError(f"the kit's notebooks must keep their names ({names}), and this is {about['notebook']}")
        course = course_directory(self)
        secret = self.secret or course_secret(Path(course.root), GROUPS if course.groupshared else OWNERS)
        folder = course.format_path(course.submitted_directory, about["student"], about["assignment"])
        result = mark(Path(folder), about["student"], assignment, Course(secret))
        for flag in result.flags:  # for the instructor alone: what is in the notebook reaches the student
            self.log.warning("%s: %s: %s", about["student"], flag.flag, one_line(flag.detail, LOGGED))
        return result


class ClearHiddenTests(stock.ClearHiddenTests):
    """Clears hidden tests from feedback, and looks for them in the instructor's cells alone: what a student writes
    between such marks is no hidden test, and half a mark no fault."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: Resources, cell_index: int
    ) -> tuple[NotebookNode, Resources]:
        if is_grade(cell) and not is_solution(cell):
            return super().preprocess_cell(cell, resources, cell_index)
        return cell, resources


def _in_turn(
    step: NbGraderPreprocessor, others: Iterable[type[NbGraderPreprocessor]], nb: NotebookNode, resources: Resources
) -> tuple[NotebookNode, Resources]:
    """Other steps in `step`'s place, with its configuration."""
    for other in others:
        nb, resources = other(parent=step.parent)(nb, resources)
    return nb, resources


def _release(course: CourseDirectory, nbgrader_assignment: str, assignment: Assignment) -> NotebookNode:
    """The course's own release version; the kit's, where the course keeps none."""
    path = _released(course, nbgrader_assignment, assignment.file)
    if not path.is_file():
        path = shipped("assignments") / assignment.id / path.name
    return nbformat.read(path, as_version=4)


def _released(course: CourseDirectory, nbgrader_assignment: str, notebook: str) -> Path:
    return Path(course.format_path(course.release_directory, ".", nbgrader_assignment)) / f"{notebook}.ipynb"


def _has_checks(nb: NotebookNode) -> bool:
    return any(_grade_id(cell) in CHECKS for cell in nb.cells)


def _grade_id(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def _execute_result(mark: CellMark, points: float) -> NotebookNode:
    """The output that `nbgrader.utils.determine_grade` reads: a plain float, of which `points` is the most."""
    earned = mark.earned if points == mark.of else mark.earned / mark.of * points
    data = {"text/plain": repr(float(min(earned, points))), "text/html": mark.html}
    output: NotebookNode = v4.new_output("execute_result", data=data, execution_count=None)
    return output


def _about_cell(html: str) -> NotebookNode:
    data = {"text/plain": "About this submission", "text/html": html}
    output = v4.new_output("display_data", data=data)
    cell: NotebookNode = v4.new_code_cell("# About this submission", outputs=[output], id="about-this-submission")
    return cell
