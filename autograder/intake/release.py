"""The release's own files, to tell a submission from what every student received."""

from __future__ import annotations

from functools import cache

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.cell import Cell
from autograder.catalogue.shipped import shipped

from .entries import UnreadableError
from .reading import read_cells


def code_of(cells: tuple[Cell, ...]) -> tuple[str, ...]:
    """What `cells` say, less blank ends of lines, blank ends of cells and empty cells."""
    stripped = ("\n".join(line.rstrip() for line in cell.source.split("\n")).strip("\n") for cell in cells)
    return tuple(text for text in stripped if text)


def is_unchanged(cells: tuple[Cell, ...], assignment_id: str, suffix: str) -> bool:
    """Is this the release's own file, never worked on? False where there is no release to compare with."""
    return code_of(cells) == _released_code(assignment_id, suffix)


@cache
def _released_code(assignment_id: str, suffix: str) -> tuple[str, ...] | None:
    name = ASSIGNMENTS[assignment_id].file + suffix
    try:
        data = (shipped("assignments") / assignment_id / name).read_bytes()
        return code_of(read_cells(name, data).cells)
    except (FileNotFoundError, UnreadableError):
        return None
