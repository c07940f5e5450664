# Generated from the kit's reference solution as the release of 06_test_your_attention.
"""Test an attention that you cannot see (failure modes).

Write what is missing, one exercise after the other, then run `pytest` in this folder: it says what is next.
README.md has the task, hints.md helps when you are stuck. Hand in this file or the notebook.
"""

import numpy as np


# Helper: make_inputs (no points of its own)
def make_inputs():
    """Make X (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v), all sizes different."""
    raise NotImplementedError("helper make_inputs: not implemented yet")


# Exercise 1: test_shapes (15 points)
def test_shapes(attend):
    """Raise where Output or A has a wrong shape.

    attend: (X, W_Q, W_K, W_V) -> (Output, A), right where Output is (n, d_v) and A is (n, n)

    By hand: with 5 tokens and d_v = 3 an Output of shape (3, 5) must raise, and one of shape
    (5, 3) must not.
    """
    raise NotImplementedError("exercise test_shapes: not implemented yet")


# Exercise 2: test_rows_sum_to_one (20 points)
def test_rows_sum_to_one(attend):
    """Raise where a row of A is not a distribution.

    attend: (X, W_Q, W_K, W_V) -> (Output, A), right where no entry of A is negative
    and each row sums to 1

    By hand: the rows (0.2, 0.8) must pass, (0.4, 1.6) and (1.5, -0.5) must not.
    """
    raise NotImplementedError("exercise test_rows_sum_to_one: not implemented yet")


# Exercise 3: test_scaling (30 points)
def test_scaling(attend):
    """Raise where A is made without scaling, or with another one than division by sqrt(d_k).

    attend: (X, W_Q, W_K, W_V) -> (Output, A), right where A = softmax(Q K^T / sqrt(d_k))

    By hand: d_k = 4 and a query with the scores (2 ln 3, 0). Its row must be (3/4, 1/4), from
    (ln 3, 0). Without scaling it is (9/10, 1/10): that must raise.
    """
    raise NotImplementedError("exercise test_scaling: not implemented yet")


# Exercise 4: test_permutation_equivariance (35 points)
def test_permutation_equivariance(attend):
    """Raise where Output or A depends on where a token stands.

    attend: (X, W_Q, W_K, W_V) -> (Output, A), right where X[order] gives Output[order]
    and A[order][:, order]

    By hand: if two tokens with the outputs (1) and (2) change places, the outputs must be (2)
    and (1). An attend that still gives (1), (2), or anything else, must raise.
    """
    raise NotImplementedError("exercise test_permutation_equivariance: not implemented yet")
