"""Formulas of numeric items, in keys and in texts:

    answer: n * n * d_k
    stem: What do `{{n}}` tokens with $d_k = {{d_k}}$ cost?

They are arithmetic over an item's variables, and nothing else of Python.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping

Number = int | float

_OPERATORS: dict[type, Callable[..., Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_FUNCTIONS: dict[str, Callable[..., Number]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "abs": abs,
    "min": min,
    "max": max,
}
_LARGEST_EXPONENT = 64
ROUNDING = 1e-9  # of a value's size: floating-point numbers that a student can't tell apart
_TEMPLATE = re.compile(r"\{\{(?P<formula>[^{}:]+)(?::(?P<format>[^{}]*))?\}\}")


class FormulaError(ValueError):
    """A formula that can't be read or has no finite value; the message names it."""


def evaluate(formula: str, variables: Mapping[str, Number]) -> Number:
    """The value of `formula`: `+ - * / // % **`, sqrt, exp, log, abs, min, max, and the names in `variables`.

    Raises FormulaError where it holds anything else, or its value is not a finite number.
    """
    try:
        value = _value(ast.parse(formula.strip(), mode="eval").body, variables)
    except FormulaError as error:
        raise FormulaError(f"the formula “{formula}” can't be computed: {error}") from None
    except (SyntaxError, ArithmeticError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise FormulaError(f"the formula “{formula}” can't be computed: {error}") from None
    if isinstance(value, complex) or not math.isfinite(value):
        raise FormulaError(f"the formula “{formula}” has no finite value")
    return value


def _value(node: ast.expr, variables: Mapping[str, Number]) -> Number:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Name(id=name):
            if name not in variables:
                known = ", ".join(variables) or "none"
                raise FormulaError(f"{name} is no variable of the item; it has {known}")
            return variables[name]
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            base, exponent = _value(left, variables), _value(right, variables)
            if abs(exponent) > _LARGEST_EXPONENT:
                raise FormulaError(f"an exponent is beyond {_LARGEST_EXPONENT}")
            return base**exponent
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, variables), _value(right, variables))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(operand, variables))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_value(arg, variables) for arg in args))
    raise FormulaError(f"“{ast.unparse(node)}” is not arithmetic")


def fill(text: str, variables: Mapping[str, Number]) -> str:
    """`text` with each `{{formula}}` or `{{formula:format}}` replaced by its value."""

    def value(match: re.Match[str]) -> str:
        number = evaluate(match["formula"], variables)
        return format(number, match["format"]) if match["format"] else number_text(number)

    return _TEMPLATE.sub(value, text)


def number_text(number: Number) -> str:
    """As a person would write it: 4096, 0.5, 0.333333."""
    return str(int(number)) if float(number).is_integer() and abs(number) < 1e15 else f"{number:.6g}"


def is_near(value: Number, key: Number, tolerance: Number) -> bool:
    """Within the tolerance, rounding of floating-point numbers aside."""
    return abs(value - key) <= tolerance + ROUNDING * max(1, abs(key))
