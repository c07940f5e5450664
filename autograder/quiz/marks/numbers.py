"""Numbers as people type them: 4096, 4,096, 4 096, 0.5, 0,5, .5, 1/2, 50 %, 5e-1, 5·10^-1.

`pages/templates/self_check.js` reads the same forms, and a test holds the two against each other.
"""

from __future__ import annotations

import math
import re
import unicodedata

_FRACTION = re.compile(r"([-+]?\d{1,15}) ?/ ?(\d{1,15})")
_LATEX_FRACTION = re.compile(r"([-+]?)\\[dt]?frac\{(\d{1,15})\}\{(\d{1,15})\}")
_POWER_OF_TEN = re.compile(r" ?(?:[*×·]|\\cdot|\\times) ?10\^ ?\{?([-+]?\d{1,3})\}?$")
_GROUPED_BY_SPACES = re.compile(r"[-+]?\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?")
_EXPONENT = r"(e[-+]?\d{1,3})?"
_PLAIN = re.compile(rf"[-+]?(?:\d+\.?\d*|\.\d+){_EXPONENT}", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(rf"[-+]?\d*,\d+{_EXPONENT}", re.IGNORECASE)
_COMMA_GROUPS = re.compile(rf"[-+]?[1-9]\d{{0,2}}(?:,\d{{3}})+(?:\.\d*)?{_EXPONENT}", re.IGNORECASE)
_DOT_GROUPS = re.compile(r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?")


def read_number(typed: str) -> float | None:
    """The number that a person typed, None for anything else. Of two readings ("1,234") it is the English one."""
    return next(iter(readings(typed)), None)


def readings(typed: str) -> tuple[float, ...]:
    """Every number that `typed` can be, the likeliest first; none where it is no number.

    One comma or dot before three digits parts thousands in some languages and decimals in others: "16,235" is 16235
    or 16.235.
    """
    text = " ".join(typed.replace("−", "-").split()).strip("$ ").rstrip(".").strip()
    share = 100 if text.endswith(("%", "\\%")) else 1
    text = text.removesuffix("%").removesuffix("\\").rstrip()
    fraction = _FRACTION.fullmatch(_in_a_line(text))
    if fraction:
        return (int(fraction[1]) / int(fraction[2]) / share,) if int(fraction[2]) else ()
    text = _POWER_OF_TEN.sub(r"e\1", text)
    if _GROUPED_BY_SPACES.fullmatch(text):
        text = re.sub(r"[ '’]", "", text)
    if not text.isascii():
        return ()
    numbers = [float(plain) / share for plain in dict.fromkeys(_plain_forms(text))]
    return tuple(number for number in numbers if math.isfinite(number))


def _in_a_line(text: str) -> str:
    """LaTeX's fractions and Unicode's as "1/8"."""
    if len(text) == 1 and unicodedata.decomposition(text).startswith("<fraction>"):
        return unicodedata.normalize("NFKC", text).replace("\N{FRACTION SLASH}", "/")
    return _LATEX_FRACTION.sub(r"\1\2/\3", text)


def _plain_forms(text: str) -> list[str]:
    """What `text` is with a decimal point and nothing between the thousands, in each reading."""
    forms = []
    if _COMMA_GROUPS.fullmatch(text):
        forms.append(text.replace(",", ""))
    if _PLAIN.fullmatch(text):
        forms.append(text)
    if _DECIMAL_COMMA.fullmatch(text):
        forms.append(text.replace(",", "."))
    if _DOT_GROUPS.fullmatch(text):
        forms.append(text.replace(".", "").replace(",", "."))
    return forms
