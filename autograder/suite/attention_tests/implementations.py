"""What students' tests are run on: right implementations that differ in rounding, and wrong ones of each kind.

They run in the grader, on whatever the student passes. `takes_anything` lets only small matrices of numbers through,
so that a call costs no more than a millisecond or two.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Matrix = np.ndarray
Attend = Callable[..., tuple[Matrix, Matrix]]

MOST_TOKENS = 64
MOST_FEATURES = 128
REFUSAL = (
    "attend takes X (n, d_model), W_Q and W_K (d_model, d_k) and W_V (d_model, d_v), arrays of numbers with at most "
    f"{MOST_TOKENS} tokens and {MOST_FEATURES} features"
)


class Refused(ValueError):
    """Arguments that no attention can take, or that are too large."""


def takes_anything(attend: Attend) -> Attend:
    """`attend` for arguments that may be anything; raises Refused where they are no inputs of attention."""

    @functools.wraps(attend)
    def guarded(*args: Any) -> tuple[Matrix, Matrix]:
        if len(args) != 4:
            raise Refused(f"{len(args)} arguments")
        X, W_Q, W_K, W_V = (_matrix(argument) for argument in args)
        if len(X) > MOST_TOKENS or W_Q.shape != W_K.shape or not X.shape[1] == len(W_Q) == len(W_V):
            raise Refused("shapes that do not fit")
        with np.errstate(all="ignore"):
            Output, A = attend(X, W_Q, W_K, W_V)
        return np.array(Output, dtype=np.float64), np.array(A, dtype=np.float64)

    return guarded


def _matrix(argument: Any) -> Matrix:
    if not isinstance(argument, np.ndarray | list):
        raise Refused("no array")
    matrix = np.asarray(argument)
    if (
        matrix.ndim != 2
        or matrix.dtype.kind not in "iuf"
        or not 0 < max(matrix.shape) <= MOST_FEATURES
        or not matrix.size
    ):
        raise Refused("no small matrix of numbers")
    return matrix.astype(np.float64)


# --- Right implementations


def row_by_row(X: Matrix, W_Q: Matrix, W_K: Matrix, W_V: Matrix) -> tuple[Matrix, Matrix]:
    """One query at a time."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    A, Output = np.zeros((len(X), len(X))), np.zeros((len(X), W_V.shape[1]))
    for i, query in enumerate(Q):
        scores = K @ query / math.sqrt(len(query))
        powers = np.exp(scores - scores.max())
        A[i] = powers / math.fsum(powers)
        Output[i] = V.T @ A[i]
    return Output, A


def all_at_once(X: Matrix, W_Q: Matrix, W_K: Matrix, W_V: Matrix) -> tuple[Matrix, Matrix]:
    """As the lesson's formula stands (Module 8, section 9)."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / np.sqrt(W_K.shape[1])
    powers = np.exp(S - S.max(axis=1, keepdims=True))
    A = powers / powers.sum(axis=1, keepdims=True)
    return A @ V, A


def by_logarithms(X: Matrix, W_Q: Matrix, W_K: Matrix, W_V: Matrix) -> tuple[Matrix, Matrix]:
    """Weights as exp of log weights, over one product of the two weight matrices."""
    S = X @ (W_Q @ W_K.T / np.sqrt(W_Q.shape[1])) @ X.T
    shift = S.max(axis=1, keepdims=True) - 90.0  # far from the maximum: the last digits of the scores are lost
    A = np.exp((S - shift) - np.log(np.exp(S - shift).sum(axis=1, keepdims=True)))
    return (A @ X) @ W_V, A


RIGHT: tuple[Attend, ...] = tuple(takes_anything(attend) for attend in (row_by_row, all_at_once, by_logarithms))


# --- Wrong implementations


@dataclass(frozen=True, eq=False)
class Wrong:
    """`fault` says in general words what is wrong, as a student may read it."""

    name: str
    fault: str
    attend: Attend


def _softmax(S: Matrix, axis: Any = 1) -> Matrix:
    powers = np.exp(S - S.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def _scaled_scores(X: Matrix, W_Q: Matrix, W_K: Matrix) -> Matrix:
    return (X @ W_Q) @ (X @ W_K).T / np.sqrt(W_Q.shape[1])


def _with_weights(compute: Callable[[Matrix], Matrix]) -> Attend:
    """A is computed from the scaled scores, and Output from A."""

    def attend(X: Matrix, W_Q: Matrix, W_K: Matrix, W_V: Matrix) -> tuple[Matrix, Matrix]:
        A = compute(_scaled_scores(X, W_Q, W_K))
        return A @ X @ W_V, A

    return attend


right = _with_weights(_softmax)


def _changed(
    Output: Callable[..., Matrix] = lambda Output, *inputs: Output, A: Callable[..., Matrix] = lambda A, *inputs: A
) -> Attend:
    """The right results, changed afterwards, each by itself; both changes get the four inputs too."""

    def attend(*inputs: Matrix) -> tuple[Matrix, Matrix]:
        right_output, right_A = right(*inputs)
        return Output(right_output, *inputs), A(right_A, *inputs)

    return attend


OUTPUT_SHAPE, WEIGHTS_SHAPE = "an Output of a wrong shape", "an A of a wrong shape"
SHAPES = (
    Wrong("output_transposed", OUTPUT_SHAPE, _changed(Output=lambda output, *_: output.T)),
    Wrong("output_lacks_a_token", OUTPUT_SHAPE, _changed(Output=lambda output, *_: output[:-1])),
    Wrong(
        "output_has_a_column_more", OUTPUT_SHAPE, _changed(Output=lambda output, *_: np.hstack([output, output[:, :1]]))
    ),
    Wrong("output_averaged", OUTPUT_SHAPE, _changed(Output=lambda output, *_: output.mean(axis=0))),
    Wrong("output_in_a_batch", OUTPUT_SHAPE, _changed(Output=lambda output, *_: output[None])),
    Wrong("output_of_keys", OUTPUT_SHAPE, _changed(Output=lambda output, X, W_Q, W_K, W_V: right(X, W_Q, W_K, W_K)[0])),
    Wrong(
        "output_of_tokens",
        OUTPUT_SHAPE,
        _changed(Output=lambda output, X, W_Q, W_K, W_V: right(X, W_Q, W_K, W_V)[1] @ X),
    ),
    Wrong("weights_with_a_column_more", WEIGHTS_SHAPE, _changed(A=lambda A, *_: np.hstack([A, A[:, :1]]) / 2)),
    Wrong(
        "weights_of_features", WEIGHTS_SHAPE, _changed(A=lambda A, X, W_Q, W_K, W_V: _softmax((X @ W_Q).T @ (X @ W_K)))
    ),
    Wrong("weights_like_output", WEIGHTS_SHAPE, _changed(A=lambda A, X, W_Q, W_K, W_V: _softmax(A @ X @ W_V))),
    Wrong("weights_averaged", WEIGHTS_SHAPE, _changed(A=lambda A, *_: A.mean(axis=0))),
    Wrong("weights_in_a_batch", WEIGHTS_SHAPE, _changed(A=lambda A, *_: A[None])),
)


def _standardised(S: Matrix) -> Matrix:
    """Rows that sum to 1, with entries below zero."""
    centred = S - S.mean(axis=1, keepdims=True)
    return centred / (S.std(axis=1, keepdims=True) + 1e-9) + 1 / S.shape[1]


def _moved(S: Matrix) -> Matrix:
    """Half of a whole weight moved from each row's weakest key to its strongest."""
    A, rows = _softmax(S), np.arange(len(S))
    A[rows, S.argmin(axis=1)] -= 0.5
    A[rows, S.argmax(axis=1)] += 0.5
    return A


def _middle_row_too_large(S: Matrix) -> Matrix:
    A = _softmax(S)
    A[len(A) // 2] *= 1.5
    return A


def _last_row_too_small(S: Matrix) -> Matrix:
    A = _softmax(S)
    A[-1] *= 0.8
    return A


def _strongest_dropped(S: Matrix) -> Matrix:
    A = _softmax(S)
    A[np.arange(len(S)), S.argmax(axis=1)] = 0.0
    return A


def _over_maximum(S: Matrix) -> Matrix:
    return np.exp(S - S.max(axis=1, keepdims=True))


def _large_epsilon(S: Matrix) -> Matrix:
    powers = _over_maximum(S)
    return powers / (powers.sum(axis=1, keepdims=True) + 0.5)


NO_DISTRIBUTION = "rows of A that are no distributions"
OTHER_WEIGHTS: Mapping[str, Callable[[Matrix], Matrix]] = {
    "not_normalised": np.exp,
    "over_queries": lambda S: _softmax(2 * S, axis=0),  # sharper, so that no three rows sum to nearly 1
    "over_everything": lambda S: _softmax(S, axis=(0, 1)),
    "over_maximum": _over_maximum,
    "sigmoid": lambda S: 1 / (1 + np.exp(-S)),
    "large_epsilon": _large_epsilon,
    "strongest_dropped": _strongest_dropped,
    "middle_row_too_large": _middle_row_too_large,
    "last_row_too_small": _last_row_too_small,
    "rows_of_different_sums": lambda S: _softmax(S) * np.linspace(0.5, 1.5, len(S))[:, None],
    "standardised": _standardised,
    "moved_below_zero": _moved,
}
ROWS = tuple(Wrong(name, NO_DISTRIBUTION, _with_weights(compute)) for name, compute in OTHER_WEIGHTS.items())


def _scaled_by(divisor: Callable[[int, int, int, int], float]) -> Attend:
    """The scores divided by `divisor(n, d_model, d_k, d_v)`."""

    def attend(X: Matrix, W_Q: Matrix, W_K: Matrix, W_V: Matrix) -> tuple[Matrix, Matrix]:
        n, d_model = X.shape
        A = _softmax((X @ W_Q) @ (X @ W_K).T / divisor(n, d_model, W_Q.shape[1], W_V.shape[1]))
        return A @ X @ W_V, A

    return attend


def _off(size: int, d_k: int) -> float:
    """A scale that another size has a say in: right where that equals d_k, else off by 2, however near the two are."""
    return d_k**0.5 * (1.0 if size == d_k else 2.0 if size > d_k else 0.5)


unscaled = _scaled_by(lambda n, d_model, d_k, d_v: 1.0)


def _unscaled_but_first(X: Matrix, W_Q: Matrix, W_K: Matrix, W_V: Matrix) -> tuple[Matrix, Matrix]:
    (_, A), (_, unscaled_A) = right(X, W_Q, W_K, W_V), unscaled(X, W_Q, W_K, W_V)
    A = np.vstack([A[:1], unscaled_A[1:]])
    return A @ X @ W_V, A


def _scaled_afterwards(X: Matrix, W_Q: Matrix, W_K: Matrix, W_V: Matrix) -> tuple[Matrix, Matrix]:
    A = unscaled(X, W_Q, W_K, W_V)[1] / np.sqrt(W_Q.shape[1])
    return A @ X @ W_V, A


OTHER_SCALE = "an A made without scaling, or by another scale than sqrt(d_k)"
SCALES = tuple(
    Wrong(name, OTHER_SCALE, attend)
    for name, attend in {
        "unscaled": unscaled,
        "by_d_k": _scaled_by(lambda n, d_model, d_k, d_v: d_k),
        "multiplied": _scaled_by(lambda n, d_model, d_k, d_v: d_k**-0.5),
        "fourth_root": _scaled_by(lambda n, d_model, d_k, d_v: d_k**0.25),
        "square": _scaled_by(lambda n, d_model, d_k, d_v: d_k**2),
        "negative": _scaled_by(lambda n, d_model, d_k, d_v: -(d_k**0.5)),
        "by_tokens": _scaled_by(lambda n, d_model, d_k, d_v: _off(n, d_k)),
        "by_model_width": _scaled_by(lambda n, d_model, d_k, d_v: _off(d_model, d_k)),
        "by_value_width": _scaled_by(lambda n, d_model, d_k, d_v: _off(d_v, d_k)),
        "after_softmax": _scaled_afterwards,
        "unscaled_but_first_row": _unscaled_but_first,
        "weights_unscaled_output_right": _changed(A=lambda A, *inputs: unscaled(*inputs)[1]),
    }.items()
)


def _places(X: Matrix) -> Matrix:
    """One number a place, as a column: 0, 1, 2 and so on."""
    return np.arange(len(X))[:, None]


def _positions(X: Matrix) -> Matrix:
    return np.sin(_places(X) / 1.7 ** np.arange(X.shape[1]) + np.arange(X.shape[1]))


def _of_other_tokens(change: Callable[[Matrix], Matrix]) -> Attend:
    """Attention over tokens that were changed first."""
    return lambda X, W_Q, W_K, W_V: right(change(X), W_Q, W_K, W_V)


def _of_other_scores(change: Callable[[Matrix], Matrix]) -> Attend:
    return _with_weights(lambda S: _softmax(change(S)))


def _distances(S: Matrix) -> Matrix:
    places = np.arange(len(S))
    return np.abs(places[:, None] - places)


def _sorted(X: Matrix) -> Matrix:
    """The tokens in the order of their first feature."""
    return X[X[:, 0].argsort(kind="stable")]


def _late(X: Matrix) -> Matrix:
    """Louder from the third token on."""
    return X * (1 + 0.7 * np.maximum(_places(X) - 1, 0))


def _favoured(A: Matrix) -> Matrix:
    """The later a key stands, the more weight it has, so much that even a wide tolerance notices."""
    weights = A * 20.0 ** np.arange(A.shape[1])
    return weights / weights.sum(axis=1, keepdims=True)


DEPENDS_ON_PLACE = "an Output or A that depends on position"
PLACES = tuple(
    Wrong(name, DEPENDS_ON_PLACE, attend)
    for name, attend in {
        "causal": _of_other_scores(lambda S: np.where(np.tri(*S.shape, dtype=np.bool_), S, -np.inf)),
        "positions_added": _of_other_tokens(lambda X: X + _positions(X)),
        "louder_at_the_end": _of_other_tokens(lambda X: X * (1 + 0.4 * _places(X))),
        "late_positions": _of_other_tokens(_late),
        "later_keys_favoured": _of_other_scores(lambda S: S + 0.6 * np.arange(S.shape[1])),
        "near_keys_favoured": _of_other_scores(lambda S: S - _distances(S)),
        "neighbours_only": _of_other_scores(lambda S: np.where(_distances(S) <= 1, S, -np.inf)),
        "tokens_sorted": _of_other_tokens(_sorted),
        "columns_sorted": _changed(A=lambda A, X, *_: A[:, X[:, 0].argsort(kind="stable")]),
        "weights_alone": _changed(A=lambda A, *_: _favoured(A)),
        "output_alone": _changed(Output=lambda output, *_: output + 0.04 * _places(output)),
        "values_alone": _changed(
            Output=lambda output, X, W_Q, W_K, W_V: right(X, W_Q, W_K, W_V)[1] @ (X + _positions(X)) @ W_V
        ),
    }.items()
)

WRONG: Mapping[str, tuple[Wrong, ...]] = {
    exercise: tuple(Wrong(w.name, w.fault, takes_anything(w.attend)) for w in implementations)
    for exercise, implementations in {
        "test_shapes": SHAPES,
        "test_rows_sum_to_one": ROWS,
        "test_scaling": SCALES,
        "test_permutation_equivariance": PLACES,
    }.items()
}
