"""LaTeX to MathML, made ahead: pages need no script, no font and no network for their formulas."""

from functools import cache

import math_core


class LatexFault(ValueError):
    """LaTeX that does not parse; the message says what is wrong with it."""


@cache
def mathml(latex: str, display: bool = False) -> str:
    """The `<math>` element of `latex`. Raises LatexFault."""
    try:
        return _converter().convert_with_local_state(latex, displaystyle=display)
    except math_core.LatexError as error:
        first = str(error).strip().splitlines()[0]
        raise LatexFault(f"the formula ${latex}$ is no LaTeX: {first}") from None


@cache
def _converter() -> math_core.LatexToMathML:
    return math_core.LatexToMathML(fancy_error=False)
