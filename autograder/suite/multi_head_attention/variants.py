"""Accepted variants of assignment 05."""

from autograder.suite.variants import Variant

VIEWS = Variant(
    "views and contiguous memory",
    """
import math

import torch
from torch import nn


def split_heads(x, num_heads):
    batch, n, d_model = x.size()
    return x.contiguous().view(batch, n, num_heads, d_model // num_heads).transpose(1, 2).contiguous()


def merge_heads(x):
    batch, num_heads, n, d_head = x.size()
    return x.transpose(1, 2).contiguous().view(batch, n, num_heads * d_head)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be a multiple of num_heads")
        self.d_model, self.num_heads, self.d_head = d_model, num_heads, d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x):
        Q = split_heads(self.W_q(x), self.num_heads)
        K = split_heads(self.W_k(x), self.num_heads)
        V = split_heads(self.W_v(x), self.num_heads)
        A = self.softmax(torch.matmul(Q, K.transpose(2, 3)) / math.sqrt(self.d_head))
        return self.W_o(merge_heads(torch.matmul(A, V)))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadSelfAttention(d_model, num_heads)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.dropout = nn.Dropout(0.1)  # rests outside of training

    def forward(self, x):
        x = self.norm1(x + self.dropout(self.attention(x)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
""",
)

EINSUM = Variant(
    "einsum and permute",
    """
import torch
import torch.nn as nn


def split_heads(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).permute(0, 2, 1, 3)


def merge_heads(x):
    return torch.einsum("bhnd->bnhd", x).flatten(-2)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        if d_model % num_heads:
            raise ValueError(f"{num_heads} does not divide {d_model}")
        super().__init__()
        self.heads = num_heads
        for name in ("W_q", "W_k", "W_v", "W_o"):
            self.add_module(name, nn.Linear(d_model, d_model, bias=False))

    def forward(self, x):
        batch, n, d_model = x.shape
        shape = (self.heads, d_model // self.heads, d_model)
        Q = torch.einsum("bnc,hdc->bhnd", x, self.W_q.weight.view(shape))
        K = torch.einsum("bnc,hdc->bhnd", x, self.W_k.weight.view(shape))
        V = torch.einsum("bnc,hdc->bhnd", x, self.W_v.weight.view(shape))
        A = torch.einsum("bhid,bhjd->bhij", Q * Q.size(-1) ** -0.5, K).softmax(-1)
        heads = torch.einsum("bhij,bhjd->bihd", A, V)
        return torch.einsum("bnc,oc->bno", heads.reshape(batch, n, d_model), self.W_o.weight)


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadSelfAttention(d_model, num_heads)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(inplace=True), nn.Linear(d_ff, d_model))
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x):
        return self._second(self._first(x))

    def _first(self, x):
        return self.norm1(self.attention(x) + x)

    def _second(self, x):
        return self.norm2(self.feed_forward(x) + x)
""",
)

FUSED = Variant(
    "fused weights and chunk",
    """
import torch
import torch.nn.functional as F
from torch import nn


def split_heads(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


def merge_heads(x):
    return torch.cat(x.unbind(dim=1), dim=-1)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.d_head, rest = divmod(d_model, num_heads)
        if rest != 0:
            raise ValueError("the heads don't fit")
        self.num_heads = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def forward(self, x):
        weight = torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight])
        Q, K, V = (split_heads(part, self.num_heads) for part in F.linear(x, weight).chunk(3, dim=-1))
        scores = (Q / self.d_head**0.25) @ (K / self.d_head**0.25).mT
        scores = scores - scores.amax(dim=-1, keepdim=True)
        powers = scores.exp()
        A = powers / powers.sum(dim=-1, keepdim=True)
        return F.linear(merge_heads(A @ V), self.W_o.weight)


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadSelfAttention(d_model, num_heads)
        self.norm1 = nn.LayerNorm(d_model, eps=1e-5)
        self.norm2 = nn.LayerNorm(d_model, eps=1e-5)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))

    def forward(self, x):
        first, _, second = self.feed_forward
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + second(F.relu(first(x))))
""",
)

LIBRARY = Variant(
    "PyTorch's own attention",
    """
import torch
import torch.nn as nn
import torch.nn.functional as F


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    return x.reshape(x.size(0), x.size(1), num_heads, -1).swapaxes(1, 2)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    return x.movedim(1, 2).flatten(2)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(num_heads)
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = [split_heads(layer(x), self.num_heads) for layer in (self.W_q, self.W_k, self.W_v)]
        return self.W_o(merge_heads(F.scaled_dot_product_attention(q, k, v)))


class EncoderBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.attention = MultiHeadSelfAttention(d_model, num_heads)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer, norm in ((self.attention, self.norm1), (self.feed_forward, self.norm2)):
            x = F.layer_norm(x + layer(x), (self.d_model,), norm.weight, norm.bias)
        return x
""",
)

SUM_OF_HEADS = Variant(
    "sum of the heads' own projections",
    """
import math

import torch
from torch import nn


def split_heads(x, num_heads):
    width = x.shape[-1] // num_heads
    heads = x.new_empty(x.shape[0], num_heads, x.shape[1], width)
    for h in range(num_heads):
        heads[:, h] = x[:, :, h * width : (h + 1) * width]
    return heads


def merge_heads(x):
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=2)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if (d_model // num_heads) * num_heads != d_model:
            raise ValueError("num_heads must divide d_model")
        self.width = d_model // num_heads
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        total = 0
        for h in range(self.num_heads):
            block = slice(h * self.width, (h + 1) * self.width)
            Q, K, V = (x @ layer.weight[block].T for layer in (self.W_q, self.W_k, self.W_v))
            A = torch.softmax(torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(self.width), dim=2)
            total = total + torch.bmm(A, V) @ self.W_o.weight[:, block].T
        return total


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadSelfAttention(d_model, num_heads)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff),
            nn.ReLU(),
            nn.Linear(d_ff, d_model),
        )

    @staticmethod
    def normalised(x, norm):
        mean = x.mean(dim=-1, keepdim=True)
        variance = ((x - mean) ** 2).mean(dim=-1, keepdim=True)
        return (x - mean) / torch.sqrt(variance + norm.eps) * norm.weight + norm.bias

    def forward(self, x):
        x = self.normalised(x + self.attention(x), self.norm1)
        return self.normalised(x + self.feed_forward(x), self.norm2)
""",
)

LOOPS = Variant(
    "one sample and one head at a time",
    """
import torch
from torch import nn


def split_heads(x, num_heads):
    d_head = x.shape[2] // num_heads
    return torch.stack([torch.stack([s[:, h * d_head:(h + 1) * d_head] for h in range(num_heads)]) for s in x])


def merge_heads(x):
    return torch.stack([torch.hstack(list(sample)) for sample in x])


def attention(Q, K, V):
    rows = []
    for q in Q:
        scores = torch.stack([q @ k for k in K]) / Q.shape[1] ** 0.5
        weights = torch.softmax(scores, dim=0)
        rows.append(sum(w * v for w, v in zip(weights, V)))
    return torch.stack(rows)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads > 0:
            raise ValueError("no")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, False)
        self.W_k = nn.Linear(d_model, d_model, False)
        self.W_v = nn.Linear(d_model, d_model, False)
        self.W_o = nn.Linear(d_model, d_model, False)

    def forward(self, x):
        parts = [split_heads(layer(x), self.num_heads) for layer in [self.W_q, self.W_k, self.W_v]]
        samples = [torch.stack([attention(*head) for head in zip(*sample)]) for sample in zip(*parts)]
        return self.W_o(merge_heads(torch.stack(samples)))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.norm2 = nn.LayerNorm([d_model])
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norm1 = nn.LayerNorm([d_model])
        self.attention = MultiHeadSelfAttention(num_heads=num_heads, d_model=d_model)

    def forward(self, x):
        residual = x.clone()
        x = self.attention(x)
        x += residual
        x = self.norm1(x)
        residual = x
        x = self.feed_forward(x)
        return self.norm2(residual + x)


if __name__ == "__main__":
    print(EncoderBlock(4, 2, 8)(torch.randn(1, 3, 4)))
""",
)

BATCHED_HEADS = Variant(
    "heads folded into the batch",
    """
import numpy as np
from collections import OrderedDict

import torch
from torch import nn
from torch.nn import functional


def split_heads(x, num_heads):
    batch, n, d_model = x.shape
    assert d_model % num_heads == 0
    index = torch.arange(d_model).reshape(num_heads, -1)
    return x[:, :, index].transpose(1, 2)


def merge_heads(x):
    batch, num_heads, n, d_head = x.shape
    return x.permute(0, 2, 1, 3).reshape((batch, n, -1))


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads != 0")
        self.h = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        batch, n, d_model = x.shape
        Q, K, V = (split_heads(W(x), self.h).reshape(batch * self.h, n, -1) for W in (self.W_q, self.W_k, self.W_v))
        scores = torch.baddbmm(torch.zeros(1, 1, 1, dtype=x.dtype), Q, K.mT, beta=0, alpha=1 / np.sqrt(Q.shape[-1]))
        weights = functional.log_softmax(scores, -1).exp()
        return self.W_o(merge_heads(torch.bmm(weights, V).reshape(batch, self.h, n, -1)))


class FeedForward(nn.Sequential):
    def __init__(self, d_model, d_ff):
        layers = (("up", nn.Linear(d_model, d_ff)), ("relu", nn.ReLU()), ("down", nn.Linear(d_ff, d_model)))
        super().__init__(OrderedDict(layers))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadSelfAttention(d_model, num_heads)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff)

    def forward(self, x):
        y = self.norm1(torch.add(x, self.attention(x)))
        return self.norm2(torch.add(y, self.feed_forward(y)))
""",
)

VARIANTS = (VIEWS, EINSUM, FUSED, LIBRARY, SUM_OF_HEADS, LOOPS, BATCHED_HEADS)
