"""Functions of a sequence that `is_permutation_equivariant` is asked about. They live in the grader, and student code
calls them across the wall: each takes (n, d) arrays of a bounded length alone, and gives (n, e)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autograder.boundary.outside.exchange import Callback
from autograder.suite.attention import softmax

Map = Callable[[np.ndarray], np.ndarray]

LONGEST = 64  # tokens that a map takes: attention makes n by n scores


def shared(compute: Map, d: int) -> Callback:
    """A map that student code may call with whatever it likes; what is no (n, d) array of numbers is refused."""

    def f(given: np.ndarray) -> np.ndarray:
        X = np.array(given, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != d or not 1 <= len(X) <= LONGEST:
            raise ValueError("not a sequence of such tokens")
        with np.errstate(all="ignore"):
            return compute(X)

    return Callback(f, f"f takes an array of shape (n, {d}) with n from 1 to {LONGEST}")


def token_by_token(W: np.ndarray) -> Map:
    return lambda X: np.tanh(X @ W)


def less_its_mean(W: np.ndarray) -> Map:
    """Each token without what all have in common."""
    return lambda X: (X - X.mean(axis=0)) @ W


def one_vector_for_all(W: np.ndarray) -> Map:
    return lambda X: np.tile(X.mean(axis=0) @ W, (len(X), 1))


def one_number(W: np.ndarray) -> Map:
    """Every token has the same number for every feature."""
    return lambda X: np.full((len(X), W.shape[1]), (X @ W).sum())


def attention(W_Q: np.ndarray, W_K: np.ndarray, W_V: np.ndarray, *, causal: bool = False) -> Map:
    def f(X: np.ndarray) -> np.ndarray:
        S = (X @ W_Q) @ (X @ W_K).T / np.sqrt(W_Q.shape[1])
        hidden = np.triu(np.ones(S.shape, dtype=bool), 1) if causal else False
        return softmax(np.where(hidden, -np.inf, S)) @ (X @ W_V)

    return f


def with_positions(f: Map, size: float = 1.0) -> Map:
    """Something that grows along the sequence is added before the map."""
    return lambda X: f(X + size * np.arange(len(X))[:, None])


def feature_placed(W: np.ndarray, feature: int) -> Map:
    """One feature grows along the sequence; all others are each token's own."""

    def f(X: np.ndarray) -> np.ndarray:
        Y = X @ W
        Y[:, feature] += np.arange(len(Y))
        return Y

    return f


def signs_by_place(W: np.ndarray) -> Map:
    """Every second place has its signs turned: absolute values and lengths know nothing of it."""
    return lambda X: X @ W * (-1.0) ** np.arange(len(X))[:, None]


def features_turned_by_place(W: np.ndarray) -> Map:
    """Each token's features are moved round by its place: a row's sum, its length and its numbers stay."""
    return lambda X: np.stack([np.roll(row, place) for place, row in enumerate(X @ W)])


def first_number_added(W: np.ndarray, times: float) -> Map:
    """The first token's first number is added to everything."""
    return lambda X: X @ W + times * X[0, 0]


def running_sum(W: np.ndarray) -> Map:
    return lambda X: X.cumsum(axis=0) @ W


def sorted_features(W: np.ndarray) -> Map:
    """Sees the tokens as a set: any order gives the same rows."""
    return lambda X: np.sort(X @ W, axis=0)


def first_two_exchanged(W: np.ndarray) -> Map:
    def f(X: np.ndarray) -> np.ndarray:
        Y = X @ W
        Y[[0, 1]] = Y[[1, 0]]
        return Y

    return f


def one_place_moved(W: np.ndarray, place: int, by: float = 1.0) -> Map:
    """All is well but for one place of the sequence, whoever stands there."""

    def f(X: np.ndarray) -> np.ndarray:
        Y = X @ W
        Y[min(place, len(Y) - 1)] += by
        return Y

    return f
