"""CSV files for any spreadsheet: RFC 4180 in UTF-8 without a byte order mark.

A cell that a spreadsheet would take for a formula gets a leading apostrophe, so that it is text; `text_in_cell` takes
it off again, so that ids can still be matched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from autograder.catalogue.plain_text import one_line

CELL = 300  # characters

# Spreadsheets take these for a formula, in full width and after white space too.
FORMULA = re.compile(r"\s*[=+\-@＝＋－＠\t\r]")
NUMBER = re.compile(r"\s*[+\-]?[\d.,]*\s*")
NEEDS_NO_QUOTES = re.compile(r"[\w.\- ]*")  # all else is quoted: a spreadsheet may part cells at ; or tab, too


def csv_text(rows: Iterable[Iterable[str]]) -> str:
    """A whole table, row by row."""
    return "".join(map(csv_row, rows))


def csv_row(cells: Iterable[str]) -> str:
    """One row, quoted as RFC 4180 has it, and ended by CR LF."""
    return ",".join(map(_quoted, cells)) + "\r\n"


def _quoted(cell: str) -> str:
    return cell if NEEDS_NO_QUOTES.fullmatch(cell) else '"' + cell.replace('"', '""') + '"'


def text_cell(text: str, limit: int = CELL) -> str:
    """What somebody else wrote, as a cell of one line that no spreadsheet takes for a formula."""
    cell = one_line(text, limit)
    return "'" + cell if FORMULA.match(cell) or cell.startswith("'") else cell


def kept_cell(cell: str) -> str:
    """A cell of somebody else's table as it was, but for what a spreadsheet would take for a formula; numbers stay."""
    return "'" + cell if FORMULA.match(cell) and not NUMBER.fullmatch(cell) else cell


def text_in_cell(cell: str) -> str:
    """The text that `text_cell` made `cell` from."""
    return cell.removeprefix("'")
