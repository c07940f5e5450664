# %% [markdown]
# # Test an attention that you cannot see
#
# Somebody hands you an `attend` and says that it is self-attention. You can call it and look at what comes
# back; you can't read it. Write tests that tell right from wrong.
#
# A test is a function that takes `attend`, with `attend(X, W_Q, W_K, W_V)` returning the pair `(Output, A)`
# of float64 arrays. It must
#
# - **pass**, that is return quietly, for *every* right implementation, however it is written,
# - **raise**, by `assert` or NumPy's testing helpers, for the wrong ones of its kind.
#
# Your mark grows with the wrong implementations that you catch, and is 0 where you reject a right one. Each
# wrong implementation shows its fault on every ordinary input with 3 to 6 tokens, all sizes different, and
# scores near N(0, 1), by more than 0.01. Skipping is not catching.
#
# After this assignment you can identify the failure modes of attention by what they do to its results.

# %% imports=true
"""Test an attention that you cannot see (failure modes): the reference solution."""

import numpy as np

# %% [markdown]
# ### A few implementations to try your tests on
#
# One is right, the others are wrong, each in its own way. The marks come from more of both kinds. Read the
# wrong ones: which property does each break?


# %% provided=true
def by_hand(X, W_Q, W_K, W_V):
    """Self-attention, number by number: slow and right."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    A = np.zeros((len(Q), len(K)))
    for i, query in enumerate(Q):
        for j, key in enumerate(K):
            A[i, j] = np.exp(sum(query * key) / len(key) ** 0.5)
        A[i] /= sum(A[i])
    Output = [sum(weight * value for weight, value in zip(row, V, strict=True)) for row in A]
    return np.array(Output), A


def transposed(X, W_Q, W_K, W_V):
    Output, A = by_hand(X, W_Q, W_K, W_V)
    return Output.T, A


def sums_to_two(X, W_Q, W_K, W_V):
    Output, A = by_hand(X, W_Q, W_K, W_V)
    return Output, 2 * A


def scaled_by_d_k(X, W_Q, W_K, W_V):
    return by_hand(X, W_Q / W_Q.shape[1] ** 0.5, W_K, W_V)


def louder_at_the_end(X, W_Q, W_K, W_V):
    return by_hand(X * np.linspace(0.5, 1.5, len(X))[:, None], W_Q, W_K, W_V)


def raises(test, attend):
    """Does `test` raise for `attend`? A test that isn't implemented yet says so."""
    try:
        test(attend)
    except NotImplementedError:
        raise
    except Exception:
        return True
    return False


# %% [markdown]
# ## Ordinary inputs
#
# What you feed `attend` decides what you can see:
#
# - Make all sizes different: with $n = d_v$ a transposed output has the right shape, with $n = d_k$ the wrong
#   scale the right value.
# - Use random numbers with scores near N(0, 1): where all weights are 0 or 1, no scaling error shows.
# - Never let two of the matrices be equal: a mix-up of queries and keys would vanish.
#
# Write a helper that makes such inputs; all four tests can use it. It has no points of its own.


# %% helper="make_inputs"
def make_inputs():
    """Make X (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v), all sizes different."""
    ### BEGIN SOLUTION
    rng = np.random.default_rng(0)
    n, d_model, d_k, d_v = 5, 7, 4, 3
    shapes = (d_model, d_k), (d_model, d_k), (d_model, d_v)
    # Divided by the root of d_model, they make queries and keys near N(0, 1), and scaled scores too.
    weights = [rng.normal(size=shape) / np.sqrt(d_model) for shape in shapes]
    return rng.normal(size=(n, d_model)), *weights
    ### END SOLUTION


# %% [markdown]
# ## Four properties
#
# **Shapes.** The output has one row for each token and $d_v$ columns; $A$ is $n \times n$.


# %% answer="test_shapes"
def test_shapes(attend):
    """Raise where Output or A has a wrong shape.

    attend: (X, W_Q, W_K, W_V) -> (Output, A), right where Output is (n, d_v) and A is (n, n)

    By hand: with 5 tokens and d_v = 3 an Output of shape (3, 5) must raise, and one of shape
    (5, 3) must not.
    """
    ### BEGIN SOLUTION
    X, W_Q, W_K, W_V = make_inputs()
    Output, A = attend(X, W_Q, W_K, W_V)
    assert np.shape(Output) == (len(X), W_V.shape[1])
    assert np.shape(A) == (len(X), len(X))
    ### END SOLUTION


# %% [markdown] hints="test_shapes"
# 1. Which sizes of the inputs tell you the two shapes that you must see?
# 2. Call `attend`, take the pair apart, and `assert` one comparison for each of the two.
# 3. Choose sizes that are all different, or `(n, d_v)` and `(d_v, n)` are the same and nothing can be told
#    apart.


# %% check="test_shapes"
def check_test_shapes(test_shapes):
    assert not raises(test_shapes, by_hand), "your test rejects the right implementation by_hand"
    assert raises(test_shapes, transposed), (
        "your test lets `transposed` pass, whose Output is (d_v, n)"
    )


# %% [markdown]
# **Rows.** Each row of $A$ is a distribution over the keys: no entry is negative, and the row sums to 1.


# %% answer="test_rows_sum_to_one"
def test_rows_sum_to_one(attend):
    """Raise where a row of A is not a distribution.

    attend: (X, W_Q, W_K, W_V) -> (Output, A), right where no entry of A is negative
    and each row sums to 1

    By hand: the rows (0.2, 0.8) must pass, (0.4, 1.6) and (1.5, -0.5) must not.
    """
    ### BEGIN SOLUTION
    _, A = attend(*make_inputs())
    assert np.all(np.asarray(A) >= -1e-9)
    np.testing.assert_allclose(np.sum(A, axis=1), 1, atol=1e-6)
    ### END SOLUTION


# %% [markdown] hints="test_rows_sum_to_one"
# 1. A distribution has two properties. Which matrix has row sums of 1 and is no distribution all the same?
# 2. Rows belong to queries: along which axis do you sum? If you take the other one, a right implementation is
#    rejected.
# 3. Floats never sum to exactly 1. `np.testing.assert_allclose` raises where two arrays differ by more than a
#    tolerance.


# %% check="test_rows_sum_to_one"
def check_test_rows_sum_to_one(test_rows_sum_to_one):
    assert not raises(test_rows_sum_to_one, by_hand), (
        "your test rejects the right implementation by_hand"
    )
    assert raises(test_rows_sum_to_one, sums_to_two), (
        "your test lets `sums_to_two` pass, whose rows sum to 2"
    )


# %% [markdown]
# **Scaling.** Before softmax the scores are divided by $\sqrt{d_k}$, and by nothing else. You see $A$ only
# after softmax, so think about what a scale leaves behind:
#
# $$\ln A_{ij} - \ln A_{ik} = \frac{Q_i \cdot K_j - Q_i \cdot K_k}{\sqrt{d_k}}$$


# %% answer="test_scaling"
def test_scaling(attend):
    """Raise where A is made without scaling, or with another one than division by sqrt(d_k).

    attend: (X, W_Q, W_K, W_V) -> (Output, A), right where A = softmax(Q K^T / sqrt(d_k))

    By hand: d_k = 4 and a query with the scores (2 ln 3, 0). Its row must be (3/4, 1/4), from
    (ln 3, 0). Without scaling it is (9/10, 1/10): that must raise.
    """
    ### BEGIN SOLUTION
    X, W_Q, W_K, W_V = make_inputs()
    _, A = attend(X, W_Q, W_K, W_V)
    # The logarithm of softmax is the scores but for one number a row; differences are free of it.
    seen, wanted = np.log(A), (X @ W_Q) @ (X @ W_K).T / np.sqrt(W_Q.shape[1])
    np.testing.assert_allclose(seen - seen[:, :1], wanted - wanted[:, :1], atol=1e-6)
    ### END SOLUTION


# %% [markdown] hints="test_scaling"
# 1. You know `X`, `W_Q` and `W_K`, so you can compute what the scores should be. What can you compare them
#    with, when you see only `A`?
# 2. Either compute the `A` that should come out, or take the logarithm of the one that does and use the
#    formula above.
# 3. Sizes matter: which wrong scales would equal the right one if $d_k$ were the same as $n$ or $d_v$? And
#    with huge scores all weights are 0 or 1, whatever the scale.


# %% check="test_scaling"
def check_test_scaling(test_scaling):
    assert not raises(test_scaling, by_hand), "your test rejects the right implementation by_hand"
    assert raises(test_scaling, scaled_by_d_k), (
        "your test lets `scaled_by_d_k` pass, which divides by d_k, not its root"
    )


# %% [markdown]
# **Equivariance.** Without positions, shuffled tokens give the shuffled output, and a matrix whose rows *and*
# columns are shuffled in the same way. What depends on position is not plain self-attention.


# %% answer="test_permutation_equivariance"
def test_permutation_equivariance(attend):
    """Raise where Output or A depends on where a token stands.

    attend: (X, W_Q, W_K, W_V) -> (Output, A), right where X[order] gives Output[order]
    and A[order][:, order]

    By hand: if two tokens with the outputs (1) and (2) change places, the outputs must be (2)
    and (1). An attend that still gives (1), (2), or anything else, must raise.
    """
    ### BEGIN SOLUTION
    X, W_Q, W_K, W_V = make_inputs()
    Output, A = attend(X, W_Q, W_K, W_V)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(X))
        shuffled_Output, shuffled_A = attend(X[order], W_Q, W_K, W_V)
        np.testing.assert_allclose(shuffled_Output, np.asarray(Output)[order], atol=1e-6)
        np.testing.assert_allclose(shuffled_A, np.asarray(A)[order][:, order], atol=1e-6)
    ### END SOLUTION


# %% [markdown] hints="test_permutation_equivariance"
# 1. Call `attend` twice, with `X` and with its rows in another order. What must be true of the two outputs?
#    And of the two matrices?
# 2. In `A` both rows (who asks) and columns (who is asked) belong to tokens. How do you shuffle both?
# 3. Some orders hide faults: one that moves only two tokens, or turns the sequence around. Try several, and
#    look at `Output` *and* `A`.


# %% check="test_permutation_equivariance"
def check_test_permutation_equivariance(test_permutation_equivariance):
    assert not raises(test_permutation_equivariance, by_hand), (
        "your test rejects the right implementation by_hand"
    )
    caught = raises(test_permutation_equivariance, louder_at_the_end)
    assert caught, "your test lets `louder_at_the_end` pass, which turns later tokens up"


# %% [markdown]
# Which test catches which implementation? A good suite has no empty row among the wrong ones, and an empty
# row for the right one.

# %% tags=["active-ipynb"]
# tests = [test_shapes, test_rows_sum_to_one, test_scaling, test_permutation_equivariance]
# for attend in (by_hand, transposed, sums_to_two, scaled_by_d_k, louder_at_the_end):
#     caught = [test.__name__ for test in tests if raises(test, attend)]
#     print(f"{attend.__name__:18} caught by {', '.join(caught) or 'none'}")

# %% [markdown]
# **Reflection** (read by a person; it does not change the automatic mark)
#
# An attention without scaling passes three of your four tests. Why do properties such as shapes, row sums and
# equivariance not show it? Name another fault that none of the four would catch.
#
# *Rubric: 2 = the reason, and a fault that really passes; 1 = one of them; 0 = neither.*

# %% [markdown] reflection="what-tests-miss"
# ### BEGIN SOLUTION
# A wrong scale leaves the shapes, is normalized by softmax like any other scores, and treats all tokens
# alike, so it stays equivariant. Only values show it. None of the four looks at the values of the output: an
# Output made from the keys in place of the values, or half as large, passes if its shape is right, because
# nothing compares Output with $A V$.
#
# *A good answer says that all of these are properties which many wrong functions share, and names a fault in
# the output.*
# ### END SOLUTION

# %% [markdown]
# ## What comes next
#
# Failure modes that you have met: wrong shapes, softmax over the wrong axis, missing or wrong scaling, hidden
# dependence on position; and from the assignments before, the quadratic cost of full attention, missing
# positions, and cross-attention called self-attention.
#
# **Before you hand in:** restart the kernel and run all cells from the top.
#
# **Next:** this was the last assignment. Take your tests along: run them on the next attention that you
# write.
