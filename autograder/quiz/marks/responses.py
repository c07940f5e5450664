"""A file of responses: a UTF-8 CSV with the header `student,item,response`.

What can be read is read. A row that can't be is told by its number, as a spreadsheet counts: the header is row 1.
"""

from __future__ import annotations

import codecs
import csv
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HEADER = ("student", "item", "response")


class ResponsesError(ValueError):
    """A file that can't be used as responses at all; the message is a sentence."""


@dataclass(frozen=True)
class Response:
    """One row. `damage` says why its text can't be trusted; such a response is for review."""

    row: int
    student: str
    item: str
    text: str
    damage: str | None = None


@dataclass(frozen=True)
class ResponseSheet:
    """The responses in the file's order, and a sentence for each row that none could be made of."""

    responses: tuple[Response, ...]
    problems: tuple[str, ...]


def read_responses(path: Path) -> ResponseSheet:
    """Raises ResponsesError where the file can't be read, is no CSV or lacks the header."""
    rows = table(path, HEADER)
    responses, problems = [], []
    for number, cells in rows:
        student, item, text, damage = _parts(cells)
        if _is_damaged(student) or _is_damaged(item):
            problems.append(f"Row {number}: its student or item is not UTF-8; save the file as “CSV UTF-8”.")
        elif not student or not item:
            problems.append(f"Row {number}: it names no {'item' if student else 'student'}; give one.")
        else:
            responses.append(Response(number, student, item, text, damage))
    return ResponseSheet(tuple(responses), tuple(problems))


def _parts(cells: list[str]) -> tuple[str, str, str, str | None]:
    student, item, *rest = [*cells, "", ""][: max(len(cells), 3)]
    text = ",".join(rest)
    if _is_damaged(text):
        readable = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        return student.strip(), item.strip(), readable, "the response is not UTF-8"
    if len(rest) > 1:
        return (
            student.strip(),
            item.strip(),
            text,
            "the row has more than three cells; its response lacks quotes",
        )
    return student.strip(), item.strip(), text, None


def table(path: Path, header: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV below its header, with their numbers. Cells may hold surrogates for bytes that are no UTF-8.

    The header may differ in case and spaces, and a spreadsheet's `;` or tab may stand for the comma.
    """
    text = _decoded(path)
    first = text.split("\n", 1)[0].strip().casefold()
    delimiter = next((d for d in ",;\t" if _names(first, d)[: len(header)] == header), None)
    if delimiter is None:
        shown = "".join(character if character.isprintable() else "�" for character in first[:80])
        raise ResponsesError(f"{path}: the first row has to be {','.join(header)}, and it is “{shown}”.")
    return _rows(path, text, delimiter)


def _names(first: str, delimiter: str) -> tuple[str, ...]:
    return tuple(cell.strip(' "') for cell in first.split(delimiter))


def _rows(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(sys.maxsize)  # an answer of a megabyte is one student's, and stops nobody else's
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    number = 0
    try:
        for number, cells in enumerate(reader, start=1):
            if number > 1 and any(cell.strip() for cell in cells):
                yield number, cells
    except csv.Error as error:
        raise ResponsesError(
            f"{path}: row {number + 1} is no CSV ({error}). A cell with a comma, a quote or a line end stands in "
            'quotes, and a quote inside it is doubled: "".'
        ) from None


def _decoded(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ResponsesError(f"{path} can't be read: {error.strerror}.") from None
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or data[1:2] == b"\0":
        raise ResponsesError(f"{path} is UTF-16; save it as “CSV UTF-8”.")
    if not data.strip():
        raise ResponsesError(f"{path} is empty; its first row has to be {','.join(HEADER)}.")
    return data.decode("utf-8-sig", "surrogateescape")


def _is_damaged(text: str) -> bool:
    return any("\udc80" <= character <= "\udcff" for character in text)
