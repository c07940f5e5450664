"""A text of a bank as plain Unicode: for the terminal, and to compare a typed response with an option."""

import re
from functools import cache

from pylatexenc.latex2text import LatexNodes2Text

from .markup import Markup, Math
from .rendering import Renderer

# What people type is read as LaTeX within these bounds: groups in groups, and above all groups without an end, take the
# reader twice as long for each, or come to the end of its stack. No option of a bank is near them.
_MOST_CHARACTERS, _DEEPEST = 300, 6
_GROUPS = {"{": "}", "[": "]"}

# "\mathbb{R}^{n \times d_{model}}" would read as "R^n × d_model": keep a raised or lowered group together.
_NAME_GROUP = re.compile(r"([_^])\{(\w+|\\\w+)\}")
_WIDE_GROUP = re.compile(r"([_^])\{([^{}]+)\}")


class _PlainText(Renderer):
    """Blocks are parted by a blank line; formulas become Unicode."""

    between_blocks = "\n\n"

    def text(self, text: str) -> str:
        return text

    def emphasis(self, inner: str) -> str:
        return inner

    def code(self, text: str) -> str:
        return text

    def math(self, math: Math) -> str:
        return f"\n\n    {math_text(math.latex)}\n\n" if math.display else math_text(math.latex)

    def paragraph(self, inner: str) -> str:
        return inner

    def list(self, entries: tuple[str, ...], ordered: bool) -> str:
        marks = (f"{number}." if ordered else "-" for number in range(1, len(entries) + 1))
        return "\n".join(f"{mark} {entry}" for mark, entry in zip(marks, entries, strict=True))

    def code_block(self, text: str) -> str:
        return "\n".join("    " + line for line in text.splitlines())


_PLAIN_TEXT = _PlainText()


def plain_text(markup: Markup) -> str:
    r"""`markup` as plain Unicode: `\frac{QK^T}{\sqrt{d_k}}` reads `QK^T/√(d_k)`."""
    return _PLAIN_TEXT.blocks(markup)


@cache
def math_text(latex: str) -> str:
    """`latex` as one line of Unicode."""
    named = _NAME_GROUP.sub(r"\1\2 ", latex)
    grouped = _WIDE_GROUP.sub(r"\1(\2)", named)
    text = LatexNodes2Text(math_mode="text").latex_to_text(f"${grouped}$")
    return " ".join(text.split())


def fold(text: str) -> str:
    """What a typed response is compared by: no case, spaces or dollar signs, and one sign for `×`, `*` and `x`."""
    if "\\" in text or "$" in text:
        text = _typed_math(text.replace("$", " ").replace(r"\(", " ").replace(r"\)", " "))
    text = text.casefold().replace("×", "x").replace("·", "x").replace("*", "x").replace("−", "-")
    return re.sub(r"[\s$`]+", "", text).rstrip(".")


def _typed_math(text: str) -> str:
    """A formula that somebody typed; as it was typed, where it is none that can be read."""
    if len(text) > _MOST_CHARACTERS or not _has_whole_groups(text):
        return text
    try:
        return math_text(text)
    except Exception:  # the reader raises whatever its parts do: "\\sqrt" alone is a KeyError
        return text


def _has_whole_groups(text: str) -> bool:
    """Does each group in `text` come to its end, with few in one another? Brackets may also be no group's."""
    ends: list[str] = []
    for character in text:
        if character in _GROUPS:
            ends.append(_GROUPS[character])
        elif ends and character == ends[-1]:
            ends.pop()
        elif character == "}":
            return False
        if len(ends) > _DEEPEST:
            return False
    return not ends
