"""Texts on the kit's own pages: MathML, which needs no script, and code that a keyboard can scroll."""

from __future__ import annotations

from autograder.quiz.texts.html_text import HtmlText
from autograder.quiz.texts.markup import Markup, Math, Paragraph
from autograder.quiz.texts.mathml import mathml
from autograder.quiz.texts.xml import Xml, element


def _math(math: Math) -> Xml:
    return Xml(mathml(math.latex, math.display))


class _PageText(HtmlText):
    def line(self, markup: Markup) -> Xml:
        """Without paragraphs, be there several: for a label, which holds no blocks."""
        return Xml(" ").join(
            Xml(self.inlines(block.children)) if isinstance(block, Paragraph) else self.blocks((block,))
            for block in markup
        )

    def code_block(self, text: str) -> str:
        return element("pre", {"tabindex": "0"}, element("code", {}, text))


PAGE_TEXT = _PageText(_math)
