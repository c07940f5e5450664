"""The wrong models of assignment 01."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    attend,
    singles_and_pairs,
    softmax,
)
from autograder.suite.models import WrongModel

Shapes = dict[str, tuple[int, ...]]


def _right_shapes(n: int, d_model: int, d_k: int, d_v: int) -> Shapes:
    return {
        **{"X": (n, d_model), "W_Q": (d_model, d_k), "W_K": (d_model, d_k), "W_V": (d_model, d_v)},
        **{"Q": (n, d_k), "K": (n, d_k), "V": (n, d_v), "S": (n, n), "A": (n, n), "Output": (n, d_v)},
    }


def _shapes(change: Callable[[int, int, int, int], Shapes]) -> Callable[..., Shapes]:
    return lambda n, d_model, d_k, d_v: {**_right_shapes(n, d_model, d_k, d_v), **change(n, d_model, d_k, d_v)}


def _transposed(n: int, d_model: int, d_k: int, d_v: int) -> Shapes:
    return {name: shape[::-1] for name, shape in _right_shapes(n, d_model, d_k, d_v).items()}


DIMENSIONS = {
    "one-width-for-all": _shapes(lambda n, d, k, v: {"W_V": (d, k), "V": (n, k), "Output": (n, k)}),
    "attention-matrix-sized-by-features": _shapes(lambda n, d, k, v: {"S": (k, k), "A": (k, k)}),
    "attention-matrix-shaped-like-output": _shapes(lambda n, d, k, v: {"A": (n, v)}),
    "output-sized-like-input": _shapes(lambda n, d, k, v: {"Output": (n, d)}),
    "output-sized-by-key-width": _shapes(lambda n, d, k, v: {"Output": (n, k)}),
    "output-sized-by-sequence-length": _shapes(lambda n, d, k, v: {"Output": (n, n)}),
    "projection-matrices-transposed": _shapes(lambda n, d, k, v: {"W_Q": (k, d), "W_K": (k, d), "W_V": (v, d)}),
    "projections-sized-by-sequence-length": _shapes(lambda n, d, k, v: {"W_Q": (n, k), "W_K": (n, k), "W_V": (n, v)}),
    "projections-keep-the-width": _shapes(lambda n, d, k, v: {name: (n, d) for name in ("Q", "K", "V")}),
    "tokens-as-columns": _transposed,
}

PROJECTIONS = {
    "projection-transposed": lambda X, W: X @ W.T,
    "output-transposed": lambda X, W: (X @ W).T,
    "activation-after-projection": lambda X, W: np.maximum(X @ W, 0),
    "scores-scaled-already": lambda X, W: X @ W / np.sqrt(W.shape[1]),
    "projection-rows-normalised": lambda X, W: X @ W / np.linalg.norm(X @ W, axis=1, keepdims=True),
    "integer-input-truncated": lambda X, W: _into_zeros_like(X, X @ W),
    "bias-in-projections": lambda X, W: X @ W + 1,
    "input-changed-in-place": lambda X, W: _as_scratch(X, X @ W),
}

SCORE_FUNCTIONS = {
    "scores-transposed": lambda Q, K: K @ Q.T,
    "scores-without-transpose": lambda Q, K: Q @ K,
    "scores-elementwise": lambda Q, K: Q * K,
    "scores-over-features": lambda Q, K: Q.T @ K,
    "scores-by-cosine": lambda Q, K: _unit(Q) @ _unit(K).T,
    "scores-by-distance": lambda Q, K: -((Q[:, None, :] - K[None, :, :]) ** 2).sum(axis=-1),
    "scores-query-with-query": lambda Q, K: Q @ Q.T,
    "scores-key-with-key": lambda Q, K: K @ K.T,
    "scores-scaled-already": lambda Q, K: Q @ K.T / np.sqrt(Q.shape[1]),
    "scores-softmaxed-already": lambda Q, K: softmax(Q @ K.T / np.sqrt(Q.shape[1])),
    "scores-never-negative": lambda Q, K: np.maximum(Q @ K.T, 0),
    "scores-symmetric": lambda Q, K: (Q @ K.T + K @ Q.T) / 2,
    "input-changed-in-place": lambda Q, K: _as_scratch(Q, Q @ K.T),
}

SCALE_FUNCTIONS = {
    "scaled-by-key-dimension": lambda S, d_k: S / d_k,
    "scaled-by-sequence-length": lambda S, d_k: S / np.sqrt(S.shape[-1]),
    "multiplied-by-the-scale": lambda S, d_k: S * np.sqrt(d_k),
    "integer-square-root-scale": lambda S, d_k: S / int(d_k**0.5),
    "scaled-by-fourth-root": lambda S, d_k: S / d_k**0.25,
    "scaled-by-squared-dimension": lambda S, d_k: S / d_k**2,
    "scale-hard-coded": lambda S, d_k: S / 8.0,
    "scaled-after-softmax": lambda S, d_k: softmax(S) / np.sqrt(d_k),
    "scores-standardised": lambda S, d_k: (S - S.mean()) / S.std(),
    "integer-input-truncated": lambda S, d_k: _into_zeros_like(S, S / np.sqrt(d_k)),
    "input-changed-in-place": lambda S, d_k: _in_place(S, np.divide, np.sqrt(d_k)),
}


def _naive(scores: np.ndarray) -> np.ndarray:
    return np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)


def _shifted(scores: np.ndarray, shift: np.ndarray) -> np.ndarray:
    return _naive(scores - shift)


def _argmax(scores: np.ndarray) -> np.ndarray:
    return np.eye(scores.shape[1])[scores.argmax(axis=1)]


def _over_raw_sum(scores: np.ndarray) -> np.ndarray:
    return scores / scores.sum(axis=1, keepdims=True)


def _large_epsilon(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / (powers.sum(axis=1, keepdims=True) + 1e-2)


def _sum_meets_columns(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1)


def _base_two(scores: np.ndarray) -> np.ndarray:
    powers = np.exp2(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def _numerator_only(scores: np.ndarray) -> np.ndarray:
    return np.exp(scores - scores.max(axis=1, keepdims=True)) / np.exp(scores).sum(axis=1, keepdims=True)


def _own_token_excluded(scores: np.ndarray) -> np.ndarray:
    return softmax(np.where(np.eye(*scores.shape, dtype=np.bool_), -np.inf, scores))


def _changed_in_place(scores: np.ndarray) -> np.ndarray:
    scores -= scores.max(axis=1, keepdims=True)
    return softmax(scores)


SOFTMAX_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "softmax-over-queries": lambda scores: softmax(scores, axis=0),
    "softmax-over-everything": lambda scores: softmax(scores, axis=(0, 1)),
    "softmax-naive-exponential": _naive,
    "softmax-global-maximum": lambda scores: _shifted(scores, scores.max()),
    "softmax-shifted-by-mean": lambda scores: _shifted(scores, scores.mean(axis=1, keepdims=True)),
    "softmax-shifts-numerator-only": _numerator_only,
    "softmax-sum-meets-columns": _sum_meets_columns,
    "softmax-maximum-meets-columns": lambda scores: _shifted(scores, scores.max(axis=1)),
    "softmax-divides-raw-scores": _over_raw_sum,
    "softmax-large-epsilon": _large_epsilon,
    "softmax-not-normalised": np.exp,
    "softmax-divided-by-maximum": lambda scores: np.exp(scores - scores.max(axis=1, keepdims=True)),
    "sigmoid-for-softmax": lambda scores: 1 / (1 + np.exp(-scores)),
    "softmax-twice": lambda scores: softmax(softmax(scores)),
    "argmax-for-softmax": _argmax,
    "softmax-base-two": _base_two,
    "softmin-for-softmax": lambda scores: softmax(-scores),
    "log-softmax-for-softmax": lambda scores: np.log(softmax(scores)),
    "softmax-of-absolute-scores": lambda scores: softmax(np.abs(scores)),
    "softmax-of-squares": lambda scores: scores**2 / (scores**2).sum(axis=1, keepdims=True),
    "token-excluded-from-itself": _own_token_excluded,
    "weights-rounded": lambda scores: softmax(scores).round(2),
    "scaled-by-sequence-length": lambda scores: softmax(scores / np.sqrt(scores.shape[1])),
    "integer-input-truncated": lambda scores: _into_zeros_like(scores, softmax(scores)),
    "input-changed-in-place": _changed_in_place,
}

OUTPUT_FUNCTIONS = {
    "weights-transposed": lambda A, V: A.T @ V,
    "output-elementwise": lambda A, V: A * V,
    "output-transposed": lambda A, V: (A @ V).T,
    "output-is-mean-of-values": lambda A, V: np.tile(V.mean(axis=0), (len(A), 1)),
    "output-is-values": lambda A, V: V,
    "output-is-strongest-value": lambda A, V: V[A.argmax(axis=1)],
    "values-added-to-output": lambda A, V: A @ V + V,
    "output-summed-over-tokens": lambda A, V: (A @ V).sum(axis=0),
    "output-normalised-again": lambda A, V: softmax(A @ V),
    "integer-input-truncated": lambda A, V: _into_zeros_like(V, A @ V),
    "scaled-after-softmax": lambda A, V: A @ V / np.sqrt(V.shape[1]),
    "input-changed-in-place": lambda A, V: _as_scratch(V, A @ V),
}


def _in_place(array: np.ndarray, operation: Callable[..., Any], *args: Any) -> np.ndarray:
    operation(array, *args, out=array)
    return array


def _as_scratch(array: np.ndarray, result: np.ndarray) -> np.ndarray:
    """The right result, and an argument that was used as scratch space on the way."""
    array *= 2
    return result


def _into_zeros_like(pattern: np.ndarray, result: np.ndarray) -> np.ndarray:
    """The result written into an array of the input's dtype, which cuts it where that is int."""
    return result.astype(pattern.dtype)


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _self_attention(faults: tuple[Fault, ...]) -> Callable[..., Any]:
    return lambda X, W_Q, W_K, W_V: attend(State(X=X, source=X, weights=(W_Q, W_K, W_V)), faults)


def _with_scratch(X: np.ndarray, *weights: np.ndarray) -> Any:
    return _as_scratch(X, attend(State(X=X.copy(), source=X.copy(), weights=weights)))


def _models() -> list[WrongModel]:
    by_exercise: dict[str, Mapping[str, Callable[..., Any]]] = {
        "matrix_dimensions": DIMENSIONS,
        **dict.fromkeys(("project_query", "project_key", "project_value"), PROJECTIONS),
        "attention_scores": SCORE_FUNCTIONS,
        "scale_scores": SCALE_FUNCTIONS,
        "softmax_rows": SOFTMAX_FUNCTIONS,
        "attention_output": OUTPUT_FUNCTIONS,
    }
    single = [
        WrongModel(exercise, (misconception,), answer)
        for exercise, answers in by_exercise.items()
        for misconception, answer in answers.items()
    ]
    faults = (*ROLES, *SCORES, *SCALES, *SOFTMAXES, *OUTPUTS, *RESULTS)
    combined = [
        WrongModel("self_attention", tuple(fault.misconception for fault in chosen), _self_attention(chosen))
        for chosen in singles_and_pairs(faults)
    ]
    scratch = WrongModel("self_attention", ("input-changed-in-place",), _with_scratch)
    return [*single, *combined, scratch]


WRONG_MODELS = tuple(_models())
