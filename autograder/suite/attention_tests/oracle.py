"""Right tests, number by number: what a test of each name has to hold, by the contract's words."""

from __future__ import annotations

import math

import numpy as np

from autograder.suite.numpy_self_attention.oracle import attention_scores, product, scale_scores, softmax_rows

from .implementations import Attend, Matrix

TOLERANCE = 1e-6
ORDER = (2, 0, 3, 4, 1)  # no token stays, none changes places with another, and no distance is kept


def inputs() -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """Five tokens, all sizes different, scores near N(0, 1)."""
    rng = np.random.default_rng(11)
    n, d_model, d_k, d_v = 5, 8, 6, 3
    return rng.normal(size=(n, d_model)), *(rng.normal(size=(d_model, d)) / d_model**0.5 for d in (d_k, d_k, d_v))


def test_shapes(attend: Attend) -> None:
    X, W_Q, W_K, W_V = inputs()
    Output, A = attend(X, W_Q, W_K, W_V)
    assert Output.shape == (len(X), W_V.shape[1])
    assert A.shape == (len(X), len(X))


def test_rows_sum_to_one(attend: Attend) -> None:
    _, A = attend(*inputs())
    for row in A:
        assert min(row) >= -TOLERANCE
        assert abs(math.fsum(row) - 1) <= TOLERANCE


def test_scaling(attend: Attend) -> None:
    X, W_Q, W_K, W_V = inputs()
    _, A = attend(X, W_Q, W_K, W_V)
    scores = attention_scores(product(X, W_Q), product(X, W_K))
    assert _alike(A, softmax_rows(scale_scores(scores, W_Q.shape[1])))


def test_permutation_equivariance(attend: Attend) -> None:
    X, *weights = inputs()
    Output, A = attend(X, *weights)
    shuffled_output, shuffled_A = attend(X[list(ORDER)], *weights)
    for i, old_i in enumerate(ORDER):
        assert _alike(shuffled_output[i], Output[old_i])
        for j, old_j in enumerate(ORDER):
            assert abs(shuffled_A[i, j] - A[old_i, old_j]) <= TOLERANCE


def _alike(one: Matrix, other: Matrix) -> bool:
    return all(abs(float(a) - float(b)) <= TOLERANCE for a, b in zip(one.flat, other.flat, strict=True))
