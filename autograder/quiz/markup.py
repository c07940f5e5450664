"""The texts of a bank: restricted Markdown with `$…$`, parsed to a small tree that every renderer walks.

Blocks: paragraphs, lists (`- ` or `1. `, one line an entry), fenced code. Inlines: `*emphasis*`, `` `code`
``, `$math$`, and `$$math$$` for a formula on its own line. A backslash before `*`, `$`, a backtick or a
backslash makes it plain. There are no links, images, headings or HTML: not every target of an export carries
them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


class MarkupError(ValueError):
    """A text that does not parse; the message says what is wrong and what to write."""


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class Emphasis:
    children: tuple[Inline, ...]


@dataclass(frozen=True)
class Code:
    text: str


@dataclass(frozen=True)
class Math:
    """LaTeX without its dollar signs; `display` is for a formula on a line of its own."""

    latex: str
    display: bool = False


Inline = Text | Emphasis | Code | Math


@dataclass(frozen=True)
class Paragraph:
    children: tuple[Inline, ...]


@dataclass(frozen=True)
class ListBlock:
    entries: tuple[tuple[Inline, ...], ...]
    ordered: bool = False


@dataclass(frozen=True)
class CodeBlock:
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
    """The inlines of one paragraph's text."""
    children, rest = _inlines(source, inside_emphasis=False)
    assert not rest
    return children


def _closing_fence(lines: list[str], start: int) -> int:
    for at in range(start + 1, len(lines)):
        if lines[at].rstrip() == "```":
            return at
    raise MarkupError("a code block that opens with ``` is never closed; end it with a line of ```")


def _end_of_run(lines: list[str], start: int) -> int:
    """Where the paragraph or list of line `start` ends: at a blank line, a fence, or a change between the
    two."""
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


def _inlines(source: str, inside_emphasis: bool) -> tuple[tuple[Inline, ...], str]:
    """Inlines up to the end of `source`, or to the `*` that closes an emphasis; and what follows it."""
    children: list[Inline] = []
    plain = ""

    def flush() -> None:
        nonlocal plain
        if plain:
            children.append(Text(plain))
            plain = ""

    at = 0
    while at < len(source):
        character = source[at]
        if character == "\\" and source[at + 1 : at + 2] in tuple(_ESCAPABLE):
            plain += source[at + 1]
            at += 2
        elif character in "`$":
            flush()
            mark = "$$" if source.startswith("$$", at) else character
            end = source.find(mark, at + len(mark))
            inner = source[at + len(mark) : end]
            if end < 0 or not inner.strip():
                raise MarkupError(
                    f"a {mark} in {_start(source)} opens nothing that is closed; "
                    f"write \\{character} for the sign itself"
                )
            children.append(Code(inner) if mark == "`" else Math(inner.strip(), display=mark == "$$"))
            at = end + len(mark)
        elif character == "*" and inside_emphasis and at and not source[at - 1].isspace():
            flush()
            return tuple(children), source[at + 1 :]
        elif character == "*" and source[at + 1 : at + 2].strip() and not inside_emphasis:
            flush()
            inner_children, rest = _inlines(source[at + 1 :], inside_emphasis=True)
            children.append(Emphasis(inner_children))
            source, at = rest, 0
        else:
            plain += character
            at += 1
    if inside_emphasis:
        raise MarkupError(f"a * before {_start(source)} is never closed; write \\* for the sign itself")
    flush()
    return tuple(children), ""


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
