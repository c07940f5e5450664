"""Student ids: as given where that is safe as a file name, else a safe form that is always the same."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from dataclasses import dataclass

MAX_LENGTH = 64
_MAX_BYTES = 200  # file systems allow 255, and records add an ending
_MAX_ORIGINAL = 1000
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\..*)?$", re.IGNORECASE)
_PUNCTUATION = "._-@+ "


@dataclass(frozen=True)
class Student:
    """`id` is safe as a file name; `as_given` is the original where that differs, else None."""

    id: str
    as_given: str | None = None


def is_safe(name: str) -> bool:
    """Is `name` a plain file name on every system, harmless in a spreadsheet and on a command line?

    Letters, digits and marks of any script, in NFC; after the first character also `._-@+` and single spaces.
    """
    return (
        0 < len(name) <= MAX_LENGTH
        and len(name.encode("utf-8", "surrogatepass")) <= _MAX_BYTES
        and unicodedata.is_normalized("NFC", name)
        and _kind(name[0]) in "LN"
        and all(_kind(c) in "LNM" or c in _PUNCTUATION for c in name)
        and "  " not in name
        and name[-1] not in ". "
        and not _RESERVED.match(name)
    )


def _kind(character: str) -> str:
    """Letter, Number, Mark, Punctuation …, as Unicode has it."""
    return unicodedata.category(character)[0]


class Register:
    """Gives each student one id, and no two the same on a disk that does not tell capitals apart."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def enter(self, given: str) -> Student:
        """The id for the student `given`, whom no earlier call was for."""
        name = unicodedata.normalize("NFC", given)
        chosen = name if is_safe(name) and _folded(name) not in self._taken else self._safe_form(name)
        self._taken.add(_folded(chosen))
        return Student(chosen, None if chosen == name else readable(given))

    def _safe_form(self, name: str) -> str:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        forms = (f"{_slug(name)}-{digest[:length]}" for length in range(8, len(digest) + 1))
        return next(form for form in forms if _folded(form) not in self._taken)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name.casefold())


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name[:_MAX_ORIGINAL]).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-")[:40].strip("-") or "student"


def readable(given: str) -> str:
    """`given` as text that UTF-8 can carry: a byte of a file name that is no UTF-8 is written \\xNN."""
    name = given[:_MAX_ORIGINAL]
    try:
        return os.fsencode(name).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace").decode("utf-8")
