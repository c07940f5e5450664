"""What an export is: files in memory, and what they could not carry."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass

from autograder.same_zip import add_to_zip


@dataclass(frozen=True)
class File:
    """One file to write: its path with forward slashes, and its bytes."""

    path: str
    data: bytes

    @classmethod
    def of_text(cls, path: str, text: str) -> File:
        """In UTF-8."""
        return cls(path, text.encode("utf-8"))


@dataclass(frozen=True)
class Loss:
    """What a target could not carry of an item, or of the whole quiz (`item` is None)."""

    item: str | None
    what: str


@dataclass(frozen=True)
class Export:
    """What a target made of a quiz, and what of it the target does not carry."""

    files: tuple[File, ...]
    losses: tuple[Loss, ...] = ()


def zipped(path: str, files: Iterable[File]) -> File:
    """A zip of `files`, in their order, that tells nothing of when and where it was made."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for file in files:
            add_to_zip(archive, file.path, file.data)
    return File(path, stream.getvalue())
