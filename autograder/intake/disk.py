"""Files and folders on disk. Links, pipes and devices are told and never opened."""

from __future__ import annotations

import os
import stat
from functools import partial
from pathlib import Path
from typing import BinaryIO

from .entries import CHECKOUT_MARK, Entry, Tree, UnreadableError, is_ignored, printable, refused
from .submission import IntakeError

MAX_DEPTH = 16
# Below one folder at the top: far more than any export holds, far less than would fill the memory.
MAX_FILES = 100_000
# A pipe must not block the open, and a link must fail it; Windows has none of these flags.
_OPEN_FLAGS = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
    _OPEN_FLAGS |= getattr(os, _flag, 0)


class _Listing:
    """Gathers what lies below a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.entries: list[Entry] = []
        self.folders: set[tuple[str, ...]] = set()
        self.checkouts: set[tuple[str, ...]] = set()

    def list_folder(self, path: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Enters what lies directly in the folder at `path`; returns the folders there. Raises OSError."""
        inner = []
        for item in os.scandir(self.root.joinpath(*path)):
            below = (*path, item.name)
            if item.name == CHECKOUT_MARK:
                self.checkouts.add(path)
            if is_ignored(item.name):
                continue
            if item.is_dir(follow_symlinks=False):
                self.folders.add(below)
                inner.append(below)
            else:
                self.entries.append(_entry_of(item, below))
        return inner

    def list_below(self, top: tuple[str, ...]) -> None:
        """Enters all that lies below the folder `top`, or one refusal where that is too much."""
        before, waiting = len(self.entries) + len(self.folders), [top]
        kept = len(self.entries)
        while waiting:
            path = waiting.pop()
            shown = printable(path[-1])
            try:
                inner = self.list_folder(path)
            except OSError as error:
                self.entries.append(refused(path, f"The folder {shown} cannot be opened: {error.strerror}."))
                continue
            if len(path) >= MAX_DEPTH and inner:
                self.entries.append(refused(path, f"The folder {shown} lies too deep; what is below was not read."))
            else:
                waiting.extend(inner)
            if len(self.entries) + len(self.folders) - before > MAX_FILES:
                del self.entries[kept:]
                self.entries.append(refused(top, f"{printable(top[0])} holds more than {MAX_FILES:,} files."))
                return


def tree_of_folder(folder: Path) -> Tree:
    """All files below `folder`, by name. Raises IntakeError where it cannot be listed."""
    listing = _Listing(folder)
    try:
        tops = listing.list_folder(())
    except OSError as error:
        raise IntakeError(f"{folder} cannot be listed: {error.strerror}.") from None
    for top in tops:
        listing.list_below(top)
    entries = sorted(listing.entries, key=lambda entry: entry.path)
    return Tree(folder.absolute().name, tuple(entries), frozenset(listing.folders), frozenset(listing.checkouts))


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
    """A single file that an instructor names. Raises IntakeError where it is no regular file."""
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise IntakeError(f"{path} is a symbolic link, which is not followed; name what it points to.")
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
            # No more than there is, since the whole of what is asked for would be set aside.
            return file.read(min(limit, os.fstat(file.fileno()).st_size + 1))
        except OSError as error:
            shown = printable(os.path.basename(path))
            raise UnreadableError(f"{shown} cannot be read: {error.strerror}.") from None
