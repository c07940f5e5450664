"""What an export is: files in memory, and what they could not carry."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass

START_OF_ZIP = (1980, 1, 1, 0, 0, 0)  # the earliest date that a zip can hold: the same bank gives the same bytes


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
            entry = zipfile.ZipInfo(file.path, START_OF_ZIP)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3  # Unix, wherever it is made
            archive.writestr(entry, file.data, zipfile.ZIP_DEFLATED)
    return File(path, stream.getvalue())
