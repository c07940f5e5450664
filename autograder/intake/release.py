"""The release's own files, to tell a submission from what every student received."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.cell import Cell
from autograder.catalogue.shipped import shipped

from .entries import UnreadableError
from .reading import read_file


def is_unchanged(cells: tuple[Cell, ...], assignment_id: str, suffix: str) -> bool:
    """Is this the release's own file, never worked on? False where there is no release to compare with.

    Line ends, blanks at ends of lines and empty cells make no difference, nor do the words of a stub, since
    nbgrader has its own; outputs are no part of cells.
    """
    return _code(cells) == _released_code(assignment_id, suffix)


def _code(cells: tuple[Cell, ...]) -> tuple[str, ...]:
    texts = ("\n".join(_lines(cell.source)).strip("\n") for cell in cells)
    return tuple(text for text in texts if text)


def _lines(source: str) -> Iterator[str]:
    for line in source.split("\n"):
        statement, stub, _ = line.rstrip().partition("raise NotImplementedError(")
        if line.strip() != "# YOUR CODE HERE":
            yield statement + stub


@cache
def _released_code(assignment_id: str, suffix: str) -> tuple[str, ...] | None:
    name = ASSIGNMENTS[assignment_id].file + suffix
    try:
        return _code(read_file(name, (shipped("assignments") / assignment_id / name).read_bytes()).cells)
    except (FileNotFoundError, UnreadableError):
        return None
