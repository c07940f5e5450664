"""Module 8 in slow loops over plain numbers, written apart from the reference solution."""

from __future__ import annotations

import math
from operator import mul

import numpy as np

Matrix = np.ndarray


def matrix_dimensions(n: int, d_model: int, d_k: int, d_v: int) -> dict[str, tuple[int, int]]:
    """Module 8, section 10."""
    return {
        "X": (n, d_model),
        "W_Q": (d_model, d_k),
        "W_K": (d_model, d_k),
        "W_V": (d_model, d_v),
        "Q": (n, d_k),
        "K": (n, d_k),
        "V": (n, d_v),
        "S": (n, n),
        "A": (n, n),
        "Output": (n, d_v),
    }


def rows_of(matrix: Matrix) -> list[list[float]]:
    """Rows of Python's floats: the same numbers, read many times faster than an array's entries one by one."""
    rows: list[list[float]] = matrix.astype(np.float64).tolist()
    return rows


def product(left: Matrix, right: Matrix) -> Matrix:
    """The matrix product: (a, b) times (b, c) gives (a, c)."""
    if left.shape[1] != right.shape[0]:
        raise ValueError(f"{left.shape} and {right.shape} have no product")
    columns = rows_of(right.T)
    entries = [[math.fsum(map(mul, row, column)) for column in columns] for row in rows_of(left)]
    return np.array(entries).reshape(len(left), len(columns))


project_query = project_key = project_value = product


def attention_scores(Q: Matrix, K: Matrix) -> Matrix:
    """S[i, j] = Q[i] . K[j] (Module 8, section 5)."""
    return product(Q, K.T)


def scale_scores(S: Matrix, d_k: int) -> Matrix:
    """S / sqrt(d_k) (Module 8, section 6)."""
    return np.array([[s / math.sqrt(d_k) for s in row] for row in rows_of(S)])


def softmax_rows(scores: Matrix) -> Matrix:
    """Each row becomes a distribution over the keys (Module 8, section 7)."""
    result = np.zeros(scores.shape)
    for i, row in enumerate(rows_of(scores)):
        highest = max(row)
        powers = [math.exp(s - highest) for s in row]
        total = math.fsum(powers)
        result[i] = [power / total for power in powers]
    return result


def attention_output(A: Matrix, V: Matrix) -> Matrix:
    """Output = A V (Module 8, section 8)."""
    return product(A, V)


def self_attention(X: Matrix, W_Q: Matrix, W_K: Matrix, W_V: Matrix) -> tuple[Matrix, Matrix]:
    """The pair (Output, A) (Module 8, section 9)."""
    Q, K, V = product(X, W_Q), product(X, W_K), product(X, W_V)
    A = softmax_rows(scale_scores(attention_scores(Q, K), Q.shape[1]))
    return product(A, V), A
