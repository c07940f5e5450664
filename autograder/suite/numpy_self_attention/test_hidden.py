"""The hidden tests of assignment 01."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.suite.cases import Case, Cases, Draw, answered, falling_scores, oddly_laid
from autograder.suite.checks import edge, sign
from autograder.suite.entries import EntryTests
from autograder.suite.expect import (
    Unmet,
    array,
    close,
    different_distributions,
    hold_attention,
    pair,
    rows_are_distributions,
    within,
)
from autograder.suite.laws import NumpyFunctionTests

from . import oracle


class TestMatrixDimensions(EntryTests):
    exercise = "matrix_dimensions"
    oracle = staticmethod(oracle.matrix_dimensions)

    def cases(self, draw: Draw) -> Cases:
        return answered(self.oracle, {"ordinary": [draw.sizes(4) for _ in range(4)]})


class ProjectionTests(NumpyFunctionTests):
    """Q = X W_Q, K = X W_K and V = X W_V are one formula with three names."""

    def cases(self, draw: Draw) -> Cases:
        n, d_model, d_out = draw.sizes(3)
        other = draw.sizes(3)

        def inputs(n: int, d_model: int, d_out: int, *, dtype: str = "float64") -> tuple[np.ndarray, np.ndarray]:
            return draw.normal(n, d_model, dtype=dtype), draw.normal(d_model, d_out, dtype=dtype)

        X, W = inputs(*other)
        return answered(
            self.oracle,
            {
                "ordinary": [inputs(n, d_model, d_out), inputs(n, d_model, d_out), inputs(*other), inputs(5, 7, 7)],
                "one_token": [inputs(1, d_model, d_out)],
                "float32": [inputs(*other, dtype="float32")],
                "int64": [
                    inputs(n, d_model, d_out, dtype="int64"),
                    (draw.normal(n, d_model, dtype="int64"), draw.normal(d_model, d_out)),
                ],
                "memory_layout": [(oddly_laid(X, way), oddly_laid(W, way + 1)) for way in range(3)],
            },
        )

    @sign
    def test_each_token_by_itself(self, student: Any, cases: Cases) -> None:
        """A token's projection depends on that token and the weights alone, and doubles when the weights double."""
        for case in cases.ordinary[:2]:
            X, W = case.args
            whole = array(self.ask(student, case))
            alone = array(getattr(student, self.exercise)(X[1:2], W))
            doubled = array(getattr(student, self.exercise)(X, 2 * W))
            if (
                whole.shape != case.expected.shape
                or not within(alone, whole[1:2], 1e-6)
                or not within(doubled, 2 * whole, 1e-6)
            ):
                raise Unmet("a token's result changed with the other tokens, or did not follow the weights")


class TestProjectQuery(ProjectionTests):
    exercise = "project_query"
    result_name = "Q"
    oracle = staticmethod(oracle.project_query)


class TestProjectKey(ProjectionTests):
    exercise = "project_key"
    result_name = "K"
    oracle = staticmethod(oracle.project_key)


class TestProjectValue(ProjectionTests):
    exercise = "project_value"
    result_name = "V"
    oracle = staticmethod(oracle.project_value)


class TestAttentionScores(NumpyFunctionTests):
    exercise = "attention_scores"
    result_name = "S"
    oracle = staticmethod(oracle.attention_scores)

    def cases(self, draw: Draw) -> Cases:
        n_q, n_k, d_k = draw.sizes(3)
        n, d = draw.sizes(2)

        def inputs(n_q: int, n_k: int, d_k: int, *, dtype: str = "float64") -> tuple[np.ndarray, np.ndarray]:
            return draw.normal(n_q, d_k, dtype=dtype), draw.normal(n_k, d_k, dtype=dtype)

        Q, K = inputs(n, n, d)
        return answered(
            self.oracle,
            {
                "ordinary": [
                    inputs(n_q, n_k, d_k),
                    inputs(n_q, n_k, d_k),
                    inputs(n, n, d),
                    inputs(d, n, n_k),
                    inputs(n_k, n_q, d_k),
                    inputs(7, 7, 7),
                ],
                "one_token": [inputs(1, 1, d_k), inputs(1, n_k, d_k)],
                "float32": [inputs(n, n, d, dtype="float32")],
                "int64": [inputs(n_q, n_k, d_k, dtype="int64")],
                "memory_layout": [(oddly_laid(Q, way), oddly_laid(K, way + 1)) for way in range(3)],
            },
        )

    @sign
    def test_each_score_is_of_one_query_and_one_key(self, student: Any, cases: Cases) -> None:
        """S[i, j] depends on query i and key j alone, and doubles when the queries double."""
        for case in cases.ordinary[:2]:
            Q, K = case.args
            S = array(student.attention_scores(Q, K), "S")
            one = array(student.attention_scores(Q[1:2], K[:2]), "S")
            doubled = array(student.attention_scores(2 * Q, K), "S")
            if S.shape != case.expected.shape or not within(one, S[1:2, :2], 1e-6) or not within(doubled, 2 * S, 1e-6):
                raise Unmet("a score changed with other queries or keys, or did not follow its query")


class TestScaleScores(NumpyFunctionTests):
    exercise = "scale_scores"
    oracle = staticmethod(oracle.scale_scores)

    def cases(self, draw: Draw) -> Cases:
        n, m, d_k, other_d = draw.sizes(4)
        other_n = draw.sizes(1)[0]
        S = draw.normal(n, m)
        return answered(
            self.oracle,
            {
                "ordinary": [
                    (draw.normal(n, n), d_k),
                    (draw.normal(n, n), d_k),
                    (draw.normal(other_n, other_n), other_d),
                    (draw.normal(n, m), d_k),
                    (draw.normal(n, n), other_d),
                ],
                "one_token": [(draw.normal(1, 1), d_k)],
                "float32": [(draw.normal(n, m, dtype="float32"), d_k)],
                "int64": [(draw.normal(n, m, dtype="int64"), d_k)],
                "memory_layout": [(oddly_laid(S, way), d_k) for way in range(3)],
            },
        )

    @sign
    def test_one_factor_for_all(self, student: Any, cases: Cases) -> None:
        """All scores shrink by one factor, which depends on d_k."""
        factors = []
        for case in (cases.ordinary[0], cases.ordinary[4]):
            S, d_k = case.args
            scaled = array(student.scale_scores(S, d_k))
            if scaled.shape != S.shape:
                raise Unmet(f"scores of shape {S.shape} came back with shape {scaled.shape}")
            factors.append(float((scaled * S).sum() / (S * S).sum()))
            if not within(scaled, factors[-1] * S, 1e-6):
                raise Unmet("the scores did not all change by the same factor")
        if not np.isfinite(factors).all() or max(factors) >= 1 or abs(factors[0] - factors[1]) < 1e-6:
            raise Unmet("the factor does not shrink the scores, or does not depend on d_k")


class TestSoftmaxRows(NumpyFunctionTests):
    exercise = "softmax_rows"
    result_name = "A"
    oracle = staticmethod(oracle.softmax_rows)

    def cases(self, draw: Draw) -> Cases:
        n, m = draw.sizes(2)
        other = draw.sizes(1)[0]
        scores = draw.normal(n, m)
        apart = draw.normal(n, m) + draw.uniform(-700, 700, n, 1) * (1 + np.arange(n))[:, None]
        return answered(
            self.oracle,
            {
                "ordinary": [
                    (draw.normal(n, n),),
                    (draw.normal(n, n),),
                    (draw.normal(other, other),),
                    (draw.normal(n, m),),
                    (draw.normal(m, n),),
                ],
                "one_token": [(draw.normal(1, 1),)],
                "float32": [(draw.normal(n, m, dtype="float32"),)],
                "int64": [(draw.normal(n, m, dtype="int64"),)],
                "memory_layout": [(oddly_laid(scores, way),) for way in range(3)],
                "large_scores": [
                    (draw.uniform(-1e4, 1e4, n, m),),
                    (draw.normal(n, m) + 1e4,),
                    (draw.normal(n, m) - 1e4,),
                ],
                "rows_of_different_scale": [
                    (apart,),
                    (draw.normal(n, m) * np.logspace(-3, 3, n)[:, None],),
                    (falling_scores(draw, n, m),),
                ],
            },
        )

    @sign
    def test_each_row_is_a_distribution(self, student: Any, cases: Cases) -> None:
        """Each row of A is a distribution over the keys: no entry is negative, and their sum is 1."""
        for case in cases.ordinary:
            rows_are_distributions(array(student.softmax_rows(*case.args), "A"), case.expected.shape)

    @sign
    def test_a_higher_score_is_a_higher_weight(self, student: Any, cases: Cases) -> None:
        """In a row, a key with a higher score gets a higher weight, between 0 and 1."""
        for case in cases.ordinary:
            A, scores = array(student.softmax_rows(*case.args), "A"), case.args[0]
            if A.shape != scores.shape or not ((A > 0) & (A < 1)).all():
                raise Unmet("some weights are not between 0 and 1")
            along = np.take_along_axis(A, scores.argsort(axis=1), axis=1)
            if (np.diff(along, axis=1) <= 0).any():
                raise Unmet("some key with a higher score has a lower weight")

    @edge
    def test_large_scores(self, student: Any, cases: Cases) -> None:
        """Scores as large as 10,000 give weights, not NaN."""
        self.hold_each(student, cases["large_scores"])

    @edge
    def test_rows_of_different_scale(self, student: Any, cases: Cases) -> None:
        """Each row stands by itself: rows of very different size are all right."""
        self.hold_each(student, cases["rows_of_different_scale"])


class TestAttentionOutput(NumpyFunctionTests):
    exercise = "attention_output"
    result_name = "Output"
    oracle = staticmethod(oracle.attention_output)

    def cases(self, draw: Draw) -> Cases:
        n, m, d_v = draw.sizes(3)
        A, V = draw.distribution(n, m), draw.normal(m, d_v)
        return answered(
            self.oracle,
            {
                "ordinary": [
                    (draw.distribution(n, n), draw.normal(n, d_v)),
                    (draw.distribution(n, n), draw.normal(n, d_v)),
                    (draw.distribution(m, m), draw.normal(m, d_v)),
                    (draw.distribution(n, m), draw.normal(m, d_v)),
                    (draw.distribution(m, n), draw.normal(n, d_v)),
                    (draw.distribution(7, 7), draw.normal(7, 7)),
                ],
                "one_token": [(np.ones((1, 1)), draw.normal(1, d_v))],
                "float32": [(A.astype("float32"), V.astype("float32"))],
                "int64": [
                    (np.eye(n, dtype="int64")[draw.order(n)], draw.normal(n, d_v, dtype="int64")),
                    (A, draw.normal(m, d_v, dtype="int64")),
                ],
                "memory_layout": [(oddly_laid(A, way), oddly_laid(V, way + 1)) for way in range(3)],
            },
        )

    @sign
    def test_within_the_values(self, student: Any, cases: Cases) -> None:
        """Each output is a weighted mean of value vectors: it lies between their least and greatest entries, and
        token i's output follows row i of A alone."""
        for case in cases.ordinary[:2]:
            A, V = case.args
            output = array(student.attention_output(A, V), "Output")
            alone = array(student.attention_output(A[1:2], V), "Output")
            if output.shape != case.expected.shape or not within(alone, output[1:2], 1e-6):
                raise Unmet("a token's output changed with the other rows of A")
            if (output > V.max(axis=0) + 1e-9).any() or (output < V.min(axis=0) - 1e-9).any():
                raise Unmet("some outputs lie outside the range of the values")
            if np.ptp(output, axis=0).max() < 1e-9:
                raise Unmet("every token has the same output")


class TestSelfAttention(NumpyFunctionTests):
    exercise = "self_attention"
    oracle = staticmethod(oracle.self_attention)

    def cases(self, draw: Draw) -> Cases:
        n, d_model, d_k, d_v = draw.sizes(4)
        other = draw.sizes(4)

        def inputs(n: int, d_model: int, d_k: int, d_v: int, *, dtype: str = "float64") -> tuple[np.ndarray, ...]:
            """Weights that keep the scaled scores near N(0, 1), so that no scaling hides in a saturated softmax."""
            X, weights = draw.normal(n, d_model), [draw.normal(d_model, d) / d_model**0.5 for d in (d_k, d_k, d_v)]
            return tuple(a.astype(dtype) for a in (X, *weights))

        whole = tuple(
            draw.normal(*shape, dtype="int64")
            for shape in ((n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v))
        )
        whole = (whole[0], *(np.sign(w) for w in whole[1:]))
        odd = inputs(*other)
        order = draw.order(n)
        asked = answered(
            self.oracle,
            {
                "ordinary": [
                    inputs(n, d_model, d_k, d_v),
                    inputs(n, d_model, d_k, d_v),
                    inputs(*other),
                    inputs(d_v, d_k, n, d_model),
                    inputs(7, 7, 7, 7),
                ],
                "one_token": [inputs(1, d_model, d_k, d_v)],
                "float32": [inputs(*other, dtype="float32")],
                "int64": [whole],
                "memory_layout": [tuple(oddly_laid(a, way + k) for k, a in enumerate(odd)) for way in range(3)],
                "large_scores": [(60 * inputs(n, d_model, d_k, d_v)[0], *inputs(n, d_model, d_k, d_v)[1:])],
            },
        )
        X, *weights = asked.ordinary[0].args
        return Cases({**asked, "permuted": (Case((X[order], *weights), order, "permuted"),)})

    def hold(self, answer: Any, case: Case) -> None:
        hold_attention(answer, case)

    @sign
    def test_each_row_is_a_distribution(self, student: Any, cases: Cases) -> None:
        """Each row of A is a distribution over the n tokens, another one for each token."""
        for case in cases.ordinary:
            different_distributions(pair(self.ask(student, case), "Output, A")[1], case.expected[1].shape)

    @sign
    def test_permutation_equivariance(self, student: Any, cases: Cases) -> None:
        """Shuffle the tokens, and Output and A are shuffled likewise."""
        (shuffled,) = cases["permuted"]
        order = shuffled.expected
        before, after = (pair(self.ask(student, case), "Output, A") for case in (cases.ordinary[0], shuffled))
        output, moved = array(before[0], "Output"), array(after[0], "Output")
        if output.shape != cases.ordinary[0].expected[0].shape or np.ptp(output, axis=0).max() < 1e-9:
            raise Unmet("Output has the wrong shape, or is the same for every token")
        if not within(moved, output[order], 1e-6):
            raise Unmet("the output of the shuffled tokens is not the shuffled output")

    @sign
    def test_output_mixes_the_values(self, student: Any, cases: Cases) -> None:
        """Output is your A times X W_V."""
        for case in cases.ordinary:
            X, W_V = case.args[0], case.args[3]
            output, A = pair(self.ask(student, case), "Output, A")
            different_distributions(A, case.expected[1].shape)
            close(array(output, "Output"), array(A) @ X @ W_V, 1e-6, "Output")

    @edge
    def test_large_scores(self, student: Any, cases: Cases) -> None:
        """Scores of many thousands give weights, not NaN."""
        self.hold_each(student, cases["large_scores"])
