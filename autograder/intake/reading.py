"""One submitted file's bytes as cells, by its ending."""

from __future__ import annotations

from .entries import suffix_of
from .notebook import read_notebook
from .script import read_script
from .submission import SubmittedFile


def read_file(name: str, data: bytes) -> SubmittedFile:
    """A readable `.py` or `.ipynb`. Raises UnreadableError, with a sentence, where it is none."""
    if suffix_of(name) == ".ipynb":
        notebook = read_notebook(name, data)
        return SubmittedFile(name, notebook.cells, notes=notebook.notes)
    return SubmittedFile(name, read_script(name, data))
