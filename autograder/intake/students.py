"""Student ids: as given where that is safe as a file name, else a safe form that is always the same."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from dataclasses import dataclass

MAX_LENGTH = 64
_MAX_BYTES = 200  # file systems allow 255, and records add an ending
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\..*)?$", re.IGNORECASE)
_PUNCTUATION = "._-@+"


@dataclass(frozen=True)
class Student:
    """`id` is safe as a file name; `as_given` is the original where that differs, else None."""

    id: str
    as_given: str | None = None


def is_safe(name: str) -> bool:
    """Is `name` a plain file name on every system, harmless in a spreadsheet and on a command line?

    Letters, digits and marks of any script in NFC, single spaces within, and `._-@+` after the first character.
    """
    return (
        0 < len(name) <= MAX_LENGTH
        and len(name.encode("utf-8", "surrogatepass")) <= _MAX_BYTES
        and unicodedata.is_normalized("NFC", name)
        and unicodedata.category(name[0])[0] in "LN"
        and all(unicodedata.category(c)[0] in "LNM" or c in _PUNCTUATION or c == " " for c in name)
        and "  " not in name
        and name[-1] not in ". "
        and not _RESERVED.match(name)
    )


class Register:
    """Gives each student one id, and no two the same on a disk that does not tell capitals apart."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def enter(self, given: str) -> Student:
        name = unicodedata.normalize("NFC", given)
        chosen = name if is_safe(name) and _folded(name) not in self._taken else self._safe_form(name)
        self._taken.add(_folded(chosen))
        return Student(chosen, None if chosen == name else readable(given))

    def _safe_form(self, name: str) -> str:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        length = 8
        while _folded(form := f"{_slug(name)}-{digest[:length]}") in self._taken and length < len(digest):
            length += 8
        return form


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name.casefold())


def _slug(name: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^A-Za-z0-9]+", "-", ascii_only).strip("-")[:40].strip("-")
    return slug or "student"


def readable(given: str) -> str:
    """`given` as text that JSON and UTF-8 can carry: bytes that are no UTF-8 are written \\xNN. At most 300 long."""
    return os.fsencode(given).decode("utf-8", "backslashreplace")[:300] if _is_from_disk(given) else given[:300]


def _is_from_disk(given: str) -> bool:
    return any("\ud800" <= c <= "\udfff" for c in given)
