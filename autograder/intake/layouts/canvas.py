"""Canvas, "Download Submissions": one flat zip.

Each file is `<name>_[LATE_]<user>_<attachment>_<file>`: the name is the sortable name in lower case without anything
but letters, digits and `_`; an anonymous assignment has `anon_<code>` for name and user. Text and link entries end in
`_text.html` and `_link.html` and have no attachment number. Canvas takes `_<digits>_` out of names, so the first such
number is the user's. A file handed in again has `-1`, `-2` … before its ending.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..entries import Entry, Tree
from . import Handin, Recognized

_UPLOAD = re.compile(r"(?P<name>\w*?)_?(?:LATE_)?(?P<user>anon_[A-Za-z0-9]+|(?<![^_])\d+)_\d+_(?P<file>.+)", re.DOTALL)
_ENTRY = re.compile(r"(?P<name>\w*?)_?(?:LATE_)?(?P<user>anon_[A-Za-z0-9]+|(?<![^_])\d+)_(?P<file>(?:text|link)\.html)")


def recognize(tree: Tree) -> Recognized:
    """The student is `<name>_<user>`: names alone are not unique, and the number is what Canvas's gradebook calls ID."""
    by_student: dict[str, list[Entry]] = {}
    taken: set[str] = set()
    for entry in tree.loose:
        if found := _UPLOAD.fullmatch(entry.name) or _ENTRY.fullmatch(entry.name):
            student = "_".join(part for part in (found["name"], found["user"]) if part)
            by_student.setdefault(student, []).append(replace(entry, path=(found["file"],)))
            taken.add(entry.name)
    handins = tuple(Handin(student, tuple(entries)) for student, entries in by_student.items())
    return Recognized(handins, tree.without(taken))
