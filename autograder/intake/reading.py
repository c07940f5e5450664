"""One submitted file's bytes as cells, by its ending."""

from __future__ import annotations

from autograder.catalogue.cell import Cell

from .entries import suffix_of
from .notebook import read_notebook
from .script import read_script
from .submission import SubmittedFile


def read_cells(name: str, data: bytes) -> SubmittedFile:
    """The cells of a `.py` or `.ipynb`. Raises UnreadableError with a sentence where it has none that can be read."""
    if suffix_of(name) == ".ipynb":
        notebook = read_notebook(name, data)
        return SubmittedFile(name, notebook.cells, notes=notebook.notes)
    cells: tuple[Cell, ...] = read_script(name, data)
    return SubmittedFile(name, cells)
