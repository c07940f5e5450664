"""Canvas, "Download Submissions": one flat zip.

Each file is `<name>_[LATE_]<user>_<attachment>_<file>`. The name is the sortable name in lower case without
anything but letters, digits and `_`; an anonymous assignment has no name, and `anon_<code>` for the user.
Text and link entries end in `_text.html` and `_link.html` and have no attachment number. Canvas takes
`_<digits>_` out of names, so the first such number is the user's. A file that was handed in again has `-1`,
`-2` … before its ending.
"""

from __future__ import annotations

import re

from ..entries import Entry, Tree
from .handin import Handin, Recognized

_OWNER = r"(?P<name>.*?)_?(?:LATE_)?(?P<user>anon_[A-Za-z0-9]+|(?<![^_])\d+)"
_UPLOAD = re.compile(_OWNER + r"_\d+_(?P<file>.+)", re.DOTALL)
_TYPED = re.compile(_OWNER + r"_(?P<file>(?:text|link)\.html)", re.DOTALL)


def recognize(tree: Tree) -> Recognized:
    """The student is `<name>_<user>`: names are not unique, and the number is the gradebook's ID."""
    by_student: dict[str, list[Entry]] = {}
    taken: set[str] = set()
    for entry in tree.loose:
        if found := _UPLOAD.fullmatch(entry.name) or _TYPED.fullmatch(entry.name):
            student = "_".join(part for part in (found["name"], found["user"]) if part)
            by_student.setdefault(student, []).append(entry.at((found["file"],)))
            taken.add(entry.name)
    handins = tuple(Handin(student, tuple(entries)) for student, entries in by_student.items())
    return Recognized(handins, tree.without(taken))
