"""The notebooks that are made from a reference solution, with nbgrader's metadata (schema 3)."""

from __future__ import annotations

from collections.abc import Callable

import nbformat
from nbformat import NotebookNode, v4

from .reference import Reference, ReferenceCell, Role
from .regions import clear_regions, drop_marks
from .scripts import heading, needs, not_implemented
from .templating import definitions, render

SCHEMA_VERSION = 3
KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
YOUR_ANSWER = "YOUR ANSWER HERE"  # nbgrader's own words for a written answer

Answer = Callable[[ReferenceCell], str]  # what stands in an answer's cell


def source_notebook(reference: Reference) -> NotebookNode:
    """nbgrader's source version: solutions between marks, nothing hidden."""
    return _notebook(reference, lambda cell: cell.source)


def release_notebook(reference: Reference) -> NotebookNode:
    """nbgrader's release version, for students: a stub in each solution's place."""
    from nbgrader.utils import compute_checksum  # here, since it takes a second to import

    notebook = _notebook(reference, _cleared)
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.cell_type = cell.cell_type
            cell.metadata.nbgrader.checksum = compute_checksum(cell)
    return notebook


def solution_notebook(reference: Reference) -> NotebookNode:
    """The worked solution to hand out after the deadline, without nbgrader's metadata."""
    notebook = _notebook(reference, lambda cell: drop_marks(cell.source))
    for cell in notebook.cells:
        cell.metadata.pop("nbgrader", None)
    return notebook


def notebook_text(notebook: NotebookNode) -> str:
    """The notebook as a file holds it; the same bytes every time."""
    nbformat.validate(notebook)
    text: str = v4.writes(notebook)
    return text + "\n"


def _cleared(cell: ReferenceCell) -> str:
    return clear_regions(cell.source, not_implemented(cell) if cell.is_code else YOUR_ANSWER)


def _notebook(reference: Reference, answer: Answer) -> NotebookNode:
    title, *rest = reference.cells
    cells = [_markdown(title.source), _setup(reference)]
    for part in rest:
        cells.extend(_cells(reference, part, answer))
    for number, cell in enumerate(cells):
        cell.id = cell.metadata.get("nbgrader", {}).get("grade_id") or f"cell-{number:02}"
    if len({cell.id for cell in cells}) != len(cells):
        raise ValueError(f"{reference.assignment.file}: two cells have one grade id")
    metadata = {"kernelspec": KERNELSPEC, "language_info": {"name": "python"}}
    notebook: NotebookNode = v4.new_notebook(cells=cells, metadata=metadata)
    return notebook


def _cells(reference: Reference, cell: ReferenceCell, answer: Answer) -> list[NotebookNode]:
    match cell.role:
        case Role.IMPORTS:
            return [_code(reference.imports)]
        case Role.ANSWER | Role.HELPER:
            return [
                _markdown(f"### {heading(reference, cell)}"),
                _code(answer(cell), **_graded(cell.name, solution=True)),
            ]
        case Role.CHECK:
            points = reference.assignment.exercise(cell.name).points
            source = f"{cell.source}\n\n\nrun_check(check_{cell.name}, {cell.name})"
            return [_code(source, **_graded(f"{cell.name}-check", points=points))]
        case Role.HINTS:
            return [_markdown(render("details.md.jinja", steps=reference.hints(cell.name)).strip())]
        case Role.REFLECTION:
            return [_markdown(answer(cell), **_graded(f"reflection-{cell.name}", solution=True, points=0))]
        case Role.TEXT:
            return [_markdown(cell.source)]
    return [_code(cell.source)]


def _markdown(source: str, **metadata: object) -> NotebookNode:
    cell: NotebookNode = v4.new_markdown_cell(source, metadata=metadata)
    return cell


def _code(source: str, **metadata: object) -> NotebookNode:
    cell: NotebookNode = v4.new_code_cell(source, metadata=metadata)
    return cell


def _setup(reference: Reference) -> NotebookNode:
    """The first code cell, its source folded away: what matters is what it prints."""
    source = render(
        "setup.py.jinja",
        needs=needs(reference),
        environment=definitions("environment.py"),
        run_check=definitions("run_check.py"),
    )
    return _code(source.strip(), jupyter={"source_hidden": True}, cellView="form")


def _graded(grade_id: str, *, solution: bool = False, points: int | None = None) -> dict[str, object]:
    """A cell's metadata for nbgrader: an answer, a test with points, or both: a written answer."""
    nbgrader: dict[str, object] = {
        "grade": points is not None,
        "grade_id": grade_id,
        "locked": not solution,
        "schema_version": SCHEMA_VERSION,
        "solution": solution,
        "task": False,
    }
    if points is not None:
        nbgrader["points"] = points
    fixed = {} if solution else {"editable": False, "deletable": False}
    return {"nbgrader": nbgrader, **fixed}
