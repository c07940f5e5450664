"""Numbers of numeric items as machines read them."""

from __future__ import annotations

from decimal import Decimal

from autograder.quiz.formulas import ROUNDING, Number
from autograder.quiz.model import Numeric


def exact(number: Number) -> str:
    """All digits and never an exponent, which not every target reads: 4096, 0.3333333333333333."""
    return str(int(number)) if float(number).is_integer() else format(Decimal(repr(float(number))), "f")


def tolerance(item: Numeric) -> Number:
    """The item's, and for a key that is no integer at least what rounding takes."""
    if item.tolerance or float(item.key).is_integer():
        return item.tolerance
    return ROUNDING * max(1, abs(item.key))


def bounds(item: Numeric) -> tuple[str, str]:
    """The lowest and the highest right value."""
    return exact(item.key - tolerance(item)), exact(item.key + tolerance(item))
