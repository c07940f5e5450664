# Generated from the kit's reference solution as the release of 01_numpy_self_attention.
"""Self-attention in NumPy, step by step (Module 8).

Write what is missing, one exercise after the other, then run `pytest` in this folder: it says what is next.
README.md has the task, hints.md helps when you are stuck. Hand in this file or the notebook.
"""

import numpy as np


# Exercise 1: matrix_dimensions (10 points)
def matrix_dimensions(n, d_model, d_k, d_v):
    """Name the shape of every matrix in self-attention.

    n: number of tokens; d_model: features of a token;
    d_k: length of a query and of a key; d_v: length of a value
    returns a dict of tuples with the keys X, W_Q, W_K, W_V, Q, K, V, S, A, Output

    By hand, the first two for n = 4, d_model = 6, d_k = 3, d_v = 5: X holds four tokens of six
    features, so "X": (4, 6); W_Q takes six features to three, so "W_Q": (6, 3).
    """
    raise NotImplementedError("exercise matrix_dimensions: not implemented yet")


# Exercise 2: project_query (8 points)
def project_query(X, W_Q):
    """Project each token to its query.

    X: (n, d_model), one token a row; W_Q: (d_model, d_k)
    returns Q: (n, d_k), Q = X W_Q

    By hand: the token (1, 2) with W_Q = [[1, 0, 1], [0, 1, 1]] takes the first row of W_Q once
    and the second twice: (1, 0, 1) + 2 (0, 1, 1) = (1, 2, 3).
    """
    raise NotImplementedError("exercise project_query: not implemented yet")


# Exercise 3: project_key (8 points)
def project_key(X, W_K):
    """Project each token to its key.

    X: (n, d_model), one token a row; W_K: (d_model, d_k)
    returns K: (n, d_k), K = X W_K

    By hand: the token (1, 2) with W_K = [[2, 0, 0], [1, 0, 1]] becomes (2, 0, 0) + 2 (1, 0, 1)
    = (4, 0, 2).
    """
    raise NotImplementedError("exercise project_key: not implemented yet")


# Exercise 4: project_value (8 points)
def project_value(X, W_V):
    """Project each token to its value.

    X: (n, d_model), one token a row; W_V: (d_model, d_v), where d_v may differ from d_k
    returns V: (n, d_v), V = X W_V

    By hand: the token (1, 2) with W_V = [[3], [1]] becomes 1 · 3 + 2 · 1 = 5, a value of length
    d_v = 1.
    """
    raise NotImplementedError("exercise project_value: not implemented yet")


# Exercise 5: attention_scores (12 points)
def attention_scores(Q, K):
    """Compare each query with each key by a dot product.

    Q: (n_q, d_k), one query a row; K: (n_k, d_k), one key a row; in self-attention n_q = n_k = n
    returns S: (n_q, n_k), S = Q K^T, that is S[i, j] = Q[i] · K[j]

    By hand: the query (2, 1) and the keys (1, 1), (0, 3), (1, -1) give the row
    (2 + 1, 0 + 3, 2 - 1) = (3, 3, 1).
    """
    raise NotImplementedError("exercise attention_scores: not implemented yet")


# Exercise 6: scale_scores (10 points)
def scale_scores(S, d_k):
    """Divide the scores by the square root of the key dimension.

    S: (n_q, n_k), scores; d_k: length of a key, an int
    returns an array of the same shape, S / sqrt(d_k); S itself stays as it was

    By hand: with d_k = 16 the scores (2, -4) become (2 / 4, -4 / 4) = (0.5, -1).
    """
    raise NotImplementedError("exercise scale_scores: not implemented yet")


# Exercise 7: softmax_rows (16 points)
def softmax_rows(scores):
    """Turn each row of scores into a distribution over the keys.

    scores: (n_q, n_k), any numbers up to 1e4 in size
    returns A: (n_q, n_k), entries in [0, 1], each row sums to 1
    A[i, j] = exp(scores[i, j]) / sum over k of exp(scores[i, k])

    By hand: the row (0, ln 3) has the exponentials (1, 3). They sum to 4, so the row becomes
    (1/4, 3/4).
    """
    raise NotImplementedError("exercise softmax_rows: not implemented yet")


# Exercise 8: attention_output (10 points)
def attention_output(A, V):
    """Mix the values with the attention weights.

    A: (n_q, n_k), each row a distribution over the keys; V: (n_k, d_v), one value a row
    returns Output: (n_q, d_v), Output = A V: row i is the sum over j of A[i, j] times V[j]

    By hand: the weights (1/4, 3/4) and the values (4, 0, 8), (0, 4, 8) give
    (1/4 · 4 + 0, 0 + 3/4 · 4, 1/4 · 8 + 3/4 · 8) = (1, 3, 8).
    """
    raise NotImplementedError("exercise attention_output: not implemented yet")


# Exercise 9: self_attention (18 points)
def self_attention(X, W_Q, W_K, W_V):
    """Self-attention over the tokens of one sequence.

    X: (n, d_model); W_Q, W_K: (d_model, d_k); W_V: (d_model, d_v)
    returns the pair (Output, A): Output (n, d_v), A (n, n)
    Output = softmax(Q K^T / sqrt(d_k)) V with Q = X W_Q, K = X W_K, V = X W_V

    By hand: X = [[1, 0], [0, 1]], d_k = 4, W_V = [[4], [8]], and zeros in W_Q and W_K but for
    W_Q[0, 0] = 2 ln 3 and W_K[0, 0] = 1. Then S = [[2 ln 3, 0], [0, 0]]. Divided by
    sqrt(4) = 2, its first row is (ln 3, 0) and becomes the weights (3/4, 1/4); its second row
    becomes (1/2, 1/2). Output = [[3/4 · 4 + 1/4 · 8], [1/2 · 4 + 1/2 · 8]] = [[5], [6]].
    """
    raise NotImplementedError("exercise self_attention: not implemented yet")
