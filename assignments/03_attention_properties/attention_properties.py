# Generated from the kit's reference solution as the release of 03_attention_properties.
"""What attention does and does not know (both lessons).

Write what is missing, one exercise after the other, then run `pytest` in this folder: it says what is next.
README.md has the task, hints.md helps when you are stuck. Hand in this file or the notebook.
"""

import numpy as np


# Exercise 1: is_attention_matrix (15 points)
def is_attention_matrix(A, atol=1e-6):
    """Decide whether A can be the attention matrix of self-attention.

    A: an array; atol: the tolerance
    returns a bool: A is square, each entry is finite and at least -atol,
    and each row's sum is within atol of 1

    By hand: [[0.9, 0.1], [0.4, 0.6]] can. [[0.9, 0.4], [0.1, 0.6]] can't: its columns sum to 1,
    its rows to 1.3 and 0.7.
    """
    raise NotImplementedError("exercise is_attention_matrix: not implemented yet")


# Exercise 2: strongest_source (10 points)
def strongest_source(A, i):
    """Name the token that token i borrows from most.

    A: (n, n), an attention matrix; i: a token, counted from 0
    returns an int: the j with the largest A[i, j]; of equal ones the lowest

    By hand: the row (0.2, 0.5, 0.3) borrows most from token 1; the row (0.4, 0.2, 0.4) from
    token 0.
    """
    raise NotImplementedError("exercise strongest_source: not implemented yet")


# Exercise 3: permute_tokens (10 points)
def permute_tokens(X, order):
    """Put the tokens into another order.

    X: (n, d), one token a row; order: (n,) ints, a permutation of 0 .. n-1
    returns an (n, d) array whose row i is row order[i] of X

    By hand: the tokens a, b, c in the order (2, 0, 1) become c, a, b.
    """
    raise NotImplementedError("exercise permute_tokens: not implemented yet")


# Exercise 4: is_permutation_equivariant (20 points)
def is_permutation_equivariant(f, X, order, atol=1e-8):
    """Decide whether f gives shuffled outputs for shuffled tokens, on this X and this order.

    f: a function from (n, d) to (n, e); X: (n, d); order: (n,) ints, a permutation;
    atol: the tolerance of each entry
    returns a bool: f(X[order]) equals f(X)[order]

    By hand: let f add up the tokens so far, X = [[1], [2]] and order = (1, 0). f(X) = [[1], [3]],
    in the new order [[3], [1]]; but f(X[order]) = f([[2], [1]]) = [[2], [3]]. They differ:
    f knows where a token stands.
    """
    raise NotImplementedError("exercise is_permutation_equivariant: not implemented yet")


# Helper: self_attention (no points of its own)
def self_attention(X, W_Q, W_K, W_V):
    """Self-attention without positions, as in assignment 01: returns the pair (Output, A)."""
    raise NotImplementedError("helper self_attention: not implemented yet")


# Exercise 5: positional_encoding (15 points)
def positional_encoding(n, d_model):
    """Make the sinusoidal positional encoding.

    n: number of positions; d_model: features of a token, even or odd
    returns PE: (n, d_model), PE[p, 2i] = sin(p / 10000^(2i/d_model)), PE[p, 2i+1] = cos of the same

    By hand: position 0 is (0, 1, 0, 1, ...). For d_model = 4, position 1 is
    (sin 1, cos 1, sin 0.01, cos 0.01), since 10000^(2/4) = 100; that is about
    (0.841, 0.540, 0.010, 1.000).
    """
    raise NotImplementedError("exercise positional_encoding: not implemented yet")


# Exercise 6: self_attention_with_positions (10 points)
def self_attention_with_positions(X, W_Q, W_K, W_V):
    """Self-attention over tokens that know their position.

    X: (n, d_model); W_Q, W_K: (d_model, d_k); W_V: (d_model, d_v)
    returns the pair (Output, A) of self-attention over X + PE, with PE = positional_encoding(n, d_model)

    By hand: for one token of two features, X = [[3, 4]], position 0 adds (0, 1), so
    self-attention sees [[3, 5]]. With W_V = [[1, 0], [0, 1]] the output is [[3, 5]] and A is
    [[1]].
    """
    raise NotImplementedError("exercise self_attention_with_positions: not implemented yet")


# Exercise 7: row_entropy (10 points)
def row_entropy(A):
    """Measure how widely each token spreads its attention.

    A: (n_q, n_k), each row a distribution
    returns (n_q,) entropies in nats: minus the sum over j of A[i, j] ln A[i, j], where 0 ln 0 = 0

    By hand: the row (1, 0) has 0; the row (1/2, 1/2) has -(1/2 ln 1/2 + 1/2 ln 1/2) = ln 2,
    about 0.693.
    """
    raise NotImplementedError("exercise row_entropy: not implemented yet")


# Exercise 8: attention_cost (10 points)
def attention_cost(n, d_k, d_v):
    """Count what full self-attention costs beyond its projections.

    n: number of tokens; d_k: length of a query and of a key; d_v: length of a value
    returns a dict of ints: score_multiplications n·n·d_k, weight_entries n·n,
    output_multiplications n·n·d_v

    By hand, the first for n = 3, d_k = 2, d_v = 5: there are 9 pairs of tokens, and each dot
    product multiplies twice, so "score_multiplications": 18.
    """
    raise NotImplementedError("exercise attention_cost: not implemented yet")
