"""How a submission's notebook is opened before nbgrader's steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import nbformat.reader
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode, v4
from traitlets import Bool

from autograder.catalogue.assignments import ASSIGNMENTS, Assignment, assignment_of_file
from autograder.catalogue.plain_text import one_line
from autograder.intake.naming import told_by_name

from .marking import notebook_to_show
from .pipeline import course_directory, keep_engines
from .rebuild import SubmittedCell

MAX_CELLS = 2000  # nbgrader's steps and pages take a second for a thousand


class SubmissionExporter(NotebookExporter):
    """Opens of the kit's submissions the notebook that counts, be it renamed, and follows no link.

    One that is no notebook is opened as an empty one, so that it is marked, and told why it earns nothing; stock, it
    has no mark at all.
    """

    optimistic_validation = Bool(True, help="Validate once, after all steps, not after each.").tag(config=True)

    def __init__(self, **kw: Any) -> None:
        keep_engines()  # here, since this is made before the first gradebook is opened
        super().__init__(**kw)

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        path, about = Path(filename), (resources or {}).get("nbgrader", {})
        assignment = assignment_of_file(about.get("notebook", ""))
        if assignment is None or path.parent != self._submitted(about):
            return super().from_filename(filename, resources=resources, **kw)
        notebook = self._opened(path, about["student"], assignment)
        return self.from_notebook_node(notebook, resources=resources, **kw)

    def _submitted(self, about: dict[str, str]) -> Path:
        course = course_directory(self)
        return Path(course.format_path(course.submitted_directory, about["student"], about["assignment"]))

    def _opened(self, path: Path, student: str, assignment: Assignment) -> NotebookNode:
        try:
            text = notebook_to_show(path.parent, student, assignment).decode("utf-8-sig")
            return _bare(nbformat.convert(nbformat.reader.reads(text), to_version=4))
        except Exception as error:  # whatever a broken file makes of the reader
            self.log.warning("%s is shown empty, since it can't be opened: %s", path, one_line(error, 300))
            return v4.new_notebook()


def expect_notebooks(*, assignment: str, notebooks: list[str], **_others: object) -> None:
    """nbgrader's hook before a submission: adds to its `notebooks` the kit's own, where it was handed in renamed."""
    named = [told_by_name(Path(notebook).name) for notebook in notebooks]
    for expected in dict.fromkeys((ASSIGNMENTS.get(assignment), *named)):
        if notebooks and expected is not None:
            path = Path(notebooks[0]).with_name(f"{expected.file}.ipynb")
            if not path.exists() and str(path) not in notebooks:
                notebooks.append(str(path))


def _bare(notebook: NotebookNode) -> NotebookNode:
    """What the rebuilding reads of a notebook: no outputs or other metadata, which may be large, or deeply nested."""
    bare: NotebookNode = v4.new_notebook()
    found = notebook.get("cells")
    cells = found if isinstance(found, list) else []
    bare.cells = [SubmittedCell.of(cell).as_node() for cell in cells[:MAX_CELLS]]
    if len(cells) > MAX_CELLS:
        bare.cells.append(v4.new_markdown_cell(f"{len(cells):,} cells were handed in, and {MAX_CELLS:,} are shown."))
    return bare
