"""A text of a bank as plain Unicode: for the terminal, and to compare a typed response with an option."""

import re
from functools import cache

from pylatexenc.latex2text import LatexNodes2Text

from .markup import Code, CodeBlock, Emphasis, Inline, ListBlock, Markup, Text

# "\mathbb{R}^{n \times d_{model}}" would read as "R^n × d_model": keep a raised or lowered group together.
_NAME_GROUP = re.compile(r"([_^])\{(\w+|\\\w+)\}")
_WIDE_GROUP = re.compile(r"([_^])\{([^{}]+)\}")


def plain_text(markup: Markup) -> str:
    """Blocks are parted by a blank line; formulas become Unicode: `\\frac{QK^T}{\\sqrt{d_k}}` reads
    `QK^T/√(d_k)`."""
    parts = []
    for block in markup:
        if isinstance(block, CodeBlock):
            parts.append("\n".join("    " + line for line in block.text.splitlines()))
        elif isinstance(block, ListBlock):
            parts.append(
                "\n".join(
                    f"{f'{number}.' if block.ordered else '-'} {_inline(entry)}"
                    for number, entry in enumerate(block.entries, start=1)
                )
            )
        else:
            parts.append(_inline(block.children))
    return "\n\n".join(parts)


def _inline(children: tuple[Inline, ...]) -> str:
    return "".join(_one(child) for child in children)


def _one(child: Inline) -> str:
    if isinstance(child, Text | Code):
        return child.text
    if isinstance(child, Emphasis):
        return _inline(child.children)
    return f"\n\n    {math_text(child.latex)}\n\n" if child.display else math_text(child.latex)


@cache
def math_text(latex: str) -> str:
    """`latex` as one line of Unicode."""
    named = _NAME_GROUP.sub(r"\1\2 ", latex)
    grouped = _WIDE_GROUP.sub(r"\1(\2)", named)
    text = LatexNodes2Text(math_mode="text").latex_to_text(f"${grouped}$")
    return " ".join(text.split())


def fold(text: str) -> str:
    """What a typed response is compared by: no case, spaces or dollar signs, and one sign for `×`, `*` and
    `x`."""
    if "\\" in text or "$" in text:
        text = math_text(text.replace("$", " ").replace(r"\(", " ").replace(r"\)", " "))
    text = text.casefold().replace("×", "x").replace("·", "x").replace("*", "x").replace("−", "-")
    return re.sub(r"[\s$`]+", "", text).rstrip(".")
