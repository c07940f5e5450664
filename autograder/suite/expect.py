"""What tests say of an answer. `Unmet` carries what was seen, in words that never show an expected value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import Tensor

from .cases import Case
from .observe import difference

ANOTHER_ANSWER = (
    "asked the same again, your code gives another answer: it draws at random, or keeps something from earlier calls"
)


class Unmet(AssertionError):
    """A law that does not hold; its text is what was seen."""


@dataclass(frozen=True)
class Tolerance:
    """How far an answer may lie from the oracle's, as a part of the largest expected entry, or of 1 if that is more."""

    float64: float = 1e-6
    float32: float = 1e-4

    def of(self, arrays: tuple[Any, ...]) -> float:
        dtypes = {getattr(a, "dtype", None) for a in arrays}
        return self.float32 if np.dtype("float32") in dtypes else self.float64


TOLERANCE = Tolerance()


def within(got: np.ndarray, want: np.ndarray, tolerance: float) -> bool:
    """Whether two arrays of one shape agree; infinities and NaN never do."""
    if got.size == 0:
        return True
    scale = max(1.0, float(np.max(np.abs(want))))
    with np.errstate(all="ignore"):
        return bool(np.max(np.abs(got - want)) <= tolerance * scale)


def array(answer: Any, what: str = "the result") -> np.ndarray:
    """The answer's numbers as float64; Unmet where it is no array of numbers."""
    if isinstance(answer, np.ndarray | np.generic) and answer.dtype.kind in "biuf":
        return np.asarray(answer, dtype=np.float64)
    if isinstance(answer, int | float):
        return np.asarray(float(answer))
    raise Unmet(f"{what} is {kind_of(answer)}, where an array of numbers is due")


def tensor(answer: Any, what: str = "the result") -> np.ndarray:
    """A torch answer's numbers as float64; Unmet where it is no tensor."""
    if isinstance(answer, Tensor):
        return array(answer.array, what)
    raise Unmet(f"{what} is {kind_of(answer)}, where a torch tensor is due")


def pair(answer: Any, names: str) -> tuple[Any, Any]:
    """The two parts of a pair, as tuple or list; Unmet where it is none."""
    if isinstance(answer, list | tuple) and len(answer) == 2:
        return answer[0], answer[1]
    count = f" of {len(answer)}" if isinstance(answer, list) else ""
    raise Unmet(f"the result is {kind_of(answer)}{count}, where the pair ({names}) is due")


def close(
    got: np.ndarray, want: np.ndarray, tolerance: float, what: str = "the result", inputs: tuple[Any, ...] = ()
) -> None:
    """Holds that `got` equals `want`; Unmet says how they differ."""
    if got.shape != want.shape:
        raise Unmet(f"{what} has shape {got.shape}, where {want.shape} is due")
    if not within(got, want, tolerance):
        raise Unmet(f"{what}: {difference(got, want, tolerance, inputs)}")


def truth(answer: Any, what: str = "the result") -> bool:
    """The answer as True or False; 1 and 0 have these values too. Unmet where it is something else."""
    plain = answer.item() if isinstance(answer, np.generic | np.ndarray) and answer.ndim == 0 else answer
    if isinstance(plain, int) and plain in (0, 1):
        return bool(plain)
    raise Unmet(f"{what} is {kind_of(answer)}, where True or False is due")


def whole_number(answer: Any, what: str = "the result") -> int:
    """The answer as an int; Unmet where it is no whole number."""
    plain = answer.item() if isinstance(answer, np.generic | np.ndarray) and answer.ndim == 0 else answer
    if isinstance(plain, int | float) and not isinstance(plain, bool) and plain == plain // 1:
        return int(plain)
    raise Unmet(f"{what} is {kind_of(answer)}, where a whole number is due")


def alike(one: Any, other: Any) -> bool:
    """Whether two answers hold the same numbers, all but for rounding; what holds none is alike where it is equal."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    first, second = (getattr(answer, "array", answer) for answer in (one, other))
    if np.iscomplexobj(first) or np.iscomplexobj(second):
        return np.array_equal(first, second)
    try:
        numbers = [np.asarray(answer, dtype=np.float64) for answer in (first, second)]
    except (TypeError, ValueError):
        return bool(first == second)
    return numbers[0].shape == numbers[1].shape and bool(
        np.allclose(numbers[0], numbers[1], rtol=1e-5, atol=1e-6, equal_nan=True)
    )


def is_bool(answer: Any) -> bool:
    """Whether the answer is Python's or NumPy's bool, not just a number of that value."""
    return isinstance(answer, bool) or getattr(answer, "dtype", None) == np.dtype(bool)


def hold_attention(answer: Any, case: Case) -> None:
    """Holds that a pair (Output, A) of arrays is right."""
    tolerance = TOLERANCE.of(case.args)
    Output, A = pair(answer, "Output, A")
    close(array(A, "A"), case.expected[1], tolerance, "A", case.args)
    close(array(Output, "Output"), case.expected[0], tolerance, "Output", case.args)


def different_distributions(A: Any, shape: tuple[int, ...]) -> None:
    """Holds that each row of A is a distribution, and that they are not all the same."""
    weights = array(A, "A")
    rows_are_distributions(weights, shape)
    if np.ptp(weights, axis=0).max() < 1e-9:
        raise Unmet("every token has the same weights")


def rows_are_distributions(A: np.ndarray, shape: tuple[int, ...]) -> None:
    """Holds that A has this shape and that each of its rows is a distribution."""
    if A.shape != shape:
        raise Unmet(f"A has shape {A.shape}, where {shape} is due")
    if not np.isfinite(A).all() or (A < -1e-9).any():
        raise Unmet("some weights are negative or not finite")
    sums = A.sum(axis=-1)
    if np.abs(sums - 1).max() > 1e-5:
        raise Unmet(f"the rows sum to values from {sums.min():.3g} to {sums.max():.3g}, not to 1")


def kind_of(answer: Any) -> str:
    """What an answer is, as a student may read it."""
    if answer is None:
        return "None (is a return missing?)"
    if isinstance(answer, Tensor):
        return "a torch tensor"
    if isinstance(answer, np.ndarray):
        return f"an array of {answer.dtype}"
    if isinstance(answer, list):
        return "a list or tuple"
    article = "an" if type(answer).__name__[0] in "aeiou" else "a"
    return f"{article} {type(answer).__name__}"
