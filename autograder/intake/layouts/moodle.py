"""Moodle, "Download all submissions": `<full name>_<number>_assignsubmission_file_`.

That is a folder, or stands before each file's name. The number is the participant's in Moodle's grading
worksheet. A text typed in the browser comes the same way, as `…_assignsubmission_onlinetext_`. Newer versions
leave out the last underscore.
"""

from __future__ import annotations

import re

from ..entries import Entry, Tree
from .handin import Handin, Recognized

_OWNER = r"(?P<student>.+?_\d+)_assignsubmission_(?:file|onlinetext)"
_FOLDER = re.compile(_OWNER + "_?", re.DOTALL)
_FILE = re.compile(_OWNER + "_(?P<file>.+)", re.DOTALL)


def recognize(tree: Tree) -> Recognized:
    """The student is `<full name>_<number>`, since full names are not unique."""
    by_student: dict[str, list[Entry]] = {}
    taken: set[str] = set()
    for name, below in tree.below.items():
        if found := _FOLDER.fullmatch(name):
            by_student.setdefault(found["student"], []).extend(below.entries)
            taken.add(name)
    for entry in tree.loose:
        if found := _FILE.fullmatch(entry.name):
            by_student.setdefault(found["student"], []).append(entry.at((found["file"],)))
            taken.add(entry.name)
    handins = tuple(Handin(student, tuple(entries)) for student, entries in by_student.items())
    return Recognized(handins, tree.without(taken))
