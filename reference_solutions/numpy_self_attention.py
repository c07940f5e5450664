# %% [markdown]
# # Self-attention in NumPy, step by step
#
# Self-attention is the core building block of the Transformer. It lets every token of a sequence attend to
# every other token, so that a model can use long-range dependencies and context without stepping through the
# sequence.
#
# Here you build it from the embeddings to the output, one small function at a time. You meet these topics:
# **query, key, value, attention score, scaling, attention matrix, attention output**.
#
# | symbol | shape | meaning |
# |---|---|---|
# | $n$ | | sequence length: the number of tokens |
# | $d_{model}$ | | embedding dimension: the number of features of a token |
# | $d_k$ | | length of a query and of a key |
# | $d_v$ | | length of a value |
# | $X$ | $(n, d_{model})$ | the input embeddings, one token a row |
# | $W_Q, W_K$ | $(d_{model}, d_k)$ | the projections to queries and keys |
# | $W_V$ | $(d_{model}, d_v)$ | the projection to values |
#
# The input of self-attention is the embedding matrix $X \in \mathbb{R}^{n \times d_{model}}$: row $i$ is
# token $i$.

# %% imports=true
"""Self-attention in NumPy, step by step (Module 8): the reference solution."""

import numpy as np

# %% [markdown]
# ## Matrix dimensions
#
# Most mistakes with attention are mistakes of shape. Before you compute anything, write down what every
# matrix will look like, for any $n$, $d_{model}$, $d_k$ and $d_v$. Three facts settle all of it:
#
# - A product of an $(a, b)$ matrix and a $(b, c)$ matrix has the shape $(a, c)$.
# - A query is compared with a key by a dot product, so both have the length $d_k$. A value may have another
#   length.
# - Every token is scored against every token.


# %% answer="matrix_dimensions"
def matrix_dimensions(n, d_model, d_k, d_v):
    """Name the shape of every matrix in self-attention.

    n: number of tokens; d_model: features of a token;
    d_k: length of a query and of a key; d_v: length of a value
    returns a dict of tuples with the keys X, W_Q, W_K, W_V, Q, K, V, S, A, Output

    By hand, the first two for n = 4, d_model = 6, d_k = 3, d_v = 5: X holds four tokens of six
    features, so "X": (4, 6); W_Q takes six features to three, so "W_Q": (6, 3).
    """
    ### BEGIN SOLUTION
    return {
        "X": (n, d_model),
        "W_Q": (d_model, d_k),
        "W_K": (d_model, d_k),
        "W_V": (d_model, d_v),
        "Q": (n, d_k),
        "K": (n, d_k),
        "V": (n, d_v),
        "S": (n, n),
        "A": (n, n),
        "Output": (n, d_v),
    }
    ### END SOLUTION


# %% [markdown] hints="matrix_dimensions"
# 1. Write the chain down on paper: which two matrices are multiplied to make `Q`? Which to make `S`? Which to
#    make `Output`?
# 2. In each product the inner sizes must agree and disappear. `X` is `(n, d_model)` and `Q` has one query for
#    each token: what must stand left and right in the shape of `W_Q`?
# 3. Count entries: `S` has one entry for each pair (query, key). `A` is `S` after scaling and softmax, which
#    change no shape. `Output` has one row for each token, and each row is a mixture of values.


# %% check="matrix_dimensions"
def check_matrix_dimensions(matrix_dimensions):
    shapes = matrix_dimensions(n=4, d_model=6, d_k=3, d_v=5)
    wanted = {"X", "W_Q", "W_K", "W_V", "Q", "K", "V", "S", "A", "Output"}
    assert set(shapes) == wanted, (
        f"these keys are missing or too many: {sorted(set(shapes) ^ wanted)}"
    )
    assert tuple(shapes["X"]) == (4, 6), (
        f"X holds 4 tokens of 6 features, and you say {shapes['X']}"
    )
    assert tuple(shapes["W_Q"]) == (6, 3), f"W_Q takes 6 features to 3, and you say {shapes['W_Q']}"
    for left, right, product in (("X", "W_K", "K"), ("X", "W_V", "V"), ("A", "V", "Output")):
        assert shapes[left][1] == shapes[right][0], (
            f"{left} @ {right} can't be multiplied with these shapes"
        )
        fits = tuple(shapes[product]) == (shapes[left][0], shapes[right][1])
        assert fits, f"{left} @ {right} does not have the shape that you give for {product}"


# %% [markdown]
# ## Queries, keys and values
#
# Self-attention turns the embeddings into three other views of the same tokens before it compares anything:
#
# - the **query** of a token: what it looks for,
# - the **key** of a token: what it offers to be found by,
# - the **value** of a token: what it hands over when it is found.
#
# Each view has a projection of its own, and each is learned:
#
# $$Q = X W_Q \qquad K = X W_K \qquad V = X W_V$$
#
# $$W_Q, W_K \in \mathbb{R}^{d_{model} \times d_k} \qquad W_V \in \mathbb{R}^{d_{model} \times d_v}$$
#
# $$Q, K \in \mathbb{R}^{n \times d_k} \qquad V \in \mathbb{R}^{n \times d_v}$$
#
# All three come from the same $X$: that is the *self* in self-attention. Row $i$ of each belongs to token
# $i$.


# %% answer="project_query"
def project_query(X, W_Q):
    """Project each token to its query.

    X: (n, d_model), one token a row; W_Q: (d_model, d_k)
    returns Q: (n, d_k), Q = X W_Q

    By hand: the token (1, 2) with W_Q = [[1, 0, 1], [0, 1, 1]] takes the first row of W_Q once
    and the second twice: (1, 0, 1) + 2 (0, 1, 1) = (1, 2, 3).
    """
    ### BEGIN SOLUTION
    return X @ W_Q
    ### END SOLUTION


# %% [markdown] hints="project_query"
# 1. A token is a row of `X`. Which NumPy operator multiplies two matrices, and not entry by entry?
# 2. Look at the shapes: `(n, d_model)` and `(d_model, d_k)` should make `(n, d_k)`. In which order must they
#    stand?
# 3. Nothing needs to be transposed here, and no loop is needed: one product of the two arguments is the whole
#    function.


# %% check="project_query"
def check_project_query(project_query):
    X = np.array([[1.0, 2.0], [0.0, 1.0]])
    W_Q = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    Q = project_query(X, W_Q)
    assert np.shape(Q) == (2, 3), (
        f"two tokens and d_k = 3 make a (2, 3) array, and you return {np.shape(Q)}"
    )
    assert np.allclose(Q[0], [1, 2, 3]), (
        f"the worked example gives (1, 2, 3), and your first query is {Q[0]}"
    )


# %% answer="project_key"
def project_key(X, W_K):
    """Project each token to its key.

    X: (n, d_model), one token a row; W_K: (d_model, d_k)
    returns K: (n, d_k), K = X W_K

    By hand: the token (1, 2) with W_K = [[2, 0, 0], [1, 0, 1]] becomes (2, 0, 0) + 2 (1, 0, 1)
    = (4, 0, 2).
    """
    ### BEGIN SOLUTION
    return X @ W_K
    ### END SOLUTION


# %% [markdown] hints="project_key"
# 1. What is different from a query, and what is the same? Compare the two formulas above.
# 2. Use the arguments that this function gets, `X` and `W_K`. A key is never made from `W_Q` or from a query.
# 3. It is the same kind of product as in `project_query`, in the same order, with the other matrix.


# %% check="project_key"
def check_project_key(project_key):
    X = np.array([[1.0, 2.0], [0.0, 1.0]])
    W_K = np.array([[2.0, 0.0, 0.0], [1.0, 0.0, 1.0]])
    K = project_key(X, W_K)
    assert np.shape(K) == (2, 3), (
        f"two tokens and d_k = 3 make a (2, 3) array, and you return {np.shape(K)}"
    )
    assert np.allclose(K[0], [4, 0, 2]), (
        f"the worked example gives (4, 0, 2), and your first key is {K[0]}"
    )


# %% answer="project_value"
def project_value(X, W_V):
    """Project each token to its value.

    X: (n, d_model), one token a row; W_V: (d_model, d_v), where d_v may differ from d_k
    returns V: (n, d_v), V = X W_V

    By hand: the token (1, 2) with W_V = [[3], [1]] becomes 1 · 3 + 2 · 1 = 5, a value of length
    d_v = 1.
    """
    ### BEGIN SOLUTION
    return X @ W_V
    ### END SOLUTION


# %% [markdown] hints="project_value"
# 1. Values are made from the tokens, like queries and keys. Which argument holds the tokens?
# 2. `V` has one row for each token and `d_v` columns. Which size of `W_V` says so?
# 3. If your result has the right rows in the wrong place, look for a transpose that isn't needed.


# %% check="project_value"
def check_project_value(project_value):
    X = np.array([[1.0, 2.0], [0.0, 1.0]])
    W_V = np.array([[3.0], [1.0]])
    V = project_value(X, W_V)
    assert np.shape(V) == (2, 1), (
        f"two tokens and d_v = 1 make a (2, 1) array, and you return {np.shape(V)}"
    )
    assert np.allclose(V, [[5], [1]]), (
        f"the worked example gives 5 for the first token, and yours is {V[0]}"
    )


# %% [markdown]
# ## Attention scores
#
# Each query is compared with each key by a dot product. A large score says that this key is what the query
# looks for.
#
# $$S = Q K^\top \qquad S_{ij} = Q_i \cdot K_j \qquad S \in \mathbb{R}^{n \times n}$$
#
# Row $i$ of $S$ belongs to query $i$, column $j$ to key $j$. $S$ is not symmetric: what "cat" looks for in
# "sat" is not what "sat" looks for in "cat". In self-attention there are as many queries as keys; write the
# function so that it also works when there are not, since cross-attention will need that.


# %% answer="attention_scores"
def attention_scores(Q, K):
    """Compare each query with each key by a dot product.

    Q: (n_q, d_k), one query a row; K: (n_k, d_k), one key a row; in self-attention n_q = n_k = n
    returns S: (n_q, n_k), S = Q K^T, that is S[i, j] = Q[i] · K[j]

    By hand: the query (2, 1) and the keys (1, 1), (0, 3), (1, -1) give the row
    (2 + 1, 0 + 3, 2 - 1) = (3, 3, 1).
    """
    ### BEGIN SOLUTION
    return Q @ K.T
    ### END SOLUTION


# %% [markdown] hints="attention_scores"
# 1. Compute one entry by hand first: which row of `Q` and which row of `K` meet in `S[0, 2]`?
# 2. Both arguments hold their vectors in rows, and a matrix product wants rows on the left and columns on the
#    right. What turns rows into columns?
# 3. The result must be `(n_q, n_k)`. Try both orders on the shapes `(2, d_k)` and `(3, d_k)`: only one of
#    them gives `(2, 3)`.


# %% check="attention_scores"
def check_attention_scores(attention_scores):
    Q = np.array([[1.0, 0.0], [2.0, 1.0]])
    K = np.array([[1.0, 1.0], [0.0, 3.0], [1.0, -1.0]])
    S = attention_scores(Q, K)
    assert np.shape(S) == (2, 3), (
        f"two queries and three keys make a (2, 3) array, and you return {np.shape(S)}"
    )
    assert np.allclose(S[1], [3, 3, 1]), (
        f"the worked example gives (3, 3, 1), and your second row is {S[1]}"
    )
    assert np.allclose(S[0], [1, 0, 1]), (
        f"the query (1, 0) reads the first entry of each key, and your row is {S[0]}"
    )


# %% [markdown]
# ## Scaling
#
# A dot product of two random vectors of length $d_k$ is a sum of $d_k$ terms, so its typical size grows like
# $\sqrt{d_k}$. With large scores softmax puts nearly all of its weight on one key, its gradients vanish, and
# training becomes unstable. Dividing by $\sqrt{d_k}$, where $d_k$ is the length of a key, keeps the scores at
# the same size whatever $d_k$ is:
#
# $$S' = \frac{Q K^\top}{\sqrt{d_k}}$$


# %% answer="scale_scores"
def scale_scores(S, d_k):
    """Divide the scores by the square root of the key dimension.

    S: (n_q, n_k), scores; d_k: length of a key, an int
    returns an array of the same shape, S / sqrt(d_k); S itself stays as it was

    By hand: with d_k = 16 the scores (2, -4) become (2 / 4, -4 / 4) = (0.5, -1).
    """
    ### BEGIN SOLUTION
    return S / np.sqrt(d_k)
    ### END SOLUTION


# %% [markdown] hints="scale_scores"
# 1. Which number stands under the fraction bar in the formula? It is not the number of tokens and not $d_k$
#    itself.
# 2. NumPy divides every entry of an array by one number at once. `np.sqrt` takes a root.
# 3. Return a new array. `S /= ...` would change the caller's scores, and fails when they are whole numbers.


# %% check="scale_scores"
def check_scale_scores(scale_scores):
    S = np.array([[2.0, -4.0]])
    scaled = scale_scores(S, 16)
    assert np.shape(scaled) == (1, 2), (
        f"scaling changes no shape: (1, 2) came in, and {np.shape(scaled)} came out"
    )
    assert np.allclose(scaled, [[0.5, -1.0]]), (
        f"the worked example gives (0.5, -1), and yours is {scaled[0]}"
    )
    assert np.array_equal(S, [[2.0, -4.0]]), (
        "your function changed the scores that it was given; return new ones"
    )


# %% [markdown]
# See what scaling is for: dot products of random vectors, before and after.

# %% tags=["active-ipynb"]
# rng = np.random.default_rng(0)
# for d_k in (4, 64, 1024):
#     S = attention_scores(rng.normal(size=(200, d_k)), rng.normal(size=(200, d_k)))
#     scaled = scale_scores(S, d_k)
#     print(f"d_k = {d_k:4}: the scores spread by {S.std():5.2f}, the scaled scores by {scaled.std():4.2f}")

# %% [markdown]
# **Reflection 1** (read by a person; it does not change the automatic mark)
#
# Suppose someone divides by $d_k$ in place of $\sqrt{d_k}$. What happens to the attention weights when $d_k$
# is large, and why do the rows still sum to 1?
#
# *Rubric: 2 = both effects, each with its reason; 1 = one of them, or both without a reason; 0 = neither.*

# %% [markdown] reflection="scale"
# ### BEGIN SOLUTION
# The scores spread like $\sqrt{d_k}$, so after division by $d_k$ they spread like $1/\sqrt{d_k}$ and come
# close to 0. Softmax of nearly equal scores is nearly uniform: each token averages over all tokens, and the
# model can hardly choose. The rows still sum to 1, because softmax normalizes whatever scores it is given; a
# row sum says nothing about the scale.
#
# *A good answer names the shrinking scores, the nearly uniform weights, and that normalization is softmax's
# doing.*
# ### END SOLUTION

# %% [markdown]
# ## The attention matrix: softmax over each row
#
# Softmax turns the scaled scores of one query into a distribution over the keys:
#
# $$A = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) \qquad
# \mathrm{softmax}(s)_j = \frac{e^{s_j}}{\sum_{k} e^{s_k}} \qquad A \in \mathbb{R}^{n \times n}$$
#
# Each row of the attention matrix is non-negative and satisfies
#
# $$\sum_{j=1}^{n} A_{ij} = 1$$
#
# Two things to think about. *Which* entries are normalized together? And $e^{1000}$ is more than a float can
# hold, so the formula can't be typed in as it stands: find something that you may do to a row of scores that
# changes no weight.


# %% answer="softmax_rows"
def softmax_rows(scores):
    """Turn each row of scores into a distribution over the keys.

    scores: (n_q, n_k), any numbers up to 1e4 in size
    returns A: (n_q, n_k), entries in [0, 1], each row sums to 1
    A[i, j] = exp(scores[i, j]) / sum over k of exp(scores[i, k])

    By hand: the row (0, ln 3) has the exponentials (1, 3). They sum to 4, so the row becomes
    (1/4, 3/4).
    """
    ### BEGIN SOLUTION
    # Taking a row's largest score away changes no weight and keeps every exponential at most 1.
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)
    ### END SOLUTION


# %% [markdown] hints="softmax_rows"
# 1. A row belongs to one query. Along which axis do you add up to get one sum for each row?
# 2. If you divide a `(n_q, n_k)` array by a `(n_q,)` array of sums, NumPy lines the sums up with the columns.
#    `keepdims=True` keeps them upright.
# 3. Multiply numerator and denominator by $e^{-c}$: the fraction stays the same, and every score becomes
#    smaller by $c$. Which $c$ makes the largest exponential of *this* row equal to 1? Rows of very different
#    size need each their own $c$.


# %% check="softmax_rows"
def check_softmax_rows(softmax_rows):
    scores = np.array([[0.0, np.log(3.0)], [5.0, 5.0], [2.0, 0.0]])
    A = softmax_rows(scores)
    assert np.shape(A) == (3, 2), (
        f"softmax changes no shape: (3, 2) came in, and {np.shape(A)} came out"
    )
    sums = np.sum(A, axis=1)
    assert np.allclose(sums, 1), f"each row must sum to 1, and your rows sum to {sums.round(3)}"
    assert np.allclose(A[0], [0.25, 0.75]), (
        f"the worked example gives (0.25, 0.75), and your first row is {A[0]}"
    )
    assert np.allclose(A[1], [0.5, 0.5]), (
        f"equal scores get equal weights, and your second row is {A[1]}"
    )
    large = softmax_rows(np.array([[1000.0, 1000.0]]))
    assert np.allclose(large, 0.5), (
        f"two scores of 1000 get half the weight each, and yours are {large[0]}"
    )


# %% [markdown]
# ### Look at your attention matrix
#
# The next two cells draw the weights that *your* `softmax_rows` makes. Row: the token that asks. Column: the
# token that it borrows from. A dark cell says "when the output of this row is formed, borrow strongly from
# this column".


# %%
SHADES = " .:-=+*#%@"


def show_attention(A, tokens):
    """Draw an attention matrix with its numbers, and read it out row by row.

    A: (n, n), each row a distribution over the tokens; tokens: n names
    Without matplotlib the matrix is drawn in characters.
    """
    A = np.asarray(A)
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        print("(matplotlib is not installed: the picture is made of characters)")
        print(" " * 9, *(f"{token:>8}" for token in tokens))
        for i, token in enumerate(tokens):
            shades = [SHADES[int(9 * min(max(0, weight), 1))] for weight in A[i]]
            print(
                f"{token:>9}",
                *(f"{shade}{weight:7.2f}" for shade, weight in zip(shades, A[i], strict=True)),
            )
    else:
        _, axes = plt.subplots(figsize=(0.9 * len(tokens) + 1.5, 0.8 * len(tokens) + 1))
        axes.imshow(A, cmap="Blues", vmin=0, vmax=1)
        axes.set_xticks(range(len(tokens)), tokens)
        axes.set_yticks(range(len(tokens)), tokens)
        axes.set(
            xlabel="key: borrows from",
            ylabel="query: the token that asks",
            title="Attention matrix A",
        )
        for (i, j), weight in np.ndenumerate(A):
            color = "white" if weight > 0.6 else "black"
            axes.text(j, i, f"{weight:.2f}", ha="center", va="center", color=color)
        plt.show()
    for i, token in enumerate(tokens):
        j = int(np.argmax(A[i]))
        print(
            f"{token!r} borrows most from {tokens[j]!r} ({A[i, j]:.0%}); its row sums to {A[i].sum():.4f}"
        )


# %% tags=["active-ipynb"]
# tokens = ["the", "cat", "sat", "down"]
# rng = np.random.default_rng(8)
# Q, K = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
# show_attention(softmax_rows(scale_scores(attention_scores(Q, K), 3)), tokens)

# %% [markdown]
# Try it: multiply the scores by 10, and by 0.1, and draw again. What do very large scores do to a row? And
# very small ones?
#
# ## Attention output
#
# Each token's output is a mixture of all values, weighted by its row of $A$:
#
# $$Output = A V = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V \qquad
# Output \in \mathbb{R}^{n \times d_v}$$


# %% answer="attention_output"
def attention_output(A, V):
    """Mix the values with the attention weights.

    A: (n_q, n_k), each row a distribution over the keys; V: (n_k, d_v), one value a row
    returns Output: (n_q, d_v), Output = A V: row i is the sum over j of A[i, j] times V[j]

    By hand: the weights (1/4, 3/4) and the values (4, 0, 8), (0, 4, 8) give
    (1/4 · 4 + 0, 0 + 3/4 · 4, 1/4 · 8 + 3/4 · 8) = (1, 3, 8).
    """
    ### BEGIN SOLUTION
    return A @ V
    ### END SOLUTION


# %% [markdown] hints="attention_output"
# 1. Row `i` of the result belongs to query `i`. Which row of `A` says how much it takes from each value?
# 2. "Weight times value, summed over the keys" is what a matrix product does. Check the shapes: `(n_q, n_k)`
#    and `(n_k, d_v)`.
# 3. If your rows don't lie between the smallest and the largest value of a column, you mixed with columns of
#    `A`, or entry by entry.


# %% check="attention_output"
def check_attention_output(attention_output):
    A = np.array([[1.0, 0.0], [0.25, 0.75]])
    V = np.array([[4.0, 0.0, 8.0], [0.0, 4.0, 8.0]])
    Output = attention_output(A, V)
    assert np.shape(Output) == (2, 3), (
        f"two queries and d_v = 3 make (2, 3), and you return {np.shape(Output)}"
    )
    assert np.allclose(Output[0], V[0]), (
        f"all weight on the first value gives that value, and yours is {Output[0]}"
    )
    assert np.allclose(Output[1], [1, 3, 8]), (
        f"the worked example gives (1, 3, 8), and your row is {Output[1]}"
    )


# %% [markdown]
# ## All of it
#
# The four steps are **project, score, softmax, aggregate**, and one formula says them all. It is the
# fundamental equation of the Transformer:
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V$$


# %% answer="self_attention"
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
    ### BEGIN SOLUTION
    Q, K, V = project_query(X, W_Q), project_key(X, W_K), project_value(X, W_V)
    S = attention_scores(Q, K)
    A = softmax_rows(scale_scores(S, K.shape[-1]))
    return attention_output(A, V), A
    ### END SOLUTION


# %% [markdown] hints="self_attention"
# 1. You have written every step already. Which functions do you call, in which order, and what does each
#    need?
# 2. `d_k` is not an argument. It is the length of a key: one of the sizes of `K` or of `W_K`.
# 3. Return a pair with the output first and the attention matrix second. The values take part in the last
#    step only: they are neither scored nor scaled.


# %% check="self_attention"
def check_self_attention(self_attention):
    X = np.eye(2)
    W_Q, W_K = np.zeros((2, 4)), np.zeros((2, 4))
    W_Q[0, 0], W_K[0, 0] = 2 * np.log(3.0), 1.0
    result = self_attention(X, W_Q, W_K, np.array([[4.0], [8.0]]))
    assert len(result) == 2, f"return a pair (Output, A); yours has {len(result)} parts"
    Output, A = result
    assert np.shape(Output) == (2, 1), (
        f"two tokens and d_v = 1 make an Output (2, 1), and yours is {np.shape(Output)}"
    )
    assert np.shape(A) == (2, 2), f"two tokens make an A (2, 2), and yours is {np.shape(A)}"
    assert np.allclose(np.sum(A, axis=1), 1), (
        f"each row of A must sum to 1, and yours sum to {np.sum(A, axis=1)}"
    )
    assert np.allclose(A[0], [0.75, 0.25]), (
        f"the worked example gives (3/4, 1/4), and your first row is {A[0]}"
    )
    assert np.allclose(Output, [[5], [6]]), (
        f"the worked example gives 5 and 6, and yours are {np.ravel(Output)}"
    )


# %% [markdown]
# Now the whole way on a tiny sequence. Print the matrix and verify that each row sums to 1:

# %% tags=["active-ipynb"]
# rng = np.random.default_rng(10)
# X = rng.normal(size=(4, 6))
# W_Q, W_K, W_V = rng.normal(size=(6, 3)), rng.normal(size=(6, 3)), rng.normal(size=(6, 5))
# Output, A = self_attention(X, W_Q, W_K, W_V)
# print("Output", Output.shape, " A", A.shape)
# show_attention(A, tokens)

# %% [markdown]
# **Reflection 2** (read by a person; it does not change the automatic mark)
#
# Take one row of the matrix that you drew. Say in words what it means for the output of that token. Then say
# why the rows of $A$ sum to 1 but the columns need not.
#
# *Rubric: 2 = the row is read as a mixture of values, and rows and columns are told apart with a reason; 1 =
# one of them; 0 = neither.*

# %% [markdown] reflection="read-a-row"
# ### BEGIN SOLUTION
# A row says how much of each token's value goes into this token's output: with the weights (0.7, 0.2, 0.1)
# the output is 0.7 of the first value, 0.2 of the second and 0.1 of the third. Softmax normalizes each
# query's scores over all keys, so a row is a distribution. A column collects what all queries give to one
# key, and nothing limits that: a token that all others look at has a column sum above 1, one that none looks
# at a sum near 0.
#
# *A good answer speaks of values (not of scores or embeddings) being mixed, and says over what softmax
# normalizes.*
# ### END SOLUTION

# %% [markdown]
# ## Summary, and what comes next
#
# | concept | formula | shape |
# |---|---|---|
# | query | $Q = X W_Q$ | $(n, d_k)$ |
# | key | $K = X W_K$ | $(n, d_k)$ |
# | value | $V = X W_V$ | $(n, d_v)$ |
# | attention score | $S = Q K^\top$ | $(n, n)$ |
# | scaling | $S' = S / \sqrt{d_k}$ | $(n, n)$ |
# | attention matrix | $A = \mathrm{softmax}(S')$ | $(n, n)$ |
# | attention output | $Output = A V$ | $(n, d_v)$ |
#
# Why it matters: each token gathers information from all other tokens in the sequence, in one step. The
# **Transformer** is built on it, and so are **BERT, GPT, T5, ViT, LLaMA, Gemma, Qwen, Mistral, DeepSeek,
# Phi** and modern large language models (LLMs) at large.
#
# **Before you hand in:** restart the kernel and run all cells from the top. Then hand in this notebook, or
# the `.py` file if you worked there.
#
# **Next:** assignment 02 writes the same formula as a PyTorch module that learns its projections.
