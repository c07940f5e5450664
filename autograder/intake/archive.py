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
    SOURCE_SUFFIXES,
    Entry,
    Tree,
    UnreadableError,
    is_ignored,
    printable,
    refused,
    suffix_of,
)

# A zip's list of contents is read in one piece before it can be counted, so its size is bounded first.
MAX_LIST = 64 * MIB
MAX_FILES = 500_000
MAX_STUDENTS_LIST = 1 * MIB
MAX_STUDENTS_FILES = 2_000
# What one student's zip may unpack to, counted over the files that could be a submission.
MAX_STUDENTS_UNPACKED = 128 * MIB
# bzip2 and LZMA unpack without a bound on what one read may give.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_UTF8_NAME = 0x800
_CHUNK = MIB // 4
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError, RuntimeError)

# No file system has longer names; no pattern is held against more.
MAX_NAME = 255

_Path = tuple[str, ...]


class _TooLongError(Exception):
    """The list of contents is longer than it may be."""


class _BoundedReads:
    """A file that is not read in larger pieces than a zip's list of contents may have."""

    def __init__(self, file: BinaryIO, largest: int) -> None:
        self._file, self._largest = file, largest
        self.seek, self.tell, self.seekable, self.close = file.seek, file.tell, file.seekable, file.close

    def read(self, size: int = -1) -> bytes:
        if size > self._largest:
            raise _TooLongError
        return self._file.read(size)

    def __del__(self) -> None:
        self._file.close()


def tree_of_zip(file: BinaryIO, name: str) -> Tree:
    """A zip that an instructor names. Raises UnreadableError where it is no zip or holds too many files."""
    return _tree(_open(_BoundedReads(file, MAX_LIST), f"{printable(name)}.zip", MAX_FILES), name)


def tree_of_students_zip(data: bytes, name: str) -> Tree:
    """A zip that a student handed in, under closer limits. Raises UnreadableError with a sentence."""
    archive = _open(_BoundedReads(io.BytesIO(data), MAX_STUDENTS_LIST), name, MAX_STUDENTS_FILES)
    unpacked = sum(info.file_size for info in archive.infolist() if suffix_of(info.filename) in SOURCE_SUFFIXES)
    if unpacked > MAX_STUDENTS_UNPACKED:
        largest = MAX_STUDENTS_UNPACKED // MIB
        raise UnreadableError(f"{name} unpacks to more than {largest} MiB; hand in the one file alone.")
    return _tree(archive, name)


def _open(file: _BoundedReads, shown: str, most: int) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(file)
        if len(archive.infolist()) > most:
            raise _TooLongError
    except _TooLongError:
        raise UnreadableError(f"{shown} holds more than {most:,} files; hand in those that were asked for.") from None
    except _BROKEN:
        raise UnreadableError(f"{shown} is broken, or no zip at all; zip the files again.") from None
    return archive


def _tree(archive: zipfile.ZipFile, name: str) -> Tree:
    entries: list[Entry] = []
    folders: set[_Path] = set()
    checkouts: set[_Path] = set()
    for path, entry in _listed(archive):
        if CHECKOUT_MARK in path:
            checkouts.add(path[: path.index(CHECKOUT_MARK)])
        if any(map(is_ignored, path)):
            continue
        parents = path[:-1] if entry else path
        folders.update(parents[:depth] for depth in range(1, len(parents) + 1))
        if entry:
            entries.append(entry)
    entries.sort(key=lambda entry: entry.path)
    return Tree(name, tuple(entries), frozenset(folders), frozenset(checkouts))


def _listed(archive: zipfile.ZipFile) -> Iterator[tuple[_Path, Entry | None]]:
    """Each path in the zip with its file, or with None for a folder."""
    for info in archive.infolist():
        name = _name(info).replace("\\", "/")  # some programs of Windows' own write backslashes
        path = tuple(part for part in name.split("/") if part not in ("", "."))
        if _leads_outside(name, path):
            # What stands before the file's name becomes one folder's name: it is told, and leads nowhere.
            head, _, last = name.rpartition("/")
            path = (head or "/", last or "/")
            yield (
                path,
                refused(path, f"{printable(name)} has a path that leads out of its zip, so it was not read."),
            )
        elif any(len(part) > MAX_NAME for part in path):
            path = tuple(part[:MAX_NAME] for part in path)
            yield path, refused(path, f"{_shown(path)} has a longer name than a disk can hold, so it was not read.")
        elif path:
            yield path, None if info.is_dir() else _entry(archive, info, path)


def _leads_outside(name: str, path: _Path) -> bool:
    drive = bool(path) and len(path[0]) == 2 and path[0][1] == ":"
    return drive or name.startswith("/") or ".." in path


def _name(info: zipfile.ZipInfo) -> str:
    """The entry's name; many programs write UTF-8 without the flag that says so."""
    if info.flag_bits & _UTF8_NAME:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: _Path) -> Entry:
    if stat.S_ISLNK(info.external_attr >> 16):
        return refused(path, f"{_shown(path)} is a symbolic link, which is not followed; hand in the file itself.")
    if info.flag_bits & _ENCRYPTED:
        return refused(path, f"{_shown(path)} is encrypted; zip it without a password.")
    if info.compress_type not in _METHODS:
        method = info.compress_type
        return refused(path, f"{_shown(path)} is packed in an unusual way (method {method}); make a plain zip.")
    return Entry(path, info.file_size, partial(_read_entry, archive, info, path))


def _shown(path: _Path) -> str:
    return printable("/".join(path))


def _read_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: _Path, limit: int) -> bytes:
    data = bytearray()
    try:
        with archive.open(info) as file:
            while len(data) < limit and (chunk := file.read(min(_CHUNK, limit - len(data)))):
                data += chunk
    except _BROKEN:
        raise UnreadableError(f"{_shown(path)} is broken in its zip; zip the files again.") from None
    return bytes(data)
