"""The wrong models of assignment 03."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.suite.attention import (
    OUTPUTS,
    RESULTS,
    ROLES,
    SCALES,
    SCORES,
    SOFTMAXES,
    Fault,
    State,
    Step,
    attend,
    pairs,
    singles,
)
from autograder.suite.models import WrongModel

# --- is_attention_matrix


def _square(A: np.ndarray) -> bool:
    return A.shape[0] == A.shape[1]


def _finite(A: np.ndarray) -> bool:
    return bool(np.isfinite(A).all())


def _no_negatives(A: np.ndarray, atol: float) -> bool:
    return bool((-atol <= A).all())


def _sums(A: np.ndarray, atol: float, axis: int = 1) -> bool:
    return bool((np.abs(A.sum(axis=axis) - 1) <= atol).all())


def _right(A: np.ndarray, atol: float) -> bool:
    return _square(A) and _finite(A) and _no_negatives(A, atol) and _sums(A, atol)


def _finiteness_forgotten(A: np.ndarray, atol: float = 1e-6) -> bool:
    return _square(A) and not (-atol > A).any() and not (np.abs(A.sum(axis=1) - 1) > atol).any()


def _zero_for(what: Callable[[np.ndarray], np.ndarray]) -> Callable[..., bool]:
    """Such entries count as 0."""

    def answer(A: np.ndarray, atol: float = 1e-6) -> bool:
        A = np.where(what(A), 0.0, A)
        return _square(A) and _no_negatives(A, atol) and _sums(A, atol)

    return answer


def _nan_to_num(A: np.ndarray, atol: float = 1e-6) -> bool:
    return _right(np.nan_to_num(A), atol)


def _relative_too(A: np.ndarray, atol: float = 1e-6) -> bool:
    return _square(A) and _no_negatives(A, atol) and np.allclose(A.sum(axis=1), 1, atol=atol)


def _small_negatives_refused(A: np.ndarray, atol: float = 1e-6) -> bool:
    return _square(A) and _finite(A) and _no_negatives(A, 0) and _sums(A, atol)


def _whatever_atol(own: float) -> Callable[..., bool]:
    return lambda A, atol=1e-6: _right(A, own)


def _upper_bound_only(A: np.ndarray, atol: float = 1e-6) -> bool:
    return _square(A) and bool((1 + atol >= A).all()) and _sums(A, atol)


def _total(A: np.ndarray, atol: float) -> bool:
    return abs(A.sum() - len(A)) <= atol


def _sorted_in_place(A: np.ndarray, atol: float = 1e-6) -> bool:
    A.sort(axis=1)
    return _right(A, atol)


ATTENTION_MATRIX = (
    (
        "columns-checked-for-rows",
        lambda A, atol=1e-6: _square(A) and _finite(A) and _no_negatives(A, atol) and _sums(A, atol, axis=0),
    ),
    ("rows-and-columns-checked", lambda A, atol=1e-6: _right(A, atol) and _sums(A, atol, axis=0)),
    ("total-checked-for-rows", lambda A, atol=1e-6: _square(A) and _no_negatives(A, atol) and _total(A, atol)),
    ("squareness-forgotten", lambda A, atol=1e-6: _finite(A) and _no_negatives(A, atol) and _sums(A, atol)),
    ("negatives-forgotten", lambda A, atol=1e-6: _square(A) and _finite(A) and _sums(A, atol)),
    ("upper-bound-forgotten-lower", _upper_bound_only),
    ("finiteness-forgotten", _finiteness_forgotten),
    ("finiteness-forgotten", _zero_for(np.isnan)),
    ("finiteness-forgotten", _zero_for(lambda A: ~np.isfinite(A))),
    ("finiteness-forgotten", _nan_to_num),
    (
        "compared-exactly",
        lambda A, atol=1e-6: _square(A) and _no_negatives(A, atol) and bool((A.sum(axis=1) == 1).all()),
    ),
    ("compared-exactly", lambda A, atol=1e-6: _square(A) and _no_negatives(A, 0) and bool((A.sum(axis=1) == 1).all())),
    ("tolerance-ignored", _whatever_atol(1e-6)),
    ("tolerance-ignored", _whatever_atol(1e-8)),
    ("tolerance-ignored", lambda A, atol=1e-6: _square(A) and _no_negatives(A, 0) and np.allclose(A.sum(axis=1), 1)),
    ("relative-tolerance-left-on", _relative_too),
    ("small-negatives-refused", _small_negatives_refused),
    ("zeros-refused", lambda A, atol=1e-6: _right(A, atol) and bool((A > 0).all())),
    ("bounds-refused", lambda A, atol=1e-6: _right(A, atol) and bool((-atol < A).all())),
    ("bounds-refused", lambda A, atol=1e-6: _right(A, atol) and bool((np.abs(A.sum(axis=1) - 1) < atol).all())),
    ("input-changed-in-place", _sorted_in_place),
    ("symmetry-demanded", lambda A, atol=1e-6: _right(A, atol) and np.allclose(A, A.T)),
)

# --- strongest_source


def _other_than_itself(A: np.ndarray, i: int) -> int:
    row = A[i].astype(float)
    row[i] = -np.inf
    return int(row.argmax())


def _crossed_out(A: np.ndarray, i: int) -> int:
    """The right answer, and the entry that was found is struck off."""
    best = int(A[i].argmax())
    A[i, best] = 0
    return best


STRONGEST = (
    ("column-read-for-row", lambda A, i: int(A[:, i].argmax())),
    ("weakest-source-taken", lambda A, i: int(A[i].argmin())),
    ("last-taken-on-a-tie", lambda A, i: len(A) - 1 - int(A[i][::-1].argmax())),
    ("own-token-left-out", _other_than_itself),
    ("own-token-always-taken", lambda A, i: i),
    ("strongest-of-whole-matrix", lambda A, i: int(A.argmax())),
    ("strongest-of-whole-matrix", lambda A, i: int(A.argmax()) % len(A)),
    ("strongest-of-whole-matrix", lambda A, i: int(A.argmax()) // len(A)),
    ("weight-returned-for-token", lambda A, i: float(A[i].max())),
    ("tokens-counted-from-one", lambda A, i: int(A[i].argmax()) + 1),
    ("input-changed-in-place", _crossed_out),
)

# --- permute_tokens


def _in_place(X: np.ndarray, order: np.ndarray) -> np.ndarray:
    X[:] = X[order]
    return X


PERMUTED = (
    ("inverse-permutation", lambda X, order: X[np.argsort(order)]),
    ("permuted-features", lambda X, order: X[:, order]),
    ("permuted-rows-and-features", lambda X, order: X[order][:, order]),
    ("rows-reversed", lambda X, order: X[::-1]),
    ("rows-sorted", lambda X, order: np.sort(X, axis=0)),
    ("rows-sorted", lambda X, order: X[np.lexsort(X.T[::-1])]),
    ("input-changed-in-place", _in_place),
)

# --- is_permutation_equivariant


def _equal(a: np.ndarray, b: np.ndarray, atol: float) -> bool:
    return a.shape == b.shape and bool((np.abs(a - b) <= atol).all())


def _by_rows(Y: np.ndarray) -> np.ndarray:
    return Y[np.lexsort(Y.T)]


def _comparing(
    compare: Callable[[Callable[..., np.ndarray], np.ndarray, np.ndarray, float], bool],
) -> Callable[..., bool]:
    """Wrong answers to the question: `compare` gets the function that is asked about, X, order and atol."""
    return lambda f, X, order, atol=1e-8: bool(compare(f.function, X, order, atol))


def _shuffled_in_place(f: Callable[..., np.ndarray], X: np.ndarray, order: np.ndarray, atol: float) -> bool:
    before = f(X)[order]
    X[:] = X[order]
    return _equal(f(X), before, atol)


EQUIVARIANT = (
    ("invariant-for-equivariant", lambda f, X, order, atol: _equal(f(X[order]), f(X), atol)),
    ("only-outputs-shuffled", lambda f, X, order, atol: _equal(f(X)[order], f(X), atol)),
    (
        "inverse-order-on-one-side",
        lambda f, X, order, atol: _equal(f(X[order]), f(X)[np.argsort(order)], atol),
    ),
    ("equivariance-by-shape", lambda f, X, order, atol: f(X[order]).shape == f(X)[order].shape),
    ("always-called-equivariant", lambda f, X, order, atol: True),
    ("equivariance-by-totals", lambda f, X, order, atol: abs(f(X[order]).sum() - f(X).sum()) <= atol),
    (
        "equivariance-by-totals",
        lambda f, X, order, atol: _equal(f(X[order]).sum(axis=0), f(X).sum(axis=0), atol),
    ),
    ("equivariance-by-sorted-rows", lambda f, X, order, atol: _equal(_by_rows(f(X[order])), _by_rows(f(X)), atol)),
    (
        "equivariance-by-sorted-rows",
        lambda f, X, order, atol: _equal(np.sort(f(X[order]), axis=0), np.sort(f(X), axis=0), atol),
    ),
    ("equivariance-of-features", lambda f, X, order, atol: _equal(f(X[:, order]), f(X)[:, order], atol)),
    ("equivariance-of-features", lambda f, X, order, atol: _equal(f(X[order]), f(X)[:, order], atol)),
    ("equivariance-of-one-row", lambda f, X, order, atol: _equal(f(X[order])[0], f(X)[order][0], atol)),
    ("equivariance-of-one-row", lambda f, X, order, atol: _equal(f(X[order])[-1], f(X)[order][-1], atol)),
    ("tolerance-ignored", lambda f, X, order, atol: np.allclose(f(X[order]), f(X)[order])),
    ("tolerance-ignored", lambda f, X, order, atol: _equal(f(X[order]), f(X)[order], 1e-8)),
    ("tolerance-ignored", lambda f, X, order, atol: _equal(f(X[order]), f(X)[order], 1e-6)),
    ("compared-exactly", lambda f, X, order, atol: np.array_equal(f(X[order]), f(X)[order])),
    ("relative-tolerance-left-on", lambda f, X, order, atol: np.allclose(f(X[order]), f(X)[order], atol=atol)),
    ("input-changed-in-place", _shuffled_in_place),
)

# --- positional_encoding

Exponent = Callable[[np.ndarray, int], Any]


def encoding(
    n: int,
    d_model: int,
    exponent: Exponent = lambda column, d: 2 * (column // 2) / d,
    base: float = 10_000,
    first: int = 0,
    turns: tuple[Any, Any] = (np.sin, np.cos),
) -> np.ndarray:
    """The encoding, with what students get wrong as parameters."""
    column = np.arange(d_model)
    angles = (np.arange(n)[:, None] + first) / float(base) ** exponent(column, d_model)
    even, odd = turns
    return np.where(column % 2 == 0, even(angles), odd(angles))


def _halves(n: int, d_model: int) -> np.ndarray:
    interleaved = encoding(n, d_model)
    return np.concatenate([interleaved[:, ::2], interleaved[:, 1::2]], axis=1)


def _odd_ends_in_cosine(n: int, d_model: int) -> np.ndarray:
    PE = encoding(n, d_model)
    if d_model % 2:
        PE[:, -1] = np.cos(np.arange(n) / 10_000 ** ((d_model - 1) / d_model))
    return PE


def _encoding(**wrong: Any) -> Callable[[int, int], np.ndarray]:
    return lambda n, d_model: encoding(n, d_model, **wrong)


ENCODINGS = (
    ("positions-one-based", _encoding(first=1)),
    ("position-exponent-off", _encoding(exponent=lambda column, d: column / d)),
    ("position-exponent-off", _encoding(exponent=lambda column, d: (column + column % 2) / d)),
    ("position-exponent-doubled", _encoding(exponent=lambda column, d: 4 * (column // 2) / d)),
    ("position-exponent-doubled", _encoding(exponent=lambda column, d: 2 * column / d)),
    ("position-exponent-halved", _encoding(exponent=lambda column, d: (column // 2) / d)),
    ("position-exponent-sign", _encoding(exponent=lambda column, d: -2 * (column // 2) / d)),
    ("position-base-1000", _encoding(base=1000)),
    ("one-frequency-for-all", _encoding(exponent=lambda column, d: 0 * column)),
    ("sines-then-cosines", _halves),
    ("sine-cosine-swapped", _encoding(turns=(np.cos, np.sin))),
    ("sines-only", _encoding(turns=(np.sin, np.sin))),
    ("odd-width-ends-in-cosine", _odd_ends_in_cosine),
)
ENCODING_FUNCTIONS = (*ENCODINGS, ("positions-as-columns", lambda n, d_model: encoding(n, d_model).T))

# --- self_attention_with_positions


@dataclass
class Placed(State):
    """Self-attention over X + PE; `tokens` is X as it was handed in."""

    tokens: Any = None


Project = Callable[..., tuple[Any, Any, Any]]


def _projecting(compute: Project) -> Step:
    """A projection step from the bare tokens, the encoding of their shape, and the three weights."""

    def step(s: Placed) -> None:
        s.Q, s.K, s.V = compute(s.tokens, encoding(*s.tokens.shape), *s.weights)

    return step


def _placing(place: Callable[[np.ndarray], np.ndarray]) -> Step:
    """A projection step of tokens that are placed in another way."""
    return _projecting(lambda T, PE, W_Q, W_K, W_V: tuple(place(T) @ W for W in (W_Q, W_K, W_V)))


def _placed_late(X: np.ndarray) -> np.ndarray:
    return X + encoding(*X.shape)


def _output_placed(s: State) -> None:
    s.Output = _placed_late(s.A @ s.V)


def _project_bare(T: np.ndarray, PE: np.ndarray, *weights: np.ndarray) -> tuple[Any, ...]:
    return tuple(T @ W for W in weights)


POSITIONS = (
    Fault("positions-forgotten", "project", _projecting(_project_bare)),
    Fault(
        "positions-after-projection",
        "project",
        _projecting(lambda T, PE, *weights: tuple(_placed_late(T @ W) for W in weights)),
    ),
    Fault(
        "positions-to-queries-and-keys-only",
        "project",
        _projecting(lambda T, PE, W_Q, W_K, W_V: ((T + PE) @ W_Q, (T + PE) @ W_K, T @ W_V)),
    ),
    Fault(
        "positions-to-values-only",
        "project",
        _projecting(lambda T, PE, W_Q, W_K, W_V: (T @ W_Q, T @ W_K, (T + PE) @ W_V)),
    ),
    Fault("positions-to-output", "project", _projecting(_project_bare), {"combine": _output_placed}),
    Fault("positions-multiplied", "project", _placing(lambda T: T * encoding(*T.shape))),
    Fault("positions-added-twice", "project", _placing(lambda T: T + 2 * encoding(*T.shape))),
)


def _encoded(wrong: Callable[[int, int], np.ndarray]) -> Step:
    return _placing(lambda T: T + wrong(*T.shape))


ENCODED = tuple(Fault(misconception, "project", _encoded(wrong)) for misconception, wrong in ENCODINGS)


def _with_positions(faults: tuple[Fault, ...]) -> Callable[..., Any]:
    def answer(X: np.ndarray, W_Q: np.ndarray, W_K: np.ndarray, W_V: np.ndarray) -> Any:
        placed = _placed_late(X)
        return attend(Placed(X=placed, source=placed, weights=(W_Q, W_K, W_V), tokens=X), faults)

    return answer


def _added_in_place(X: np.ndarray, *weights: np.ndarray) -> Any:
    result = _with_positions(())(X.copy(), *weights)
    X += encoding(*X.shape)
    return result


# --- row_entropy


def _surprise(A: np.ndarray) -> np.ndarray:
    """-a log a for each entry, 0 where a is 0."""
    return -A * np.log(np.where(A > 0, A, 1))


def _worked_in_place(A: np.ndarray) -> np.ndarray:
    entropies = _surprise(A).sum(axis=1)
    A[...] = _surprise(A)
    return entropies


def _zeros_filled_in_place(A: np.ndarray) -> np.ndarray:
    A[A == 0] = 1
    return _surprise(A).sum(axis=1)


ENTROPIES = (
    ("entropy-in-bits", lambda A: _surprise(A).sum(axis=1) / np.log(2)),
    ("entropy-sign", lambda A: -_surprise(A).sum(axis=1)),
    ("entropy-nan-at-zero", lambda A: -(A * np.log(A)).sum(axis=1)),
    ("entropy-of-columns", lambda A: _surprise(A).sum(axis=0)),
    ("entropy-averaged", lambda A: _surprise(A).mean(axis=1)),
    ("entropy-of-whole-matrix", lambda A: _surprise(A).sum()),
    ("entropy-normalised", lambda A: _surprise(A).sum(axis=1) / np.log(A.shape[1])),
    ("entropy-without-weights", lambda A: -np.log(A).sum(axis=1)),
    ("entropy-as-perplexity", lambda A: np.exp(_surprise(A).sum(axis=1))),
    ("entropy-large-epsilon", lambda A: -(A * np.log(A + 1e-3)).sum(axis=1)),
    ("entropy-large-epsilon", lambda A: -(A * np.log(A + 1e-2)).sum(axis=1)),
    ("entropy-large-epsilon", lambda A: -(A * np.log(A + 1e-4)).sum(axis=1)),
    ("entropy-large-epsilon", lambda A: -(A * np.log(A + 1e-5)).sum(axis=1)),
    ("input-changed-in-place", _worked_in_place),
    ("input-changed-in-place", _zeros_filled_in_place),
)


# --- attention_cost


def _cost(scores: Callable[..., int], weights: Callable[..., int], output: Callable[..., int]) -> Callable[..., Any]:
    return lambda n, d_k, d_v: {
        "score_multiplications": scores(n, d_k, d_v),
        "weight_entries": weights(n, d_k, d_v),
        "output_multiplications": output(n, d_k, d_v),
    }


COSTS = (
    ("cost-linear", _cost(lambda n, k, v: n * k, lambda n, k, v: n, lambda n, k, v: n * v)),
    ("cost-doubled", _cost(lambda n, k, v: 2 * n * n * k, lambda n, k, v: n * n, lambda n, k, v: 2 * n * n * v)),
    (
        "cost-adds-projections",
        _cost(lambda n, k, v: n * n * k + 2 * n * k * k, lambda n, k, v: n * n, lambda n, k, v: n * n * v + n * v * v),
    ),
    ("cost-forgets-width", _cost(lambda n, k, v: n * n, lambda n, k, v: n * n, lambda n, k, v: n * n)),
    ("cost-swaps-widths", _cost(lambda n, k, v: n * n * v, lambda n, k, v: n * n, lambda n, k, v: n * n * k)),
    (
        "cost-counts-pairs-once",
        _cost(
            lambda n, k, v: n * (n + 1) // 2 * k,
            lambda n, k, v: n * (n + 1) // 2,
            lambda n, k, v: n * (n + 1) // 2 * v,
        ),
    ),
    (
        "cost-counts-pairs-once",
        _cost(
            lambda n, k, v: n * (n - 1) // 2 * k,
            lambda n, k, v: n * (n - 1) // 2,
            lambda n, k, v: n * (n - 1) // 2 * v,
        ),
    ),
    (
        "cost-weight-entries-by-width",
        _cost(lambda n, k, v: n * n * k, lambda n, k, v: n * k, lambda n, k, v: n * n * v),
    ),
    (
        "cost-weight-entries-by-width",
        _cost(lambda n, k, v: n * n * k, lambda n, k, v: n * v, lambda n, k, v: n * n * v),
    ),
    ("cost-cubic", _cost(lambda n, k, v: n**3, lambda n, k, v: n * n, lambda n, k, v: n**3)),
)


def _models() -> list[WrongModel]:
    by_exercise = {
        "is_attention_matrix": ATTENTION_MATRIX,
        "strongest_source": STRONGEST,
        "permute_tokens": PERMUTED,
        "is_permutation_equivariant": tuple((name, _comparing(compare)) for name, compare in EQUIVARIANT),
        "positional_encoding": ENCODING_FUNCTIONS,
        "row_entropy": ENTROPIES,
        "attention_cost": COSTS,
    }
    simple = [
        WrongModel(exercise, (misconception,), answer)
        for exercise, answers in by_exercise.items()
        for misconception, answer in answers
    ]
    plain = (*ROLES, *SCORES, *SCALES, *SOFTMAXES, *OUTPUTS, *RESULTS)
    chosen_faults = (*singles((*POSITIONS, *ENCODED, *plain)), *pairs(POSITIONS, plain))
    combined = [
        WrongModel(
            "self_attention_with_positions", tuple(fault.misconception for fault in chosen), _with_positions(chosen)
        )
        for chosen in chosen_faults
    ]
    return [
        *simple,
        *combined,
        WrongModel("self_attention_with_positions", ("input-changed-in-place",), _added_in_place),
    ]


WRONG_MODELS = tuple(_models())
