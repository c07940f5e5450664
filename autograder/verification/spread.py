"""How far answers lie from the oracle's: accepted variants near, wrong models far, the tolerance between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import Answer, AnswerKind, ModuleRun, Tensor


@dataclass(frozen=True)
class Spread:
    """For one exercise, on ordinary inputs: farthest accepted variant, tolerance, and nearest wrong model."""

    exercise: str
    variants: float
    tolerance: float
    nearest_wrong: float


def spread_of(right: Answer, answer: Answer) -> float | None:
    """The largest difference of an entry, as a part of the largest right entry or of 1; None where there are no
    numbers to compare."""
    if right.kind is not AnswerKind.VALUE or answer.kind is not AnswerKind.VALUE:
        return None
    wanted, got = list(_arrays(right.value)), list(_arrays(answer.value))
    if not wanted or [a.shape for a in wanted] != [a.shape for a in got]:
        return None
    with np.errstate(all="ignore"):
        return max((_distance(a, b) for a, b in zip(wanted, got, strict=True) if a.size), default=None)


def _distance(right: np.ndarray, got: np.ndarray) -> float:
    gap = float(np.max(np.abs(right - got)))
    return gap / max(1.0, float(np.max(np.abs(right)))) if np.isfinite(gap) else np.inf


def _arrays(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, ModuleRun):
        yield from _arrays(value.output)
    elif isinstance(value, Tensor):
        yield value.array.astype(float)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _arrays(item)
    elif isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        yield value.astype(float)
