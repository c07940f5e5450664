"""Which of a student's files count for an assignment, read and made a `Submission`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import groupby

from autograder.catalogue.assignments import Assignment

from .entries import SIZE_LIMITS, SOURCE_SUFFIXES, Entry, UnreadableError
from .naming import Match, match
from .reading import read_file
from .release import is_unchanged
from .students import Student
from .submission import Submission, SubmittedFile
from .work import Work

# Each file that counts is graded; who hands in more has to choose.
MAX_FILES = 4
# More copies are not even read.
MAX_CANDIDATES = 32


@dataclass(frozen=True)
class _Candidate:
    """A file that could be the submission, read. `digest` is of its bytes, else of its path."""

    file: SubmittedFile
    suffix: str
    match: Match
    digest: str
    unchanged: bool = False

    @property
    def rank(self) -> tuple[int, int, str, str]:
        """The better named first, then `.py`, then by name."""
        return -self.match, SOURCE_SUFFIXES.index(self.suffix), self.file.name, self.digest


def submission_of(work: Work, student: Student, assignment: Assignment) -> Submission:
    """What `work` holds for `assignment`; a Submission with a problem where that is nothing readable."""
    entries = work.candidates(assignment)
    if not entries:
        return _without_files(work, student, assignment, work.why_nothing(assignment))
    if len(entries) > MAX_CANDIDATES:
        return _without_files(work, student, assignment, _too_many(len(entries), entries[0].shown))
    candidates = _distinct([_read(entry, assignment) for entry in entries])
    counting = _counting(candidates)
    if len(counting) > MAX_FILES:
        return _without_files(work, student, assignment, _too_many(len(counting), counting[0].file.name))
    files = tuple(candidate.file for candidate in counting)
    problem = " ".join(file.problem for file in files if file.problem) or None
    left_out = [c.file.problem for c in candidates if c.file.problem and c not in counting]
    notes = (
        *work.notes,
        *_why_several(counting),
        *left_out,
        *_why_left_aside(candidates, counting),
        *work.refusals,
        *(note for file in files for note in file.notes),
    )
    digest = _joint_digest([candidate.digest for candidate in counting])
    return Submission(student.id, assignment.id, files, digest, problem, notes, student.as_given)


def _without_files(work: Work, student: Student, assignment: Assignment, problem: str) -> Submission:
    notes = tuple(note for note in (*work.notes, *work.refusals) if note != problem)
    return Submission(student.id, assignment.id, (), _joint_digest([]), problem, notes, student.as_given)


def _too_many(number: int, example: str) -> str:
    return f"{number} different files could each be the submission, such as {example}; hand in one."


def _read(entry: Entry, assignment: Assignment) -> _Candidate:
    fits = match(entry.name, assignment)
    digest = hashlib.sha256("/".join(entry.path).encode("utf-8", "surrogatepass")).hexdigest()
    try:
        data = entry.read(SIZE_LIMITS[entry.suffix])
        digest = hashlib.sha256(data).hexdigest()
        file = read_file(entry.shown, data)
    except UnreadableError as error:
        return _Candidate(SubmittedFile(entry.shown, problem=str(error)), entry.suffix, fits, digest)
    return _Candidate(file, entry.suffix, fits, digest, is_unchanged(file.cells, assignment.id, entry.suffix))


def _distinct(candidates: list[_Candidate]) -> list[_Candidate]:
    """Each content once, under its best name, in order of rank."""
    first: dict[tuple[str, str], _Candidate] = {}
    for candidate in sorted(candidates, key=lambda c: c.rank):
        first.setdefault((candidate.suffix, candidate.digest), candidate)
    return list(first.values())


def _counting(candidates: list[_Candidate]) -> list[_Candidate]:
    """The files that count: worked on rather than untouched, readable before unreadable, the best named of a kind.

    Where none was worked on, the first of them stands for all.
    """
    worked_on = [c for c in candidates if not c.unchanged]
    if not worked_on:
        return candidates[:1]
    eligible = [c for c in worked_on if not c.file.problem] or worked_on
    best = {suffix: max(c.match for c in eligible if c.suffix == suffix) for suffix in {c.suffix for c in eligible}}
    return [c for c in eligible if c.match == best[c.suffix]]


def _why_several(counting: list[_Candidate]) -> list[str]:
    by_kind = sorted(counting, key=lambda c: SOURCE_SUFFIXES.index(c.suffix))
    kinds = {suffix: [c.file.name for c in group] for suffix, group in groupby(by_kind, key=lambda c: c.suffix)}
    reasons = [
        f"Nothing tells which of {len(names)} different {suffix} files is the submission: {', '.join(names)}."
        for suffix, names in kinds.items()
        if len(names) > 1
    ]
    if len(kinds) > 1:
        reasons.append("Both the .py and the .ipynb were worked on, so both count.")
    return reasons


def _why_left_aside(candidates: list[_Candidate], counting: list[_Candidate]) -> list[str]:
    """A sentence for each file that was worked on, could be read and doesn't count: one of its kind is better named."""
    named = {c.suffix: c.file.name for c in counting}
    return [
        f"{c.file.name} was left aside, since {named[c.suffix]} has the name that was asked for."
        for c in candidates
        if c not in counting and not c.unchanged and not c.file.problem and c.suffix in named
    ]


def _joint_digest(digests: list[str]) -> str:
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("".join(digests).encode()).hexdigest()
