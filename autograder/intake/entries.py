"""Files by name, wherever they lie: in a folder, a zip, a zip in a folder. Bytes are read when asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

MIB = 1 << 20
SOURCE_SUFFIXES = (".py", ".ipynb")
SIZE_LIMITS = {".py": 1 * MIB, ".ipynb": 32 * MIB, ".zip": 64 * MIB}

# Names that no student writes. All other names that begin with a dot are left aside too.
_MACHINE_MADE = frozenset({"__MACOSX", "__pycache__", "node_modules", "site-packages", "venv", "Thumbs.db"})
CHECKOUT_MARK = ".git"


class UnreadableError(Exception):
    """A file cannot be read; the text is a sentence for the student."""


def is_ignored(name: str) -> bool:
    """Is this file or folder made by a machine: .git, .DS_Store, .ipynb_checkpoints, __MACOSX …?"""
    return name in _MACHINE_MADE or (name.startswith(".") and not name.startswith(".."))


# What browsers and editors hang on behind the ending: "x.ipynb.json", "x.ipynb.txt", "x.py.txt", "x.py ".
_HUNG_ON = re.compile(r"(\.py|\.ipynb)(?:\.txt|\.json)?\s*", re.IGNORECASE)


def suffix_of(name: str) -> str:
    """The file's ending in lower case, with its dot; empty where there is none."""
    return _parted(name)[1]


def stem_of(name: str) -> str:
    """The file's name without its ending."""
    return _parted(name)[0]


def _parted(name: str) -> tuple[str, str]:
    """Stem and ending."""
    for start in (name.rfind(".", 0, name.rfind(".")), name.rfind(".")):
        if start > 0 and (source := _HUNG_ON.fullmatch(name, start)):
            return name[:start], source[1].lower()
    stem, dot, ending = name.rpartition(".")
    return (stem, f".{ending.lower()}") if dot and stem else (name, "")


def printable(name: str, limit: int = 120) -> str:
    """`name` as it may stand in a sentence: one line, odd characters escaped, at most `limit` long."""
    escaped = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name[:limit])
    return escaped if len(escaped) == len(name) else escaped[: limit - 1] + "…" * (len(name) > limit)


@dataclass(frozen=True, eq=False)
class Entry:
    """One file. `path` holds the names from the top of its `Tree` down; `refusal` says why it is not opened.

    `read_at_most(n)` returns the first n bytes and raises UnreadableError where that fails.
    """

    path: tuple[str, ...]
    size: int
    read_at_most: Callable[[int], bytes]
    refusal: str | None = None

    @property
    def name(self) -> str:
        """The file's own, without the folders above it."""
        return self.path[-1]

    @property
    def suffix(self) -> str:
        return suffix_of(self.name)

    @property
    def shown(self) -> str:
        """The path as it may stand in a sentence."""
        return printable("/".join(self.path))

    def at(self, path: tuple[str, ...]) -> Entry:
        """The same file under another path."""
        return Entry(path, self.size, self.read_at_most, self.refusal)

    def read(self, limit: int) -> bytes:
        """All bytes of the file. Raises UnreadableError where it is refused, broken or longer."""
        if self.refusal:
            raise UnreadableError(self.refusal)
        data = self.read_at_most(limit + 1) if self.size <= limit else b""
        if max(self.size, len(data)) > limit:
            advice = "clear its outputs" if self.suffix == ".ipynb" else "hand in the program alone"
            raise UnreadableError(f"{self.shown} is larger than {limit // MIB} MiB, so it was not read; {advice}.")
        return data


def refused(path: tuple[str, ...], reason: str) -> Entry:
    """An entry that is known by name alone; `reason` is a sentence for the student."""

    def cannot_read(_limit: int) -> bytes:
        raise UnreadableError(reason)

    return Entry(path, 0, cannot_read, reason)


@dataclass(frozen=True, eq=False)
class Tree:
    """All files below one folder or zip; `name` is the folder's name, or the zip's without its ending.

    `folders` names every folder, the empty ones too; `checkouts` those that hold a `.git`.
    """

    name: str
    entries: tuple[Entry, ...]
    folders: frozenset[tuple[str, ...]] = frozenset()
    checkouts: frozenset[tuple[str, ...]] = frozenset()

    @property
    def loose(self) -> tuple[Entry, ...]:
        """The files that lie in no folder."""
        return tuple(entry for entry in self.entries if len(entry.path) == 1)

    @cached_property
    def below(self) -> dict[str, Tree]:
        """Each folder at the top as a tree of its own, by name."""
        deep = [entry for entry in self.entries if len(entry.path) > 1]
        names = sorted({path[0] for path in self.folders} | {entry.path[0] for entry in deep})
        entries: dict[str, list[Entry]] = {name: [] for name in names}
        folders: dict[str, set[tuple[str, ...]]] = {name: set() for name in names}
        checkouts: dict[str, set[tuple[str, ...]]] = {name: set() for name in names}
        for entry in deep:
            entries[entry.path[0]].append(entry.at(entry.path[1:]))
        for path in self.folders:
            if len(path) > 1:
                folders[path[0]].add(path[1:])
        for path in self.checkouts:
            if path and path[0] in checkouts:
                checkouts[path[0]].add(path[1:])
        return {
            name: Tree(name, tuple(entries[name]), frozenset(folders[name]), frozenset(checkouts[name]))
            for name in names
        }

    def without(self, top: set[str]) -> Tree:
        """This tree less the files and folders at its top that are named."""
        if not top:
            return self
        return Tree(
            self.name,
            tuple(entry for entry in self.entries if entry.path[0] not in top),
            frozenset(path for path in self.folders if path[0] not in top),
            frozenset(path for path in self.checkouts if not path or path[0] not in top),
        )
