"""Canvas: a gradebook to import, and feedback pages named as Canvas names downloaded submissions.

Canvas finds students by the column ID and assignments by `Title (number)`; a column that it does not know becomes a
new assignment, worth what stands in the row "Points Possible". Cells that an import leaves out stay as they are.
Feedback goes back by the numbers of user and attachment in the file's name, so it needs the names of the download.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.catalogue.assignments import Assignment
from autograder.catalogue.plain_text import one_line
from autograder.catalogue.result import Result, Status
from autograder.records.pages import points
from autograder.spreadsheet import kept_cell, text_cell

from .platform_gradebook import (
    SHOWN,
    Export,
    ExportError,
    Person,
    Table,
    assignment_in,
    key,
    match,
    read_table,
    results_of,
    scaled,
    told_of,
    write_feedback_zip,
    write_table,
)

GRADEBOOK, FEEDBACK = "canvas_gradebook.csv", "canvas_feedback.zip"
STUDENT, NUMBER, SECTION = "Student", "ID", "Section"
IDS = ("SIS User ID", "SIS Login ID", "Integration ID")
KEPT = (STUDENT, NUMBER, *IDS, "Root Account", SECTION)
POSSIBLE = "Points Possible"
TEST_STUDENT = "Student, Test"
TITLED = re.compile(r"(?P<title>.*?)\s*\((?P<number>\d+)\)")


@dataclass(frozen=True)
class Column:
    """A column to import: its header, its points there if it exists, and whose score it takes (None: the whole)."""

    header: str
    possible: float | None
    exercise: str | None = None


def export_canvas(
    out: Path,
    gradebook: Path,
    to: Path,
    *,
    assignment_id: str | None = None,
    column: str | None = None,
    per_exercise: bool = False,
    submissions: Path | None = None,
) -> Export:
    """Write the import file, and with the `submissions` download the feedback zip. Raises ExportError, OutputError."""
    assignment = assignment_in(out, assignment_id)
    table = read_table(gradebook)
    people = _people(table, gradebook)
    columns = _exercise_columns(table, assignment) if per_exercise else [_column(table, assignment, column)]
    matched = match(results_of(out, assignment), people)
    told = told_of(matched, assignment)
    rows = [_kept(table, row) + _scores(matched.results[row], columns) for row in sorted(matched.results)]
    written = [to / GRADEBOOK]
    write_table(to / GRADEBOOK, [_header(table, columns), _possible_row(table, columns, assignment), *rows])
    new = [one.header for one in columns if one.header not in table.header]
    if new:
        told.append(f"Canvas will ask whether to make new assignments: {', '.join(new)}.")
    if submissions is not None:
        pages, missing = _pages(matched.results, people, attachments_in(submissions), assignment)
        write_feedback_zip(to / FEEDBACK, out, pages)
        written.append(to / FEEDBACK)
        if missing:
            told.append(
                f"{submissions.name} has no file of theirs, so Canvas can't take their feedback: {', '.join(missing)}."
            )
    return Export(tuple(written), tuple(told), matched.without_row)


def _people(table: Table, path: Path) -> list[Person]:
    student, number = table.column(STUDENT), table.column(NUMBER)
    if student is None or number is None:
        raise ExportError(f"{path} has no columns {STUDENT} and {NUMBER}. Export it from Canvas: Grades, Export.")
    places = [place for name in IDS if (place := table.column(name)) is not None]
    people = []
    for row, cells in enumerate(table.rows):
        name = cells[student].strip()
        if cells[number].strip() and name != TEST_STUDENT:
            ids = tuple(cells[place].strip() for place in places)
            people.append(Person(row, cells[number].strip(), name, ids, (name,)))
    return people


def _column(table: Table, assignment: Assignment, asked: str | None) -> Column:
    """The column of the whole assignment: the one asked for, else the one that is called like the assignment."""
    names = {key(name) for name in ([asked] if asked else [assignment.id, assignment.file, assignment.title])}
    found = [header for header in _assignment_columns(table) if names & {key(header), key(_title(header))}]
    if len(found) == 1:
        return Column(found[0], _possible(table, found[0]))
    wanted = f"called {asked}" if asked else f"for {assignment.id}"
    problem = "no column" if not found else "more than one column"
    raise ExportError(
        f"The Canvas gradebook has {problem} {wanted}. Choose one with --column; it has "
        f"{', '.join(_assignment_columns(table)) or 'none'}."
    )


def _exercise_columns(table: Table, assignment: Assignment) -> list[Column]:
    columns = []
    for exercise in assignment.exercises:
        title = f"{assignment.id} {exercise.name}"
        found = [header for header in _assignment_columns(table) if key(_title(header)) == key(title)]
        header = found[0] if found else title
        columns.append(Column(header, _possible(table, header), exercise.name))
    return columns


def _assignment_columns(table: Table) -> list[str]:
    """What Canvas lists as assignments: `Title (number)`."""
    return [header for header in table.header if TITLED.fullmatch(header)]


def _title(header: str) -> str:
    titled = TITLED.fullmatch(header)
    return titled["title"] if titled else header


def _possible(table: Table, header: str) -> float | None:
    """The points of a column that is there, by the table's row of them; None where it has none."""
    place = table.column(header)
    row = next((cells for cells in table.rows if POSSIBLE in cells[0]), None)
    if row is None or place is None:
        return None
    try:
        return float(row[place].replace(",", "."))
    except ValueError:
        return None


def _places(table: Table) -> list[int]:
    return [place for name in KEPT if (place := table.column(name)) is not None]


def _header(table: Table, columns: Sequence[Column]) -> list[str]:
    return [table.header[place] for place in _places(table)] + [column.header for column in columns]


def _possible_row(table: Table, columns: Sequence[Column], assignment: Assignment) -> list[str]:
    """What each column is worth: as it stands there already, else what the kit gives."""
    worth = {exercise.name: exercise.points for exercise in assignment.exercises}
    possible = [
        worth.get(column.exercise or "", assignment.points) if column.possible is None else column.possible
        for column in columns
    ]
    return [f"    {POSSIBLE}", *[""] * (len(_places(table)) - 1), *map(points, possible)]


def _kept(table: Table, row: int) -> list[str]:
    """By what Canvas finds the student, which is the ID; other cells are for people, who open them in a spreadsheet."""
    cells = table.rows[row]
    return [
        text_cell(cells[place]) if table.header[place] == STUDENT else kept_cell(cells[place])
        for place in _places(table)
    ]


def _scores(result: Result, columns: Sequence[Column]) -> list[str]:
    return [_score(result, column) for column in columns]


def _score(result: Result, column: Column) -> str:
    """In points of the column; 0 for what could not be read, and nothing for an exercise that has no result."""
    by_name = {exercise.exercise: exercise for exercise in result.exercises}
    part = result if column.exercise is None else by_name.get(column.exercise)
    if part is None:
        return "0" if result.status is Status.UNREADABLE else ""
    return points(scaled(part.score, part.max_score, column.possible))


def attachments_in(submissions: Path) -> dict[str, list[str]]:
    """The file names of a submissions download (a zip or a folder) by the user's number. Raises ExportError."""
    try:
        if submissions.is_dir():
            names = [path.name for path in submissions.iterdir()]
        else:
            with zipfile.ZipFile(submissions) as archive:
                names = [PurePosixPath(name).name for name in archive.namelist()]
    except (OSError, zipfile.BadZipFile) as error:
        raise ExportError(f"{submissions} can't be read as the download of submissions: {error}.") from error
    found: dict[str, list[str]] = {}
    # One with more numbers than these may be of somebody who is called like another and a number: it comes last.
    for name in sorted(names, key=lambda name: (len(_numbers(name)) > 2, name)):
        numbers = _numbers(name)  # Canvas reads the first two
        if len(numbers) >= 2 and not name.startswith("."):
            found.setdefault(numbers[0], []).append(name)
    return found


def _numbers(name: str) -> list[str]:
    return [piece for piece in name.split("_") if piece.isascii() and piece.isdecimal()]


def _pages(
    results: Mapping[int, Result],
    people: Sequence[Person],
    attachments: Mapping[str, list[str]],
    assignment: Assignment,
) -> tuple[list[tuple[str, Result]], list[str]]:
    """The name of each feedback page, and the students of whom no file was downloaded."""
    by_row = {person.row: person for person in people}
    pages, missing = [], []
    for row, result in sorted(results.items()):
        names = attachments.get(by_row[row].number, [])
        chosen = next(iter([*_ending(names, result.file), *_ending(names, assignment.file), *names]), None)
        if chosen is None:
            missing.append(one_line(by_row[row].name, SHOWN))
        else:
            pages.append((str(PurePosixPath(chosen).with_suffix(".html")), result))
    return pages, missing


def _ending(names: Sequence[str], file: str | None) -> Iterator[str]:
    return (name for name in names if file and file in name)
