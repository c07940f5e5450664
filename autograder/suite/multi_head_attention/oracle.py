"""Heads, multi-head self-attention and the encoder block in slow loops over NumPy arrays (Vaswani et al. 2017).

Tensors are NumPy arrays here; `nn.Linear` holds (d_out, d_in), so that its output is x W^T.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from autograder.suite.numpy_self_attention.oracle import attention_scores, product, scale_scores, softmax_rows

EPSILON = 1e-5  # nn.LayerNorm's default

Weights = Mapping[str, np.ndarray]


def split_heads(x: np.ndarray, num_heads: int) -> np.ndarray:
    """(batch, n, d_model) to (batch, num_heads, n, d_head): head h is the h-th block of features."""
    batch, n, d_model = x.shape
    d_head = d_model // num_heads
    heads = np.zeros((batch, num_heads, n, d_head))
    for b, h, t, f in np.ndindex(heads.shape):
        heads[b, h, t, f] = x[b, t, h * d_head + f]
    return heads


def merge_heads(x: np.ndarray) -> np.ndarray:
    """(batch, num_heads, n, d_head) to (batch, n, d_model)."""
    batch, num_heads, n, d_head = x.shape
    merged = np.zeros((batch, n, num_heads * d_head))
    for b, h, t, f in np.ndindex(x.shape):
        merged[b, t, h * d_head + f] = x[b, h, t, f]
    return merged


def multi_head_self_attention(x: np.ndarray, weights: Weights, num_heads: int) -> np.ndarray:
    """(batch, n, d_model) to the same; `weights` are W_q, W_k, W_v, W_o by name."""
    Q, K, V = (split_heads(linear(x, weights[f"W_{name}.weight"]), num_heads) for name in "qkv")
    attended = np.zeros(Q.shape)
    for b in range(Q.shape[0]):
        for h in range(num_heads):
            S = scale_scores(attention_scores(Q[b, h], K[b, h]), Q.shape[-1])
            attended[b, h] = product(softmax_rows(S), V[b, h])
    return linear(merge_heads(attended), weights["W_o.weight"])


def encoder_block(x: np.ndarray, weights: Weights, num_heads: int) -> np.ndarray:
    """norm1(x + attention(x)), then norm2(x + feed_forward(x)); `weights` by the block's own parameter names."""
    attention = {name.removeprefix("attention."): w for name, w in weights.items() if name.startswith("attention.")}
    x = layer_norm(x + multi_head_self_attention(x, attention, num_heads), weights, "norm1")
    hidden = linear(x, weights["feed_forward.0.weight"], weights["feed_forward.0.bias"])
    positive = np.array([max(float(entry), 0.0) for entry in hidden.flat]).reshape(hidden.shape)
    fed = linear(positive, weights["feed_forward.2.weight"], weights["feed_forward.2.bias"])
    return layer_norm(x + fed, weights, "norm2")


def linear(x: np.ndarray, weight: np.ndarray, bias: np.ndarray | float = 0.0) -> np.ndarray:
    return np.stack([product(sample, weight.T) for sample in x]) + bias


def layer_norm(x: np.ndarray, weights: Weights, name: str) -> np.ndarray:
    """Each token to mean 0 and spread 1, then scaled and shifted by feature (Ba et al. 2016)."""
    weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    result = np.zeros(x.shape)
    for b, t in np.ndindex(x.shape[:2]):
        token = [float(entry) for entry in x[b, t]]
        mean = math.fsum(token) / len(token)
        variance = math.fsum((entry - mean) ** 2 for entry in token) / len(token)
        for f, entry in enumerate(token):
            result[b, t, f] = (entry - mean) / math.sqrt(variance + EPSILON) * weight[f] + bias[f]
    return result
