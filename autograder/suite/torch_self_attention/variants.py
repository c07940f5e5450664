"""Accepted variants of assignment 02."""

from autograder.suite.variants import Variant

LESSON = Variant(
    "as the lesson's listing stands",
    """
import math

import torch
import torch.nn as nn


def scaled_dot_product_attention(Q, K, V):
    d_k = Q.size(-1)
    scores = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(d_k)
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, V), weights


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        d_k = d_k or d_model
        self.W_q = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_k, bias=False)

    def forward(self, x):
        output, _ = scaled_dot_product_attention(self.W_q(x), self.W_k(x), self.W_v(x))
        return output


def parameter_count(d_model, d_k=None):
    return sum(p.numel() for p in SelfAttention(d_model, d_k).parameters())
""",
)

LIBRARY = Variant(
    "PyTorch's own attention",
    """
import torch
from torch import nn
from torch.nn import functional as F


def scaled_dot_product_attention(Q, K, V):
    output = F.scaled_dot_product_attention(Q, K, V)
    identity = torch.eye(K.shape[-2], dtype=K.dtype).expand(*K.shape[:-1], K.shape[-2])
    return output, F.scaled_dot_product_attention(Q, K, identity)


class SelfAttention(nn.Module):
    def __init__(self, d_model: int, d_k: int | None = None):
        super().__init__()
        if d_k is None:
            d_k = d_model
        self.W_q, self.W_k, self.W_v = (nn.Linear(d_model, d_k, bias=False) for _ in "qkv")

    def forward(self, x):
        return F.scaled_dot_product_attention(self.W_q(x), self.W_k(x), self.W_v(x))


def parameter_count(d_model: int, d_k: int | None = None) -> int:
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in SelfAttention(d_model, d_k).parameters())
""",
)

EINSUM = Variant(
    "einsum and softmax by hand",
    """
import torch
import torch.nn as nn


def softmax(scores):
    powers = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    return powers / powers.sum(dim=-1, keepdim=True)


def scaled_dot_product_attention(Q, K, V):
    scores = torch.einsum("...id,...jd->...ij", Q, K) * Q.shape[-1] ** -0.5
    weights = softmax(scores)
    return [torch.einsum("...ij,...jv->...iv", weights, V), weights]


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        self.d_k = d_model if d_k is None else d_k
        self.W_v = nn.Linear(d_model, self.d_k, bias=False)
        self.W_k = nn.Linear(d_model, self.d_k, bias=False)
        self.W_q = nn.Linear(d_model, self.d_k, bias=False)

    def forward(self, x):
        Q = torch.einsum("bnm,km->bnk", x, self.W_q.weight)
        K = torch.einsum("bnm,km->bnk", x, self.W_k.weight)
        V = torch.einsum("bnm,km->bnk", x, self.W_v.weight)
        return scaled_dot_product_attention(Q, K, V)[0]


def parameter_count(d_model, d_k=None):
    matrices = 3
    return matrices * d_model * (d_k if d_k is not None else d_model)
""",
)

FUSED = Variant(
    "fused weights, and both sides scaled",
    '''
import torch
from torch import nn


def scaled_dot_product_attention(Q, K, V):
    quarter = K.size(-1) ** 0.25
    log_weights = ((Q / quarter) @ (K / quarter).mT).log_softmax(-1)
    weights = log_weights.exp()
    return weights @ V, weights


class SelfAttention(nn.Module):
    """Numbers of all three layers in one product."""

    def __init__(self, d_model, d_k=None):
        nn.Module.__init__(self)
        width = d_model if d_k is None else d_k
        for role in ("W_q", "W_k", "W_v"):
            setattr(self, role, nn.Linear(d_model, width, bias=False))

    def forward(self, x):
        weight = torch.cat((self.W_q.weight, self.W_k.weight, self.W_v.weight))
        parts = (x @ weight.T).split(self.W_q.out_features, dim=-1)
        return scaled_dot_product_attention(*parts)[0]


def parameter_count(d_model, d_k=None):
    shapes = [tuple(weight.shape) for weight in SelfAttention(d_model, d_k).state_dict().values()]
    return sum(rows * columns for rows, columns in shapes)
''',
)

LOOPS = Variant(
    "one query at a time",
    """
import math

import torch
import torch.nn as nn


def one_sequence(Q, K, V):
    rows = []
    for query in Q:
        scores = torch.stack([(query * key).sum() for key in K]) / math.sqrt(len(query))
        rows.append(torch.softmax(scores, 0))
    weights = torch.stack(rows)
    return torch.stack([(row[:, None] * V).sum(0) for row in weights]), weights


def scaled_dot_product_attention(Q, K, V):
    if Q.dim() == 2:
        return one_sequence(Q, K, V)
    pairs = [scaled_dot_product_attention(q, k, v) for q, k, v in zip(Q, K, V)]
    return torch.stack([output for output, _ in pairs]), torch.stack([weights for _, weights in pairs])


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        if d_k is None:
            d_k = d_model
        self.W_q = nn.Linear(in_features=d_model, out_features=d_k, bias=False)
        self.W_k = nn.Linear(in_features=d_model, out_features=d_k, bias=False)
        self.W_v = nn.Linear(in_features=d_model, out_features=d_k, bias=False)

    def forward(self, x):
        outputs = []
        for sample in x:
            output, weights = scaled_dot_product_attention(self.W_q(sample), self.W_k(sample), self.W_v(sample))
            outputs.append(output)
        return torch.stack(outputs)


def parameter_count(d_model, d_k=None):
    count = 0
    for name, parameter in SelfAttention(d_model, d_k).named_parameters():
        count += torch.numel(parameter)
    return count


if __name__ == "__main__":
    print(SelfAttention(4)(torch.rand(2, 3, 4)))
""",
)

FLATTENED = Variant(
    "leading dimensions folded into one, and a mask of nothing",
    """
import numpy as np
import torch
from torch import nn


def scaled_dot_product_attention(Q, K, V):
    leading = Q.shape[:-2]
    q, k, v = (t.reshape(-1, *t.shape[-2:]) for t in (Q, K, V))
    scores = torch.bmm(q, k.transpose(1, 2)).div(np.sqrt(q.shape[-1]))
    scores = scores.masked_fill(torch.zeros_like(scores, dtype=torch.bool), float("-inf"))
    weights = nn.Softmax(dim=2)(scores)
    output = torch.bmm(weights, v)
    return output.view(*leading, *output.shape[1:]), weights.view(*leading, *weights.shape[1:])


class Projection(nn.Linear):
    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out, bias=False)


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        self.d_model = d_model
        self.W_q = Projection(d_model, d_k or d_model)
        self.W_k = Projection(d_model, d_k or d_model)
        self.W_v = Projection(d_model, d_k or d_model)
        self.dropout = nn.Dropout(0.0)
        self.register_buffer("scale", torch.tensor(1.0))

    def forward(self, x):
        assert x.shape[-1] == self.d_model
        output, self.weights = scaled_dot_product_attention(*(W(x) for W in (self.W_q, self.W_k, self.W_v)))
        return self.dropout(output) * self.scale


def parameter_count(d_model, d_k=None):
    return int(np.prod([3, d_model, d_k or d_model]))
""",
)

VARIANTS = (LESSON, LIBRARY, EINSUM, FUSED, LOOPS, FLATTENED)
