"""Zips, read in memory and never unpacked: an entry's path is a name to group by, not a place to write to."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

from .entries import (
    CHECKOUT_MARK,
    MIB,
    SIZE_LIMITS,
    SOURCE_SUFFIXES,
    Entry,
    Tree,
    UnreadableError,
    is_ignored,
    printable,
    refused,
    suffix_of,
)

MAX_ENTRIES = 20_000
MAX_STUDENT_ENTRIES = 2_000
# All that one student's zip may unpack to, counted over the files that could be a submission.
MAX_STUDENT_UNPACKED = 128 * MIB
# A zip's list of contents is read in one piece; this bounds it before anything is made of it.
MAX_DIRECTORY = 16 * MIB
# bzip2 and LZMA unpack without a bound on what one read may give.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_UTF8_NAME = 0x800
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError, RuntimeError)


class _BoundedReads:
    """A file that refuses to be read in pieces larger than a zip's list of contents may be."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek, self.tell, self.seekable, self.close = file.seek, file.tell, file.seekable, file.close

    def read(self, size: int = -1) -> bytes:
        if size > MAX_DIRECTORY:
            raise zipfile.BadZipFile("its list of contents is too long")
        return self._file.read(size)


def tree_of_zip(file: BinaryIO, name: str) -> Tree:
    """A zip that an instructor names. Raises UnreadableError where it is no zip or holds too many files."""
    archive = _open(file, f"{printable(name)}.zip", MAX_ENTRIES)
    return _tree(archive, name, list(_entries(archive)))


def tree_of_students_zip(data: bytes, name: str) -> Tree:
    """A zip that a student handed in, under closer limits. Raises UnreadableError with a sentence for the student."""
    archive = _open(io.BytesIO(data), name, MAX_STUDENT_ENTRIES)
    unpacked = sum(i.file_size for i in archive.infolist() if suffix_of(i.filename) in SOURCE_SUFFIXES)
    if unpacked > MAX_STUDENT_UNPACKED:
        raise UnreadableError(f"{name} unpacks to more than {MAX_STUDENT_UNPACKED // MIB} MiB; hand in the one file alone.")
    return _tree(archive, name, list(_entries(archive)))


def _open(file: BinaryIO, shown: str, limit: int) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(_BoundedReads(file))  # type: ignore[arg-type]
    except _BROKEN:
        raise UnreadableError(f"{shown} is broken or no zip; zip the files again.") from None
    if len(archive.infolist()) > limit:
        raise UnreadableError(f"{shown} holds more than {limit:,} files; hand in only those that were asked for.")
    return archive


def _tree(archive: zipfile.ZipFile, name: str, found: list[tuple[tuple[str, ...], Entry | None]]) -> Tree:
    entries, folders, checkouts = [], set(), set()
    for path, entry in found:
        if CHECKOUT_MARK in path:
            checkouts.add(path[: path.index(CHECKOUT_MARK)])
        if any(map(is_ignored, path)):
            continue
        parents = path if entry is None else path[:-1]
        folders.update(parents[:depth] for depth in range(1, len(parents) + 1))
        if entry:
            entries.append(entry)
    entries.sort(key=lambda entry: entry.path)
    return Tree(name, tuple(entries), frozenset(folders), frozenset(checkouts))


def _entries(archive: zipfile.ZipFile) -> Iterator[tuple[tuple[str, ...], Entry | None]]:
    """Each path in the zip; with None for a folder."""
    for info in archive.infolist():
        name = _name(info)
        parts = tuple(part for part in name.split("/") if part not in ("", "."))
        if not parts:
            continue
        shown = printable(name)
        if _leads_outside(name, parts):
            # What stands before the file's name becomes one folder's name, so that it is told and goes nowhere.
            head, _, last = name.replace("\\", "/").rpartition("/")
            if last:
                yield (head or "/", last), refused((head or "/", last), f"{shown} has a path that leads out of the zip.")
        elif info.is_dir():
            yield parts, None
        elif stat.S_ISLNK(info.external_attr >> 16):
            yield parts, refused(parts, f"{shown} is a symbolic link, which is not followed; hand in the file itself.")
        else:
            yield parts, _entry(archive, info, parts)


def _leads_outside(name: str, parts: tuple[str, ...]) -> bool:
    return name.startswith("/") or "\\" in name or ".." in parts or (len(parts[0]) == 2 and parts[0][1] == ":")


def _name(info: zipfile.ZipInfo) -> str:
    """The entry's name; many programs write UTF-8 without the flag that says so."""
    if info.flag_bits & _UTF8_NAME:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: tuple[str, ...]) -> Entry:
    shown = printable("/".join(path))
    if info.flag_bits & _ENCRYPTED:
        return refused(path, f"{shown} is encrypted; hand it in without a password.")
    if info.compress_type not in _METHODS:
        return refused(path, f"{shown} is packed in an unusual way (method {info.compress_type}); make a plain zip.")
    return Entry(path, info.file_size, partial(_read_entry, archive, info, shown))


def _read_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, shown: str, limit: int) -> bytes:
    try:
        with archive.open(info) as file:
            return file.read(min(limit, max(SIZE_LIMITS.values()) + 1))
    except _BROKEN:
        raise UnreadableError(f"{shown} is broken in its zip; zip the files again.") from None
