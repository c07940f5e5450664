"""Builders of what students and platforms send."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from autograder.intake import collect

SOURCE = "def project_query(X, W_Q):\n    return X @ W_Q\n"


def notebook(*sources: str, **metadata) -> bytes:
    """An nbformat 4 notebook of code cells, as Jupyter writes it."""
    cells = [
        {
            "cell_type": "code",
            "metadata": {},
            "source": source.splitlines(keepends=True),
            "outputs": [],
            "execution_count": None,
        }
        for source in sources
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}).encode()


def zipped(files: dict[str, bytes | str]) -> bytes:
    """A zip of these files; a name that ends in a slash is a folder."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.fixture
def folder(tmp_path):
    """Writes files below a folder `class` and returns that folder."""

    def write(files: dict[str, bytes | str]) -> Path:
        root = tmp_path / "class"
        root.mkdir(exist_ok=True)
        for name, content in files.items():
            path = root / name
            if name.endswith("/"):
                path.mkdir(parents=True)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return root

    return write


def found(paths, assignment=None):
    """The submissions in these paths by student and assignment, in intake's order."""
    paths = paths if isinstance(paths, list) else [paths]
    return {(s.student, s.assignment): s for s in collect(paths, assignment)}
