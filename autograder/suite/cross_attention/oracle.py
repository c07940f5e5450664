"""Cross-attention and masks in slow loops over plain numbers, written apart from the reference solution."""

from __future__ import annotations

import math

import numpy as np

from autograder.suite.numpy_self_attention.oracle import (
    attention_scores,
    product,
    scale_scores,
    softmax_rows,
)

Matrix = np.ndarray


def attention_kind(query_source: str, key_source: str, value_source: str) -> str:
    """Self or cross, by where Q, K and V come from (Module 10.1, "Self-Attention vs Cross-Attention")."""
    if key_source != value_source:
        raise ValueError("keys and values come from different sequences")
    return "self" if query_source == key_source else "cross"


def cross_attention(X_target: Matrix, X_source: Matrix, W_Q: Matrix, W_K: Matrix, W_V: Matrix) -> tuple[Matrix, Matrix]:
    """The pair (Output, A): queries of the target, keys and values of the source."""
    Q, K, V = product(X_target, W_Q), product(X_source, W_K), product(X_source, W_V)
    A = softmax_rows(scale_scores(attention_scores(Q, K), Q.shape[1]))
    return product(A, V), A


def causal_mask(n: int) -> Matrix:
    """True where j <= i."""
    return np.array([[j <= i for j in range(n)] for i in range(n)])


def local_mask(n: int, window: int) -> Matrix:
    """True where i and j are at most `window` apart."""
    return np.array([[-window <= i - j <= window for j in range(n)] for i in range(n)])


def masked_attention(Q: Matrix, K: Matrix, V: Matrix, mask: Matrix) -> tuple[Matrix, Matrix]:
    """The pair (Output, A): each row of A is a distribution over its allowed keys, and zero where there are none."""
    S = scale_scores(attention_scores(Q, K), Q.shape[1])
    A = np.zeros(S.shape)
    Output = np.zeros((len(Q), V.shape[1]))
    for i in range(len(Q)):
        allowed = [j for j in range(len(K)) if mask[i, j]]
        highest = max((float(S[i, j]) for j in allowed), default=0.0)
        powers = {j: math.exp(float(S[i, j]) - highest) for j in allowed}
        for j in allowed:
            A[i, j] = powers[j] / math.fsum(powers.values())
        for c in range(V.shape[1]):
            Output[i, c] = math.fsum(A[i, j] * float(V[j, c]) for j in allowed)
    return Output, A


def module(x_target: Matrix, x_source: Matrix, W_q: Matrix, W_k: Matrix, W_v: Matrix) -> Matrix:
    """For each pair of the batch; `nn.Linear` holds (d_out, d_in), so that its output is x W^T."""
    pairs = zip(x_target, x_source, strict=True)
    return np.stack([cross_attention(target, source, W_q.T, W_k.T, W_v.T)[0] for target, source in pairs])
