"""Gradescope, "Export Submissions": folders `submission_<number>` and a file of metadata.

`submission_metadata.yml` maps each folder's name to a record with `:submitters:`, a list of `:name:`, `:sid:`
and `:email:`. A group has several submitters, and each of them handed in the whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from ..entries import MIB, Entry, Tree, UnreadableError
from ..submission import IntakeError
from .handin import Handin, Recognized

METADATA = "submission_metadata.yml"
METADATA_LIMIT = 32 * MIB
_EXPORT = re.compile(r"assignment_\d+_export")
_FOLDER = re.compile(r"submission_\d+")
_CLAIMED = "Another submission gives the same student, so this one is called otherwise; ask who is who."

# Leaves every scalar a string and every tag unread: ids keep their zeros, and Ruby's objects do no harm.
_Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def recognize(tree: Tree) -> Recognized:
    """The student is the `:sid:`, else the `:email:`, else the `:name:`; else, and where others say the same, the
    folder's name.

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
        for name, student, notes in _named({name: _submitters(records.get(name)) for name in names})
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


def _submitters(record: Any) -> list[list[str]]:
    """What each student whose folder this is can be called, the surest first."""
    submitters = record.get(":submitters") if isinstance(record, dict) else None
    return [called for called in map(_called, submitters if isinstance(submitters, list) else []) if called]


def _called(submitter: Any) -> list[str]:
    if not isinstance(submitter, dict):
        return []
    told = (submitter.get(key) for key in (":sid", ":email", ":name"))
    return [value.strip() for value in told if isinstance(value, str) and value.strip()]


def _named(submitters: Mapping[str, list[list[str]]]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Each folder's students, by an id that stands in no other folder, with what is to be told.

    Who gives somebody else's student number, and both can't be right, is called by the address, and so is the other;
    where that is no better by the folder's name.
    """
    left = {(folder, place): called for folder, group in submitters.items() for place, called in enumerate(group)}
    while twice := _in_several_folders({key: called[0] for key, called in left.items() if called}):
        left = {key: called[1:] if called and called[0] in twice else called for key, called in left.items()}
    for folder, group in submitters.items():
        notes = (f"This was handed in by a group of {len(group)}.",) if len(group) > 1 else ()
        for place, called in enumerate(group):
            ids = left[folder, place]
            yield folder, ids[0] if ids else folder, notes if ids == called else (*notes, _CLAIMED)
        if not group:
            yield folder, folder, ()


def _in_several_folders(ids: Mapping[tuple[str, int], str]) -> set[str]:
    count = Counter(id_ for _, id_ in {(folder, id_) for (folder, _), id_ in ids.items()})
    return {id_ for id_, folders in count.items() if folders > 1}
