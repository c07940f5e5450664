# Generated from the kit's reference solution as the release of 05_multi_head_attention.
"""Many heads, and the block around them (extension).

Write what is missing, one exercise after the other, then run `pytest` in this folder: it says what is next.
README.md has the task, hints.md helps when you are stuck. Hand in this file or the notebook.
"""

import math

import torch
from torch import nn


# Exercise 1: split_heads (20 points)
def split_heads(x, num_heads):
    """Cut the features of each token into heads.

    x: (batch, n, d_model); num_heads: a divisor of d_model
    returns (batch, num_heads, n, d_head) with d_head = d_model / num_heads;
    head h is the h-th block of d_head features

    By hand: the tokens (0, 1, 2, 3) and (4, 5, 6, 7) with two heads: head 0 holds (0, 1) and
    (4, 5), head 1 holds (2, 3) and (6, 7).
    """
    raise NotImplementedError("exercise split_heads: not implemented yet")


# Exercise 2: merge_heads (15 points)
def merge_heads(x):
    """Join the heads of each token: the inverse of split_heads.

    x: (batch, num_heads, n, d_head)
    returns (batch, n, d_model) with d_model = num_heads · d_head;
    block h of a token's features is its head h

    By hand: head 0 with (0, 1), (4, 5) and head 1 with (2, 3), (6, 7) make the tokens
    (0, 1, 2, 3) and (4, 5, 6, 7).
    """
    raise NotImplementedError("exercise merge_heads: not implemented yet")


# Exercise 3: MultiHeadSelfAttention (40 points)
class MultiHeadSelfAttention(nn.Module):
    """Self-attention with num_heads heads.

    W_q, W_k, W_v, W_o are nn.Linear(d_model, d_model, bias=False)
    ValueError where num_heads does not divide d_model
    forward: x (batch, n, d_model) -> (batch, n, d_model), the heads' outputs side by side, times W_o

    By hand: d_model = 2, two heads, all four weights the identity, and the tokens (0, 0) and
    (ln 3, 0). The first token's scores are 0 in both heads, its weights (1/2, 1/2); head 0
    gives ln 3 / 2, head 1 gives 0, and the first output is (ln 3 / 2, 0), about (0.549, 0).
    """

    def __init__(self, d_model, num_heads):
        super().__init__()
        raise NotImplementedError("exercise MultiHeadSelfAttention: not implemented yet")

    def forward(self, x):
        raise NotImplementedError("exercise MultiHeadSelfAttention: not implemented yet")


# Exercise 4: EncoderBlock (25 points)
class EncoderBlock(nn.Module):
    """A post-norm Transformer encoder block.

    attention: MultiHeadSelfAttention(d_model, num_heads); norm1, norm2: nn.LayerNorm(d_model)
    feed_forward: nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
    all with PyTorch's defaults (bias, eps)
    forward: x (batch, n, d_model) -> (batch, n, d_model)
    x = norm1(x + attention(x)), then norm2(x + feed_forward(x))

    By hand: let attention and feed_forward give 0, and the norms be fresh. The token (1, 3) has
    the mean 2 and the spread 1, so norm1 makes it (-1, 1). That has mean 0 and spread 1
    already, and norm2 leaves it there: (-1, 1).
    """

    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        raise NotImplementedError("exercise EncoderBlock: not implemented yet")

    def forward(self, x):
        raise NotImplementedError("exercise EncoderBlock: not implemented yet")
