"""Moodle: the grading worksheet of an assignment, filled in, and a zip of feedback files.

The worksheet's first column, "Identifier", ends in the participant's number, which stands in the names of downloaded
submissions too. Moodle takes back the whole worksheet and reads Identifier, Grade and "Last modified (grade)"; a
locked grade stays. Feedback files lie in a folder for each participant, whose name is read up to its underscores.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from autograder.catalogue.assignments import Assignment
from autograder.catalogue.plain_text import one_line
from autograder.catalogue.result import Result
from autograder.records.pages import points
from autograder.spreadsheet import kept_cell

from .platform_gradebook import (
    SHOWN,
    Export,
    ExportError,
    Matched,
    Person,
    Table,
    assignment_in,
    match,
    read_table,
    results_of,
    scaled,
    told_of,
    write_feedback_zip,
    write_table,
)

WORKSHEET, EXERCISES, FEEDBACK = "moodle_worksheet.csv", "moodle_exercises.csv", "moodle_feedback.zip"
IDENTIFIER = 0  # the first column, in whatever language; the second is the name, but in blind marking
FULL_NAME, GRADE, MAXIMUM, MAY_CHANGE = "Full name", "Grade", "Maximum Grade", "Grade can be changed"
READ_BACK = ("Last modified (grade)", "Feedback comments")
ACCOUNT = ("Email address", "ID number")  # what Moodle's grade import can look people up by
IDS = (*ACCOUNT, "Username")
PARTICIPANT = re.compile(r"\D*(\d+)")


def export_moodle(
    out: Path,
    worksheet: Path,
    to: Path,
    *,
    assignment_id: str | None = None,
    column: str | None = None,
    per_exercise: bool = False,
) -> Export:
    """Write the filled worksheet, the feedback zip, and for marks per exercise a file for Moodle's grade import.

    `column` is the header of the grades where the worksheet is not in English. Raises ExportError, OutputError.
    """
    assignment = assignment_in(out, assignment_id)
    table = read_table(worksheet)
    people = _people(table, worksheet)
    grade = table.column(column or GRADE)
    if grade is None:
        raise ExportError(f"{worksheet} has no column {column or GRADE}. Name the column of the grades with --column.")
    matched = match(results_of(out, assignment), people)
    told = told_of(matched, assignment)
    locked = {row for row in matched.results if _cell(table, row, MAY_CHANGE) == "No"}
    if locked:
        names = ", ".join(one_line(person.name or person.number, SHOWN) for person in people if person.row in locked)
        told.append(f"Locked in Moodle, so their grades are left as they are: {names}.")
    filled = {row: result for row, result in matched.results.items() if row not in locked}
    write_table(to / WORKSHEET, [table.header, *_rows(table, grade, filled)])
    pages = [
        (_page(person, assignment), matched.results[person.row]) for person in people if person.row in matched.results
    ]
    write_feedback_zip(to / FEEDBACK, out, pages)
    written = [to / WORKSHEET, to / FEEDBACK]
    if per_exercise:
        write_table(to / EXERCISES, _exercise_rows(table, matched, assignment, worksheet))
        written.append(to / EXERCISES)
    return Export(tuple(written), tuple(told), matched.without_row)


def _people(table: Table, path: Path) -> list[Person]:
    people = []
    for row, cells in enumerate(table.rows):
        participant = PARTICIPANT.fullmatch(cells[IDENTIFIER].strip())
        if participant is None or len(cells) < 2:
            raise ExportError(
                f"{path}, row {row + 2}: {one_line(cells[IDENTIFIER], 40)!r} is no participant. Download the grading "
                'worksheet of the assignment (with "Offline grading worksheet" on in its settings).'
            )
        ids = tuple(_cell(table, row, name) for name in IDS)
        word = cells[IDENTIFIER].strip().removesuffix(participant[1])  # what stands for a name in blind marking
        people.append(Person(row, participant[1], _cell(table, row, FULL_NAME), ids, (cells[1], word)))
    return people


def _cell(table: Table, row: int, name: str) -> str:
    place = table.column(name)
    return "" if place is None else table.rows[row][place].strip()


def _rows(table: Table, grade: int, results: dict[int, Result]) -> list[list[str]]:
    """All rows as they were, with grades, and with no cell that a spreadsheet would take for a formula: names and typed
    texts are the students' own. What Moodle reads back stays."""
    read_back = {IDENTIFIER, grade, *(table.column(name) for name in READ_BACK)}
    rows = []
    for row, cells in enumerate(table.rows):
        kept = [cell if place in read_back else kept_cell(cell) for place, cell in enumerate(cells)]
        if row in results:
            kept[grade] = _grade(results[row], _cell(table, row, MAXIMUM))
        rows.append(kept)
    return rows


def _grade(result: Result, maximum: str) -> str:
    """The score out of the worksheet's maximum, with its decimal sign."""
    try:
        possible = float(maximum.replace(",", "."))
    except ValueError:
        possible = None
    text = points(scaled(result.score, result.max_score, possible))
    return text.replace(".", ",") if "," in maximum else text


def _page(person: Person, assignment: Assignment) -> str:
    """Moodle parts the folder's name at underscores: name, number, kind, plugin."""
    name = re.sub(r"[\\/_:*?\"<>|]+", " ", one_line(person.name, SHOWN)).strip(" .") or "Participant"
    return f"{name}_{person.number}_assignsubmission_file_/{assignment.id}.html"


def _exercise_rows(table: Table, matched: Matched, assignment: Assignment, path: Path) -> list[Sequence[str]]:
    """A column for each exercise, for Moodle's Grades, Import, CSV file."""
    places = [name for name in ACCOUNT if table.column(name) is not None]
    if not places:
        raise ExportError(
            f"{path} has neither {' nor '.join(ACCOUNT)}, by which Moodle's grade import finds people. Have them shown "
            "as user identity in the site's settings, or export without --per-exercise."
        )
    names = [exercise.name for exercise in assignment.exercises]
    rows: list[Sequence[str]] = [[*places, *(f"{assignment.id} {name}" for name in names)]]
    for row, result in sorted(matched.results.items()):
        scores = {exercise.exercise: points(exercise.score) for exercise in result.exercises}
        rows.append(
            [*(kept_cell(_cell(table, row, place)) for place in places), *(scores.get(name, "0") for name in names)]
        )
    return rows
