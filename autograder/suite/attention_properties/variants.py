"""Accepted variants of assignment 03."""

from autograder.suite.variants import Variant

LOOPS = Variant(
    "plain loops",
    """
import math

import numpy as np


def is_attention_matrix(A, atol=1e-6):
    rows, columns = A.shape
    if rows != columns:
        return False
    for row in A:
        total = 0.0
        for weight in row:
            if math.isnan(weight) or math.isinf(weight):
                return False
            if weight < -atol:
                return False
            total += weight
        if abs(total - 1) > atol:
            return False
    return True


def strongest_source(A, i):
    best = 0
    for j in range(1, A.shape[1]):
        if A[i, j] > A[i, best]:
            best = j
    return best


def permute_tokens(X, order):
    result = np.empty_like(X)
    for i in range(len(order)):
        result[i] = X[order[i]]
    return result


def is_permutation_equivariant(f, X, order, atol=1e-8):
    shuffled_before = f(permute_tokens(X, order))
    shuffled_after = permute_tokens(f(X), order)
    for row_before, row_after in zip(shuffled_before, shuffled_after):
        for before, after in zip(row_before, row_after):
            if abs(before - after) > atol:
                return False
    return True


def positional_encoding(n, d_model):
    PE = np.zeros((n, d_model))
    for p in range(n):
        for column in range(d_model):
            pair = column // 2
            angle = p / 10000 ** (2 * pair / d_model)
            PE[p, column] = math.cos(angle) if column % 2 else math.sin(angle)
    return PE


def self_attention_with_positions(X, W_Q, W_K, W_V):
    n, d_model = X.shape
    placed = X + positional_encoding(n, d_model)
    Q, K, V = placed @ W_Q, placed @ W_K, placed @ W_V
    A = np.zeros((n, n))
    for i in range(n):
        scores = [float(np.dot(Q[i], K[j])) / math.sqrt(Q.shape[1]) for j in range(n)]
        powers = [math.exp(score - max(scores)) for score in scores]
        for j in range(n):
            A[i, j] = powers[j] / sum(powers)
    Output = np.zeros((n, V.shape[1]))
    for i in range(n):
        for j in range(n):
            Output[i] += A[i, j] * V[j]
    return Output, A


def row_entropy(A):
    entropies = np.zeros(len(A))
    for i, row in enumerate(A):
        for weight in row:
            if weight > 0:
                entropies[i] -= weight * math.log(weight)
    return entropies


def attention_cost(n, d_k, d_v):
    return {
        "score_multiplications": n * n * d_k,
        "weight_entries": n * n,
        "output_multiplications": n * n * d_v,
    }
""",
)

EINSUM = Variant(
    "einsum, and logarithms of what is not zero",
    """
import numpy as np


def is_attention_matrix(A, atol=1e-6):
    ok = A.ndim == 2 and A.shape[0] == A.shape[1]
    ok = ok and np.all(np.isfinite(A)) and np.all(A >= -atol)
    return ok and np.all(np.abs(np.einsum("ij->i", A) - 1) <= atol)


def strongest_source(A, i):
    return np.argmax(A[i, :])


def permute_tokens(X, order):
    P = np.eye(len(order), dtype=X.dtype)[order]
    return np.einsum("ij,jd->id", P, X)


def is_permutation_equivariant(f, X, order, atol=1e-8):
    return np.max(np.abs(f(X[order]) - f(X)[order])) <= atol


def positional_encoding(n, d_model):
    rates = 1 / np.power(10000, 2 * (np.arange(d_model) // 2) / d_model)
    angles = np.einsum("p,c->pc", np.arange(n), rates)
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return angles


def self_attention_with_positions(X, W_Q, W_K, W_V):
    H = X + positional_encoding(*X.shape)
    Q, K, V = (np.einsum("nd,dk->nk", H, W) for W in (W_Q, W_K, W_V))
    S = np.einsum("ik,jk->ij", Q, K) / np.sqrt(K.shape[1])
    A = np.exp(S - S.max(axis=1, keepdims=True))
    A /= np.einsum("ij->i", A)[:, None]
    return np.einsum("ij,jv->iv", A, V), A


def row_entropy(A):
    logs = np.zeros(A.shape)
    np.log(A, where=A > 0, out=logs)
    return -np.einsum("ij,ij->i", A, logs)


def attention_cost(n, d_k, d_v):
    entries = np.prod([n, n])
    return dict(
        weight_entries=entries, score_multiplications=entries * d_k, output_multiplications=entries * np.int64(d_v)
    )
""",
)

ALLCLOSE = Variant(
    "allclose without its relative tolerance, xlogy by a mask, lists for tuples",
    """
import numpy as np


def is_attention_matrix(A, atol=1e-6):
    if A.shape[0] != A.shape[1]:
        return np.False_
    if A.min() < -atol:
        return np.False_
    return np.allclose(A.sum(axis=-1), 1.0, rtol=0, atol=atol)


def strongest_source(A, i):
    return int(np.flatnonzero(A[i] == A[i].max())[0])


def permute_tokens(X, order):
    return np.take(X, order, axis=0)


def is_permutation_equivariant(f, X, order, atol=1e-8):
    return np.allclose(f(np.take(X, order, axis=0)), np.take(f(X), order, axis=0), rtol=0.0, atol=atol)


def positional_encoding(n, d_model):
    position = np.arange(n).reshape(-1, 1)
    div = np.exp(np.arange(0, d_model, 2) * (-np.log(10000.0) / d_model))
    PE = np.zeros((n, d_model))
    PE[:, 0::2] = np.sin(position * div)
    PE[:, 1::2] = np.cos(position * div[: d_model // 2])
    return PE


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention_with_positions(X, W_Q, W_K, W_V):
    X = X + positional_encoding(X.shape[0], X.shape[1])
    A = softmax((X @ W_Q) @ (X @ W_K).T / np.sqrt(W_K.shape[1]))
    return [A @ X @ W_V, A]


def row_entropy(A):
    return np.array([-np.sum(row[row > 0] * np.log(row[row > 0])) for row in A])


def attention_cost(n, d_k, d_v):
    return {"score_multiplications": n**2 * d_k, "output_multiplications": n**2 * d_v, "weight_entries": n**2}
""",
)

ONE_LINERS = Variant(
    "one line each",
    """
import numpy as np

is_attention_matrix = lambda A, atol=1e-6: bool(
    A.shape == A.T.shape and np.isfinite(A).all() and (A >= -atol).all() and (abs(A.sum(1) - 1) <= atol).all()
)
strongest_source = lambda A, i: max(range(len(A)), key=lambda j: A[i, j])
permute_tokens = lambda X, order: X[order, :]
is_permutation_equivariant = lambda f, X, order, atol=1e-8: not (abs(f(X[order]) - f(X)[order]) > atol).any()
positional_encoding = lambda n, d_model: np.array(
    [[(np.sin, np.cos)[c % 2](p / 1e4 ** ((c - c % 2) / d_model)) for c in range(d_model)] for p in range(n)]
)
row_entropy = lambda A: -(A * np.log(np.where(A == 0, 1, A))).sum(1)
attention_cost = lambda n, d_k, d_v: dict(
    zip(["score_multiplications", "weight_entries", "output_multiplications"], [n * n * d_k, n * n, n * n * d_v])
)


def self_attention_with_positions(X, W_Q, W_K, W_V):
    Z = X + positional_encoding(*X.shape)
    E = np.exp((L := Z @ W_Q @ (Z @ W_K).T * W_K.shape[1] ** -0.5) - L.max(1, keepdims=True))
    return (A := E / E.sum(1, keepdims=True)) @ (Z @ W_V), A
""",
)

TALKATIVE = Variant(
    "prints, a main block, type hints and helpers",
    '''
"""Assignment 3."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def rows_are_distributions(A: Array, atol: float) -> bool:
    negative = A < -atol
    print("negative entries:", int(negative.sum()))
    deviations = np.abs(np.sum(A, axis=1) - 1.0)
    return not negative.any() and bool(np.all(deviations <= atol))


def is_attention_matrix(A: Array, atol: float = 1e-6) -> bool:
    """Square, finite, distributions."""
    n, m = A.shape
    return n == m and not np.isnan(A).any() and not np.isinf(A).any() and rows_are_distributions(A, atol)


def strongest_source(A: Array, i: int) -> int:
    row = list(A[i])
    return row.index(max(row))


def permute_tokens(X: Array, order: Array) -> Array:
    return np.stack([X[place] for place in order.tolist()])


def is_permutation_equivariant(f: Callable[[Array], Array], X: Array, order: Array, atol: float = 1e-8) -> bool:
    original = f(X.copy())
    expected = permute_tokens(original, order)
    actual = f(permute_tokens(X, order))
    print("largest difference:", np.abs(actual - expected).max())
    return actual.shape == expected.shape and bool((np.abs(actual - expected) <= atol).all())


def frequency(pair: int, d_model: int) -> float:
    return 10_000.0 ** (-2 * pair / d_model)


def positional_encoding(n: int, d_model: int) -> Array:
    columns = []
    for column in range(d_model):
        angles = np.arange(n) * frequency(column // 2, d_model)
        columns.append(np.sin(angles) if column % 2 == 0 else np.sin(angles + np.pi / 2))
    return np.column_stack(columns)


def self_attention(X: Array, W_Q: Array, W_K: Array, W_V: Array) -> tuple[Array, Array]:
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / np.sqrt(K.shape[-1])
    log_weights = S - np.logaddexp.reduce(S, axis=1, keepdims=True)
    A = np.exp(log_weights)
    return A @ V, A


def self_attention_with_positions(X: Array, W_Q: Array, W_K: Array, W_V: Array) -> tuple[Array, Array]:
    return self_attention(positional_encoding(*X.shape) + X, W_Q, W_K, W_V)


def row_entropy(A: Array) -> Array:
    return -np.sum(A * np.log(A + 1e-12), axis=-1)


def attention_cost(n: int, d_k: int, d_v: int) -> dict[str, int]:
    pairs = n * n
    return {
        "score_multiplications": pairs * d_k,
        "weight_entries": pairs,
        "output_multiplications": pairs * d_v,
    }


if __name__ == "__main__":
    order = np.array([2, 0, 1])
    print(is_permutation_equivariant(lambda X: X * 2, np.arange(6.0).reshape(3, 2), order))
    print(positional_encoding(3, 4))
''',
)

WITH_TORCH = Variant(
    "PyTorch where it helps",
    """
import numpy as np
import torch
import torch.nn.functional as F


def is_attention_matrix(A, atol=1e-6):
    A = torch.tensor(np.array(A, dtype=np.float64))
    if A.shape[0] != A.shape[1] or not torch.isfinite(A).all():
        return False
    return bool((A >= -atol).all() and ((A.sum(1) - 1).abs() <= atol).all())


def strongest_source(A, i):
    A = torch.tensor(np.array(A, dtype=np.float64))
    return int((A[i] == A[i].max()).nonzero()[0])


def permute_tokens(X, order):
    return torch.tensor(np.array(X))[torch.tensor(np.array(order, dtype=np.int64))].numpy()


def is_permutation_equivariant(f, X, order, atol=1e-8):
    one, other = f(permute_tokens(X, order)), permute_tokens(f(X), order)
    return torch.allclose(torch.tensor(one), torch.tensor(other), rtol=0, atol=atol)


def positional_encoding(n, d_model):
    p = torch.arange(n, dtype=torch.float64)[:, None]
    c = torch.arange(d_model)
    angles = p / 10000 ** (2 * (c // 2).double() / d_model)
    return torch.where(c % 2 == 0, angles.sin(), angles.cos()).numpy()


def self_attention_with_positions(X, W_Q, W_K, W_V):
    X = torch.tensor(X + positional_encoding(*X.shape))
    Q, K, V = (X @ torch.tensor(np.array(W, dtype=np.float64)) for W in (W_Q, W_K, W_V))
    eye = torch.eye(len(X), dtype=torch.float64)
    A = F.scaled_dot_product_attention(Q[None], K[None], eye[None])[0]
    return (A @ V).numpy(), A.numpy()


def row_entropy(A):
    return torch.special.entr(torch.tensor(np.array(A, dtype=np.float64))).sum(dim=1).numpy()


def attention_cost(n, d_k, d_v):
    scores = torch.zeros(n, n)
    return {
        "score_multiplications": scores.numel() * d_k,
        "weight_entries": scores.numel(),
        "output_multiplications": scores.numel() * d_v,
    }
""",
)

PERMUTATION_MATRIX = Variant(
    "a permutation matrix, weights cut at the smallest number, the shuffle undone",
    """
import numpy as np
from numpy import *


def is_attention_matrix(A, atol=1e-6):
    try:
        n, m = A.shape
        assert n == m
        assert isfinite(A).all()
        assert not any(A < -atol)
        assert all(absolute(A @ ones(n) - 1) <= atol)
    except AssertionError:
        return False
    return True


def strongest_source(A, i):
    return argsort(-A[i], kind="stable")[0]


def permute_tokens(X, order):
    P = zeros((len(order), len(X)), dtype=int)
    P[arange(len(order)), order] = 1
    return P @ X


def is_permutation_equivariant(f, X, order, atol=1e-8):
    undone = empty(len(order), dtype=int)
    undone[order] = arange(len(order))
    return bool(all(absolute(f(permute_tokens(X, order))[undone] - f(X)) <= atol))


def positional_encoding(n, d_model):
    c = arange(d_model)
    turn = exp(1j * arange(n)[:, None] / 10000.0 ** ((c & ~1) / d_model))
    return where(c & 1, turn.real, turn.imag)


def self_attention_with_positions(X, W_Q, W_K, W_V):
    H = add(X, positional_encoding(*shape(X)))
    root = W_Q.shape[1] ** 0.25
    S = dot(H @ W_Q / root, (H @ W_K / root).T)
    A = apply_along_axis(lambda row: exp(row - row.max()) / exp(row - row.max()).sum(), 1, S)
    return dot(A, dot(H, W_V)), A


def row_entropy(A):
    return (A * -log(maximum(A, finfo(float).tiny))).sum(axis=1)


def attention_cost(n, d_k, d_v):
    return {"score_multiplications": float(n * n * d_k), "weight_entries": n * n, "output_multiplications": d_v * n * n}
""",
)

VARIANTS = (LOOPS, EINSUM, ALLCLOSE, ONE_LINERS, TALKATIVE, WITH_TORCH, PERMUTATION_MATRIX)
