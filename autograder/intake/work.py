"""All that one student handed in, from every input, with the student's own zips opened."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from autograder.catalogue.assignments import Assignment

from .archive import tree_of_students_zip
from .entries import SIZE_LIMITS, Entry, UnreadableError, stem_of
from .layouts import Handin
from .naming import is_source, match, told_by_folder, told_by_name


@dataclass(frozen=True)
class Work:
    """`sources` are the files that could be a submission; `refusals` say what could not be opened, `others` what else lay there."""

    sources: tuple[Entry, ...]
    refusals: tuple[str, ...]
    others: tuple[str, ...]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, handins: Iterable[Handin]) -> Work:
        """Opens each zip that was handed in; a zip within a zip stays closed."""
        handins = tuple(handins)
        found: list[Entry] = []
        refusals: list[str] = []
        for handin in handins:
            for entry in handin.entries:
                if entry.suffix != ".zip":
                    found.append(entry)
                    continue
                try:
                    inner = tree_of_students_zip(entry.read(SIZE_LIMITS[".zip"]), entry.shown).entries
                except UnreadableError as error:
                    refusals.append(str(error))
                    continue
                found.extend(e for e in inner if e.suffix != ".zip")
                refusals.extend(f"{e.shown} is a zip within a zip, which is not opened." for e in inner if e.suffix == ".zip")
        sources = tuple(entry for entry in found if is_source(entry))
        rest = [entry for entry in found if not is_source(entry)]
        refusals.extend(entry.refusal for entry in rest if entry.refusal)
        notes = dict.fromkeys(note for handin in handins for note in handin.notes)
        return cls(sources, tuple(refusals), tuple(entry.shown for entry in rest if not entry.refusal), tuple(notes))

    def assignments(self) -> set[str]:
        """The ids of the assignments that names of files, or of folders above them, tell."""
        told = (told_by_name(entry.name) or told_by_folder(entry.path) for entry in self.sources)
        return {assignment.id for assignment in told if assignment}

    def candidates(self, assignment: Assignment) -> tuple[Entry, ...]:
        """The files that are for `assignment`: by name, else by the folder, else the only one that is for no other."""
        named = tuple(entry for entry in self.sources if match(entry.name, assignment))
        if named:
            return named
        unnamed = [entry for entry in self.sources if not told_by_name(entry.name)]
        in_folder = tuple(entry for entry in unnamed if told_by_folder(entry.path) == assignment)
        elsewhere = tuple(entry for entry in unnamed if not told_by_folder(entry.path))
        return in_folder if _are_one(in_folder) else elsewhere if not in_folder and _are_one(elsewhere) else ()

    def why_nothing(self, assignment: Assignment) -> str:
        """A sentence for the student: why no file could be taken for `assignment`, and what to do."""
        wanted = f"{assignment.file}.py or {assignment.file}.ipynb"
        if self.refusals:
            return self.refusals[0]
        seen = [entry.shown for entry in self.sources] or list(self.others)
        if not seen:
            return f"Nothing was handed in; {wanted} was expected."
        listed = ", ".join(seen[:3]) + (f" and {len(seen) - 3} more" if len(seen) > 3 else "")
        return f"No file is named {wanted}, and what was handed in could not be taken for it: {listed}."


def _are_one(entries: tuple[Entry, ...]) -> bool:
    """Is this one piece of work: a single file, or a .py and a .ipynb of one name?"""
    return len(entries) == 1 or (
        len(entries) == 2 and len({e.suffix for e in entries}) == 2 and len({stem_of(e.name) for e in entries}) == 1
    )
