"""Texts as XHTML: valid in HTML and in XML. Pages and targets differ only in how a formula is written."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import escape

from .markup import Markup, Math
from .rendering import Renderer
from .xml import Xml, element


class HtmlText(Renderer):
    """XHTML whose formulas `write_math` writes."""

    def __init__(self, write_math: Callable[[Math], Xml]) -> None:
        self.write_math = write_math

    def blocks(self, markup: Markup) -> Xml:
        return Xml(super().blocks(markup))

    def line(self, markup: Markup) -> Xml:
        return Xml(super().line(markup))

    def text(self, text: str) -> str:
        return escape(text)

    def emphasis(self, inner: str) -> str:
        return element("em", {}, Xml(inner))

    def code(self, text: str) -> str:
        return element("code", {}, text)

    def math(self, math: Math) -> str:
        return self.write_math(math)

    def paragraph(self, inner: str) -> str:
        return element("p", {}, Xml(inner))

    def list(self, entries: tuple[str, ...], ordered: bool) -> str:
        return element("ol" if ordered else "ul", {}, *(element("li", {}, Xml(entry)) for entry in entries))

    def code_block(self, text: str) -> str:
        return element("pre", {}, element("code", {}, text))
