"""What the gradebooks of course platforms have in common: a table that the platform exported, whose rows are matched
with results, and a zip of feedback pages.

A mark never goes to a person by guess: an id has to match exactly, and a number out of a file's name only together
with the name beside it. Whoever can't be matched is named.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.catalogue.assignments import ASSIGNMENTS, Assignment
from autograder.catalogue.plain_text import one_line
from autograder.catalogue.result import Result, Status
from autograder.records.feedback import feedback_path
from autograder.records.results import ResultError, read_result, result_files
from autograder.same_zip import add_to_zip
from autograder.spreadsheet import csv_row, text_in_cell
from autograder.whole_file import whole_binary_file, whole_file

NUMBERED = re.compile(r"(?P<name>.*)_(?P<number>\d+)", re.DOTALL)
SHOWN = 80  # characters of a student's name in a sentence


class ExportError(Exception):
    """An export can't be made; the text is a sentence for the instructor."""


@dataclass(frozen=True)
class Table:
    """A CSV file of the platform. Rows are as long as the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    delimiter: str

    def column(self, name: str) -> int | None:
        """The place of the column `name`, None where there is none."""
        return self.header.index(name) if name in self.header else None


@dataclass(frozen=True)
class Person:
    """A row of the platform's table.

    `number` is the platform's own, `name` the person's, `ids` what else is unique, and `in_files` the names that may
    stand beside the number in the names of downloaded files.
    """

    row: int
    number: str
    name: str
    ids: tuple[str, ...]
    in_files: tuple[str, ...]


@dataclass(frozen=True)
class Matched:
    """Results by the row that they belong to, and whoever is left on either side."""

    results: Mapping[int, Result]
    without_row: tuple[str, ...]
    without_result: tuple[str, ...]


@dataclass(frozen=True)
class Export:
    """What was written, and what the instructor has to be told. `unmatched` results reach nobody."""

    written: tuple[Path, ...]
    told: tuple[str, ...]
    unmatched: tuple[str, ...]


def read_table(path: Path) -> Table:
    """The CSV at `path`, parted by commas, semicolons or tabs. Raises ExportError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ExportError(f"{path} is not UTF-8. Export it again, and don't save it from a spreadsheet.") from error
    except OSError as error:
        raise ExportError(f"{path} can't be read: {error.strerror}.") from error
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        lines = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True) if row]
    except csv.Error as error:
        raise ExportError(f"{path} is no CSV file: {error}.") from error
    if not lines:
        raise ExportError(f"{path} is empty.")
    width = len(lines[0])
    rows = tuple(tuple(row[:width] + [""] * (width - len(row))) for row in lines[1:])
    return Table(tuple(cell.strip() for cell in lines[0]), rows, delimiter)


def write_table(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Write `rows` as a CSV file, whole or not at all. Raises OutputError."""
    with whole_file(path) as file:
        file.writelines(csv_row(row) for row in rows)


def assignment_in(out: Path, asked: str | None) -> Assignment:
    """The assignment to export: the one that was asked for, else the only one in `out`. Raises ExportError."""
    graded = sorted({path.stem for path in result_files(out)})
    if not graded:
        raise ExportError(f"{out} holds no results. Give the folder that attnkit grade wrote with --out.")
    if asked is None and len(graded) > 1:
        raise ExportError(f"{out} holds results of {', '.join(graded)}. Choose one with --assignment.")
    chosen = asked or graded[0]
    if chosen not in graded or chosen not in ASSIGNMENTS:
        raise ExportError(f"{out} holds no results of {chosen}. It has {', '.join(graded)}.")
    return ASSIGNMENTS[chosen]


def results_of(out: Path, assignment: Assignment) -> Iterator[Result]:
    """The results of one assignment, by student. Raises ExportError at a file that is not whole."""
    for path in result_files(out):
        if path.stem == assignment.id:
            try:
                yield read_result(path)
            except ResultError as error:
                raise ExportError(f"{error}. Grade again with --resume first.") from error


def match(results: Iterable[Result], people: Sequence[Person]) -> Matched:
    """Find each result's row: by a unique id, else by the number and name that the platform put into file names, else
    by the name alone. People choose their names themselves, so that a name which is somebody's id finds nobody.

    Where several results would be one row's, none is: which of them that is would be a guess.
    """
    ids = [(_key_of_cell(given), person) for person in people for given in (*person.ids, person.number)]
    by_id = _unique(ids)
    by_name = _unique((_key_of_cell(person.name), person) for person in people)
    by_name = {name: person for name, person in by_name.items() if name not in {given for given, _ in ids}}
    by_number = _unique((person.number, person) for person in people)
    found: dict[int, list[Result]] = {}
    without_row = []
    for result in results:
        student = result.student_as_given or result.student
        person = by_id.get(key(student)) or _by_number(student, by_number) or by_name.get(key(student))
        if person is None:
            without_row.append(result)
        else:
            found.setdefault(person.row, []).append(result)
    without_row += [result for claims in found.values() if len(claims) > 1 for result in claims]
    one = {row: claims[0] for row, claims in found.items() if len(claims) == 1}
    without_result = tuple(one_line(person.name or person.number, SHOWN) for person in people if person.row not in one)
    told = sorted(one_line(result.student_as_given or result.student, SHOWN) for result in without_row)
    return Matched(one, tuple(told), without_result)


def _key_of_cell(cell: str) -> str:
    return key(text_in_cell(cell.strip()))


def _by_number(student: str, by_number: Mapping[str, Person]) -> Person | None:
    numbered = NUMBERED.fullmatch(student)
    person = by_number.get(numbered["number"]) if numbered else None
    if numbered is None or person is None:
        return None
    return person if any(same_name(numbered["name"], name) for name in person.in_files) else None


def _unique(entries: Iterable[tuple[str, Person]]) -> dict[str, Person]:
    """Persons by key, without empty keys and keys of more than one person."""
    found: dict[str, Person] = {}
    twice = set()
    for name, person in entries:
        if found.setdefault(name, person) is not person:
            twice.add(name)
    return {name: person for name, person in found.items() if name and name not in twice}


def key(text: str) -> str:
    """An id without the differences that don't matter: case, white space, the way in which letters are encoded."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def same_name(in_file: str, in_table: str) -> bool:
    """Whether a name out of a file's name is that of the table: platforms drop spaces, commas and, some, accents."""

    def letters(text: str) -> str:
        return "".join(c for c in unicodedata.normalize("NFKD", text).casefold() if c.isalnum())

    def plain_letters(text: str) -> str:
        return "".join(c for c in letters(text) if c.isascii())

    exact = letters(in_file) == letters(in_table)
    return exact or (plain_letters(in_file) == plain_letters(in_table) != "")


def scaled(score: float, max_score: float, possible: float | None) -> float:
    """`score` of `max_score` as points out of `possible`; unchanged where that is not known."""
    return score if possible is None or not max_score else score / max_score * possible


def told_of(matched: Matched, assignment: Assignment) -> list[str]:
    """A sentence for each kind of student who is left out."""
    told = []
    if matched.without_row:
        told.append(
            f"No row of the file is theirs alone, so their marks are not exported: {', '.join(matched.without_row)}."
        )
    if matched.without_result:
        told.append(
            f"No result for {assignment.id}, so their rows are left as they are: {', '.join(matched.without_result)}."
        )
    unreadable = [
        one_line(result.student, SHOWN) for result in matched.results.values() if result.status is Status.UNREADABLE
    ]
    if unreadable:
        told.append(f"Unreadable, exported with 0 points: {', '.join(unreadable)}.")
    return told


def write_feedback_zip(path: Path, out: Path, pages: Iterable[tuple[str, Result]]) -> int:
    """A zip of feedback pages, each under its name; the number of pages. Raises ExportError and OutputError."""
    number = 0
    with whole_binary_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, result in pages:
            page = feedback_path(out, result.student, result.assignment)
            try:
                content = page.read_bytes()
            except FileNotFoundError as error:
                raise ExportError(f"{page} is missing. Grade again with --resume first.") from error
            add_to_zip(archive, name, content)
            number += 1
    return number
