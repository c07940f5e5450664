"""The properties of attention in slow loops over plain numbers, written apart from the reference solution."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import Callback
from autograder.suite.numpy_self_attention.oracle import self_attention

Matrix = np.ndarray


def is_attention_matrix(A: Matrix, atol: float = 1e-6) -> bool:
    """Square, finite, no entry below -atol, and each row's sum within atol of 1 (Module 8, section 7)."""
    rows, columns = A.shape
    if rows != columns:
        return False
    for row in A:
        weights = [float(a) for a in row]
        if any(not math.isfinite(a) or a < -atol for a in weights):
            return False
        if abs(math.fsum(weights) - 1) > atol:
            return False
    return True


def strongest_source(A: Matrix, i: int) -> int:
    """The lowest j for which A[i, j] is largest."""
    best = 0
    for j, weight in enumerate(A[i]):
        if weight > A[i][best]:
            best = j
    return best


def permute_tokens(X: Matrix, order: Matrix) -> Matrix:
    """Row i is row order[i] of X."""
    return np.array([X[int(place)] for place in order])


def is_permutation_equivariant(f: Callback | Callable[..., Any], X: Matrix, order: Matrix, atol: float = 1e-8) -> bool:
    """Whether f(X[order]) equals f(X)[order], entry by entry (Module 10.1, section 5)."""
    call = f.function if isinstance(f, Callback) else f
    shuffled_first, shuffled_last = call(permute_tokens(X, order)), permute_tokens(call(X), order)
    for first, last in zip(shuffled_first, shuffled_last, strict=True):
        for a, b in zip(first, last, strict=True):
            if not abs(float(a) - float(b)) <= atol:
                return False
    return True


def positional_encoding(n: int, d_model: int) -> Matrix:
    """Sines in the even columns and cosines in the odd ones (Vaswani et al. 2017, section 3.5)."""
    PE = np.zeros((n, d_model))
    for p in range(n):
        for column in range(d_model):
            turn = math.sin if column % 2 == 0 else math.cos
            PE[p, column] = turn(p / 10000 ** (2 * (column // 2) / d_model))
    return PE


def self_attention_with_positions(X: Matrix, W_Q: Matrix, W_K: Matrix, W_V: Matrix) -> tuple[Matrix, Matrix]:
    """The pair (Output, A) of self-attention over X + PE."""
    n, d_model = X.shape
    PE = positional_encoding(n, d_model)
    placed = np.array([[float(X[p, c]) + PE[p, c] for c in range(d_model)] for p in range(n)])
    return self_attention(placed, W_Q, W_K, W_V)


def row_entropy(A: Matrix) -> Matrix:
    """The sum of -a log a over each row, in nats, where 0 log 0 is 0."""
    return np.array([math.fsum(-float(a) * math.log(float(a)) for a in row if a > 0) for row in A])


def attention_cost(n: int, d_k: int, d_v: int) -> dict[str, int]:
    """Multiplications of Q K^T, entries of A, multiplications of A V (Module 10.1, section 9)."""
    return {"score_multiplications": n * n * d_k, "weight_entries": n * n, "output_multiplications": n * n * d_v}
