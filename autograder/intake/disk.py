"""Files and folders on disk. Links, pipes and devices are told and never opened."""

from __future__ import annotations

import os
import stat
from functools import partial
from pathlib import Path
from typing import BinaryIO

from .entries import CHECKOUT_MARK, Entry, Tree, UnreadableError, is_ignored, printable, refused
from .submission import IntakeError

MAX_ENTRIES = 200_000
MAX_DEPTH = 16
# A pipe must not block the open, and a link must fail it; Windows has neither flag.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


def tree_of_folder(folder: Path) -> Tree:
    """All files below `folder`, by name. Raises IntakeError where it cannot be listed or holds too much."""
    entries: list[Entry] = []
    folders: set[tuple[str, ...]] = set()
    checkouts: set[tuple[str, ...]] = set()
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        path = waiting.pop()
        try:
            found = sorted(os.scandir(folder.joinpath(*path)), key=lambda item: item.name)
        except OSError as error:
            if not path:
                raise IntakeError(f"{folder} cannot be listed: {error.strerror}.") from None
            entries.append(refused(path, f"The folder {printable(path[-1])} cannot be opened: {error.strerror}."))
            continue
        for item in found:
            below = (*path, item.name)
            if item.name == CHECKOUT_MARK:
                checkouts.add(path)
            if is_ignored(item.name):
                continue
            if item.is_dir(follow_symlinks=False):
                folders.add(below)
                waiting.extend([below] if len(below) <= MAX_DEPTH else [])
            else:
                entries.append(_entry_of(item, below))
        if len(entries) + len(folders) > MAX_ENTRIES:
            raise IntakeError(f"{folder} holds more than {MAX_ENTRIES:,} files; name the submissions' own folder.")
    entries.sort(key=lambda entry: entry.path)
    return Tree(folder.absolute().name, tuple(entries), frozenset(folders), frozenset(checkouts))


def _entry_of(item: os.DirEntry[str], path: tuple[str, ...]) -> Entry:
    shown = printable(item.name)
    try:
        status = item.stat(follow_symlinks=False)
    except OSError as error:
        return refused(path, f"{shown} cannot be read: {error.strerror}.")
    if stat.S_ISLNK(status.st_mode):
        return refused(path, f"{shown} is a symbolic link, which is not followed; hand in the file itself.")
    if not stat.S_ISREG(status.st_mode):
        return refused(path, f"{shown} is not a regular file, so it was not opened.")
    return Entry(path, status.st_size, partial(_read_regular_file, item.path))


def entry_of_file(path: Path) -> Entry:
    """A single file on disk. Raises IntakeError where it is no regular file."""
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise IntakeError(f"{path} is a symbolic link, which is not followed; name the file or folder it points to.")
    if not stat.S_ISREG(status.st_mode):
        raise IntakeError(f"{path} is neither a file nor a folder.")
    return Entry((path.name,), status.st_size, partial(_read_regular_file, str(path)))


def open_regular_file(path: str | Path) -> BinaryIO:
    """The file, opened to read. Raises UnreadableError where it is no regular file or cannot be opened."""
    shown = printable(os.path.basename(path))
    try:
        file = os.fdopen(os.open(path, _OPEN_FLAGS), "rb")
    except OSError as error:
        raise UnreadableError(f"{shown} cannot be read: {error.strerror}.") from None
    # What was listed may have been replaced since.
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise UnreadableError(f"{shown} is not a regular file, so it was not read.")
    return file


def _read_regular_file(path: str, limit: int) -> bytes:
    with open_regular_file(path) as file:
        try:
            return file.read(limit)
        except OSError as error:
            raise UnreadableError(f"{printable(os.path.basename(path))} cannot be read: {error.strerror}.") from None
