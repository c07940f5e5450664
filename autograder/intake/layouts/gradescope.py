"""Gradescope, "Export Submissions": folders `submission_<number>` and a `submission_metadata.yml` that says whose they are.

The file maps each folder's name to a record with `:submitters:`, a list of `:name:`, `:sid:` and `:email:`. A group has
several submitters, and each of them handed in the whole.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from ..entries import METADATA_LIMIT, Tree, UnreadableError
from ..submission import IntakeError
from . import Handin, Recognized

METADATA = "submission_metadata.yml"
_EXPORT = re.compile(r"assignment_\d+_export")
_FOLDER = re.compile(r"submission_\d+")


# Leaves every scalar a string and Ruby's tags unread, so that no id loses its zeros and nothing is ever made by a tag.
_Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def recognize(tree: Tree) -> Recognized:
    """The student is the `:sid:`, else the `:email:`, else the `:name:`; a folder that is not told of, its own name.

    The metadata counts only at the top of an export: a student's own folder cannot speak for others.
    Raises IntakeError where it cannot be read.
    """
    top = tree.below()
    if len(top) == 1 and not tree.loose and _EXPORT.fullmatch(next(iter(top))):
        (tree,) = top.values()
        top = tree.below()
    metadata = next((entry for entry in tree.loose if entry.name == METADATA), None)
    if metadata is None:
        return Recognized((), tree)
    try:
        records = yaml.load(metadata.read(METADATA_LIMIT), Loader=_Loader)
    except (yaml.YAMLError, UnreadableError, ValueError, RecursionError) as error:
        raise IntakeError(f"{METADATA} in {tree.name} cannot be read: {error}. Export the submissions again.") from None
    if not isinstance(records, dict):
        raise IntakeError(f"{METADATA} in {tree.name} names no submissions. Export them again.")
    folders = sorted({str(name) for name in records} | {name for name in top if _FOLDER.fullmatch(name)})
    handins = [
        Handin(student, top[folder].entries if folder in top else (), notes)
        for folder in folders
        for student, notes in _submitters(folder, records.get(folder))
    ]
    return Recognized(tuple(handins), tree.without({METADATA, *folders}))


def _submitters(folder: str, record: Any) -> list[tuple[str, tuple[str, ...]]]:
    submitters = record.get(":submitters") if isinstance(record, dict) else None
    named = [name for name in map(_named, submitters if isinstance(submitters, list) else []) if name]
    if not named:
        return [(folder, ())]
    notes = (f"This was handed in by a group of {len(named)}.",) if len(named) > 1 else ()
    return [(name, notes) for name in named]


def _named(submitter: Any) -> str | None:
    if not isinstance(submitter, dict):
        return None
    told = (submitter.get(key) for key in (":sid", ":email", ":name"))
    return next((value.strip() for value in told if isinstance(value, str) and value.strip()), None)
