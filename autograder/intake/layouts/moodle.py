"""Moodle, "Download all submissions": `<full name>_<number>_assignsubmission_file_`.

That is a folder, or stands before each file's name. The number is the participant's in Moodle's grading
worksheet. A text typed in the browser comes the same way, as `…_assignsubmission_onlinetext_`. Newer versions
leave out the last underscore. Moodle writes the underscores of a full name as spaces (`assign::download_submissions`),
other programs its spaces as underscores.
"""

from __future__ import annotations

import re

from ..entries import Entry, Tree
from .handin import Handin, Recognized
from .readings import Owned, Reading, by_student

_MARK = r"_assignsubmission_(?:file|onlinetext)"
_FOLDER = re.compile(r"(?P<student>.+_\d+)" + _MARK + "_?", re.DOTALL)
_FILES = tuple(  # the first reading, and the last
    re.compile(rf"(?P<student>(?P<name>{name})_(?P<number>\d+))" + _MARK + "_(?P<file>.+)", re.DOTALL)
    for name in (".+?", ".+")
)


def recognize(tree: Tree) -> Recognized:
    """The student is `<full name>_<number>`, since full names are not unique."""
    folders = {name: found["student"] for name in tree.below if (found := _FOLDER.fullmatch(name))}
    handins = tuple(Handin(student, tree.below[name].entries) for name, student in folders.items())
    readings = {entry.name: reading for entry in tree.loose if (reading := _reading(entry))}
    return Recognized(handins + by_student(readings.values()), tree.without({*folders, *readings}))


def _reading(entry: Entry) -> Reading | None:
    first, last = (pattern.fullmatch(entry.name) for pattern in _FILES)
    if first is None or last is None:
        return None
    surely = "_" not in first["name"] or first["student"] == last["student"]
    return Reading(_owned(first, entry), None if surely else _owned(last, entry))


def _owned(found: re.Match[str], entry: Entry) -> Owned:
    return Owned(found["student"], found["number"], entry.at((found["file"],)))
