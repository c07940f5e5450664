"""Canvas, "Download Submissions": one flat zip.

Each file is `<name>_[LATE_]<user>_<attachment>_<file>`. The name is the sortable name in lower case without
anything but letters, digits and `_`; an anonymous assignment has no name, and `anon_<code>` for the user.
Text and link entries end in `_text.html` and `_link.html` and have no attachment number. Canvas takes
`_<digits>_` out of names, so the first such number is the user's; but not where a name ends in `_<digits>`, or
has spaces there (`ContentZipper` takes them out last). A file that was handed in again has `-1`, `-2` … before
its ending.
"""

from __future__ import annotations

import re

from ..entries import Entry, Tree
from .handin import Recognized
from .readings import Owned, Reading, by_student

# Numbers have no zeros before them: what begins with `01_` is a file's own name.
_USER = r"_?(?:LATE_)?(?P<user>anon_[A-Za-z0-9]+|(?<![^_])[1-9]\d*)"
_UPLOADS = tuple(  # the first reading, and the last
    re.compile(rf"(?P<name>{name})" + _USER + r"_[1-9]\d*_(?P<file>.+)", re.DOTALL) for name in (".*?", ".*")
)
_TYPED = re.compile(r"(?P<name>.*?)" + _USER + r"_(?P<file>(?:text|link)\.html)", re.DOTALL)


def recognize(tree: Tree) -> Recognized:
    """The student is `<name>_<user>`: names are not unique, and the number is the gradebook's ID."""
    readings = {entry.name: reading for entry in tree.loose if (reading := _reading(entry))}
    return Recognized(by_student(readings.values()), tree.without(set(readings)))


def _reading(entry: Entry) -> Reading | None:
    if typed := _TYPED.fullmatch(entry.name):
        return Reading(_owned(typed, entry))
    first, last = (pattern.fullmatch(entry.name) for pattern in _UPLOADS)
    if first is None or last is None:
        return None
    one_way = first.span("user") == last.span("user")
    return Reading(_owned(first, entry), None if one_way else _owned(last, entry))


def _owned(found: re.Match[str], entry: Entry) -> Owned:
    name = found["name"].removesuffix("_LATE").removesuffix("_")
    student = "_".join(part for part in (name, found["user"]) if part)
    return Owned(student, found["user"], entry.at((found["file"],)))
