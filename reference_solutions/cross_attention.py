# %% [markdown]
# # Cross-attention and masks
#
# Self-attention mixes information inside a sequence. **Cross-attention** lets a sequence look up content from
# a different one: a translation decoder reads the encoder's states. The formula is the same; only the sources
# differ.
#
# | property | self-attention | cross-attention |
# |---|---|---|
# | query source | same sequence $X$ | target (decoder) sequence |
# | key and value source | same sequence $X$ | source (encoder) sequence |
# | typical role | contextualize within one stream | let one stream read another |
# | where it appears | encoder layers; decoder self-attention | decoder–encoder attention |
#
# The second half is about **masks**, which keep chosen tokens out of reach: those that lie in the future, or
# far away. It extends the lessons.
#
# After this assignment you can
#
# - contrast self-attention with cross-attention by source and target,
# - implement cross-attention in NumPy and in PyTorch,
# - keep chosen keys out of a query's reach without a trace.

# %% imports=true
"""Cross-attention and masks (Module 10.1): the reference solution."""

import math

import numpy as np
import torch
from torch import nn

# %% [markdown]
# ## Self or cross?
#
# A common mistake is to call every attention layer "self-attention", even when keys and values come from a
# different tensor. If the queries come from the decoder and the keys and values from the encoder, that is
# cross-attention. What decides is where the three come from:
#
# - **self-attention**: Q, K, V from one sequence; builds token context for that sequence; used in encoders
#   and language-model stacks.
# - **cross-attention**: Q from the target, K and V from the source; aligns or retrieves across sequences;
#   classic in encoder–decoder models.
#
# A key says where a value is found, so keys and values belong together: they always come from the same
# sequence.


# %% answer="attention_kind"
def attention_kind(query_source, key_source, value_source):
    """Tell self-attention from cross-attention by where queries, keys and values come from.

    query_source, key_source, value_source: names of sequences, such as "decoder"
    returns "self" where all three are one sequence, "cross" where the queries come from another one
    raises ValueError where keys and values come from different sequences

    By hand: ("encoder", "encoder", "encoder") is "self"; ("decoder", "encoder", "encoder") is
    "cross".
    """
    ### BEGIN SOLUTION
    if key_source != value_source:
        raise ValueError(f"keys from {key_source!r} can't have values from {value_source!r}")
    return "self" if query_source == key_source else "cross"
    ### END SOLUTION


# %% [markdown] hints="attention_kind"
# 1. There are three cases, not two. Which of them is no attention at all?
# 2. Look at keys and values first: only when they agree does it make sense to compare them with the queries.
# 3. The names are any strings, not just "encoder" and "decoder": compare them with each other.
#    `raise ValueError("...")` reports the third case.


# %% check="attention_kind"
def check_attention_kind(attention_kind):
    kind = attention_kind("encoder", "encoder", "encoder")
    assert kind == "self", f"one sequence for all three is 'self', and you say {kind!r}"
    kind = attention_kind("decoder", "encoder", "encoder")
    assert kind == "cross", (
        f"queries from the decoder, keys and values from the encoder are 'cross', not {kind!r}"
    )
    try:
        attention_kind("decoder", "encoder", "decoder")
    except ValueError:
        return
    raise AssertionError("keys and values from different sequences must raise a ValueError")


# %% [markdown]
# ## Cross-attention in NumPy
#
# With $m$ target tokens and $n$ source tokens:
#
# $$Q = X_{target} W_Q \qquad K = X_{source} W_K \qquad V = X_{source} W_V$$
#
# $$A = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) \in \mathbb{R}^{m \times n} \qquad
# Output = A V \in \mathbb{R}^{m \times d_v}$$
#
# $A$ is no longer square. Each *target* token has a row, a distribution over the *source* tokens.
#
# ### Bring your softmax
#
# Both NumPy exercises below need a softmax over rows. Paste `softmax_rows` of assignment 01, or write it
# again. It has no points of its own.


# %% helper="softmax_rows"
def softmax_rows(scores):
    """Turn each row of scores into a distribution, as in assignment 01."""
    ### BEGIN SOLUTION
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)
    ### END SOLUTION


# %% answer="cross_attention"
def cross_attention(X_target, X_source, W_Q, W_K, W_V):
    """Cross-attention: the target sequence reads the source sequence.

    X_target: (m, d_model); X_source: (n, d_model); W_Q, W_K: (d_model, d_k); W_V: (d_model, d_v)
    returns the pair (Output, A): Output (m, d_v), A (m, n), each row a distribution over the source tokens
    Output = softmax(Q K^T / sqrt(d_k)) V with Q = X_target W_Q, K = X_source W_K, V = X_source W_V

    By hand: one target token (ln 3), two source tokens (1) and (0), W_V = [[8]],
    W_Q = [[2, 0, 0, 0]], W_K = [[1, 0, 0, 0]]. The scores are (2 ln 3, 0), divided by sqrt(4)
    they are (ln 3, 0), and so A = [[3/4, 1/4]]. The values are (8) and (0), so Output = [[6]].
    """
    ### BEGIN SOLUTION
    Q, K, V = X_target @ W_Q, X_source @ W_K, X_source @ W_V
    A = softmax_rows(Q @ K.T / np.sqrt(K.shape[1]))
    return A @ V, A
    ### END SOLUTION


# %% [markdown] hints="cross_attention"
# 1. Go through the three projections and say for each who speaks: the sequence that asks, or the one that is
#    read?
# 2. After the projections nothing is new: score, scale, softmax, aggregate. Check that `A` comes out as
#    `(m, n)`.
# 3. The result has one row for each *target* token. If yours has `n` rows, queries and keys have changed
#    places.


# %% check="cross_attention"
def check_cross_attention(cross_attention):
    X_target, X_source = np.array([[np.log(3.0)]]), np.array([[1.0], [0.0]])
    W_Q, W_K = np.array([[2.0, 0, 0, 0]]), np.array([[1.0, 0, 0, 0]])
    Output, A = cross_attention(X_target, X_source, W_Q, W_K, np.array([[8.0]]))
    assert np.shape(A) == (1, 2), (
        f"one target and two source tokens make an A (1, 2), and yours is {np.shape(A)}"
    )
    assert np.allclose(np.sum(A, axis=1), 1), (
        f"each target token's row must sum to 1, yours to {np.sum(A, axis=1)}"
    )
    assert np.allclose(A, [[0.75, 0.25]]), f"the worked example gives (3/4, 1/4), and yours is {A}"
    assert np.allclose(Output, [[6]]), f"the worked example gives 6, and yours is {Output}"


# %% [markdown]
# **Reflection 1** (read by a person; it does not change the automatic mark)
#
# A decoder layer of a translation model has two attention layers. Say for each where Q, K and V come from,
# what shape its matrix has for 5 target and 7 source tokens, and what would go wrong if the second were
# "self-attention" by mistake.
#
# *Rubric: 2 = sources and shapes of both, and the consequence; 1 = one of these missing; 0 = more missing.*

# %% [markdown] reflection="two-layers"
# ### BEGIN SOLUTION
# The first is self-attention over the target: Q, K, V from the 5 target tokens, a $5 \times 5$ matrix (with a
# causal mask). The second is cross-attention: Q from the target, K and V from the encoder's 7 source tokens,
# a $5 \times 7$ matrix. If the second took K and V from the target, the decoder would never see the source
# sentence, and could only write plausible text in the target language.
#
# *A good answer names both sources, $5 \times 5$ and $5 \times 7$, and that the source would not be read.*
# ### END SOLUTION

# %% [markdown]
# ## Masks
#
# A mask is a matrix of truths: `mask[i, j]` says whether query `i` may attend to key `j`. Two that are used a
# lot:
#
# - **causal**: token $i$ attends to the tokens up to itself, $j \le i$. A language model that predicts the
#   next token must not see it.
# - **local**: token $i$ attends to its neighbours, $|i - j| \le window$. That is the cheap attention for long
#   sequences.


# %% answer="causal_mask"
def causal_mask(n):
    """Make the mask that lets each token see itself and what came before.

    n: number of tokens
    returns a bool array (n, n): True where j <= i, that is where token i may attend to token j

    By hand, the first two rows for n = 3: token 0 sees itself only, (True, False, False); token
    1 sees two, (True, True, False).
    """
    ### BEGIN SOLUTION
    return np.tril(np.ones((n, n), dtype=bool))
    ### END SOLUTION


# %% [markdown] hints="causal_mask"
# 1. Draw it for three tokens. Row: the token that asks. How many True has the first row? And the last?
# 2. Either compare two index vectors, one upright and one flat, or look up the NumPy functions for the lower
#    and the upper triangle. Is the diagonal in?
# 3. The result must hold truths, not the numbers 0 and 1: mind the `dtype`.


# %% check="causal_mask"
def check_causal_mask(causal_mask):
    mask = causal_mask(3)
    assert np.shape(mask) == (3, 3), (
        f"three tokens make a (3, 3) mask, and you return {np.shape(mask)}"
    )
    assert np.asarray(mask).dtype == bool, (
        f"a mask holds truths (bool), and yours holds {np.asarray(mask).dtype}"
    )
    assert list(mask[0]) == [True, False, False], (
        f"token 0 sees itself only, and your row is {mask[0]}"
    )
    assert list(mask[1]) == [True, True, False], (
        f"token 1 sees tokens 0 and 1, and your row is {mask[1]}"
    )


# %% answer="local_mask"
def local_mask(n, window):
    """Make the mask that lets each token see its neighbours.

    n: number of tokens; window: how far a token sees to each side; 0 means itself only
    returns a bool array (n, n): True where abs(i - j) <= window

    By hand, the first row for n = 4 and window = 1: token 0 sees itself and its right
    neighbour, (True, True, False, False).
    """
    ### BEGIN SOLUTION
    positions = np.arange(n)
    return np.abs(positions[:, None] - positions) <= window
    ### END SOLUTION


# %% [markdown] hints="local_mask"
# 1. The formula compares a number for each pair (i, j) with `window`. Which number?
# 2. `np.arange(n)` counts the tokens. Subtract it from itself so that one copy stands upright: the result is
#    an `(n, n)` table of differences.
# 3. The window counts to *each* side, and its edge is in: compare the size of the difference with `<=`.


# %% check="local_mask"
def check_local_mask(local_mask):
    mask = local_mask(4, 1)
    assert np.shape(mask) == (4, 4), (
        f"four tokens make a (4, 4) mask, and you return {np.shape(mask)}"
    )
    assert list(mask[0]) == [True, True, False, False], (
        f"token 0 sees 0 and 1, and your row is {mask[0]}"
    )
    assert np.array_equal(local_mask(3, 0), np.eye(3, dtype=bool)), (
        "with window 0 each token sees itself only"
    )


# %% [markdown]
# ## Masked attention
#
# A key that a query may not attend to gets the weight 0, and the weights of the others sum to 1: the softmax
# runs over the allowed keys only. The usual trick is a score of $-\infty$ for what is masked, since
# $e^{-\infty} = 0$.
#
# Think of two corners. A masked key must leave *no trace*, whatever numbers stand in it. And a query may have
# no allowed key at all: then there is nothing to normalize, and the agreement here is a row of zero weights
# and an output of zeros.


# %% answer="masked_attention"
def masked_attention(Q, K, V, mask):
    """Scaled dot-product attention in which each query sees its allowed keys only.

    Q: (n_q, d_k); K: (n_k, d_k); V: (n_k, d_v)
    mask: bool (n_q, n_k), True where query i may attend to key j
    returns the pair (Output, A): Output (n_q, d_v), A (n_q, n_k), 0 where the mask is False
    a row with an allowed key sums to 1; a query without any gets zero weights and a zero output row

    By hand: three keys with the scores (0, ln 3, 7) and the mask (True, True, False): softmax
    over the first two gives (1/4, 3/4), so the row of A is (1/4, 3/4, 0).
    """
    ### BEGIN SOLUTION
    S = np.where(mask, Q @ K.T / np.sqrt(K.shape[1]), -np.inf)
    # A query without allowed keys has no largest score; any finite number serves in its place.
    largest = S.max(axis=1, keepdims=True)
    exponentials = np.exp(S - np.where(np.isfinite(largest), largest, 0))
    sums = exponentials.sum(axis=1, keepdims=True)
    A = exponentials / np.where(sums > 0, sums, 1)
    return A @ V, A
    ### END SOLUTION


# %% [markdown] hints="masked_attention"
# 1. Begin with the formula that you know, and ask where in it a masked key must disappear: in the scores, or
#    in the finished weights? What do the rows sum to in each case?
# 2. `np.where(mask, scores, fill)` chooses entry by entry. Which fill has the exponential 0, however large
#    the other scores are? Multiplying scores by 0 gives a score of 0, and $e^0$ is not 0.
# 3. For a query without allowed keys follow your code by hand: what is the largest score, what the sum of the
#    exponentials, and which division gives `nan`? Replace that number, for such rows only, by one that does
#    no harm.


# %% check="masked_attention"
def check_masked_attention(masked_attention):
    Q, K = np.array([[1.0], [1.0]]), np.array([[0.0], [np.log(3.0)], [7.0]])
    V = np.array([[4.0], [8.0], [1e6]])
    mask = np.array([[True, True, False], [False, False, False]])
    Output, A = masked_attention(Q, K, V, mask)
    assert np.shape(A) == (2, 3), (
        f"two queries and three keys make an A (2, 3), and yours is {np.shape(A)}"
    )
    assert np.allclose(A[0], [0.25, 0.75, 0]), (
        f"the worked example gives (1/4, 3/4, 0), and your row is {A[0]}"
    )
    assert np.allclose(Output[0], [7]), f"1/4 of 4 and 3/4 of 8 make 7, and yours is {Output[0]}"
    assert np.allclose(A[1], 0), (
        f"a query without allowed keys gets zero weights, and yours are {A[1]}"
    )
    assert np.allclose(Output[1], 0), (
        f"a query without allowed keys gets a zero output, and yours is {Output[1]}"
    )


# %% [markdown]
# See the masks at work: the same tokens with full, causal and local attention.

# %% tags=["active-ipynb"]
# rng = np.random.default_rng(4)
# Q, K, V = rng.normal(size=(5, 3)), rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
# masks = {"full": np.ones((5, 5), dtype=bool), "causal": causal_mask(5), "local": local_mask(5, 1)}
# for name, mask in masks.items():
#     _, A = masked_attention(Q, K, V, mask)
#     print(f"{name}: {mask.sum()} of 25 pairs\n{A.round(2)}\n")

# %% [markdown]
# **Reflection 2** (read by a person; it does not change the automatic mark)
#
# Is causally masked self-attention still permutation-equivariant? Give a reason or a counterexample.
#
# *Rubric: 2 = right answer with a reason or a worked counterexample; 1 = right answer, thin reason; 0 = wrong
# or none.*

# %% [markdown] reflection="causal-equivariance"
# ### BEGIN SOLUTION
# No. The mask is tied to places, not to tokens: it stays where it is when the tokens move. Take two tokens:
# the first sees only itself, so its output is its own value. Swap them, and that token, now second, mixes
# both values. A causal mask thus brings in some order, though no distances.
#
# *A good answer says that the mask does not move with the tokens.*
# ### END SOLUTION

# %% [markdown]
# ## Cross-attention as a module
#
# In PyTorch it looks like `SelfAttention` of assignment 02, but `forward` takes two sequences. They may have
# different lengths.


# %% answer="CrossAttention"
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
        ### BEGIN SOLUTION
        d_k = d_model if d_k is None else d_k
        self.W_q = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_k, bias=False)
        ### END SOLUTION

    def forward(self, x_target, x_source):
        ### BEGIN SOLUTION
        Q, K, V = self.W_q(x_target), self.W_k(x_source), self.W_v(x_source)
        scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
        return torch.softmax(scores, dim=-1) @ V
        ### END SOLUTION


# %% [markdown] hints="CrossAttention"
# 1. What changes against `SelfAttention` of assignment 02? Begin with a copy of yours and mark the places.
# 2. `__init__` stays as it is. In `forward`, which of the three layers gets which sequence?
# 3. The output has the length of the target. If yours has the length of the source, look at which sequence
#    makes the queries.


# %% check="CrossAttention"
def check_CrossAttention(CrossAttention):
    module = CrossAttention(1)
    names = {name for name, _ in module.named_parameters()}
    assert names == {"W_q.weight", "W_k.weight", "W_v.weight"}, (
        f"W_q, W_k, W_v without bias, not {sorted(names)}"
    )
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.fill_(1.0)
    out = module(torch.tensor([[[math.log(3.0)]]]), torch.tensor([[[1.0], [0.0]]]))
    assert tuple(out.shape) == (1, 1, 1), (
        f"one target token makes an output (1, 1, 1), not {tuple(out.shape)}"
    )
    assert math.isclose(out.item(), 0.75, rel_tol=1e-5), (
        f"the worked example gives 0.75, not {out.item():.3f}"
    )
    out = CrossAttention(6, d_k=4)(torch.randn(2, 3, 6), torch.randn(2, 5, 6))
    assert tuple(out.shape) == (2, 3, 4), (
        f"3 target tokens and d_k = 4 make (2, 3, 4), not {tuple(out.shape)}"
    )


# %% [markdown]
# ## What comes next
#
# - Self-attention: Q, K, V from one sequence. Cross-attention: Q from the target, K and V from the source.
# - In the Transformer the **encoder** uses self-attention; the **decoder** uses causally masked
#   self-attention, then cross-attention to the encoder.
# - A mask acts on the scores, before softmax, and leaves no trace of what it hides.
#
# **Before you hand in:** restart the kernel and run all cells from the top.
#
# **Next:** assignment 05 runs several heads in parallel, and builds the block that is stacked.
