# %% [markdown]
# # What attention does and does not know
#
# You can compute self-attention. Now ask what it is: how to read its matrix, what it knows about the order of
# the tokens, and what it costs. In the middle of this assignment two halves meet: plain self-attention treats
# a sentence as a bag of tokens, and with positions added it no longer does.
#
# After this assignment you can
#
# - tell an attention matrix from any other matrix, and read it,
# - explain why self-attention is permutation-equivariant without position information,
# - name its common failure modes: the cost of full attention, missing positions, and self-attention confused
#   with cross-attention (assignment 04).

# %% imports=true
"""What attention does and does not know (both lessons): the reference solution."""

import numpy as np

# %% [markdown]
# ## What the attention matrix means
#
# The matrix $A = \mathrm{softmax}(Q K^\top / \sqrt{d_k})$ has the shape $n \times n$. Entry $A_{ij}$ is how
# much token $i$ weights the value of token $j$. Rows sum to 1. A large $A_{ij}$ means: when forming the
# output at $i$, borrow strongly from $j$.
#
# So a matrix can be an attention matrix only if it is square, finite and non-negative, and the
# sum of each *row* is 1. Computers round, so all but the shape is meant up to a tolerance.


# %% answer="is_attention_matrix"
def is_attention_matrix(A, atol=1e-6):
    """Decide whether A can be the attention matrix of self-attention.

    A: an array; atol: the tolerance
    returns a bool: A is square, each entry is finite and at least -atol,
    and each row's sum is within atol of 1

    By hand: [[0.9, 0.1], [0.4, 0.6]] can. [[0.9, 0.4], [0.1, 0.6]] can't: its columns sum to 1,
    its rows to 1.3 and 0.7.
    """
    ### BEGIN SOLUTION
    square = A.ndim == 2 and A.shape[0] == A.shape[1]
    if not square or not np.isfinite(A).all():
        return False
    sums = A.sum(axis=1)
    return bool(A.min() >= -atol and np.abs(sums - 1).max() <= atol)
    ### END SOLUTION


# %% [markdown] hints="is_attention_matrix"
# 1. Write the four conditions as four lines. For each, think of a matrix that breaks this one and keeps the
#    others.
# 2. `A.shape` settles the first; look up `np.isfinite` for the second. Comparing a whole array gives an array
#    of truths: which method asks whether *all* of them hold?
# 3. "Within `atol` of 1" speaks of the distance between a sum and 1, on both sides. Ask for the shape first:
#    a matrix that isn't square may fail in the other lines. Return one bool, not an array.


# %% check="is_attention_matrix"
def check_is_attention_matrix(is_attention_matrix):
    assert is_attention_matrix(np.array([[0.9, 0.1], [0.4, 0.6]])), (
        "the worked example's first matrix can be one"
    )
    cases = {
        "its columns sum to 1, its rows don't": [[0.9, 0.4], [0.1, 0.6]],
        "it has a negative entry": [[1.5, -0.5], [0.5, 0.5]],
        "it is not square": [[0.5, 0.5]],
        "it is not finite": [[np.nan, 1.0], [0.5, 0.5]],
    }
    for reason, A in cases.items():
        assert not is_attention_matrix(np.array(A)), f"{A} is no attention matrix: {reason}"


# %% answer="strongest_source"
def strongest_source(A, i):
    """Name the token that token i borrows from most.

    A: (n, n), an attention matrix; i: a token, counted from 0
    returns an int: the j with the largest A[i, j]; of equal ones the lowest

    By hand: the row (0.2, 0.5, 0.3) borrows most from token 1; the row (0.4, 0.2, 0.4) from
    token 0.
    """
    ### BEGIN SOLUTION
    return int(np.argmax(A[i]))
    ### END SOLUTION


# %% [markdown] hints="strongest_source"
# 1. Does the question "from whom does token `i` borrow" concern a row of `A` or a column?
# 2. You want the *place* of the largest entry, not the entry. NumPy has a function for the place.
# 3. Read in that function's documentation which place it gives when the largest entry occurs twice.


# %% check="strongest_source"
def check_strongest_source(strongest_source):
    A = np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4], [0.1, 0.0, 0.9]])
    assert strongest_source(A, 0) == 1, (
        f"row (0.2, 0.5, 0.3) borrows most from 1, and you say {strongest_source(A, 0)}"
    )
    assert strongest_source(A, 1) == 0, (
        f"on a tie the lowest counts, and you say {strongest_source(A, 1)}"
    )


# %% [markdown]
# ## Does attention know word order?
#
# "Self-attention already knows word order" is a common misconception. Nothing in
# $\mathrm{softmax}(Q K^\top / \sqrt{d_k})\,V$ depends on where a token stands: shuffle the tokens, and the
# same outputs come out, shuffled in the same way. A function $f$ with this property is
# **permutation-equivariant**:
#
# $$f(P X) = P\, f(X) \quad \text{for every permutation } P$$
#
# It is not the same as *invariant*, which would mean $f(P X) = f(X)$: the outputs do move, together with
# their tokens.


# %% answer="permute_tokens"
def permute_tokens(X, order):
    """Put the tokens into another order.

    X: (n, d), one token a row; order: (n,) ints, a permutation of 0 .. n-1
    returns an (n, d) array whose row i is row order[i] of X

    By hand: the tokens a, b, c in the order (2, 0, 1) become c, a, b.
    """
    ### BEGIN SOLUTION
    return X[order]
    ### END SOLUTION


# %% [markdown] hints="permute_tokens"
# 1. Tokens are rows. What does NumPy give for `X[2]`? And what if a whole array of row numbers stands between
#    the brackets?
# 2. Read the sentence "row `i` of the result is row `order[i]` of `X`" from left to right: where do you write
#    `i`, and where do you read `order[i]`?
# 3. If your result for the worked example is b, c, a, you applied the inverse: you wrote row `i` to place
#    `order[i]`.


# %% check="permute_tokens"
def check_permute_tokens(permute_tokens):
    X = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
    shuffled = permute_tokens(X, np.array([2, 0, 1]))
    assert np.shape(shuffled) == (3, 2), (
        f"shuffling keeps the shape (3, 2), and you return {np.shape(shuffled)}"
    )
    assert np.array_equal(shuffled, X[[2, 0, 1]]), (
        f"tokens a, b, c must become c, a, b, and yours are {shuffled[:, 0]}"
    )
    assert np.array_equal(X[:, 0], [1, 2, 3]), (
        "your function changed the array that it was given; return a new one"
    )


# %% answer="is_permutation_equivariant"
def is_permutation_equivariant(f, X, order, atol=1e-8):
    """Decide whether f gives shuffled outputs for shuffled tokens, on this X and this order.

    f: a function from (n, d) to (n, e); X: (n, d); order: (n,) ints, a permutation;
    atol: the tolerance of each entry
    returns a bool: f(X[order]) equals f(X)[order]

    By hand: let f add up the tokens so far, X = [[1], [2]] and order = (1, 0). f(X) = [[1], [3]],
    in the new order [[3], [1]]; but f(X[order]) = f([[2], [1]]) = [[2], [3]]. They differ:
    f knows where a token stands.
    """
    ### BEGIN SOLUTION
    shuffled_first = f(permute_tokens(X, order))
    shuffled_last = permute_tokens(f(X), order)
    return bool(np.allclose(shuffled_first, shuffled_last, rtol=0, atol=atol))
    ### END SOLUTION


# %% [markdown] hints="is_permutation_equivariant"
# 1. There are two ways from `X` to a shuffled output: shuffle, then `f`; or `f`, then shuffle. The question
#    is whether they meet.
# 2. You have a function that shuffles rows. Where in each of the two ways do you call it?
# 3. Floats that should be equal differ in the last digits, so compare with a tolerance: see `np.allclose`,
#    and mind that it has a tolerance of its own besides `atol`.


# %% check="is_permutation_equivariant"
def check_is_permutation_equivariant(is_permutation_equivariant):
    X, order = np.array([[1.0, 5.0], [2.0, 3.0], [4.0, 7.0]]), np.array([2, 0, 1])
    assert is_permutation_equivariant(lambda tokens: 2 * tokens, X, order), (
        "doubling each token is equivariant"
    )
    center = is_permutation_equivariant(lambda tokens: tokens - tokens.mean(axis=0), X, order)
    assert center, (
        "taking the mean of all tokens away is equivariant: the mean does not depend on the order"
    )
    running = is_permutation_equivariant(lambda tokens: np.cumsum(tokens, axis=0), X, order)
    assert not running, "adding up the tokens so far is not equivariant: that is the worked example"
    pooled = is_permutation_equivariant(lambda tokens: tokens[::-1], X, order)
    assert not pooled, (
        "turning the sequence around is not equivariant: it moves tokens by their place"
    )


# %% [markdown]
# ### Bring your self-attention
#
# What follows needs `self_attention(X, W_Q, W_K, W_V)` of assignment 01. Paste yours here, with the functions
# that it calls, or write it in a few lines. It has no points of its own.


# %% helper="self_attention"
def self_attention(X, W_Q, W_K, W_V):
    """Self-attention without positions, as in assignment 01: returns the pair (Output, A)."""
    ### BEGIN SOLUTION
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / np.sqrt(K.shape[1])
    exponentials = np.exp(S - S.max(axis=1, keepdims=True))
    A = exponentials / exponentials.sum(axis=1, keepdims=True)
    return A @ V, A
    ### END SOLUTION


# %% [markdown]
# Shuffle a sentence and look: is plain self-attention equivariant? And what happens to its matrix?

# %% tags=["active-ipynb"]
# rng = np.random.default_rng(3)
# tokens, order = np.array(["dog", "bites", "man"]), np.array([2, 1, 0])
# X = rng.normal(size=(3, 6))
# W_Q, W_K, W_V = (rng.normal(scale=0.4, size=(6, width)) for width in (4, 4, 5))
#
# def plain(X):
#     return self_attention(X, W_Q, W_K, W_V)[0]
#
# _, A = self_attention(X, W_Q, W_K, W_V)
# _, A_shuffled = self_attention(permute_tokens(X, order), W_Q, W_K, W_V)
# print("weights of", *tokens, "\n", A.round(2))
# print("weights of", *tokens[order], "\n", A_shuffled.round(2))
# print("plain self-attention is permutation-equivariant:", is_permutation_equivariant(plain, X, order))

# %% [markdown]
# "dog bites man" and "man bites dog" get the same weights and the same outputs, word by word. A model that
# must tell them apart needs to be told where each word stands.
#
# **Reflection 1** (read by a person; it does not change the automatic mark)
#
# Explain with the formulas why plain self-attention is permutation-equivariant. Follow a permutation through
# $Q$, $K$, $V$, $S$, $A$ and the output. Why is it not invariant?
#
# *Rubric: 2 = the permutation is followed through all steps, and invariance is told apart; 1 = one gap; 0 =
# claim only.*

# %% [markdown] reflection="why-equivariant"
# ### BEGIN SOLUTION
# The projections act on each row alone, so $PX$ gives $PQ$, $PK$, $PV$. The scores become
# $PQ (PK)^\top = P S P^\top$: rows and columns move together. Softmax works within a row and does not care in
# which order its entries stand, so $A$ becomes $P A P^\top$. The output is $P A P^\top P V = P A V$, since
# $P^\top P = I$. Each token gets the output that it had before, at its new place; so the outputs as a list
# have moved, which is why it is not invariant.
#
# *A good answer has $P S P^\top$, says that softmax acts row by row, and uses $P^\top P = I$.*
# ### END SOLUTION

# %% [markdown]
# ## Positions
#
# Order must be injected, by positional encoding or a related position scheme. The sinusoidal encoding gives
# each position $p$ a vector of its own, made of waves of different length, which is added to the embedding of
# the token that stands there:
#
# $$PE_{p,\,2i} = \sin\!\left(\frac{p}{10000^{2i/d_{model}}}\right) \qquad
# PE_{p,\,2i+1} = \cos\!\left(\frac{p}{10000^{2i/d_{model}}}\right)$$
#
# Positions count from 0. Columns $2i$ and $2i+1$ are a pair and share one wave length. Where $d_{model}$ is
# odd, the last column is a sine without a cosine.


# %% answer="positional_encoding"
def positional_encoding(n, d_model):
    """Make the sinusoidal positional encoding.

    n: number of positions; d_model: features of a token, even or odd
    returns PE: (n, d_model), PE[p, 2i] = sin(p / 10000^(2i/d_model)), PE[p, 2i+1] = cos of the same

    By hand: position 0 is (0, 1, 0, 1, ...). For d_model = 4, position 1 is
    (sin 1, cos 1, sin 0.01, cos 0.01), since 10000^(2/4) = 100; that is about
    (0.841, 0.540, 0.010, 1.000).
    """
    ### BEGIN SOLUTION
    even = np.arange(0, d_model, 2)
    angles = np.arange(n)[:, None] / 10000 ** (even / d_model)
    PE = np.empty((n, d_model))
    PE[:, 0::2] = np.sin(angles)
    PE[:, 1::2] = np.cos(angles[:, : d_model // 2])
    return PE
    ### END SOLUTION


# %% [markdown] hints="positional_encoding"
# 1. Make a table of the angles first: one row for each position, one column for each *pair* of columns of
#    `PE`. Which number goes into the exponent of the pair that fills columns 2 and 3?
# 2. `np.arange(n)[:, None]` stands upright and divides by a row of wave lengths. The exponent is the even
#    column's number over `d_model`: it runs 0, 2, 4, ...
# 3. `PE[:, 0::2]` are the even columns, `PE[:, 1::2]` the odd ones. For odd `d_model` there is one odd column
#    fewer, so not all angles get a cosine.


# %% check="positional_encoding"
def check_positional_encoding(positional_encoding):
    PE = positional_encoding(2, 4)
    assert np.shape(PE) == (2, 4), (
        f"two positions and d_model = 4 make (2, 4), and you return {np.shape(PE)}"
    )
    assert np.allclose(PE[0], [0, 1, 0, 1]), f"position 0 is (0, 1, 0, 1), and yours is {PE[0]}"
    wanted = [np.sin(1), np.cos(1), np.sin(0.01), np.cos(0.01)]
    assert np.allclose(PE[1], wanted), (
        f"the worked example gives {np.round(wanted, 3)}, and yours is {PE[1]}"
    )
    assert np.shape(positional_encoding(3, 5)) == (3, 5), "an odd d_model must work too"


# %% answer="self_attention_with_positions"
def self_attention_with_positions(X, W_Q, W_K, W_V):
    """Self-attention over tokens that know their position.

    X: (n, d_model); W_Q, W_K: (d_model, d_k); W_V: (d_model, d_v)
    returns the pair (Output, A) of self-attention over X + PE, with PE = positional_encoding(n, d_model)

    By hand: for one token of two features, X = [[3, 4]], position 0 adds (0, 1), so
    self-attention sees [[3, 5]]. With W_V = [[1, 0], [0, 1]] the output is [[3, 5]] and A is
    [[1]].
    """
    ### BEGIN SOLUTION
    return self_attention(X + positional_encoding(*X.shape), W_Q, W_K, W_V)
    ### END SOLUTION


# %% [markdown] hints="self_attention_with_positions"
# 1. Only the input of self-attention changes. What is added to it, and where does its shape come from?
# 2. You have a function for each half: one for the encoding, one for the attention.
# 3. Add the encoding to the tokens before they are projected, and make a new array for the sum: `X += ...`
#    would change the caller's tokens.


# %% check="self_attention_with_positions"
def check_self_attention_with_positions(self_attention_with_positions):
    X = np.array([[3.0, 4.0]])
    result = self_attention_with_positions(X, np.ones((2, 3)), np.ones((2, 3)), np.eye(2))
    assert len(result) == 2, f"return a pair (Output, A); yours has {len(result)} parts"
    Output, A = result
    assert np.shape(A) == (1, 1), f"one token makes an A (1, 1), and yours is {np.shape(A)}"
    assert np.allclose(Output, [[3, 5]]), f"the worked example gives (3, 5), and yours is {Output}"
    assert np.array_equal(X, [[3, 4]]), (
        "your function changed the tokens that it was given; make a new array"
    )


# %% [markdown]
# ### The two halves meet

# %% tags=["active-ipynb"]
# def with_positions(X):
#     return self_attention_with_positions(X, W_Q, W_K, W_V)[0]
#
# for name, f in (("plain self-attention", plain), ("with positions", with_positions)):
#     same = is_permutation_equivariant(f, X, order)
#     moved = np.abs(f(permute_tokens(X, order)) - permute_tokens(f(X), order)).max()
#     print(f"{name:22} equivariant: {same!s:5}  largest difference: {moved:.1e}")

# %% [markdown]
# Now "dog bites man" and "man bites dog" are two different things.
#
# ## How sharp is a row?
#
# A row of $A$ may put all weight on one token, or spread it evenly. Its **entropy** measures this, in nats:
#
# $$H_i = -\sum_{j} A_{ij} \ln A_{ij} \qquad 0 \ln 0 = 0$$
#
# It lies between 0 (all weight on one token) and $\ln n$ (the same weight on all).


# %% answer="row_entropy"
def row_entropy(A):
    """Measure how widely each token spreads its attention.

    A: (n_q, n_k), each row a distribution
    returns (n_q,) entropies in nats: minus the sum over j of A[i, j] ln A[i, j], where 0 ln 0 = 0

    By hand: the row (1, 0) has 0; the row (1/2, 1/2) has -(1/2 ln 1/2 + 1/2 ln 1/2) = ln 2,
    about 0.693.
    """
    ### BEGIN SOLUTION
    logarithms = np.log(np.where(A > 0, A, 1))
    return -(A * logarithms).sum(axis=1)
    ### END SOLUTION


# %% [markdown] hints="row_entropy"
# 1. First write it for rows without zeros: one product, one sum. Over which axis?
# 2. `np.log(0)` is minus infinity, and 0 times infinity is `nan`, not 0. Which number could stand in for 0
#    *inside the logarithm*, so that the term vanishes?
# 3. `np.where(condition, a, b)` chooses entry by entry. Choose before you take the logarithm, not after.
#    Adding a tiny number to all entries would change all rows a little.


# %% check="row_entropy"
def check_row_entropy(row_entropy):
    entropies = row_entropy(np.array([[0.5, 0.5], [1.0, 0.0]]))
    assert np.shape(entropies) == (2,), (
        f"two rows have two entropies, and you return the shape {np.shape(entropies)}"
    )
    assert np.isfinite(entropies).all(), (
        f"a weight of 0 adds nothing, and your entropies are {entropies}"
    )
    assert np.allclose(entropies, [np.log(2), 0]), (
        f"the worked example gives ln 2 and 0, and yours are {entropies}"
    )


# %% [markdown]
# ## What full attention costs
#
# Every token is compared with every token. Count the multiplications of numbers in the two matrix products,
# and the entries of the matrix between them:
#
# - the scores $Q K^\top$: $n \cdot n$ dot products of length $d_k$,
# - the weights $A$: $n \cdot n$ entries that must be stored,
# - the output $A V$: $n \cdot n$ weights, each times a value of length $d_v$.


# %% answer="attention_cost"
def attention_cost(n, d_k, d_v):
    """Count what full self-attention costs beyond its projections.

    n: number of tokens; d_k: length of a query and of a key; d_v: length of a value
    returns a dict of ints: score_multiplications n·n·d_k, weight_entries n·n,
    output_multiplications n·n·d_v

    By hand, the first for n = 3, d_k = 2, d_v = 5: there are 9 pairs of tokens, and each dot
    product multiplies twice, so "score_multiplications": 18.
    """
    ### BEGIN SOLUTION
    return {
        "score_multiplications": n * n * d_k,
        "weight_entries": n * n,
        "output_multiplications": n * n * d_v,
    }
    ### END SOLUTION


# %% [markdown] hints="attention_cost"
# 1. How many (query, key) pairs are there? Each of the three counts contains that number.
# 2. A dot product of two vectors of length 7 multiplies seven times. How long are the vectors that are
#    compared? And those that are mixed?
# 3. Check with small numbers by writing a product out: count every single multiplication for two tokens.


# %% check="attention_cost"
def check_attention_cost(attention_cost):
    cost = attention_cost(3, 2, 5)
    wanted = {"score_multiplications", "weight_entries", "output_multiplications"}
    assert set(cost) == wanted, f"these keys are missing or too many: {sorted(set(cost) ^ wanted)}"
    scores = cost["score_multiplications"]
    assert scores == 18, (
        f"9 pairs times 2 multiplications make 18 for the scores, and you count {scores}"
    )
    doubled = attention_cost(6, 2, 5)
    for name in wanted:
        assert doubled[name] == 4 * cost[name], f"twice the tokens make four times the {name}"


# %% tags=["active-ipynb"]
# for n in (512, 1024, 2048, 4096):
#     print(f"n = {n:5}: {attention_cost(n, 64, 64)['weight_entries']:12,} weights")

# %% [markdown]
# Twice the length, four times the cost: full attention takes quadratic time and memory, $O(n^2)$. The matrix
# is interpretable, and it is what makes long sequences expensive. The projections cost
# $n \cdot d_{model} \cdot (2 d_k + d_v)$ besides, which grows with $n$ only once.
#
# **Reflection 2** (read by a person; it does not change the automatic mark)
#
# You are to summarize documents of 100 000 tokens. What would full attention cost there, compared with
# documents of 1000? When would you prefer sparse or local attention in place of full self-attention, and what
# would you give up?
#
# *Rubric: 2 = the factor is right, and the choice is weighed with what it loses; 1 = one of them; 0 =
# neither.*

# %% [markdown] reflection="cost-of-length"
# ### BEGIN SOLUTION
# A hundred times the tokens make 10 000 times the weights: $10^{10}$ in place of $10^6$ for each head and
# layer. Local attention with a window $w$ needs about $2 w n$ weights and suits texts in which most of what
# matters is near. It gives up direct links between far tokens: what stands in the first chapter reaches the
# last only over many layers, or over a few tokens that may see everything. Where each pair may matter and
# sequences are short, full attention is simpler and better.
#
# *A good answer has the factor 10 000 and names long-range dependencies as the price.*
# ### END SOLUTION

# %% [markdown]
# ## What comes next
#
# - $A$ is readable: rows are distributions, and a large $A_{ij}$ says that $i$ borrows from $j$.
# - Order is not intrinsic; it comes in with positional encoding.
# - The $n \times n$ matrix is interpretable but quadratic in length.
#
# **Before you hand in:** restart the kernel and run all cells from the top.
#
# **Next:** assignment 04 lets one sequence read another (cross-attention), and keeps chosen tokens out of
# reach (masks).
