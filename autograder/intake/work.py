"""All that one student handed in, from every input, with the student's own zips opened."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from autograder.catalogue.assignments import Assignment

from .archive import tree_of_students_zip
from .entries import SIZE_LIMITS, Entry, UnreadableError, stem_of
from .layouts import Handin
from .naming import is_source, match, told_by_folder, told_by_name

# More than any checkout of an exercise holds.
MAX_FILES = 5_000


@dataclass(frozen=True)
class Work:
    """`sources` could be a submission, `others` could not; `refusals` say what was not opened."""

    sources: tuple[Entry, ...]
    others: tuple[Entry, ...]
    refusals: tuple[str, ...]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, handins: Iterable[Handin]) -> Work:
        """Opens each zip that was handed in; a zip within a zip stays closed."""
        handins = tuple(handins)
        notes = tuple(dict.fromkeys(note for handin in handins for note in handin.notes))
        listed = [entry for handin in handins for entry in handin.entries]
        if len(listed) > MAX_FILES:
            too_many = f"This holds {len(listed):,} files; hand in those that were asked for."
            return cls((), (), (too_many,), notes)
        files: list[Entry] = []
        refusals: list[str] = []
        for entry in listed:
            try:
                files.extend(_opened(entry) if entry.suffix == ".zip" else [entry])
            except UnreadableError as error:
                refusals.append(str(error))
        sources = tuple(entry for entry in files if is_source(entry))
        rest = [entry for entry in files if not is_source(entry)]
        refusals.extend(entry.refusal for entry in rest if entry.refusal)
        return cls(sources, tuple(entry for entry in rest if not entry.refusal), tuple(refusals), notes)

    def assignments(self) -> set[str]:
        """The ids of the assignments that files' names tell, or folders above them."""
        by_name = [told_by_name(entry.name) for entry in self.sources]
        by_folder = [told_by_folder(entry.path) for entry in (*self.sources, *self.others)]
        return {assignment.id for assignment in (*by_name, *by_folder) if assignment}

    def candidates(self, assignment: Assignment) -> tuple[Entry, ...]:
        """The files for `assignment`: those so named, else the only one in its folder, else the only one."""
        named = tuple(entry for entry in self.sources if match(entry.name, assignment))
        if named:
            return named
        unnamed = [entry for entry in self.sources if not told_by_name(entry.name)]
        for folder in (assignment, None):
            there = tuple(entry for entry in unnamed if told_by_folder(entry.path) is folder)
            if there:
                return there if _are_one(there) else ()
        return ()

    def why_nothing(self, assignment: Assignment) -> str:
        """A sentence for the student: why no file could be taken for `assignment`, and what to do."""
        wanted = f"{assignment.file}.py or {assignment.file}.ipynb"
        if self.refusals:
            return self.refusals[0]
        if not (seen := self.seen()):
            return f"Nothing was handed in; {wanted} was expected."
        return f"No file is named {wanted}, and none could be taken for it; handed in: {seen}."

    def seen(self) -> str:
        """What lay there, as a list of names; empty where that was nothing."""
        names = [entry.shown for entry in (*self.sources, *self.others)]
        return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _opened(zipped: Entry) -> list[Entry]:
    inner = tree_of_students_zip(zipped.read(SIZE_LIMITS[".zip"]), zipped.shown).entries
    nested = next((entry for entry in inner if entry.suffix == ".zip"), None)
    if nested and not any(is_source(entry) for entry in inner):
        raise UnreadableError(f"{nested.shown} is a zip within a zip; hand in the one file alone.")
    return [entry for entry in inner if entry.suffix != ".zip"]


def _are_one(entries: tuple[Entry, ...]) -> bool:
    """Is this one piece of work: a single file, or a .py and a .ipynb of one name?"""
    suffixes, stems = {entry.suffix for entry in entries}, {stem_of(entry.name) for entry in entries}
    return len(entries) == len(suffixes) and len(stems) == 1
