"""Accepted variants of assignment 01."""

from autograder.suite.variants import Variant

LOOPS = Variant(
    "plain loops",
    """
import math

import numpy as np


def matrix_dimensions(n, d_model, d_k, d_v):
    return {
        "X": (n, d_model), "W_Q": (d_model, d_k), "W_K": (d_model, d_k), "W_V": (d_model, d_v),
        "Q": (n, d_k), "K": (n, d_k), "V": (n, d_v), "S": (n, n), "A": (n, n), "Output": (n, d_v),
    }


def matmul(left, right):
    result = np.zeros((left.shape[0], right.shape[1]))
    for i in range(left.shape[0]):
        for j in range(right.shape[1]):
            for m in range(left.shape[1]):
                result[i, j] += left[i, m] * right[m, j]
    return result


def project_query(X, W_Q):
    return matmul(X, W_Q)


def project_key(X, W_K):
    return matmul(X, W_K)


def project_value(X, W_V):
    return matmul(X, W_V)


def attention_scores(Q, K):
    S = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            S[i, j] = sum(q * k for q, k in zip(Q[i], K[j]))
    return S


def scale_scores(S, d_k):
    scaled = np.zeros(S.shape)
    for i in range(S.shape[0]):
        for j in range(S.shape[1]):
            scaled[i, j] = S[i, j] / math.sqrt(d_k)
    return scaled


def softmax_rows(scores):
    A = np.zeros(scores.shape)
    for i, row in enumerate(scores):
        highest = max(row)
        total = 0.0
        for j, score in enumerate(row):
            A[i, j] = math.exp(score - highest)
            total += A[i, j]
        for j in range(len(row)):
            A[i, j] /= total
    return A


def attention_output(A, V):
    return matmul(A, V)


def self_attention(X, W_Q, W_K, W_V):
    Q, K, V = project_query(X, W_Q), project_key(X, W_K), project_value(X, W_V)
    A = softmax_rows(scale_scores(attention_scores(Q, K), Q.shape[1]))
    return attention_output(A, V), A
""",
)

EINSUM = Variant(
    "einsum throughout",
    """
import numpy as np


def matrix_dimensions(n, d_model, d_k, d_v):
    tokens = {"X": d_model, "Q": d_k, "K": d_k, "V": d_v, "S": n, "A": n, "Output": d_v}
    weights = {"W_Q": d_k, "W_K": d_k, "W_V": d_v}
    return {**{name: (n, d) for name, d in tokens.items()}, **{name: (d_model, d) for name, d in weights.items()}}


def project_query(X, W_Q):
    return np.einsum("nd,dk->nk", X, W_Q)


def project_key(X, W_K):
    return np.einsum("nd,dk->nk", X, W_K)


def project_value(X, W_V):
    return np.einsum("nd,dv->nv", X, W_V)


def attention_scores(Q, K):
    return np.einsum("ik,jk->ij", Q, K)


def scale_scores(S, d_k):
    return np.einsum("ij,->ij", S, d_k**-0.5)


def softmax_rows(scores):
    powers = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return np.einsum("ij,i->ij", powers, 1 / np.einsum("ij->i", powers))


def attention_output(A, V):
    return np.einsum("ij,jv->iv", A, V)


def self_attention(X, W_Q, W_K, W_V):
    S = np.einsum("id,dk,ek,je->ij", X, W_Q, W_K, X, optimize=True)
    A = softmax_rows(S / np.sqrt(W_K.shape[1]))
    return np.einsum("ij,jd,dv->iv", A, X, W_V, optimize=True), A
""",
)

FUSED = Variant(
    "one fused projection, and a scaled query",
    """
import numpy as np


def matrix_dimensions(n, d_model, d_k, d_v):
    shapes = dict(X=(n, d_model), S=(n, n), A=(n, n))
    for role, width in zip("QKV", (d_k, d_k, d_v)):
        shapes[role] = (n, width)
        shapes["W_" + role] = (d_model, width)
    shapes["Output"] = shapes["V"]
    return shapes


def project(X, W):
    return X @ W


project_query = project_key = project_value = project


def attention_scores(Q, K):
    return Q @ K.T


def scale_scores(S, d_k):
    return S * (1.0 / np.sqrt(d_k))


def softmax_rows(scores):
    shifted = scores - scores.max(axis=-1)[..., None]
    return np.exp(shifted - np.log(np.exp(shifted).sum(axis=-1))[..., None])


def attention_output(A, V):
    return A @ V


def self_attention(X, W_Q, W_K, W_V):
    d_k = W_Q.shape[1]
    fused = X @ np.hstack([W_Q / np.sqrt(d_k), W_K, W_V])
    Q, K, V = np.split(fused, [d_k, 2 * d_k], axis=1)
    A = softmax_rows(Q @ K.T)
    return A @ V, A
""",
)

LISTS = Variant(
    "lists for tuples, NumPy's numbers for Python's",
    """
import numpy as np


def matrix_dimensions(n, d_model, d_k, d_v):
    n, d_model, d_k, d_v = np.int64(n), np.int64(d_model), np.int64(d_k), np.int64(d_v)
    X, W_Q, W_V = np.zeros((n, d_model)), np.zeros((d_model, d_k)), np.zeros((d_model, d_v))
    W_K = np.zeros_like(W_Q)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T
    found = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "Q": Q, "K": K, "V": V, "S": S, "A": S, "Output": S @ V}
    return {name: list(matrix.shape) for name, matrix in found.items()}


def project_query(X, W_Q):
    return np.dot(X, W_Q)


def project_key(X, W_K):
    return np.dot(X, W_K)


def project_value(X, W_V):
    return np.dot(X, W_V)


def attention_scores(Q, K):
    return np.inner(Q, K)


def scale_scores(S, d_k):
    return np.divide(S, np.float64(d_k) ** np.float64(0.5))


def softmax_rows(scores):
    return np.array([np.exp(row - row.max()) / np.exp(row - row.max()).sum() for row in scores])


def attention_output(A, V):
    return np.array([np.average(V, axis=0, weights=row) for row in A])


def self_attention(X, W_Q, W_K, W_V):
    A = softmax_rows(scale_scores(np.inner(X @ W_Q, X @ W_K), W_K.shape[1]))
    return [np.dot(A, X @ W_V), A]
""",
)

SHIFTS = Variant(
    "other shifts in softmax, each side scaled by the fourth root",
    """
import numpy as np


def matrix_dimensions(n, d_model, d_k, d_v):
    d = {}
    d["Output"] = d["V"] = n, d_v
    d["A"] = d["S"] = n, n
    d["K"] = d["Q"] = n, d_k
    d["W_V"] = d_model, d_v
    d["W_K"] = d["W_Q"] = d_model, d_k
    d["X"] = n, d_model
    return d


def project_query(X, W_Q):
    return (W_Q.T @ X.T).T


def project_key(X, W_K):
    return np.matmul(X, W_K)


def project_value(X, W_V):
    return np.tensordot(X, W_V, axes=1)


def attention_scores(Q, K):
    return (K @ Q.T).T


def scale_scores(S, d_k):
    return S / d_k**0.25 / d_k**0.25


def softmax_rows(scores):
    near_the_maximum = np.ceil(scores.max(axis=1, keepdims=True)) - 3.0
    E = np.exp(scores - near_the_maximum)
    return E / E.sum(axis=1, keepdims=True)


def attention_output(A, V):
    return (V.T @ A.T).T


def self_attention(X, W_Q, W_K, W_V):
    root = W_Q.shape[1] ** 0.25
    A = softmax_rows((X @ W_Q / root) @ (X @ W_K / root).T)
    return (A @ X) @ W_V, A
""",
)

TALKATIVE = Variant(
    "prints, a main block, type hints, docstrings",
    '''
"""Self-attention, step by step."""
from __future__ import annotations

import numpy as np

Shape = tuple[int, int]
rng = np.random.default_rng(7)


def matrix_dimensions(n: int, d_model: int, d_k: int, d_v: int) -> dict[str, Shape]:
    """All shapes."""
    print(f"{n=} {d_model=} {d_k=} {d_v=}")
    projections = {f"W_{role}": (d_model, width) for role, width in (("Q", d_k), ("K", d_k), ("V", d_v))}
    projected = {role: (n, projections[f"W_{role}"][1]) for role in "QKV"}
    return {"X": (n, d_model), **projections, **projected, "S": (n, n), "A": (n, n), "Output": (n, d_v)}


def project_query(X: np.ndarray, W_Q: np.ndarray) -> np.ndarray:
    Q = X @ W_Q
    print("Q", Q.shape)
    return Q


def project_key(X: np.ndarray, W_K: np.ndarray) -> np.ndarray:
    K = X @ W_K
    print("K", K.shape)
    return K


def project_value(X: np.ndarray, W_V: np.ndarray) -> np.ndarray:
    V = X @ W_V
    print("V", V.shape)
    return V


def attention_scores(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    assert Q.shape[1] == K.shape[1], "queries and keys must have one width"
    return np.matmul(Q, np.transpose(K))


def scale_scores(S: np.ndarray, d_k: int) -> np.ndarray:
    return S / np.sqrt(d_k)


def softmax_rows(scores: np.ndarray) -> np.ndarray:
    def one(row: np.ndarray) -> np.ndarray:
        weights = np.exp(row - np.max(row))
        return weights / weights.sum()

    A = np.apply_along_axis(one, 1, scores)
    print(A)
    return A


def attention_output(A: np.ndarray, V: np.ndarray) -> np.ndarray:
    return sum(A[:, [j]] * V[[j], :] for j in range(len(V)))


def self_attention(
    X: np.ndarray, W_Q: np.ndarray, W_K: np.ndarray, W_V: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    A = softmax_rows(scale_scores(attention_scores(project_query(X, W_Q), project_key(X, W_K)), W_Q.shape[-1]))
    return attention_output(A, project_value(X, W_V)), A


if __name__ == "__main__":
    X = rng.normal(size=(4, 6))
    print(self_attention(X, *(rng.normal(size=(6, d)) for d in (3, 3, 5))))
''',
)

ON_ITS_OWN = Variant(
    "self_attention that uses none of the earlier steps",
    """
import numpy as np
from numpy import exp, sqrt


def matrix_dimensions(n, d_model, d_k, d_v):
    keys = "X W_Q W_K W_V Q K V S A Output".split()
    rows = [n, d_model, d_model, d_model, n, n, n, n, n, n]
    columns = [d_model, d_k, d_k, d_v, d_k, d_k, d_v, n, n, d_v]
    return dict(zip(keys, zip(rows, columns)))


def project_query(X, W_Q): return X.dot(W_Q)
def project_key(X, W_K): return X.dot(W_K)
def project_value(X, W_V): return X.dot(W_V)
def attention_scores(Q, K): return Q.dot(K.T)
def scale_scores(S, d_k): return S / sqrt(d_k)


def softmax_rows(scores):
    # exp(s - log(sum(exp(s))))
    return exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))


def attention_output(A, V): return A.dot(V)


def self_attention(X, W_Q, W_K, W_V):
    n, d_k = len(X), W_K.shape[1]
    A = np.empty((n, n))
    Output = np.empty((n, W_V.shape[1]))
    for i in range(n):
        query = X[i] @ W_Q
        scores = np.array([query @ (X[j] @ W_K) for j in range(n)]) / sqrt(d_k)
        A[i] = exp(scores - scores.max())
        A[i] /= A[i].sum()
        Output[i] = A[i] @ X @ W_V
    return Output, A
""",
)

WITH_TORCH = Variant(
    "PyTorch inside, NumPy at the edges",
    """
import numpy as np
import torch
import torch.nn.functional as F


def tensor(array):
    return torch.from_numpy(np.array(array, dtype=np.float64))


def matrix_dimensions(n, d_model, d_k, d_v):
    X = torch.empty(n, d_model, device="meta")
    W_Q, W_K, W_V = (torch.empty(d_model, d, device="meta") for d in (d_k, d_k, d_v))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T
    A = S.softmax(-1)
    Output = A @ V
    return {name: tuple(t.shape) for name, t in locals().items() if isinstance(t, torch.Tensor)}


def project_query(X, W_Q):
    return F.linear(tensor(X), tensor(W_Q).T).numpy()


def project_key(X, W_K):
    return (tensor(X) @ tensor(W_K)).numpy()


def project_value(X, W_V):
    return torch.mm(tensor(X), tensor(W_V)).numpy()


def attention_scores(Q, K):
    return torch.einsum("id,jd->ij", tensor(Q), tensor(K)).numpy()


def scale_scores(S, d_k):
    return (tensor(S) / d_k**0.5).numpy()


def softmax_rows(scores):
    return torch.softmax(tensor(scores), dim=1).numpy()


def attention_output(A, V):
    return torch.matmul(tensor(A), tensor(V)).numpy()


def self_attention(X, W_Q, W_K, W_V):
    X, W_Q, W_K, W_V = map(tensor, (X, W_Q, W_K, W_V))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    Output = F.scaled_dot_product_attention(Q[None], K[None], V[None])[0]
    A = F.scaled_dot_product_attention(Q[None], K[None], torch.eye(len(X), dtype=torch.float64)[None])[0]
    return Output.numpy(), A.numpy()
""",
)

BROADCAST = Variant(
    "broadcasting, a class of one's own, lambdas",
    """
import numpy as np


class Attention:
    def __init__(self, W_Q, W_K, W_V):
        self.W_Q, self.W_K, self.W_V = W_Q, W_K, W_V
        self.d_k = W_K.shape[1]

    def weights(self, X):
        Q, K = X @ self.W_Q, X @ self.W_K
        S = (Q[:, None, :] * K[None, :, :]).sum(axis=2)
        return softmax_rows(scale_scores(S, self.d_k))

    def __call__(self, X):
        A = self.weights(X)
        return A @ (X @ self.W_V), A


project_query = lambda X, W_Q: (X[:, :, None] * W_Q[None]).sum(axis=1)
project_key = lambda X, W_K: (X[:, :, None] * W_K[None]).sum(axis=1)
project_value = lambda X, W_V: (X[:, :, None] * W_V[None]).sum(axis=1)
attention_scores = lambda Q, K: (Q[:, None] * K).sum(-1)
scale_scores = lambda S, d_k: np.exp(-0.5 * np.log(d_k)) * S
attention_output = lambda A, V: (A[..., None] * V).sum(1)
matrix_dimensions = lambda n, d_model, d_k, d_v: {
    "X": (n, d_model), "Q": (n, d_k), "K": (n, d_k), "V": (n, d_v), "A": (n, n), "S": (n, n), "Output": (n, d_v),
    "W_Q": (d_model, d_k), "W_K": (d_model, d_k), "W_V": (d_model, d_v),
}


def softmax_rows(scores):
    # 1 / sum over k of exp(s_k - s_j)
    with np.errstate(over="ignore"):
        return 1 / np.exp(scores[:, None, :] - scores[:, :, None]).sum(axis=2)


def self_attention(X, W_Q, W_K, W_V):
    return Attention(W_Q, W_K, W_V)(X)
""",
)

IN_DOUBLE = Variant(
    "copies in float64 that are worked on in place",
    """
import numpy as np
import scipy.special  # not there where work is graded
import matplotlib.pyplot as plt


def matrix_dimensions(n, d_model, d_k, d_v):
    return {
        **dict.fromkeys(("S", "A"), (n, n)),
        **dict.fromkeys(("W_Q", "W_K"), (d_model, d_k)),
        **dict.fromkeys(("Q", "K"), (n, d_k)),
        **dict.fromkeys(("V", "Output"), (n, d_v)),
        "X": (n, d_model),
        "W_V": (d_model, d_v),
    }


def project_query(X, W_Q):
    out = np.zeros((X.shape[0], W_Q.shape[1]))
    np.matmul(X, W_Q, out=out, casting="unsafe")
    return out


project_key = project_value = project_query


def project_value(X, W_V):
    return project_query(X, W_V)


def attention_scores(Q, K):
    S = np.array(Q, dtype=float) @ np.array(K, dtype=float).T
    return np.asfortranarray(S)


def scale_scores(S, d_k):
    S = S.astype(np.float64)
    S /= np.sqrt(d_k)
    return S


def softmax_rows(scores):
    A = scores.astype(np.float64, copy=True)
    A -= A.max(axis=1, keepdims=True)
    np.exp(A, out=A)
    A /= A.sum(axis=1, keepdims=True)
    return A


def attention_output(A, V):
    output = np.zeros((len(A), V.shape[1]))
    for weights, value in zip(A.T, V):
        output += np.outer(weights, value)
    return output


def self_attention(X, W_Q, W_K, W_V):
    X = X.astype(float)
    Q, K, V = project_query(X, W_Q), project_key(X, W_K), project_value(X, W_V)
    Q /= np.sqrt(Q.shape[1])
    A = softmax_rows(attention_scores(Q, K))
    return attention_output(A, V), A


plt.imshow(np.eye(3))
plt.show()
""",
)

VARIANTS = (
    LOOPS,
    EINSUM,
    FUSED,
    LISTS,
    SHIFTS,
    TALKATIVE,
    ON_ITS_OWN,
    WITH_TORCH,
    BROADCAST,
    IN_DOUBLE,
)
