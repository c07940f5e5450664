"""A notebook's code cells, in order, from nbformat 3 or 4."""

from __future__ import annotations

import codecs
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.cell import Cell

from .entries import MIB, UnreadableError, printable
from .magics import without_cell_magic, without_leading_indent, without_magics
from .script import unix_lines

MAX_SOURCE = 1 * MIB
# A parsed list or dict takes about 70 bytes, so that 32 MiB of "[],[]," would take a gigabyte.
MAX_CONTAINERS = 2_000_000
EXERCISES = frozenset(exercise.name for assignment in ASSIGNMENTS.values() for exercise in assignment.exercises)


@dataclass(frozen=True)
class NotebookCells:
    """The cells that are the student's; `notes` tell what was left out and why."""

    cells: tuple[Cell, ...]
    notes: tuple[str, ...]


def read_notebook(name: str, data: bytes) -> NotebookCells:
    """The student's code cells. Raises UnreadableError with a sentence where there are none to read."""
    notebook = _parsed(name, data)
    found: list[Cell] = []
    notes: list[str] = []
    cells = _raw_cells(name, notebook)
    unwritten = _unwritten_copies(cells)
    for number, raw in enumerate(cells, start=1):
        label = f"cell {number}"
        if not isinstance(raw, dict) or not isinstance(raw.get("cell_type"), str):
            notes.append(f"{name}: {label} is not a cell as Jupyter writes them, so it was left out.")
            continue
        if _kind(raw) != "code" or _is_check(raw) or number in unwritten:
            continue
        source = _source(raw)
        if source is None or "\0" in source:
            notes.append(f"{name}: {label} holds no readable text, so it was left out.")
            continue
        python = without_cell_magic(without_leading_indent(source))
        if python is None:
            notes.append(f"{name}: {label} is no Python but for another program, so it was left out.")
            continue
        found.append(Cell(without_magics(python), label, _grade_id(raw)))
    if sum(len(cell.source) for cell in found) > MAX_SOURCE:
        raise UnreadableError(f"{name} holds more than {MAX_SOURCE // MIB} MiB of code; hand in the answers alone.")
    return NotebookCells(tuple(found), tuple(notes))


def _parsed(name: str, data: bytes) -> dict[str, Any]:
    again = "open it in Jupyter, save it and hand it in again"
    if data.count(b"[") + data.count(b"{") > MAX_CONTAINERS:
        raise UnreadableError(f"{name} holds more data than a notebook does; clear its outputs.")
    try:
        notebook = json.loads(data.removeprefix(codecs.BOM_UTF8).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{name} is not UTF-8 at byte {error.start}; {again}.") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise UnreadableError(f"{name} is not a notebook: its JSON is wrong at {where}; {again}.") from None
    except (ValueError, RecursionError):
        raise UnreadableError(f"{name} is not a notebook as Jupyter writes them; {again}.") from None
    if not isinstance(notebook, dict):
        raise UnreadableError(f"{name} is not a notebook: its JSON is no object; {again}.")
    if language := _other_language(notebook):
        raise UnreadableError(f"{name} is a notebook in {language}; the exercises are answered in Python.")
    return notebook


def _raw_cells(name: str, notebook: dict[str, Any]) -> list[Any]:
    version = notebook.get("nbformat")
    if version not in (3, 4) or isinstance(version, bool):
        told = f"nbformat {printable(repr(version), 20)}" if "nbformat" in notebook else "no nbformat"
        raise UnreadableError(f"{name} has {told}, and 3 and 4 can be read; save it with a current Jupyter.")
    cells = notebook.get("cells") if version == 4 else _worksheet_cells(notebook)
    if not isinstance(cells, list):
        raise UnreadableError(f"{name} has no list of cells; save it in Jupyter and hand it in again.")
    return cells


def _worksheet_cells(notebook: dict[str, Any]) -> list[Any] | None:
    worksheets = notebook.get("worksheets")
    if not isinstance(worksheets, list):
        return None
    return [cell for sheet in worksheets for cell in _cells_of(sheet)]


def _cells_of(sheet: Any) -> Iterator[Any]:
    cells = sheet.get("cells") if isinstance(sheet, dict) else None
    yield from cells if isinstance(cells, list) else ()


def _source(raw: dict[str, Any]) -> str | None:
    """The cell's text: `source`, in nbformat 3 `input`."""
    text = text_of(raw.get("source", raw.get("input")))
    return None if text is None else unix_lines(text)


def text_of(value: Any) -> str | None:
    """A notebook's text, which is a string or a list of lines; None where it is anything else."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "".join(value)
    # A JSON escape can make half a character, which no encoding can write.
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else None


def nbgrader_of(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What a cell's metadata tell nbgrader; nothing where they tell it nothing."""
    metadata = raw.get("metadata")
    found = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return found if isinstance(found, dict) else {}


def _kind(raw: dict[str, Any]) -> Any:
    """The cell's type: of an answer's cell that of the release, whatever a student's menu made of it."""
    nbgrader = nbgrader_of(raw)
    return nbgrader.get("cell_type", raw["cell_type"]) if nbgrader.get("solution") is True else raw["cell_type"]


def _is_check(raw: dict[str, Any]) -> bool:
    """Is this one of the release's check cells? The grader has its own; locked cells with given code stay."""
    nbgrader = nbgrader_of(raw)
    is_test = nbgrader.get("grade") is True and nbgrader.get("solution") is not True
    return is_test and _grade_id(raw) not in EXERCISES


def _unwritten_copies(cells: list[Any]) -> set[int]:
    """The numbers of cells that are as the release has them, where another cell with their grade id is written:
    a copied stub must not take the place of the answer above it."""
    by_grade_id: dict[str, dict[int, bool]] = {}
    for number, raw in enumerate(cells, start=1):
        grade_id = _grade_id(raw) if isinstance(raw, dict) else None
        if grade_id and nbgrader_of(raw).get("solution") is True:
            by_grade_id.setdefault(grade_id, {})[number] = _is_as_released(raw, grade_id)
    return {
        number
        for copies in by_grade_id.values()
        if not all(copies.values())
        for number, as_released in copies.items()
        if as_released
    }


def _is_as_released(raw: dict[str, Any], grade_id: str) -> bool:
    """Does an answer's cell have the checksum that nbgrader gave it in the release (`utils.compute_checksum`)?"""
    given = ("code", "False", "True", "False", grade_id)  # type, grade, solution, locked, id
    checksum = hashlib.md5("".join((_source(raw) or "", *given)).encode(), usedforsecurity=False)
    return nbgrader_of(raw).get("checksum") == checksum.hexdigest()


def _grade_id(raw: dict[str, Any]) -> str | None:
    grade_id = nbgrader_of(raw).get("grade_id")
    return grade_id if isinstance(grade_id, str) else None


def _other_language(notebook: dict[str, Any]) -> str | None:
    """The notebook's language where it names one and that is not Python."""
    metadata = notebook.get("metadata")
    for part, key in (("language_info", "name"), ("kernelspec", "language")):
        about = metadata.get(part) if isinstance(metadata, dict) else None
        language = about.get(key) if isinstance(about, dict) else None
        if isinstance(language, str) and language:
            return None if "python" in language.lower() else printable(language, 30)
    return None
