"""The texts of a bank: restricted Markdown with `$…$`, parsed to a small tree that every renderer walks.

Blocks: paragraphs, lists (`- ` or `1. `, one line an entry), fenced code. Inlines: `*emphasis*`, `` `code` ``,
`$math$`, and `$$math$$` for a formula on its own line. A backslash before `*`, `$`, a backtick or a backslash makes it
plain. There are no links, images, headings or HTML: not every target of an export carries them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


class MarkupError(ValueError):
    """A text that does not parse; the message says what is wrong and what to write."""


@dataclass(frozen=True)
class Text:
    """Plain text; nothing in it is markup."""

    text: str


@dataclass(frozen=True)
class Emphasis:
    """`*…*`, which holds no other."""

    children: tuple[Inline, ...]


@dataclass(frozen=True)
class Code:
    """Code in a line."""

    text: str


@dataclass(frozen=True)
class Math:
    """LaTeX without its dollar signs; `display` is for a formula on a line of its own."""

    latex: str
    display: bool = False


Inline = Text | Emphasis | Code | Math


@dataclass(frozen=True)
class Paragraph:
    """Lines up to a blank one, joined by spaces."""

    children: tuple[Inline, ...]


@dataclass(frozen=True)
class ListBlock:
    """Entries with `- ` before them, or `1. ` where it is ordered."""

    entries: tuple[tuple[Inline, ...], ...]
    ordered: bool = False


@dataclass(frozen=True)
class CodeBlock:
    """Fenced code, to the letter; `language` is the word after the fence."""

    text: str
    language: str = ""


Block = Paragraph | ListBlock | CodeBlock
Markup = tuple[Block, ...]

_FENCE = re.compile(r"```(\w*)$")
_ENTRY = re.compile(r"(?P<mark>-|\d+\.) +(?P<text>\S.*)$")
_ESCAPABLE = "*`$\\"


def parse_markup(source: str) -> Markup:
    """The blocks of `source`. Raises MarkupError where a fence, a `$`, a backtick or a `*` is not closed."""
    blocks: list[Block] = []
    lines = source.strip("\n").splitlines()
    at = 0
    while at < len(lines):
        line = lines[at].rstrip()
        fence = _FENCE.match(line)
        if fence:
            end = _closing_fence(lines, at)
            blocks.append(CodeBlock("\n".join(lines[at + 1 : end]), fence[1]))
            at = end + 1
        elif not line:
            at += 1
        else:
            end = _end_of_run(lines, at)
            blocks.append(_run([row.strip() for row in lines[at:end]]))
            at = end
    return tuple(blocks)


def parse_inlines(source: str) -> tuple[Inline, ...]:
    """The inlines of one paragraph's text. Raises MarkupError where a `$`, a backtick or a `*` is not closed."""
    return _InlineParser(source).children()


def _closing_fence(lines: list[str], start: int) -> int:
    for at in range(start + 1, len(lines)):
        if lines[at].rstrip() == "```":
            return at
    raise MarkupError("a code block that opens with ``` is never closed; end it with a line of ```")


def _end_of_run(lines: list[str], start: int) -> int:
    """Where the paragraph or list of line `start` ends: at a blank line, a fence, or a change between the two."""
    is_list = bool(_ENTRY.match(lines[start].strip()))
    at = start + 1
    while at < len(lines):
        line = lines[at].strip()
        if not line or _FENCE.match(line) or bool(_ENTRY.match(line)) != is_list:
            break
        at += 1
    return at


def _run(lines: list[str]) -> Block:
    entries = [_ENTRY.match(line) for line in lines]
    if entries[0] is None:
        return Paragraph(parse_inlines(" ".join(lines)))
    return ListBlock(
        tuple(parse_inlines(entry["text"]) for entry in entries if entry), ordered=entries[0]["mark"] != "-"
    )


class _InlineParser:
    """Goes through one paragraph's text from left to right."""

    def __init__(self, source: str) -> None:
        self._source, self._at = source, 0

    def children(self, emphasis_from: int | None = None) -> tuple[Inline, ...]:
        """Up to the end, or to the `*` that closes the emphasis which began at `emphasis_from`."""
        found: list[Inline] = []
        plain = ""
        while self._at < len(self._source):
            if emphasis_from is not None and self._closes_emphasis(emphasis_from):
                self._at += 1
                return _with_text(found, plain)
            inline = self._inline(in_emphasis=emphasis_from is not None)
            if isinstance(inline, str):
                plain += inline
            else:
                found, plain = [*_with_text(found, plain), inline], ""
        if emphasis_from is not None:
            before = _start(self._source[emphasis_from:])
            raise MarkupError(f"a * before {before} is never closed; write \\* for the sign itself")
        return _with_text(found, plain)

    def _inline(self, in_emphasis: bool) -> Inline | str:
        """What begins here, passed: an inline, or a character of plain text."""
        character, following = self._source[self._at], self._source[self._at + 1 : self._at + 2]
        if character in "`$":
            return self._code_or_math(character)
        if character == "*" and following.strip() and not in_emphasis:
            self._at += 1
            return Emphasis(self.children(emphasis_from=self._at))
        if character == "\\" and following and following in _ESCAPABLE:
            self._at += 2
            return following
        self._at += 1
        return character

    def _code_or_math(self, character: str) -> Inline:
        mark = "$$" if self._source.startswith("$$", self._at) else character
        begin = self._at + len(mark)
        end = self._source.find(mark, begin)
        inner = self._source[begin:end]
        if end < 0 or not inner.strip():
            raise MarkupError(
                f"a {mark} in {_start(self._source)} opens nothing that is closed; "
                f"write \\{character} for the sign itself"
            )
        self._at = end + len(mark)
        return Code(inner) if mark == "`" else Math(inner.strip(), display=mark == "$$")

    def _closes_emphasis(self, begin: int) -> bool:
        return self._source[self._at] == "*" and self._at > begin and not self._source[self._at - 1].isspace()


def _with_text(children: list[Inline], plain: str) -> tuple[Inline, ...]:
    return (*children, Text(plain)) if plain else tuple(children)


def _start(source: str) -> str:
    return f"“{source[:40]}{'…' if len(source) > 40 else ''}”"


def math_of(markup: Markup) -> tuple[Math, ...]:
    """Every formula in `markup`, in order."""
    found: list[Math] = []

    def walk(children: tuple[Inline, ...]) -> None:
        for child in children:
            if isinstance(child, Math):
                found.append(child)
            elif isinstance(child, Emphasis):
                walk(child.children)

    for block in markup:
        if isinstance(block, Paragraph):
            walk(block.children)
        elif isinstance(block, ListBlock):
            for entry in block.entries:
                walk(entry)
    return tuple(found)
