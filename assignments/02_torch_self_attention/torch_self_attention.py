# Generated from the kit's reference solution as the release of 02_torch_self_attention.
"""Self-attention as a PyTorch module (Module 10.1).

Write what is missing, one exercise after the other, then run `pytest` in this folder: it says what is next.
README.md has the task, hints.md helps when you are stuck. Hand in this file or the notebook.
"""

import math

import torch
from torch import nn


# Exercise 1: scaled_dot_product_attention (35 points)
def scaled_dot_product_attention(Q, K, V):
    """Scaled dot-product attention for any number of leading dimensions.

    Q: (..., n_q, d_k); K: (..., n_k, d_k); V: (..., n_k, d_v); there may be no leading dimensions
    returns the pair (output (..., n_q, d_v), weights (..., n_q, n_k)); each row of weights sums to 1
    weights = softmax(Q K^T / sqrt(d_k)), output = weights V

    By hand: the query (2 ln 3, 0, 0, 0) and the keys (1, 0, 0, 0), (0, 1, 0, 0) have the scores
    (2 ln 3, 0). Divided by sqrt(4) they are (ln 3, 0), and the weights are (3/4, 1/4). With the
    values 4 and 8 the output is 3 + 2 = 5.
    """
    raise NotImplementedError("exercise scaled_dot_product_attention: not implemented yet")


# Exercise 2: SelfAttention (50 points)
class SelfAttention(nn.Module):
    """Self-attention with one head: Q, K and V are projected from the same x.

    W_q, W_k, W_v are nn.Linear(d_model, d_k, bias=False); d_k defaults to d_model
    forward: x (batch, n, d_model) -> (batch, n, d_k), softmax(Q K^T / sqrt(d_k)) V for each sequence

    By hand: d_model = d_k = 1, all three weights 1, and the sequence of two tokens (0), (ln 3).
    Then Q = K = V = (0, ln 3). The first token's scores are (0, 0), its weights (1/2, 1/2), its
    output ln 3 / 2, about 0.549.
    """

    def __init__(self, d_model, d_k=None):
        super().__init__()
        raise NotImplementedError("exercise SelfAttention: not implemented yet")

    def forward(self, x):
        raise NotImplementedError("exercise SelfAttention: not implemented yet")


# Exercise 3: parameter_count (15 points)
def parameter_count(d_model, d_k=None):
    """Count the learned numbers of SelfAttention(d_model, d_k).

    d_model, d_k: ints; d_k defaults to d_model
    returns an int: the entries of W_q, W_k and W_v, each (d_model, d_k)

    By hand: one projection from d_model = 2 to d_k = 5 has 2 · 5 = 10 entries, and there are as
    many for each of the other two.
    """
    raise NotImplementedError("exercise parameter_count: not implemented yet")
