"""How an answer differs from the right one, as precisely as the numbers allow, and without showing the right one."""

from __future__ import annotations

from typing import Any

import numpy as np

SMALL = 1e-3  # a difference that may come of rounding, or of something small that was added


def difference(got: np.ndarray, want: np.ndarray, tolerance: float, inputs: tuple[Any, ...] = ()) -> str:
    """One clause about two arrays of the same shape that differ."""
    with np.errstate(all="ignore"):
        for look in (_not_finite, _from_input, _transposed, _factor, _offset, _swapped_sums, _some_rows):
            seen = look(got, want, tolerance, inputs)
            if seen:
                return seen
    wrong = int((np.abs(got - want) > tolerance * _scale(want)).sum())
    most = float(np.max(np.abs(got - want)))
    small = f", by no more than {most:.1g}" if most < SMALL * _scale(want) else ""
    return f"{wrong} of {got.size} entries differ{small}"


def relation_to_input(got: np.ndarray, inputs: tuple[Any, ...], tolerance: float = 1e-6) -> str | None:
    """ "your input", "your input divided by 5" and the like, where `got` is an argument or a multiple of one."""
    for given in inputs:
        given = getattr(given, "array", given)
        if not isinstance(given, np.ndarray) or given.dtype.kind not in "biuf" or given.size < 2:
            continue
        for view, name in ((given, "your input"), (given.T, "your input, transposed")):
            if view.shape != got.shape:
                continue
            ratio = _constant_ratio(got, view.astype(float), tolerance)
            if ratio is not None and ratio != 0:
                return name + _times(ratio)
    return None


def _scale(want: np.ndarray) -> float:
    return max(1.0, float(np.max(np.abs(want)))) if want.size else 1.0


def _equal(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    return a.shape == b.shape and a.size > 0 and bool(np.max(np.abs(a - b)) <= tolerance * _scale(b))


def _constant_ratio(got: np.ndarray, base: np.ndarray, tolerance: float) -> float | None:
    """The number c with got = c * base, if there is one."""
    square = float((base * base).sum())
    if square == 0 or not np.isfinite(got).all():
        return None
    ratio = float((got * base).sum()) / square
    return ratio if _equal(got, ratio * base, tolerance) else None


def _times(ratio: float) -> str:
    if abs(ratio - 1) < 1e-9:
        return ""
    return f" divided by {_figure(1 / ratio)}" if 0 < abs(ratio) < 1 else f" times {_figure(ratio)}"


def _figure(number: float) -> str:
    """Three figures, or as many as tell the number from 1."""
    return f"{number:.3g}" if abs(abs(number) - 1) > 0.01 else f"{number:.7g}"


def _not_finite(got: np.ndarray, want: np.ndarray, tolerance: float, inputs: tuple[Any, ...]) -> str | None:
    bad = int((~np.isfinite(got)).sum())
    if not bad:
        return None
    name = "NaN" if np.isnan(got).any() else "infinite"
    return "every entry is " + name if bad == got.size else f"{bad} of {got.size} entries are {name}"


def _from_input(got: np.ndarray, want: np.ndarray, tolerance: float, inputs: tuple[Any, ...]) -> str | None:
    relation = relation_to_input(got, inputs, tolerance) if got.any() else None
    return relation and f"every entry is {relation}"


def _transposed(got: np.ndarray, want: np.ndarray, tolerance: float, inputs: tuple[Any, ...]) -> str | None:
    if got.ndim >= 2 and got.shape[-1] == got.shape[-2] and _equal(got, want.swapaxes(-1, -2), tolerance):
        return "it is the transpose of what is due"
    return None


def _factor(got: np.ndarray, want: np.ndarray, tolerance: float, inputs: tuple[Any, ...]) -> str | None:
    if not got.any():
        return "every entry is zero"
    if got.size < 2:
        return None
    ratio = _constant_ratio(got, want, tolerance)
    # What is all but 1 tells nothing of a factor.
    return f"every entry is the expected one times {_figure(ratio)}" if ratio and abs(ratio - 1) > SMALL else None


def _offset(got: np.ndarray, want: np.ndarray, tolerance: float, inputs: tuple[Any, ...]) -> str | None:
    if got.size < 2:
        return None
    if np.ptp(got) == 0:
        return "every entry is the same number"
    gap = got - want
    return f"every entry is off by {gap.flat[0]:.3g}" if np.ptp(gap) <= tolerance * _scale(want) else None


def _swapped_sums(got: np.ndarray, want: np.ndarray, tolerance: float, inputs: tuple[Any, ...]) -> str | None:
    if got.ndim < 2 or not _ones(want.sum(axis=-1)) or _ones(got.sum(axis=-1)):
        return None
    if _ones(got.sum(axis=-2)):
        return "each column sums to 1, not each row"
    if got.ndim == 2 and _ones(got.sum()):
        return "all entries together sum to 1, not each row"
    sums = got.sum(axis=-1)
    low, high = map(_figure, (sums.min(), sums.max()))
    return f"the rows sum to values from {low} to {high}, not to 1"


def _ones(sums: np.ndarray) -> bool:
    return bool(np.all(np.abs(np.asarray(sums) - 1) < 1e-4))


def _some_rows(got: np.ndarray, want: np.ndarray, tolerance: float, inputs: tuple[Any, ...]) -> str | None:
    if got.ndim < 2 or got.shape[-2] < 2:
        return None
    wrong = np.abs(got - want) > tolerance * _scale(want)
    rows = ~wrong.reshape(-1, got.shape[-2], got.shape[-1]).any(axis=(0, 2))
    if not rows.any():
        return None
    if rows[0] and not rows[1:].any():
        return "it is right for the first row only"
    if rows[-1] and not rows[:-1].any():
        return "it is right for the last row only"
    return f"{int((~rows).sum())} of {rows.size} rows are wrong"
