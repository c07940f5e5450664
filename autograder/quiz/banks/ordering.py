"""Which options have an order of their own, which shuffling would break."""

import re
from collections.abc import Sequence

from autograder.quiz.texts.markup import Markup
from autograder.quiz.texts.plain import plain_text

# A number, with a sign, an exponent or a fraction, and at most a few words around it: "about 64", "4 times".
_NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:,\d{3})*(?:\.\d+)?(?![\w.])")


def stands_in_order(options: Sequence[Markup]) -> bool:
    """Is every option one number, and do they only rise or only fall?"""
    numbers = [number for option in options if (number := _only_number(plain_text(option))) is not None]
    if len(numbers) < len(options):
        return False
    return numbers == sorted(numbers) or numbers == sorted(numbers, reverse=True)


def are_numbers(options: Sequence[Markup]) -> bool:
    """Is every option one number?"""
    return all(_only_number(plain_text(option)) is not None for option in options)


def _only_number(text: str) -> float | None:
    found = _NUMBER.findall(text)
    if len(found) != 1 or len(text) > 30:
        return None
    return float(found[0].replace(",", "").replace("−", "-"))
