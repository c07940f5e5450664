# %% [markdown]
# # Self-attention as a PyTorch module
#
# Earlier lectures introduced queries, keys, values and scaled dot-product attention. **Self-attention** is
# attention where queries, keys and values are all derived from the same input sequence: each position makes a
# weighted combination of value vectors of that sequence, with weights from the similarity of its query with
# every key.
#
# This computation lets an encoder or a language model build contextual representations without recurrence. It
# is what you need before cross-attention, multi-head attention and the full Transformer of Module 10.2.
#
# After this assignment you can
#
# - define self-attention and state where Q, K and V come from,
# - write its matrix form and interpret the attention weights,
# - implement a minimal self-attention block in PyTorch.
#
# Sibling topics of this module: Attention, Attention Score, Scaled Dot-Product Attention, Encoder, Decoder.

# %% imports=true
"""Self-attention as a PyTorch module (Module 10.1): the reference solution."""

import math

import torch
from torch import nn

# %% [markdown]
# ## Scaled dot-product attention
#
# Given queries, keys and values, four steps make the output; the first, **project**, comes later in the
# module:
#
# 1. **Project**: map $X$ to $Q$, $K$, $V$.
# 2. **Score**: compute the scaled similarities $Q K^\top / \sqrt{d_k}$.
# 3. **Softmax**: turn the scores into attention weights, one row for each query.
# 4. **Aggregate**: multiply the weights by $V$ to get contextual outputs.
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V$$
#
# In PyTorch the matrices come in stacks: `(batch, n, d_k)`, or `(batch, heads, n, d_k)`, or a single
# `(n, d_k)`. Only the last two dimensions take part in attention; everything in front of them is carried
# along. One sequence of a batch never sees another.


# %% answer="scaled_dot_product_attention"
def scaled_dot_product_attention(Q, K, V):
    """Scaled dot-product attention for any number of leading dimensions.

    Q: (..., n_q, d_k); K: (..., n_k, d_k); V: (..., n_k, d_v); there may be no leading dimensions
    returns the pair (output (..., n_q, d_v), weights (..., n_q, n_k)); each row of weights sums to 1
    weights = softmax(Q K^T / sqrt(d_k)), output = weights V

    By hand: the query (2 ln 3, 0, 0, 0) and the keys (1, 0, 0, 0), (0, 1, 0, 0) have the scores
    (2 ln 3, 0). Divided by sqrt(4) they are (ln 3, 0), and the weights are (3/4, 1/4). With the
    values 4 and 8 the output is 3 + 2 = 5.
    """
    ### BEGIN SOLUTION
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
    ### END SOLUTION


# %% [markdown] hints="scaled_dot_product_attention"
# 1. Write it for one sequence, `(n, d_k)`, first. Which two dimensions of `K` change places? Count them from
#    the end, and any number of leading dimensions will do.
# 2. `@` multiplies the last two dimensions and carries the others along. `K.T` turns *all* dimensions around;
#    look for the method that swaps two that you name.
# 3. The softmax runs over the keys, that is over the columns of each row of scores: which `dim` is that,
#    counted from the end? The number under the root is the size of that dimension of `Q` which disappears in
#    the product.


# %% check="scaled_dot_product_attention"
def check_scaled_dot_product_attention(scaled_dot_product_attention):
    Q = torch.tensor([[2 * math.log(3.0), 0.0, 0.0, 0.0]])
    K, V = torch.eye(4)[:2], torch.tensor([[4.0], [8.0]])
    result = scaled_dot_product_attention(Q, K, V)
    assert len(result) == 2, f"return a pair (output, weights); yours has {len(result)} parts"
    output, weights = result
    assert tuple(weights.shape) == (1, 2), (
        f"one query and two keys make weights (1, 2), not {tuple(weights.shape)}"
    )
    assert torch.allclose(weights.sum(-1), torch.ones(1)), (
        f"a row of weights must sum to 1, yours to {weights.sum()}"
    )
    assert torch.allclose(weights, torch.tensor([[0.75, 0.25]])), (
        f"the worked example gives (3/4, 1/4), not {weights}"
    )
    assert torch.allclose(output, torch.tensor([[5.0]])), (
        f"the worked example gives 5, and your output is {output}"
    )
    stacked, _ = scaled_dot_product_attention(
        Q.expand(3, 2, 1, 4), K.expand(3, 2, 2, 4), V.expand(3, 2, 2, 1)
    )
    assert tuple(stacked.shape) == (3, 2, 1, 1), (
        f"leading dimensions (3, 2) must stay, and you return {stacked.shape}"
    )


# %% [markdown]
# ## The module
#
# Given a sequence matrix $X \in \mathbb{R}^{n \times d}$ ($n$ tokens, $d$ features), the module learns three
# projections:
#
# $$Q = X W_Q \qquad K = X W_K \qquad V = X W_V$$
#
# and applies scaled dot-product attention to them. The softmax row of token $i$ is a distribution over the
# $n$ positions of the same sequence. That is the "self" in self-attention: the sequence attends to itself.
#
# Each projection is an `nn.Linear` without bias, and the three are separate: a token needs another vector
# when it asks than when it is found. Give them the names `W_q`, `W_k`, `W_v`, so that their weights can be
# loaded. PyTorch stores the weight of `nn.Linear(d_model, d_k)` as `(d_k, d_model)` and multiplies by its
# transpose; calling the layer does the right thing.


# %% answer="SelfAttention"
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
        ### BEGIN SOLUTION
        d_k = d_model if d_k is None else d_k
        self.W_q = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_k, bias=False)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        output, _ = scaled_dot_product_attention(self.W_q(x), self.W_k(x), self.W_v(x))
        return output
        ### END SOLUTION


# %% [markdown] hints="SelfAttention"
# 1. `__init__` makes the three layers and keeps them as attributes; `forward` uses them. What does `d_k=None`
#    mean for the size of the layers?
# 2. `nn.Linear` takes the number of features that come in, the number that go out, and whether there is a
#    `bias`. Make three of them: one layer used three times would make queries, keys and values equal.
# 3. In `forward`, call each layer on `x`, hand the three results to the function that you wrote above, and
#    return only the first part of its pair. Do not make layers here: they would be new, and untrained, at
#    every call.


# %% check="SelfAttention"
def check_SelfAttention(SelfAttention):
    module = SelfAttention(1)
    names = {name: tuple(parameter.shape) for name, parameter in module.named_parameters()}
    assert set(names) == {"W_q.weight", "W_k.weight", "W_v.weight"}, (
        f"W_q, W_k, W_v without bias, not {sorted(names)}"
    )
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.fill_(1.0)
    out = module(torch.tensor([[[0.0], [math.log(3.0)]]]))
    assert tuple(out.shape) == (1, 2, 1), (
        f"(batch, n, d_model) = (1, 2, 1) makes (1, 2, 1), not {tuple(out.shape)}"
    )
    first = out[0, 0, 0].item()
    assert math.isclose(first, math.log(3.0) / 2, rel_tol=1e-5), (
        f"the worked example gives 0.549, not {first:.3f}"
    )
    narrow = SelfAttention(6, d_k=4)
    out = narrow(torch.randn(2, 5, 6))
    assert tuple(out.shape) == (2, 5, 4), (
        f"d_model = 6 and d_k = 4 make (2, 5, 4), not {tuple(out.shape)}"
    )
    out.sum().backward()
    untouched = [name for name, parameter in narrow.named_parameters() if parameter.grad is None]
    assert not untouched, f"no gradient reaches {', '.join(untouched)}, so it would never learn"


# %% [markdown]
# Look at what you built. The output has the shape of the input, so that such layers can be stacked:

# %% tags=["active-ipynb"]
# x = torch.randn(2, 8, 32)
# out = SelfAttention(32)(x)
# print(x.shape, "->", out.shape)

# %% [markdown]
# Print the weights for a tiny sequence and verify that each row sums to about 1.0:

# %% tags=["active-ipynb"]
# torch.manual_seed(0)
# module, x = SelfAttention(4, d_k=3), torch.randn(5, 4)
# _, weights = scaled_dot_product_attention(module.W_q(x), module.W_k(x), module.W_v(x))
# print(weights.detach().numpy().round(2))
# print("row sums:", weights.sum(-1).detach().numpy().round(4))

# %% [markdown]
# **Reflection 1** (read by a person; it does not change the automatic mark)
#
# Where do Q, K and V come from in self-attention? Some say that they are "shared projections" of the input.
# What is shared in your module, and what is not? What could the model no longer do if `W_q` and `W_k` were
# one layer?
#
# *Rubric: 2 = the source is named, and shared input is told from separate weights with a consequence; 1 = one
# of them; 0 = neither.*

# %% [markdown] reflection="shared-projections"
# ### BEGIN SOLUTION
# All three are projected from the same input sequence. The input is shared, and each projection is shared by
# all positions; the three weight matrices are separate. With one layer for queries and keys the scores
# $Q Q^\top$ would be symmetric: token $i$ would score $j$ as $j$ scores $i$, and a token would tend to look
# at what resembles itself. "The adjective looks for its noun, the noun doesn't care" could not be learned.
#
# *A good answer says "same input, different learned weights" and names symmetry of the scores or the loss of
# separate roles.*
# ### END SOLUTION

# %% [markdown]
# ## Counting parameters
#
# The learned numbers of the module are the entries of its three weight matrices. There is no bias. Note what
# the count does *not* depend on.


# %% answer="parameter_count"
def parameter_count(d_model, d_k=None):
    """Count the learned numbers of SelfAttention(d_model, d_k).

    d_model, d_k: ints; d_k defaults to d_model
    returns an int: the entries of W_q, W_k and W_v, each (d_model, d_k)

    By hand: one projection from d_model = 2 to d_k = 5 has 2 · 5 = 10 entries, and there are as
    many for each of the other two.
    """
    ### BEGIN SOLUTION
    return 3 * d_model * (d_model if d_k is None else d_k)
    ### END SOLUTION


# %% [markdown] hints="parameter_count"
# 1. How many entries has a matrix of `d_model` rows and `d_k` columns? How many such matrices are there?
# 2. When `d_k` is not given, use the same default as the module does.
# 3. Compare with the module itself: add up `parameter.numel()` over `SelfAttention(2, 5).parameters()` and
#    see whether your formula agrees.


# %% check="parameter_count"
def check_parameter_count(parameter_count):
    count = parameter_count(2, 5)
    assert count != 10, "10 is the count of one projection, and the module has three"
    assert count == 30, f"three projections with 10 entries each have 30, and you count {count}"
    assert parameter_count(4) == parameter_count(4, 4), "without d_k the module uses d_model for it"


# %% [markdown]
# ## Strengths and tradeoffs
#
# | strengths | tradeoffs |
# |---|---|
# | direct pairwise interactions in one step | quadratic cost in sequence length, $O(n^2)$ |
# | highly parallel across positions, unlike an RNN | no built-in order without positional encoding |
# | foundation for Transformers and modern NLP and CV | needs residuals and norms for deep stacks |
#
# **Reflection 2** (read by a person; it does not change the automatic mark)
#
# The parameter count does not depend on $n$, yet long texts are expensive. What grows with $n$, and how? When
# would you prefer sparse or local attention, in which a token attends to some others only?
#
# *Rubric: 2 = the quadratic matrix is named, with a case for local attention and what it loses; 1 = one of
# them; 0 = neither.*

# %% [markdown] reflection="local-attention"
# ### BEGIN SOLUTION
# The score matrix has $n^2$ entries, so time and memory grow with the square of the length: twice the text,
# four times the matrix. Sparse or local attention pays where sequences are long and most of what matters is
# near, as in audio, long documents or high-resolution images: with a window $w$ the cost is about $n w$. It
# loses direct links between far tokens; they need several layers, or some tokens that see everything.
#
# *A good answer names the $n \times n$ matrix and weighs the saving against long-range dependencies.*
# ### END SOLUTION

# %% [markdown]
# ## What comes next
#
# You can now say where Q, K and V come from and build the block that does it.
#
# - Production models almost never stop at a single head: **multi-head attention** runs several self-attention
#   subspaces in parallel and concatenates them. That is assignment 05.
# - When keys and values come from another sequence, it is **cross-attention**: assignment 04.
#
# **Before you hand in:** restart the kernel and run all cells from the top.
#
# **Next:** assignment 03 asks what attention knows about order, and what it costs.
