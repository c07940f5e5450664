"""Accepted variants of assignment 04."""

from autograder.suite.variants import Variant

LOOPS = Variant(
    "plain loops and minus infinity",
    """
import math

import numpy as np
import torch
from torch import nn


def attention_kind(query_source, key_source, value_source):
    if key_source != value_source:
        raise ValueError
    if query_source == key_source:
        return "self"
    return "cross"


def weights_of(scores):
    highest = max(scores)
    if highest == -math.inf:
        return [0.0 for _ in scores]
    powers = [math.exp(score - highest) for score in scores]
    return [power / sum(powers) for power in powers]


def masked_attention(Q, K, V, mask):
    n_q, d_k = Q.shape
    n_k, d_v = V.shape
    A, Output = np.zeros((n_q, n_k)), np.zeros((n_q, d_v))
    for i in range(n_q):
        scores = []
        for j in range(n_k):
            score = sum(Q[i, c] * K[j, c] for c in range(d_k)) / math.sqrt(d_k)
            scores.append(score if mask[i, j] else -math.inf)
        A[i] = weights_of(scores)
        for j in range(n_k):
            Output[i] += A[i, j] * V[j]
    return Output, A


def cross_attention(X_target, X_source, W_Q, W_K, W_V):
    everything = np.full((len(X_target), len(X_source)), True)
    return masked_attention(X_target @ W_Q, X_source @ W_K, X_source @ W_V, everything)


def causal_mask(n):
    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(i + 1):
            mask[i, j] = True
    return mask


def local_mask(n, window):
    return np.array([[abs(i - j) <= window for j in range(n)] for i in range(n)])


class CrossAttention(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        if d_k is None:
            d_k = d_model
        self.W_q = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_k, bias=False)

    def forward(self, x_target, x_source):
        results = []
        for target, source in zip(x_target, x_source):
            Q, K, V = self.W_q(target), self.W_k(source), self.W_v(source)
            rows = []
            for query in Q:
                scores = torch.stack([torch.dot(query, key) for key in K]) / math.sqrt(len(query))
                rows.append(torch.softmax(scores, 0) @ V)
            results.append(torch.stack(rows))
        return torch.stack(results)
""",
)

FINITE_FILL = Variant(
    "a large finite fill, and rows cleared after softmax",
    """
import numpy as np
import torch
import torch.nn.functional as F


def attention_kind(query_source, key_source, value_source):
    assert isinstance(query_source, str)
    if len({key_source, value_source}) == 2:
        raise ValueError(f"{key_source} is not {value_source}")
    return "self" if len({query_source, key_source, value_source}) == 1 else "cross"


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def cross_attention(X_target, X_source, W_Q, W_K, W_V):
    Q = np.matmul(X_target, W_Q)
    K = np.matmul(X_source, W_K)
    V = np.matmul(X_source, W_V)
    A = softmax(np.matmul(Q, np.transpose(K)) * K.shape[-1] ** -0.5)
    return [np.matmul(A, V), A]


def causal_mask(n):
    i = np.arange(n)
    return i[:, None] >= i[None, :]


def local_mask(n, window):
    i, j = np.indices((n, n))
    return abs(i - j) <= window


def masked_attention(Q, K, V, mask):
    S = Q @ K.T / np.sqrt(Q.shape[1])
    S[~mask] = -1e9
    A = softmax(S)
    A[~mask.any(axis=1)] = 0
    return A @ V, A


class CrossAttention(torch.nn.Module):
    def __init__(self, d_model: int, d_k: int | None = None):
        super().__init__()
        self.d_k = d_k or d_model
        for name in ("W_q", "W_k", "W_v"):
            setattr(self, name, torch.nn.Linear(d_model, self.d_k, bias=False))

    def forward(self, x_target, x_source):
        return F.scaled_dot_product_attention(self.W_q(x_target), self.W_k(x_source), self.W_v(x_source))
""",
)

EINSUM = Variant(
    "einsum, and exponentials of allowed keys alone",
    """
import numpy as np
import torch
from torch import einsum, nn


def attention_kind(query_source, key_source, value_source):
    match (query_source == key_source, key_source == value_source):
        case (_, False):
            raise ValueError("a value without its key")
        case (True, True):
            return "self"
        case _:
            return "cross"


def attend(Q, K, V, mask):
    S = np.einsum("ic,jc->ij", Q, K) / np.sqrt(K.shape[1])
    highest = np.max(S, axis=1, where=mask, initial=-np.inf, keepdims=True)
    highest[~np.isfinite(highest)] = 0.0
    powers = np.zeros_like(S)
    np.exp(S - highest, out=powers, where=mask)
    totals = np.einsum("ij->i", powers)[:, None]
    A = np.divide(powers, totals, out=np.zeros_like(powers), where=totals > 0)
    return np.einsum("ij,jv->iv", A, V), A


def masked_attention(Q, K, V, mask):
    return attend(Q, K, V, mask)


def cross_attention(X_target, X_source, W_Q, W_K, W_V):
    Q = np.einsum("md,dk->mk", X_target, W_Q)
    K = np.einsum("nd,dk->nk", X_source, W_K)
    V = np.einsum("nd,dv->nv", X_source, W_V)
    return attend(Q, K, V, np.ones((len(Q), len(K)), bool))


def causal_mask(n):
    return ~np.triu(np.ones((n, n), dtype=bool), k=1)


def local_mask(n, window):
    ones = np.ones((n, n), dtype=bool)
    return np.tril(ones, window) & np.triu(ones, -window)


class CrossAttention(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        width = d_model if d_k is None else d_k
        self.W_q, self.W_k, self.W_v = (nn.Linear(d_model, width, bias=False) for _ in range(3))

    def forward(self, x_target, x_source):
        Q, K, V = self.W_q(x_target), self.W_k(x_source), self.W_v(x_source)
        scores = einsum("bmk,bnk->bmn", Q, K) * Q.shape[-1] ** -0.5
        return einsum("bmn,bnk->bmk", scores.softmax(-1), V)
""",
)

FUSED = Variant(
    "fused weights and a scaled query",
    """
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def attention_kind(query_source, key_source, value_source):
    class SourcesDiffer(Exception):
        pass

    try:
        if key_source != value_source:
            raise SourcesDiffer
    except SourcesDiffer as reason:
        raise ValueError("keys and values") from reason
    return ["cross", "self"][query_source == key_source]


def cross_attention(X_target, X_source, W_Q, W_K, W_V):
    d_k = W_Q.shape[1]
    Q = X_target @ (W_Q / math.sqrt(d_k))
    K, V = np.split(X_source @ np.concatenate([W_K, W_V], axis=1), [d_k], axis=1)
    logits = Q @ K.T
    logits = logits - logits.max(axis=1)[:, np.newaxis]
    log_weights = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    A = np.exp(log_weights)
    return A @ V, A


def causal_mask(n):
    return np.fromfunction(lambda i, j: j <= i, (n, n), dtype=int)


def local_mask(n, window):
    distance = np.subtract.outer(range(n), range(n))
    return distance**2 <= window**2


def masked_attention(Q, K, V, mask):
    # keys are scaled by the fourth root, and so are queries
    root = K.shape[1] ** 0.25
    S = np.where(mask, (Q / root) @ (K / root).T, np.finfo(np.float64).min)
    E = np.exp(S - S.max(1, keepdims=True)) * mask
    total = E.sum(1, keepdims=True)
    A = E / np.where(total == 0, 1.0, total)
    return A.dot(V), A


class CrossAttention(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        d_k = d_model if d_k is None else d_k
        self.W_q = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_k, bias=False)

    def forward(self, x_target, x_source):
        K, V = F.linear(x_source, torch.cat([self.W_k.weight, self.W_v.weight])).chunk(2, dim=-1)
        Q = x_target @ self.W_q.weight.T / math.sqrt(self.W_q.out_features)
        return torch.bmm(F.softmax(torch.bmm(Q, K.transpose(1, 2)), dim=2), V)
""",
)

TORCH_BORROWED = Variant(
    "PyTorch for the NumPy exercises as well",
    """
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


def attention_kind(query_source, key_source, value_source):
    if not key_source == value_source:
        raise ValueError("no")
    return {True: "self", False: "cross"}[query_source == value_source]


def to_torch(*arrays):
    return [torch.tensor(np.ascontiguousarray(a), dtype=torch.float64) for a in arrays]


def masked_attention(Q, K, V, mask):
    Q, K, V = to_torch(Q, K, V)
    allowed = torch.tensor(np.ascontiguousarray(mask))
    scores = (Q @ K.mT / Q.shape[-1] ** 0.5).masked_fill(~allowed, float("-inf"))
    A = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    return (A @ V).numpy(), A.numpy()


def cross_attention(X_target, X_source, W_Q, W_K, W_V):
    Xt, Xs, Wq, Wk, Wv = to_torch(X_target, X_source, W_Q, W_K, W_V)
    A = F.softmax(Xt @ Wq @ (Xs @ Wk).T / Wq.shape[1] ** 0.5, dim=1)
    return (A @ (Xs @ Wv)).numpy(), A.numpy()


def causal_mask(n):
    return torch.ones(n, n).tril().bool().numpy()


def local_mask(n, window):
    places = torch.arange(n)
    return ((places[:, None] - places).abs() <= window).numpy()


class CrossAttention(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        d_k = d_k if d_k is not None else d_model
        self.W_q = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_k, bias=False)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x_target, x_source):
        q = self.W_q(x_target) / self.W_q.out_features**0.25
        k = self.W_k(x_source) / self.W_k.out_features**0.25
        return self.softmax(q @ k.transpose(-2, -1)) @ self.W_v(x_source)
""",
)

TALKATIVE = Variant(
    "prints, a main block, other names for what is passed by position",
    '''
"""My solution."""
from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor, nn

SELF, CROSS = "self", "cross"


def attention_kind(query_source: str, key_source: str, value_source: str) -> str:
    """Self or cross?"""
    print("asked about", query_source, key_source, value_source)
    if key_source == value_source:
        return SELF if query_source == key_source else CROSS
    raise ValueError(f"keys of {key_source}, values of {value_source}")


def distribution(row: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    weights = np.zeros(len(row))
    if allowed.any():
        chosen = row[allowed]
        powers = np.exp(chosen - chosen.max())
        weights[allowed] = powers / powers.sum()
    return weights


def masked_attention(Q, K, V, mask):
    S = np.inner(Q, K) / math.sqrt(Q.shape[1])
    A = np.array([distribution(row, allowed) for row, allowed in zip(S, mask)])
    print(A.round(2))
    return A @ V, A


def cross_attention(X_target, X_source, W_Q, W_K, W_V):
    every = np.ones((X_target.shape[0], X_source.shape[0]), dtype=bool)
    Output, A = masked_attention(X_target @ W_Q, X_source @ W_K, X_source @ W_V, every)
    return Output, A


def causal_mask(n):
    return local_mask(n, n) & (np.arange(n) <= np.arange(n)[:, None])


def local_mask(n, window):
    mask = np.eye(n, dtype=bool)
    for offset in range(1, min(window, n - 1) + 1):
        mask |= np.eye(n, k=offset, dtype=bool) | np.eye(n, k=-offset, dtype=bool)
    return mask


class CrossAttention(nn.Module):
    """One head that reads another sequence."""

    def __init__(self, d_model: int, d_k: int | None = None) -> None:
        super().__init__()
        d_k = d_model if d_k is None else d_k
        self.W_q = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_k, bias=False)
        self.scale = math.sqrt(d_k)
        self.weights: Tensor | None = None

    def forward(self, x_target: Tensor, x_source: Tensor) -> Tensor:
        scores = torch.matmul(self.W_q(x_target), self.W_k(x_source).permute(0, 2, 1)) / self.scale
        exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        self.weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
        return torch.matmul(self.weights, self.W_v(x_source))


if __name__ == "__main__":
    print(cross_attention(np.eye(2), np.eye(2), np.eye(2), np.eye(2), np.eye(2)))
    print(causal_mask(4))
''',
)

WHERE_AND_NAN = Variant(
    "minus infinity, and NaN replaced afterwards",
    """
import numpy as np
import torch, math
from torch import nn

def attention_kind(query_source, key_source, value_source):
    if key_source != value_source: raise ValueError("mismatch")
    return "self" if query_source == value_source == key_source else "cross"

def softmax(S):
    with np.errstate(invalid="ignore"):
        E = np.exp(S - S.max(-1, keepdims=True))
        return np.nan_to_num(E / E.sum(-1, keepdims=True))

def masked_attention(Q, K, V, mask):
    scale = 1 / math.sqrt(K.shape[-1])
    bias = np.zeros(mask.shape)
    bias[np.logical_not(mask)] = -np.inf
    A = softmax((Q * scale) @ K.T + bias)
    return (A @ V, A)

def cross_attention(X_target, X_source, W_Q, W_K, W_V):
    # W_Q W_K^T is one matrix of scores between embeddings
    A = softmax(X_target @ (W_Q @ W_K.T) @ X_source.T / math.sqrt(W_K.shape[1]))
    return (A @ X_source) @ W_V, A

def causal_mask(n):
    return np.arange(n).reshape(1, n) <= np.arange(n).reshape(n, 1)

def local_mask(n, window):
    from itertools import product
    mask = np.empty((n, n), bool)
    for i, j in product(range(n), repeat=2):
        mask[i, j] = i - window <= j <= i + window
    return mask

class Head(nn.Module):
    def __init__(self, d_model, d_k):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_k, False)
        self.W_k = nn.Linear(d_model, d_k, False)
        self.W_v = nn.Linear(d_model, d_k, False)

class CrossAttention(Head):
    def __init__(self, d_model, d_k=None):
        Head.__init__(self, d_model, d_k or d_model)

    def forward(self, x_target, x_source):
        q, k, v = self.W_q(x_target), self.W_k(x_source), self.W_v(x_source)
        w = torch.softmax(torch.baddbmm(q.new_zeros(1, 1, 1), q, k.mT) / math.sqrt(q.size(-1)), -1)
        return w @ v
""",
)

VARIANTS = (LOOPS, FINITE_FILL, EINSUM, FUSED, TORCH_BORROWED, TALKATIVE, WHERE_AND_NAN)
