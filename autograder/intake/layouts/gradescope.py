"""Gradescope, "Export Submissions": folders `submission_<number>` and a file of metadata.

`submission_metadata.yml` maps each folder's name to a record with `:submitters:`, a list of `:name:`, `:sid:`
and `:email:`. A group has several submitters, and each of them handed in the whole.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from ..entries import MIB, Entry, Tree, UnreadableError
from ..submission import IntakeError
from .handin import Handin, Recognized

METADATA = "submission_metadata.yml"
METADATA_LIMIT = 32 * MIB
_EXPORT = re.compile(r"assignment_\d+_export")
_FOLDER = re.compile(r"submission_\d+")

# Leaves every scalar a string and every tag unread: ids keep their zeros, and Ruby's objects do no harm.
_Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def recognize(tree: Tree) -> Recognized:
    """The student is the `:sid:`, else the `:email:`, else the `:name:`; else the folder's name.

    The metadata counts only at the top of an export: a student's own folder cannot speak for others.
    Raises IntakeError where it cannot be read.
    """
    export, folders = tree, tree.below
    if len(folders) == 1 and _EXPORT.fullmatch(next(iter(folders))):
        (export,) = folders.values()
        folders = export.below
    metadata = next((entry for entry in export.loose if entry.name == METADATA), None)
    if metadata is None:
        return Recognized((), tree)
    records = _records(metadata, export.name)
    names = sorted({*records, *filter(_FOLDER.fullmatch, folders)})
    handins = [
        Handin(student, folders[name].entries if name in folders else (), notes)
        for name in names
        for student, notes in _submitters(name, records.get(name))
    ]
    return Recognized(tuple(handins), export.without({METADATA, *names}))


def _records(metadata: Entry, export: str) -> dict[str, Any]:
    try:
        records = yaml.load(metadata.read(METADATA_LIMIT), Loader=_Loader)
    except (yaml.YAMLError, UnreadableError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise IntakeError(f"{METADATA} in {export} cannot be read ({reason}); export it again.") from None
    if not isinstance(records, dict):
        raise IntakeError(f"{METADATA} in {export} names no submissions; export them again.")
    return {name: record for name, record in records.items() if isinstance(name, str)}


def _submitters(folder: str, record: Any) -> list[tuple[str, tuple[str, ...]]]:
    """The students whose folder this is, each with what is to be told."""
    submitters = record.get(":submitters") if isinstance(record, dict) else None
    named = [name for name in map(_id_of, submitters if isinstance(submitters, list) else []) if name]
    if not named:
        return [(folder, ())]
    notes = (f"This was handed in by a group of {len(named)}.",) if len(named) > 1 else ()
    return [(name, notes) for name in named]


def _id_of(submitter: Any) -> str | None:
    if not isinstance(submitter, dict):
        return None
    told = (submitter.get(key) for key in (":sid", ":email", ":name"))
    return next((value.strip() for value in told if isinstance(value, str) and value.strip()), None)
