"""What a file's name tells: which assignment it is for, and whether it was renamed on its way."""

from __future__ import annotations

import re
from enum import IntEnum

from autograder.catalogue.assignments import ASSIGNMENTS, Assignment

from .entries import SOURCE_SUFFIXES, Entry, stem_of, suffix_of


class Match(IntEnum):
    """How well a name fits an assignment."""

    NONE = 0
    RENAMED = 1
    EXACT = 2


_SEPARATORS = re.compile(r"[\s_\-]+")
# What browsers, Jupyter, Google Drive, macOS and Canvas add to a name:
# "Copy of x", "x (1)", "x-Copy1", "x copy 2", "x-1".
_COPY_PREFIX = re.compile(r"^(?:copy_of_)+")
# Possessive: a name can be made that would take for ever otherwise.
_COPY_SUFFIX = re.compile(r"(?:_?\(\d{1,4}+\)|_copy_?+\d{0,4}+|_\d{1,4}+)++$")


def match(name: str, assignment: Assignment) -> Match:
    """How well the file name `name` fits `assignment`."""
    if suffix_of(name) not in SOURCE_SUFFIXES:
        return Match.NONE
    stem = stem_of(name)
    if stem == assignment.file and len(name) == len(stem) + len(suffix_of(name)):
        return Match.EXACT
    plain = _SEPARATORS.sub("_", stem[:200].casefold()).strip("_")
    plain = _COPY_SUFFIX.sub("", _COPY_PREFIX.sub("", plain))
    return Match.RENAMED if plain == assignment.file else Match.NONE


def told_by_name(name: str) -> Assignment | None:
    """The assignment that the file's name tells, renamed copies included."""
    return next((a for a in ASSIGNMENTS.values() if match(name, a)), None)


def told_by_folder(path: tuple[str, ...]) -> Assignment | None:
    """The assignment whose id is the name of a folder above the file, as in nbgrader's layout."""
    return next((ASSIGNMENTS[part] for part in reversed(path[:-1]) if part in ASSIGNMENTS), None)


def is_source(entry: Entry) -> bool:
    """Could this be a student's work? The release's own visible tests and pytest's settings are not."""
    if entry.suffix not in SOURCE_SUFFIXES:
        return False
    return not entry.name.startswith("test_visible_") and entry.name != "conftest.py"
