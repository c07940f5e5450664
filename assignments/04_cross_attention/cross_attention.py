# Generated from the kit's reference solution as the release of 04_cross_attention.
"""Cross-attention and masks (Module 10.1).

Write what is missing, one exercise after the other, then run `pytest` in this folder: it says what is next.
README.md has the task, hints.md helps when you are stuck. Hand in this file or the notebook.
"""

import math

import numpy as np
import torch
from torch import nn


# Exercise 1: attention_kind (10 points)
def attention_kind(query_source, key_source, value_source):
    """Tell self-attention from cross-attention by where queries, keys and values come from.

    query_source, key_source, value_source: names of sequences, such as "decoder"
    returns "self" where all three are one sequence, "cross" where the queries come from another one
    raises ValueError where keys and values come from different sequences

    By hand: ("encoder", "encoder", "encoder") is "self"; ("decoder", "encoder", "encoder") is
    "cross".
    """
    raise NotImplementedError("exercise attention_kind: not implemented yet")


# Helper: softmax_rows (no points of its own)
def softmax_rows(scores):
    """Turn each row of scores into a distribution, as in assignment 01."""
    raise NotImplementedError("helper softmax_rows: not implemented yet")


# Exercise 2: cross_attention (25 points)
def cross_attention(X_target, X_source, W_Q, W_K, W_V):
    """Cross-attention: the target sequence reads the source sequence.

    X_target: (m, d_model); X_source: (n, d_model); W_Q, W_K: (d_model, d_k); W_V: (d_model, d_v)
    returns the pair (Output, A): Output (m, d_v), A (m, n), each row a distribution over the source tokens
    Output = softmax(Q K^T / sqrt(d_k)) V with Q = X_target W_Q, K = X_source W_K, V = X_source W_V

    By hand: one target token (ln 3), two source tokens (1) and (0), W_V = [[8]],
    W_Q = [[2, 0, 0, 0]], W_K = [[1, 0, 0, 0]]. The scores are (2 ln 3, 0), divided by sqrt(4)
    they are (ln 3, 0), and so A = [[3/4, 1/4]]. The values are (8) and (0), so Output = [[6]].
    """
    raise NotImplementedError("exercise cross_attention: not implemented yet")


# Exercise 3: causal_mask (10 points)
def causal_mask(n):
    """Make the mask that lets each token see itself and what came before.

    n: number of tokens
    returns a bool array (n, n): True where j <= i, that is where token i may attend to token j

    By hand, the first two rows for n = 3: token 0 sees itself only, (True, False, False); token
    1 sees two, (True, True, False).
    """
    raise NotImplementedError("exercise causal_mask: not implemented yet")


# Exercise 4: local_mask (10 points)
def local_mask(n, window):
    """Make the mask that lets each token see its neighbours.

    n: number of tokens; window: how far a token sees to each side; 0 means itself only
    returns a bool array (n, n): True where abs(i - j) <= window

    By hand, the first row for n = 4 and window = 1: token 0 sees itself and its right
    neighbour, (True, True, False, False).
    """
    raise NotImplementedError("exercise local_mask: not implemented yet")


# Exercise 5: masked_attention (20 points)
def masked_attention(Q, K, V, mask):
    """Scaled dot-product attention in which each query sees its allowed keys only.

    Q: (n_q, d_k); K: (n_k, d_k); V: (n_k, d_v)
    mask: bool (n_q, n_k), True where query i may attend to key j
    returns the pair (Output, A): Output (n_q, d_v), A (n_q, n_k), 0 where the mask is False
    a row with an allowed key sums to 1; a query without any gets zero weights and a zero output row

    By hand: three keys with the scores (0, ln 3, 7) and the mask (True, True, False): softmax
    over the first two gives (1/4, 3/4), so the row of A is (1/4, 3/4, 0).
    """
    raise NotImplementedError("exercise masked_attention: not implemented yet")


# Exercise 6: CrossAttention (25 points)
class CrossAttention(nn.Module):
    """Cross-attention with one head: x_target reads x_source.

    W_q, W_k, W_v are nn.Linear(d_model, d_k, bias=False); d_k defaults to d_model
    forward: x_target (batch, m, d_model), x_source (batch, n, d_model) -> (batch, m, d_k)
    softmax(Q K^T / sqrt(d_k)) V with Q from x_target, K and V from x_source, for each pair of the batch

    By hand: d_model = 1, all weights 1, the target token (ln 3) and the source tokens (1) and
    (0). Q = (ln 3), K = V = (1, 0). The scores are (ln 3, 0), the weights (3/4, 1/4), the
    output 3/4.
    """

    def __init__(self, d_model, d_k=None):
        super().__init__()
        raise NotImplementedError("exercise CrossAttention: not implemented yet")

    def forward(self, x_target, x_source):
        raise NotImplementedError("exercise CrossAttention: not implemented yet")
