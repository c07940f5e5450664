# %% [markdown]
# # Many heads, and the block around them
#
# Production models almost never stop at a single head. **Multi-head attention** runs several self-attention
# subspaces in parallel and concatenates them. Stacks also wrap attention with **residual connections**,
# **layer normalization** and a position-wise **feed-forward network**: that is the encoder block of the
# Transformer. This assignment extends the lessons; they name both as what comes next.
#
# After this assignment you can
#
# - split features into heads and join them again,
# - implement multi-head self-attention and the encoder block in PyTorch,
# - say why deep stacks need residuals and norms.

# %% imports=true
"""Many heads, and the block around them (extension): the reference solution."""

import math

import torch
from torch import nn

# %% [markdown]
# ## Heads
#
# One head has one attention matrix: each token can look for one thing. With $H$ heads the $d_{model}$
# features are cut into $H$ blocks of $d_{head} = d_{model} / H$, and each block attends by itself. Nothing is
# added and nothing lost: splitting is only another view of the same numbers,
#
# $$(batch,\ n,\ d_{model}) \;\longleftrightarrow\; (batch,\ H,\ n,\ d_{head})$$
#
# Head $h$, counted from 0, is the $h$-th block of $d_{head}$ neighbouring features, of *every* token. The head
# comes in front of $n$, so that attention, which works on the last two dimensions, runs for each head alone.


# %% answer="split_heads"
def split_heads(x, num_heads):
    """Cut the features of each token into heads.

    x: (batch, n, d_model); num_heads: a divisor of d_model
    returns (batch, num_heads, n, d_head) with d_head = d_model / num_heads;
    head h is the h-th block of d_head features

    By hand: the tokens (0, 1, 2, 3) and (4, 5, 6, 7) with two heads: head 0 holds (0, 1) and
    (4, 5), head 1 holds (2, 3) and (6, 7).
    """
    ### BEGIN SOLUTION
    batch, n, _ = x.shape
    return x.reshape(batch, n, num_heads, -1).transpose(1, 2)
    ### END SOLUTION


# %% [markdown] hints="split_heads"
# 1. Do it in two moves. The first cuts the last dimension in two and moves nothing; the second swaps two
#    dimensions. Which two?
# 2. After the first move the shape is `(batch, n, num_heads, d_head)`. `reshape` cuts a dimension,
#    `transpose` swaps two.
# 3. Reshaping straight to the wanted shape gives the right *shape* and the wrong numbers: it would put
#    features of one token into several rows. Try the worked example to see it.


# %% check="split_heads"
def check_split_heads(split_heads):
    x = torch.arange(8.0).reshape(1, 2, 4)
    heads = split_heads(x, 2)
    assert tuple(heads.shape) == (1, 2, 2, 2), (
        f"(1, 2, 4) in two heads makes (1, 2, 2, 2), not {tuple(heads.shape)}"
    )
    first = heads[0, 0].tolist()
    assert first == [[0, 1], [4, 5]], (
        f"head 0 holds (0, 1) and (4, 5), the first features of each token, not {first}"
    )
    wide = split_heads(torch.zeros(2, 5, 6), 3)
    assert tuple(wide.shape) == (2, 3, 5, 2), (
        f"(2, 5, 6) in three heads makes (2, 3, 5, 2), not {tuple(wide.shape)}"
    )


# %% answer="merge_heads"
def merge_heads(x):
    """Join the heads of each token: the inverse of split_heads.

    x: (batch, num_heads, n, d_head)
    returns (batch, n, d_model) with d_model = num_heads · d_head;
    block h of a token's features is its head h

    By hand: head 0 with (0, 1), (4, 5) and head 1 with (2, 3), (6, 7) make the tokens
    (0, 1, 2, 3) and (4, 5, 6, 7).
    """
    ### BEGIN SOLUTION
    return x.transpose(1, 2).flatten(start_dim=2)
    ### END SOLUTION


# %% [markdown] hints="merge_heads"
# 1. The inverse of two moves undoes the last one first. What was the last move of `split_heads`?
# 2. Bring the head next to its features again, then make one dimension of the two.
# 3. `view` complains about tensors whose memory was swapped; `reshape` and `flatten` don't.


# %% check="merge_heads"
def check_merge_heads(merge_heads):
    heads = torch.tensor([[[[0.0, 1], [4, 5]], [[2, 3], [6, 7]]]])
    x = merge_heads(heads)
    assert tuple(x.shape) == (1, 2, 4), (
        f"two heads of two features make (1, 2, 4), not {tuple(x.shape)}"
    )
    first = x[0, 0].tolist()
    assert first == [0, 1, 2, 3], f"the first token is (0, 1, 2, 3) again, not {first}"
    x = merge_heads(torch.zeros(2, 3, 5, 2))
    assert tuple(x.shape) == (2, 5, 6), (
        f"three heads of two features make (2, 5, 6), not {tuple(x.shape)}"
    )


# %% [markdown]
# ## Multi-head self-attention
#
# Project once to all heads, split, let each head attend with its own scale $\sqrt{d_{head}}$, merge, and mix
# the heads with a fourth matrix:
#
# $$Q, K, V = X W_Q,\ X W_K,\ X W_V \qquad
# head_h = \mathrm{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{d_{head}}}\right) V_h$$
#
# $$\mathrm{MultiHead}(X) = \mathrm{Concat}(head_0, \ldots, head_{H-1})\, W_O$$
#
# Each of the four matrices is $d_{model} \times d_{model}$, so the number of parameters does not depend on
# the number of heads.


# %% answer="MultiHeadSelfAttention"
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
        ### BEGIN SOLUTION
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads do not divide {d_model} features")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        Q, K, V = (
            split_heads(project(x), self.num_heads) for project in (self.W_q, self.W_k, self.W_v)
        )
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        heads = torch.softmax(scores, dim=-1) @ V
        return self.W_o(merge_heads(heads))
        ### END SOLUTION


# %% [markdown] hints="MultiHeadSelfAttention"
# 1. Write down the shape after each step: project, split, score, softmax, aggregate, merge, mix. Which step
#    needs the number of heads, so that `__init__` must remember it?
# 2. After splitting, attention is the same code as for one head: everything in front of the last two
#    dimensions is carried along. How long is a key now?
# 3. Check `d_model % num_heads` before you make any layer. At the end merge first, then call the fourth
#    layer: it mixes what the heads found.


# %% check="MultiHeadSelfAttention"
def check_MultiHeadSelfAttention(MultiHeadSelfAttention):
    module = MultiHeadSelfAttention(2, 2)
    names = {name for name, _ in module.named_parameters()}
    wanted = {"W_q.weight", "W_k.weight", "W_v.weight", "W_o.weight"}
    assert names == wanted, f"W_q, W_k, W_v, W_o without bias, not {sorted(names)}"
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.eye(2))
    out = module(torch.tensor([[[0.0, 0.0], [math.log(3.0), 0.0]]]))
    assert tuple(out.shape) == (1, 2, 2), (
        f"the output has the input's shape (1, 2, 2), not {tuple(out.shape)}"
    )
    first = out[0, 0]
    close = torch.allclose(first, torch.tensor([math.log(3.0) / 2, 0.0]), atol=1e-5)
    assert close, f"the worked example gives (0.549, 0), not {first.tolist()}"
    try:
        MultiHeadSelfAttention(6, 4)
    except ValueError:
        return
    raise AssertionError("4 heads do not divide 6 features: that must raise a ValueError")


# %% [markdown]
# **Reflection 1** (read by a person; it does not change the automatic mark)
#
# "Eight heads cost eight times as much as one." Is that so? Compare the parameters and the multiplications of
# one head of width $d_{model}$ with $H$ heads of width $d_{model}/H$. What do more heads buy?
#
# *Rubric: 2 = both comparisons with numbers, and what is gained; 1 = one missing; 0 = more missing.*

# %% [markdown] reflection="cost-of-heads"
# ### BEGIN SOLUTION
# No. The four matrices have $4 d_{model}^2$ entries whatever $H$ is. The scores take $n^2 \cdot d_{model}/H$
# multiplications a head, $n^2 d_{model}$ in all, as with one head; the same holds for the outputs. Only the
# number of weights grows, $H n^2$. What it buys: $H$ distributions in place of one, so that a token can look
# for several things at once, each in a smaller subspace.
#
# *A good answer sees that $H$ cancels in the products, and names several attention patterns as the gain.*
# ### END SOLUTION

# %% [markdown]
# ## The encoder block
#
# Deep stacks of attention alone do not train well. The block of the original Transformer wraps it:
#
# $$x \leftarrow \mathrm{LayerNorm}_1(x + \mathrm{Attention}(x)) \qquad
# x \leftarrow \mathrm{LayerNorm}_2(x + \mathrm{FeedForward}(x))$$
#
# - the **residual** ($x + \ldots$) lets signal and gradient pass even where a layer does nothing yet,
# - the **norm** keeps each token's features at one scale, whatever the depth,
# - the **feed-forward network** works on each token alone: up to $d_{ff}$ features, a ReLU, and back.
#
# This order is called *post-norm*: the norm comes after the sum. (Many newer models put it before the layer.)


# %% answer="EncoderBlock"
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
        ### BEGIN SOLUTION
        self.attention = MultiHeadSelfAttention(d_model, num_heads)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)
        )
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.feed_forward(x))
        ### END SOLUTION


# %% [markdown] hints="EncoderBlock"
# 1. The docstring lists four parts with their names. Which are PyTorch's own, and which one have you just
#    written?
# 2. In `forward` the first formula makes a new `x`; the second works on that one, not on the input.
# 3. Look closely at what stands inside the brackets of each norm: the sum of what came in and what the layer
#    made of it, not the layer's output alone.


# %% check="EncoderBlock"
def check_EncoderBlock(EncoderBlock):
    block = EncoderBlock(2, 1, 3)
    parts = {name for name, _ in block.named_children()}
    wanted = {"attention", "norm1", "norm2", "feed_forward"}
    assert parts == wanted, (
        f"the parts are attention, norm1, norm2 and feed_forward, not {sorted(parts)}"
    )
    with torch.no_grad():
        for parameter in [*block.attention.parameters(), *block.feed_forward.parameters()]:
            parameter.zero_()
    out = block(torch.tensor([[[1.0, 3.0]]]))
    assert tuple(out.shape) == (1, 1, 2), (
        f"the output has the input's shape (1, 1, 2), not {tuple(out.shape)}"
    )
    close = torch.allclose(out, torch.tensor([[[-1.0, 1.0]]]), atol=1e-3)
    assert close, f"the worked example gives (-1, 1), not {out.flatten().tolist()}"


# %% [markdown]
# Blocks are made to be stacked: the shape stays, and so does the scale of the features.

# %% tags=["active-ipynb"]
# torch.manual_seed(0)
# x = torch.randn(2, 8, 32)
# for depth, block in enumerate([EncoderBlock(32, 4, 64) for _ in range(6)], start=1):
#     x = block(x)
#     print(f"after block {depth}: shape {tuple(x.shape)}, spread {x.std().item():.2f}")

# %% [markdown]
# **Reflection 2** (read by a person; it does not change the automatic mark)
#
# Take the residual connections out of the loop above in your mind: six blocks of `norm(layer(x))`. What
# happens to the gradient that should reach the first block? And which part of the block mixes tokens, which
# treats each token alone?
#
# *Rubric: 2 = both, with reasons; 1 = one; 0 = neither.*

# %% [markdown] reflection="residuals"
# ### BEGIN SOLUTION
# Without residuals the gradient must pass through every layer's Jacobian; each shrinks or distorts it, and
# the product over many layers loses the signal. With $x + f(x)$ there is always a direct path of factor 1.
# Only attention mixes tokens; the feed-forward network and the norms treat each token alone.
#
# *A good answer names the direct path (or the product of Jacobians), and attention as the only mixing part.*
# ### END SOLUTION

# %% [markdown]
# ## What comes next
#
# You have built what an encoder stacks: attention with several heads, residuals, norms, a feed-forward
# network. With a causal mask and cross-attention between them it becomes a decoder.
#
# **Before you hand in:** restart the kernel and run all cells from the top.
#
# **Next:** in assignment 06 you write the tests yourself, for attention that you cannot see.
