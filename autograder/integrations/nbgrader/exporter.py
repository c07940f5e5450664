"""How a submission's notebook is opened before nbgrader's steps."""

from __future__ import annotations

from typing import Any, TextIO

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import v4

from autograder.catalogue.assignments import assignment_of_file


class SubmissionExporter(NotebookExporter):
    """Opens a file of the kit's that is no notebook as an empty one, so that it is marked, and told why it earns
    nothing; stock, it has no mark at all."""

    def from_file(
        self, file_stream: TextIO, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        try:
            notebook = nbformat.read(file_stream, as_version=4)
        except Exception as error:  # whatever a broken file makes of the reader
            name = (resources or {}).get("metadata", {}).get("name", "")
            if assignment_of_file(name) is None:
                raise
            self.log.warning("%s.ipynb is not a notebook (%s): it will be marked as unreadable", name, error)
            notebook = v4.new_notebook()
        return self.from_notebook_node(notebook, resources=resources, **kw)
