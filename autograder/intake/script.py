"""A `.py` file's bytes as source text."""

from __future__ import annotations

import codecs
import re

from autograder.catalogue.cell import Cell

from .entries import UnreadableError
from .magics import without_magics

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# PEP 263: in the first two lines, and in the second only below a comment or a blank line.
_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK_OR_COMMENT = re.compile(rb"^[ \t\f]*(?:#.*)?$")
_UTF8_NAMES = re.compile(r"(?:utf-?8|u8|cp65001|utf-8-.*|ascii|us-ascii)$")
_LINE_END = re.compile(rb"\r\n|\r|\n")


def read_script(name: str, data: bytes) -> tuple[Cell, ...]:
    """One cell with all of the file, magics replaced. Raises UnreadableError with a sentence."""
    if data.startswith(_UTF16_MARKS):
        raise UnreadableError(f"{name} is saved as UTF-16; save it as UTF-8 and hand it in again.")
    if (nul := data.find(b"\0")) >= 0:
        raise UnreadableError(f"{name} holds a NUL byte {_place(data, nul)}; save it as UTF-8 text.")
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{name} is not UTF-8 {_place(data, error.start)}; save it as UTF-8.") from None
    if declared := _declared_coding(data.removeprefix(codecs.BOM_UTF8)):
        raise UnreadableError(f"{name} declares the encoding {declared}; save it as UTF-8 without that line.")
    return (Cell(without_magics(unix_lines(text)), name),)


def unix_lines(text: str) -> str:
    """`text` with every line end a line feed, as Python reads it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _place(data: bytes, offset: int) -> str:
    """`offset` counts from 0, as editors do; lines count from 1."""
    return f"at byte {offset}, in line {len(_LINE_END.findall(data[:offset])) + 1}"


def _declared_coding(data: bytes) -> str | None:
    """The encoding that a PEP 263 comment declares, where it is another than UTF-8."""
    for line in _LINE_END.split(data[:1000], maxsplit=2)[:2]:
        if found := _CODING.match(line):
            declared = found[1].decode("ascii", "replace")[:40]
            return None if _UTF8_NAMES.match(declared.lower().replace("_", "-")) else declared
        if not _BLANK_OR_COMMENT.match(line):
            return None
    return None
