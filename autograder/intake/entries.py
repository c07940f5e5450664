"""Files by name, wherever they lie: in a folder, in a zip, in a zip within either. Bytes are read when asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

MIB = 1 << 20
SIZE_LIMITS = {".py": 1 * MIB, ".ipynb": 32 * MIB, ".zip": 64 * MIB}
METADATA_LIMIT = 32 * MIB
SOURCE_SUFFIXES = (".py", ".ipynb")

# Names that no student writes. All other names that begin with a dot are left aside too.
_MACHINE_MADE = frozenset({"__MACOSX", "__pycache__", "node_modules", "site-packages", "venv", "Thumbs.db"})
CHECKOUT_MARK = ".git"


class UnreadableError(Exception):
    """A file cannot be read; the text is a sentence for the student."""


def is_ignored(name: str) -> bool:
    """Is this file or folder made by a machine: .git, .DS_Store, .ipynb_checkpoints, __MACOSX …?"""
    return name.startswith(".") or name in _MACHINE_MADE


def suffix_of(name: str) -> str:
    """The file's ending in lower case, with its dot; empty where there is none."""
    stem, dot, ending = name.rpartition(".")
    return f".{ending.lower()}" if dot and stem else ""


def stem_of(name: str) -> str:
    return name[: len(name) - len(suffix_of(name))]


def printable(name: str, limit: int = 120) -> str:
    """`name` as it may stand in a sentence: control characters and broken bytes escaped, at most `limit` long."""
    escaped = "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in name)
    return escaped if len(escaped) <= limit else escaped[: limit - 1] + "…"


@dataclass(frozen=True, eq=False)
class Entry:
    """One file. `path` holds the names from the top of its `Tree` down; `refusal` says why it is not to be opened.

    `read_at_most(n)` returns the first n bytes and raises `UnreadableError` where that fails.
    """

    path: tuple[str, ...]
    size: int
    read_at_most: Callable[[int], bytes]
    refusal: str | None = None

    @property
    def name(self) -> str:
        return self.path[-1]

    @property
    def suffix(self) -> str:
        return suffix_of(self.name)

    @property
    def shown(self) -> str:
        return printable("/".join(self.path))

    def read(self, limit: int) -> bytes:
        """All bytes of the file. Raises UnreadableError where it is refused, longer than `limit`, or broken."""
        if self.refusal:
            raise UnreadableError(self.refusal)
        if self.size > limit:
            raise UnreadableError(too_large(self.shown, limit))
        data = self.read_at_most(limit + 1)
        if len(data) > limit:
            raise UnreadableError(too_large(self.shown, limit))
        return data


def too_large(shown: str, limit: int) -> str:
    return f"{shown} is larger than {limit // MIB} MiB, so it was not read; clear its outputs or hand in a smaller file."


def refused(path: tuple[str, ...], reason: str) -> Entry:
    """An entry that is known by name alone, with the sentence that tells why."""

    def cannot_read(_limit: int) -> bytes:
        raise UnreadableError(reason)

    return Entry(path, 0, cannot_read, reason)


@dataclass(frozen=True, eq=False)
class Tree:
    """All files below one folder or zip; `name` is that folder's name or the zip's without its ending.

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

    @property
    def top_folders(self) -> tuple[str, ...]:
        names = {path[0] for path in self.folders} | {entry.path[0] for entry in self.entries if len(entry.path) > 1}
        return tuple(sorted(names))

    def below(self) -> dict[str, Tree]:
        """Each top folder as a tree of its own."""
        grouped: dict[str, list[Entry]] = {name: [] for name in self.top_folders}
        for entry in self.entries:
            if len(entry.path) > 1:
                grouped[entry.path[0]].append(replace(entry, path=entry.path[1:]))
        return {
            name: Tree(name, tuple(entries), _within(self.folders, name), _within(self.checkouts, name))
            for name, entries in grouped.items()
        }

    def without(self, top_names: set[str]) -> Tree:
        """This tree less the files and folders at its top that are named."""
        return Tree(
            self.name,
            tuple(entry for entry in self.entries if entry.path[0] not in top_names),
            frozenset(path for path in self.folders if path[0] not in top_names),
            frozenset(path for path in self.checkouts if not path or path[0] not in top_names),
        )


def _within(paths: frozenset[tuple[str, ...]], name: str) -> frozenset[tuple[str, ...]]:
    return frozenset(path[1:] for path in paths if path and path[0] == name)
