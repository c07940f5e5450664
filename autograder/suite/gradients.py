"""Gradients by central differences: what autograd answers for code that computes the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import Tensor

TOLERANCE = 1e-2  # of the largest entry: float32 against differences
STEP = 1e-5


def by_differences(number: Callable[[list[np.ndarray]], float], at: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The gradient of `number`, a function of float64 arrays, by each of them."""
    gradients = []
    for which, array in enumerate(at):
        gradient = np.zeros_like(array)
        for place in np.ndindex(array.shape):
            ends = []
            for step in (STEP, -STEP):
                moved = array.copy()
                moved[place] += step
                ends.append(number([*at[:which], moved, *at[which + 1 :]]))
            gradient[place] = (ends[0] - ends[1]) / (2 * STEP)
        gradients.append(gradient)
    return gradients


def of_results(function: Callable[..., Any], args: Sequence[Any]) -> list[list[np.ndarray]]:
    """For each tensor that `function` returns, the gradients of its weighted sum by every tensor in `args`.

    The weights are those of a request for gradients: from 1 to 2 over the entries, since the sum of a softmax is the
    same whatever its scores.
    """
    places = [place for place, given in enumerate(args) if isinstance(given, Tensor)]
    exact = [args[place].array.astype(np.float64) for place in places]

    def results(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        given = list(args)
        for place, array in zip(places, arrays, strict=True):
            given[place] = Tensor(array)
        result = function(*given)
        return [part.array for part in (result if isinstance(result, tuple | list) else [result])]

    return [
        by_differences(lambda arrays, part=part: _weighted(results(arrays)[part]), exact)  # type: ignore[misc]
        for part in range(len(results(exact)))
    ]


def answered(of_results: Sequence[list[np.ndarray]], args: Sequence[Any]) -> list[Tensor | None]:
    """What a request for gradients is answered with: those through all results, in each tensor's own dtype."""
    tensors = [given for given in args if isinstance(given, Tensor)]
    of_inputs = zip(tensors, *of_results, strict=True)
    return [Tensor(np.sum(parts, axis=0).astype(given.dtype)) for given, *parts in of_inputs]


def _weighted(result: np.ndarray) -> float:
    return float((result.ravel() * np.linspace(1, 2, result.size)).sum())


def near(found: Any, due: np.ndarray) -> bool:
    """Whether `found` is an array of such a gradient's numbers; NaN is none."""
    if not isinstance(found, np.ndarray) or found.dtype.kind != "f" or found.shape != due.shape:
        return False
    return bool(np.abs(found - due).max(initial=0.0) <= TOLERANCE * max(1.0, np.abs(due).max(initial=0.0)))
