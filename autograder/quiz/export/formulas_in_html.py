"""How a target's HTML has its formulas: as TeX for MathJax, as MathML, as Canvas's images."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import quote

from autograder.quiz.texts.markup import Math
from autograder.quiz.texts.mathml import mathml
from autograder.quiz.texts.plain import math_text
from autograder.quiz.texts.xml import Xml, element, escape

MATHML = "http://www.w3.org/1998/Math/MathML"


def tex_math(math: Math) -> Xml:
    r"""`\( … \)`, which MathJax reads in Moodle, Open edX and Anki. A `<` is escaped: it opens no tag."""
    return escape(rf"\[{math.latex}\]" if math.display else rf"\({math.latex}\)")


def mathml_math(math: Math) -> Xml:
    """MathML with its name in words, so that an option that is only a formula has a name to be read out."""
    inside = with_xml_entities(mathml(math.latex, math.display).partition(">")[2].removesuffix("</math>"))
    attributes = {"xmlns": MATHML, "alttext": math_text(math.latex)}
    if math.display:
        attributes["display"] = "block"
    return element("math", attributes, Xml(inside))


def with_xml_entities(markup: str) -> str:
    """`markup` with HTML's names of characters (`&ApplyFunction;`) as the characters: XML knows only five names."""

    def character(reference: re.Match[str]) -> str:
        return reference[0] if reference[1] in ("amp", "lt", "gt", "quot", "apos") else unescape(reference[0])

    return re.sub(r"&([A-Za-z]\w*);", character, markup)


def canvas_math(math: Math) -> Xml:
    """The image that Canvas's editor writes; Canvas draws it from the address, which is encoded twice."""
    latex = rf"\displaystyle {math.latex}" if math.display else math.latex
    address = quote(quote(latex, safe=""), safe="")
    return element(
        "img",
        {
            "class": "equation_image",
            "title": latex,
            "src": f"/equation_images/{address}?scale=1",
            "alt": f"LaTeX: {latex}",
            "data-equation-content": latex,
            "data-ignore-a11y-check": "",
        },
    )
