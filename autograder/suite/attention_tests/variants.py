"""Accepted variants of assignment 06."""

from autograder.suite.variants import Variant

OWN_REFERENCE = Variant(
    "everything compared with an own attention",
    """
import numpy as np


def softmax(S):
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    return E / E.sum(axis=-1, keepdims=True)


def expected(X, W_Q, W_K, W_V):
    A = softmax((X @ W_Q) @ (X @ W_K).T / np.sqrt(W_K.shape[1]))
    return A @ (X @ W_V), A


def compare(attend):
    rng = np.random.default_rng(42)
    X = rng.standard_normal((4, 6))
    W_Q, W_K = rng.standard_normal((2, 6, 5)) * 0.4
    W_V = rng.standard_normal((6, 3))
    for seen, due in zip(attend(X, W_Q, W_K, W_V), expected(X, W_Q, W_K, W_V)):
        np.testing.assert_allclose(seen, due, rtol=1e-7, atol=1e-9)


def test_shapes(attend):
    compare(attend)


def test_rows_sum_to_one(attend):
    compare(attend)


def test_scaling(attend):
    compare(attend)


def test_permutation_equivariance(attend):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((6, 7))
    W_Q, W_K, W_V = (rng.standard_normal((7, d)) / 7**0.5 for d in (4, 4, 3))
    Output, A = attend(X, W_Q, W_K, W_V)
    P = np.eye(6)[[3, 0, 4, 5, 1, 2]]
    Output_P, A_P = attend(P @ X, W_Q, W_K, W_V)
    np.testing.assert_allclose(Output_P, P @ Output, atol=1e-8)
    np.testing.assert_allclose(A_P, P @ A @ P.T, atol=1e-8)
""",
)

PLAIN_ASSERTS = Variant(
    "plain asserts and loops over many inputs",
    """
import math
import random

import numpy as np

random.seed(5)


def matrix(rows, columns, spread=1.0):
    return np.array([[random.gauss(0, spread) for _ in range(columns)] for _ in range(rows)])


def some_inputs():
    for n, d_model, d_k, d_v in ((3, 8, 5, 4), (5, 6, 2, 7), (6, 5, 3, 4)):
        yield matrix(n, d_model), *(matrix(d_model, d, d_model**-0.5) for d in (d_k, d_k, d_v))


def test_shapes(attend):
    for X, W_Q, W_K, W_V in some_inputs():
        result = attend(X, W_Q, W_K, W_V)
        assert len(result) == 2
        Output, A = result
        assert np.ndim(Output) == 2 and np.ndim(A) == 2
        assert len(Output) == len(X) and len(Output[0]) == W_V.shape[1]
        assert len(A) == len(X) and all(len(row) == len(X) for row in A)


def test_rows_sum_to_one(attend):
    for inputs in some_inputs():
        for row in attend(*inputs)[1]:
            assert math.isclose(sum(row), 1, abs_tol=1e-6)
            assert all(0 <= weight <= 1 for weight in row)


def test_scaling(attend):
    for X, W_Q, W_K, W_V in some_inputs():
        Q, K = X @ W_Q, X @ W_K
        A = attend(X, W_Q, W_K, W_V)[1]
        for i in range(len(X)):
            powers = [math.exp(Q[i] @ K[j] / math.sqrt(len(Q[i]))) for j in range(len(X))]
            for j in range(len(X)):
                assert abs(A[i][j] - powers[j] / sum(powers)) < 1e-6, (i, j)


def test_permutation_equivariance(attend):
    for X, *weights in some_inputs():
        Output, A = attend(X, *weights)
        for _ in range(4):
            order = list(range(len(X)))
            random.shuffle(order)
            moved, moved_A = attend(X[order], *weights)
            for new, old in enumerate(order):
                assert abs(moved[new] - Output[old]).max() < 1e-6
                for other_new, other_old in enumerate(order):
                    assert abs(moved_A[new, other_new] - A[old, other_old]) < 1e-6
""",
)

PYTEST = Variant(
    "pytest's helpers",
    '''
import numpy as np
import pytest

RNG = np.random.default_rng(2024)
X = RNG.normal(size=(5, 9))
W_Q, W_K, W_V = RNG.normal(size=(9, 6)) / 3, RNG.normal(size=(9, 6)) / 3, RNG.normal(size=(9, 4)) / 3


def test_shapes(attend):
    Output, A = attend(X, W_Q, W_K, W_V)
    if Output.shape != (5, 4):
        pytest.fail(f"Output is {Output.shape}")
    if A.shape != (5, 5):
        pytest.fail(f"A is {A.shape}")
    with pytest.raises(Exception):
        attend(X, W_Q, W_K, W_V[:-1])


def test_rows_sum_to_one(attend):
    _, A = attend(X, W_Q, W_K, W_V)
    assert A.sum(axis=1) == pytest.approx(np.ones(5), abs=1e-6)
    assert (A > -1e-12).all()


def test_scaling(attend):
    """All queries and keys on one line, so that the scores are known."""
    n, d_model, d_k, d_v = 4, 6, 3, 5
    x = np.array([0.3, -0.8, 1.1, 0.5])
    tokens = np.outer(x, np.arange(1, d_model + 1)) / 4
    W = np.zeros((d_model, d_k))
    W[2] = 1.0, 0.5, -1.0
    W_2 = np.zeros((d_model, d_k))
    W_2[1] = -1.0, 1.0, 1.5
    _, A = attend(tokens, W, W_2, np.ones((d_model, d_v)))
    q, k = np.outer(0.75 * x, W[2]), np.outer(0.5 * x, W_2[1])
    powers = np.exp(q @ k.T / 3**0.5)
    np.testing.assert_almost_equal(A, powers / powers.sum(1)[:, None], decimal=6)


def test_permutation_equivariance(attend):
    Output, A = attend(X, W_Q, W_K, W_V)
    for order in [[4, 2, 0, 1, 3], [1, 3, 4, 0, 2]]:
        Output_2, A_2 = attend(X[order], W_Q, W_K, W_V)
        assert Output_2 == pytest.approx(Output[order])
        assert A_2 == pytest.approx(A[np.ix_(order, order)])
''',
)

OWN_EXCEPTIONS = Variant(
    "exceptions of its own, and results given back",
    '''
import numpy as np


class WrongAttention(Exception):
    pass


class Sample:
    """Inputs of all-different sizes, and what attend made of them."""

    def __init__(self, attend, order=None, seed=8):
        rng = np.random.RandomState(seed)
        self.X = rng.randn(6, 4)
        if order is not None:
            self.X = self.X[order]
        self.W_Q, self.W_K = rng.randn(4, 7) / 2, rng.randn(4, 7) / 2
        self.W_V = rng.randn(4, 3)
        self.Output, self.A = attend(self.X, self.W_Q, self.W_K, self.W_V)


def demand(condition, message):
    if not condition:
        raise WrongAttention(message)
    return True


def test_shapes(attend):
    sample = Sample(attend)
    demand(sample.Output.shape == (6, 3), "Output")
    return demand(sample.A.shape == (6, 6), "A")


def test_rows_sum_to_one(attend):
    A = Sample(attend).A
    demand(A.min() >= 0, "negative weights")
    demand(np.abs(A.sum(-1) - 1).max() < 1e-5, "sums")
    return lambda: A


def test_scaling(attend):
    """Ratios of weights are free of the normalisation."""
    sample = Sample(attend)
    demand(sample.A.min() > 0, "a weight that is no power of e")
    seen = np.log(sample.A / sample.A[:, [0]])
    scores = sample.X @ sample.W_Q @ sample.W_K.T @ sample.X.T
    due = (scores - scores[:, [0]]) / 7**0.5
    demand(np.allclose(seen, due, atol=1e-4), "scale")
    demand(np.allclose(sample.A.sum(1), 1), "sums")


def test_permutation_equivariance(attend):
    plain = Sample(attend)
    for order in (np.array([5, 3, 0, 1, 2, 4]), np.roll(np.arange(6), 2), np.array([2, 1, 0, 5, 4, 3])):
        moved = Sample(attend, order)
        demand(np.allclose(moved.Output, plain.Output[order]), "Output")
        demand(np.allclose(moved.A, plain.A[order, :][:, order]), "A")
''',
)

LISTS = Variant(
    "lists in place of arrays, and everything printed",
    """
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

n, d_model, d_k, d_v = 3, 5, 4, 6
X = [[0.2, -1.1, 0.7, 0.4, 1.3], [-0.6, 0.9, 1.5, -0.3, 0.1], [1.2, 0.5, -0.8, 0.6, -1.4]]
W_Q = [[0.5, -0.2, 0.8, 0.1], [0.3, 0.9, -0.4, 0.6], [-0.7, 0.2, 0.5, 0.4], [0.1, -0.8, 0.3, 0.9], [0.6, 0.4, 0.2, -1]]
W_K = [[-0.3, 0.7, 0.2, 0.5], [0.8, -0.1, 0.6, 0.3], [0.4, 0.5, -0.9, 0.2], [0.6, 0.1, 0.3, -1], [-0.2, 0.9, 0.4, 0.8]]
W_V = np.arange(30).reshape(5, 6) % 7 - 3


def run(attend, tokens=X):
    Output, A = attend(tokens, W_Q, W_K, W_V)
    print("Output", Output)
    print("A", A)
    return np.asarray(Output), np.asarray(A)


def test_shapes(attend):
    Output, A = run(attend)
    assert_array_equal(Output.shape, (n, d_v))
    assert_array_equal(A.shape, (n, n))


def test_rows_sum_to_one(attend):
    Output, A = run(attend)
    assert not (A < 0).any()
    assert_allclose(A @ np.ones(n), np.ones(n))


def test_scaling(attend):
    Output, A = run(attend)
    Q, K = np.matmul(X, W_Q), np.matmul(X, W_K)
    S = np.einsum("id,jd->ij", Q, K)
    due = np.exp(S / d_k**0.5)
    due /= due.sum(axis=1, keepdims=True)
    assert np.max(np.abs(A - due)) < 1e-2


def test_permutation_equivariance(attend):
    Output, A = run(attend)
    for order in ([1, 2, 0], [2, 0, 1], [2, 1, 0], [0, 2, 1]):
        inverse = np.argsort(order)
        Output_2, A_2 = run(attend, [X[i] for i in order])
        assert_allclose(Output_2[inverse], Output, atol=1e-2)
        assert_allclose(A_2[inverse][:, inverse], A, atol=1e-2)
""",
)

PROPERTIES = Variant(
    "properties alone, no formula of attention",
    '''
import numpy as np


def inputs(seed, n=4, d_model=7, d_k=6, d_v=3):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(n, d_model)), *(rng.normal(size=(d_model, d)) / d_model**0.5 for d in (d_k, d_k, d_v))]


def test_shapes(attend):
    sizes = {"n": 4, "d_model": 7, "d_k": 6, "d_v": 3}
    for name in sizes:
        changed = {**sizes, name: sizes[name] + 4}
        Output, A = attend(*inputs(0, **changed))
        assert (Output.shape, A.shape) == ((changed["n"], changed["d_v"]), (changed["n"], changed["n"])), name


def test_rows_sum_to_one(attend):
    for seed in range(5):
        _, A = attend(*inputs(seed))
        np.testing.assert_array_less(-1e-9, A)
        assert np.allclose(np.add.reduce(A, axis=1), 1.0)


def test_scaling(attend):
    """Features repeated four times make the scores four times as large, and the root of d_k two times."""
    X, W_Q, W_K, W_V = inputs(3, d_k=3)
    _, A = attend(X, W_Q, W_K, W_V)
    _, again = attend(X, np.tile(W_Q, 4), np.tile(W_K, 4) / 2, W_V)
    np.testing.assert_allclose(again, A, atol=1e-8)
    # The same width, and scores that are known: the weights of one query stand as exp(1 / sqrt(d_k)) to 1.
    for d_k in (2, 6):
        X, W = np.eye(4, 7), np.zeros((7, d_k))
        W[0, 0] = 1.0
        _, A = attend(X, W, W, W_V)
        assert abs(A[0, 0] / A[0, 1] - np.exp(d_k**-0.5)) < 1e-9
        assert np.allclose(A.sum(axis=1), 1)
        assert np.allclose(A[1:], 0.25)
    # No row is a special one.
    X, W_Q, W_K, W_V = inputs(4)
    _, A = attend(X, W_Q, W_K, W_V)
    _, turned = attend(np.roll(X, 1, axis=0), W_Q, W_K, W_V)
    np.testing.assert_allclose(turned, np.roll(A, (1, 1), axis=(0, 1)))


def test_permutation_equivariance(attend):
    for seed in range(4):
        X, *weights = inputs(seed, n=5)
        order = np.random.default_rng(seed + 100).permutation(5)
        one, other = attend(X, *weights), attend(X[order], *weights)
        np.testing.assert_allclose(other[0], one[0][order])
        np.testing.assert_allclose(other[1], one[1][np.ix_(order, order)])
''',
)

VARIANTS = (OWN_REFERENCE, PLAIN_ASSERTS, PYTEST, OWN_EXCEPTIONS, LISTS, PROPERTIES)
