"""A submission rebuilt from the release: the release's cells in its order, with the student's answers in them.

Answers are found by grade id. Whatever else the student wrote stays, as cells of their own below the cell that it
followed. Nothing else of the submission survives: no metadata, no output, no change of a locked cell.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode, from_dict, v4

from autograder.catalogue.plain_text import one_line
from autograder.intake.notebook import nbgrader_of, text_of

from .student_text import harmless

TOP = -1  # in place of a release cell's number: above them all
SHOWN = 60  # characters of an id that a note shows
PICTURES = ("image/png", "image/jpeg", "image/gif")
BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")


@dataclass(frozen=True)
class Rebuilt:
    """`notes` are sentences for the student: what was put back, and what could be meant in two ways."""

    notebook: NotebookNode
    notes: tuple[str, ...]


@dataclass(frozen=True)
class SubmittedCell:
    """One cell as it was handed in; what isn't text is none. `pictures` were pasted into it: by name, type and data."""

    kind: str
    source: str
    cell_id: str | None
    grade_id: str | None
    pictures: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, raw: Any) -> SubmittedCell:
        cell = raw if isinstance(raw, dict) else {}
        kind = cell.get("cell_type")
        return cls(
            kind if kind in ("code", "markdown") else "raw",
            text_of(cell.get("source")) or "",
            text_of(cell.get("id")),
            text_of(nbgrader_of(cell).get("grade_id")),
            _pictures(cell.get("attachments")),
        )

    def as_node(self) -> NotebookNode:
        """A cell of a notebook with this in it, and nothing else."""
        about = {"id": self.cell_id, "attachments": self.pictures}
        nbgrader = {"nbgrader": {"grade_id": self.grade_id}} if self.grade_id else {}
        return from_dict(
            {"cell_type": self.kind, "source": self.source, "metadata": nbgrader}
            | {name: value for name, value in about.items() if value}
        )


def rebuild(release: NotebookNode, submitted: NotebookNode) -> Rebuilt:
    """`release` with what `submitted` answers."""
    sorted_out = _Sorting(release)
    cells = submitted.get("cells")
    for raw in cells if isinstance(cells, list) else []:
        sorted_out.place(SubmittedCell.of(raw))
    return sorted_out.rebuilt()


@dataclass
class _Sorting:
    """Sorts a submission's cells to the release's."""

    release: NotebookNode
    answers: dict[str, list[SubmittedCell]] = field(default_factory=lambda: defaultdict(list))
    changed: dict[int, str] = field(default_factory=dict)
    own: dict[int, list[SubmittedCell]] = field(default_factory=lambda: defaultdict(list))
    missing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _below: int = TOP

    def __post_init__(self) -> None:
        self._by_grade_id: dict[str, int] = {}
        self._by_cell_id: dict[str, int] = {}
        self._by_source: dict[tuple[str, str], int] = {}
        for number, cell in enumerate(self.release.cells):
            if grade_id := nbgrader_of(cell).get("grade_id"):
                self._by_grade_id[grade_id] = number
            else:
                self._by_source[cell.cell_type, cell.source.strip()] = number
                if "id" in cell:
                    self._by_cell_id[cell.id] = number

    def place(self, cell: SubmittedCell) -> None:
        if cell.grade_id in self._by_grade_id:
            self._place_graded(cell, self._by_grade_id[cell.grade_id])
        elif (given := self._given(cell)) is not None:
            self._below = given
            released = self.release.cells[given]
            if released.cell_type == cell.kind == "code":
                self.changed[given] = cell.source
            elif released.source.strip() != cell.source.strip():
                self.own[given].append(cell)  # some write below the question, into its cell
        else:
            if cell.grade_id:
                self.notes.append(
                    f"A cell has the id {one_line(cell.grade_id, SHOWN)}, which the release does not have; it stays as "
                    "your own."
                )
            self.own[self._below].append(cell)

    def _place_graded(self, cell: SubmittedCell, number: int) -> None:
        """A cell with a grade id of the release: an answer, or a locked one, which is the release's in any case."""
        assert cell.grade_id is not None
        released = self.release.cells[number]
        self._below = number
        if nbgrader_of(released).get("solution"):
            self.answers[cell.grade_id].append(cell)
        elif cell.source.strip() != released.source.strip():
            self.notes.append(
                f"The cell {cell.grade_id} was not as in the release, whose own stands here: answer above it."
            )

    def _given(self, cell: SubmittedCell) -> int | None:
        """The release cell without a grade id that this is, be it changed."""
        found = self._by_cell_id.get(cell.cell_id or "", self._by_source.get((cell.kind, cell.source.strip())))
        return None if found in self.changed else found

    def rebuilt(self) -> Rebuilt:
        cells = [self._cell(number, released) for number, released in enumerate(self.release.cells)]
        if self.missing:
            self.notes.append(
                f"No cell has the id {', '.join(self.missing)}. An answer that you wrote in another cell counts there."
            )
        notebook = v4.new_notebook(metadata=deepcopy(self.release.metadata))
        notebook.cells = list(self._with_own(cells))
        return Rebuilt(notebook, tuple(dict.fromkeys(self.notes)))

    def _cell(self, number: int, released: NotebookNode) -> NotebookNode:
        cell = deepcopy(released)
        if number in self.changed:
            cell.source = self.changed[number]
        elif nbgrader_of(cell).get("solution"):
            self._fill(cell, number)
        return cell

    def _fill(self, cell: NotebookNode, number: int) -> None:
        """Put the answer into an answer's cell."""
        grade_id = nbgrader_of(cell)["grade_id"]
        found = self.answers[grade_id]
        if not found:
            self.missing.append(grade_id)
            if not nbgrader_of(cell).get("grade"):
                cell.source = f"# No cell of the submission has this id.\n{cell.source}"
            return
        answer = self._last_written(found, cell.source, number)
        if answer.kind != cell.cell_type:
            self.notes.append(
                f"The cell {grade_id} had become a {answer.kind} cell; it counts as {cell.cell_type} again."
            )
        _write(cell, answer)

    def _last_written(self, found: list[SubmittedCell], stub: str, number: int) -> SubmittedCell:
        """The answer among the cells with one id; the others stay as the student's own."""
        written = [cell for cell in found if cell.source.strip() != stub.strip()]
        *others, answer = {cell.source.strip(): cell for cell in written or found}.values()
        if others:
            self.notes.append(
                f"{len(others) + 1} different cells have the id {answer.grade_id}. They run from top to bottom, so the "
                "last one counts; the others are shown as cells of your own."
            )
            self.own[number].extend(others)
        return answer

    def _with_own(self, cells: list[NotebookNode]) -> Iterator[NotebookNode]:
        count = 0
        for number in range(TOP, len(cells)):
            if number != TOP:
                yield cells[number]
            for own in self.own[number]:
                count += 1
                yield _own_cell(own, f"own-{count}")


def _own_cell(own: SubmittedCell, cell_id: str) -> NotebookNode:
    make = {"code": v4.new_code_cell, "markdown": v4.new_markdown_cell}.get(own.kind, v4.new_raw_cell)
    cell: NotebookNode = make(id=cell_id)
    _write(cell, own)
    return cell


def _write(cell: NotebookNode, written: SubmittedCell) -> None:
    """Put what a student wrote into a cell: as it is where that is code, else harmless, with its pictures."""
    if cell.cell_type == "code":
        cell.source = written.source
        return
    cell.source = harmless(written.source, written.pictures)
    if written.pictures:
        cell.attachments = from_dict(written.pictures)


def _pictures(attachments: Any) -> dict[str, dict[str, str]]:
    """A text cell's attachments that are pictures without script; others are left out."""
    found = {}
    for name, bundle in attachments.items() if isinstance(attachments, dict) else ():
        for kind in PICTURES:
            data = text_of(bundle.get(kind)) if isinstance(bundle, dict) else None
            if data and BASE64.fullmatch(data):
                found[str(name)] = {kind: data}
    return found
