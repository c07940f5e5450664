"""The hidden tests of assignment 03."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.suite.attention import softmax
from autograder.suite.cases import Case, Cases, Draw, answered, falling_scores, oddly_laid
from autograder.suite.checks import edge, rule, sign
from autograder.suite.entries import EntryTests
from autograder.suite.expect import (
    TOLERANCE,
    Unmet,
    array,
    close,
    different_distributions,
    hold_attention,
    pair,
    truth,
    whole_number,
    within,
)
from autograder.suite.laws import (
    Float32,
    FunctionTests,
    Int64,
    LeavesInputsAlone,
    MemoryLayout,
    NumpyFunctionTests,
    OneToken,
)

from . import oracle
from .questions import Maps, Matrices, causal


class PredicateTests(Float32, Int64, MemoryLayout, LeavesInputsAlone, FunctionTests):
    """A question with the answer True or False. A case's `kind` says what was asked about."""

    def hold(self, answer: Any, case: Case) -> None:
        said = truth(answer)
        if said is not case.expected:
            raise Unmet(f"you answer {said}, asked about {case.kind}")


class TestIsAttentionMatrix(PredicateTests):
    exercise = "is_attention_matrix"
    oracle = staticmethod(oracle.is_attention_matrix)

    def cases(self, draw: Draw) -> Cases:
        asked = Matrices(draw)
        return Cases(
            {
                "ordinary": asked.ordinary(),
                "near_the_tolerance": asked.near_the_tolerance(),
                "atol_given": asked.atol_given(),
                "float32": asked.float32(),
                "int64": asked.int64(),
                "memory_layout": asked.memory_layout(),
            }
        )

    @sign
    def test_tells_weights_from_scores(self, student: Any, cases: Cases) -> None:
        """The answer is True for weights and False for scores."""
        self.hold_each(student, cases.ordinary[:2])

    @sign
    def test_tells_rows_from_columns(self, student: Any, cases: Cases) -> None:
        """The answer is True where the rows are distributions, and False where the columns are."""
        self.hold_each(student, cases.ordinary[2:4])

    @edge
    def test_near_the_tolerance(self, student: Any, cases: Cases) -> None:
        """What is within atol passes, what is not doesn't, however near."""
        self.hold_each(student, cases["near_the_tolerance"])

    @edge
    def test_atol_given(self, student: Any, cases: Cases) -> None:
        """Whoever asks may choose atol, by name or by position."""
        self.hold_each(student, cases["atol_given"])


SOURCES = {
    "tie": ", whose two strongest sources are equal,",
    "all alike": ", all of whose sources are equal,",
}


class TestStrongestSource(OneToken, Float32, Int64, MemoryLayout, LeavesInputsAlone, FunctionTests):
    exercise = "strongest_source"
    oracle = staticmethod(oracle.strongest_source)

    def cases(self, draw: Draw) -> Cases:
        n, m = draw.sizes(2, smallest=5)
        whose = [int(i) for i in draw.order(n)]
        A = draw.distribution(n, n)
        for i, j in zip(whose[:4], (whose[1], whose[1], whose[0], whose[2]), strict=True):
            A[i] = _led_by(A[i], j)
        B, odd, single = (draw.distribution(size, size) for size in (m, n, m))
        one_hot = np.eye(n, dtype="int64")[draw.order(n)]
        tied = draw.distribution(m, m)
        return answered(
            self.oracle,
            {
                "ordinary": [(A, whose[0]), (A, whose[2]), *((A, i) for i in whose if i not in (whose[0], whose[2]))]
                + [(B, i) for i in range(0, m, 2)],
                "one_token": [(np.ones((1, 1)), 0)],
                "tie": [_tie(tied, *places) for places in ((1, 3), (0, m - 1), (2, 4))],
                "all_alike": [(np.full((m, m), 1 / m), 2)],
                "narrow_lead": [_tie(tied, *places, lead=lead) for places, lead in (((0, 2), 1e-3), ((1, 4), 1e-7))],
                "float32": [(single.astype("float32"), i) for i in (0, 2)],
                "int64": [(one_hot, i) for i in (1, 3)],
                "memory_layout": [(oddly_laid(odd, way), way + 1) for way in range(3)],
            },
        )

    def hold(self, answer: Any, case: Case) -> None:
        got, A = whole_number(answer), case.args[0]
        if not 0 <= got < len(A):
            raise Unmet(f"the result is {got}, and the tokens are those from 0 to {len(A) - 1}")
        if got != case.expected:
            sources = SOURCES.get(case.kind, "")
            raise Unmet(f"for token {case.args[1]}{sources} you answer {got}, and another token is due")

    @sign
    def test_borrows_more_than_average(self, student: Any, cases: Cases) -> None:
        """The token that is named has more than an equal share of token i's attention."""
        named = []
        for case in cases.ordinary:
            A, i = case.args
            j = whole_number(self.ask(student, case))
            if not 0 <= j < len(A) or A[i, j] <= 1 / len(A):
                raise Unmet(f"for token {i} you answer {j}, which gets no more than an equal share of its attention")
            named.append((i, j))
        if len({j for _, j in named}) == 1 or all(i == j for i, j in named):
            raise Unmet("you answer with one token for all, or with each token for itself")

    @edge
    def test_tie(self, student: Any, cases: Cases) -> None:
        """Of several equally strong sources the first counts; of others the stronger, however little it leads."""
        self.hold_each(student, cases["tie"] + cases["all_alike"] + cases["narrow_lead"])


def _led_by(row: np.ndarray, j: int) -> np.ndarray:
    """The row with its largest entry at place j."""
    led, top = row.copy(), int(row.argmax())
    led[[j, top]] = row[[top, j]]
    return led


def _tie(A: np.ndarray, first: int, last: int, lead: float = 0.0) -> tuple[np.ndarray, int]:
    """A matrix and a token whose two strongest sources are equal, but for the lead of the last."""
    tied = A.copy()
    tied[1] *= 0.2
    tied[1, [first, last]] = 0.4, 0.4 + lead
    return tied, 1


class TestPermuteTokens(NumpyFunctionTests):
    exercise = "permute_tokens"
    oracle = staticmethod(oracle.permute_tokens)

    def cases(self, draw: Draw) -> Cases:
        n, d = sorted(draw.sizes(2, smallest=5))
        X, order = draw.normal(n, d), draw.order(n)

        def inputs(n: int, d: int, *, dtype: str = "float64") -> tuple[np.ndarray, np.ndarray]:
            return draw.normal(n, d, dtype=dtype), draw.order(n)

        return answered(
            self.oracle,
            {
                "ordinary": [inputs(n, d), inputs(n, d), inputs(d, n), inputs(6, 6), inputs(7, 7)],
                "one_token": [inputs(1, d)],
                "float32": [inputs(n, d, dtype="float32")],
                "int64": [inputs(n, d, dtype="int64")],
                "memory_layout": [(oddly_laid(X, way), oddly_laid(order, way)) for way in range(3)],
                "integer_types": [(X, order.astype(dtype)) for dtype in ("int32", "uint8", "int16")],
            },
        )

    @sign
    def test_tokens_move_whole(self, student: Any, cases: Cases) -> None:
        """Each token of X stands in the result once, as it was, and the places have changed."""
        for case in cases.ordinary:
            X, got = case.args[0], array(self.ask(student, case))
            if got.shape != X.shape or not within(_sorted_rows(got), _sorted_rows(X), TOLERANCE.float64):
                raise Unmet("some row of X is lost, doubled or changed in the result")
            if np.array_equal(got, X):
                raise Unmet("the rows stand where they stood in X")

    @edge
    def test_integer_types(self, student: Any, cases: Cases) -> None:
        """The order may be an array of any integer type."""
        self.hold_each(student, cases["integer_types"])


def _sorted_rows(X: np.ndarray) -> np.ndarray:
    return X[np.lexsort(X.T)]


class TestIsPermutationEquivariant(OneToken, PredicateTests):
    exercise = "is_permutation_equivariant"
    oracle = staticmethod(oracle.is_permutation_equivariant)

    def cases(self, draw: Draw) -> Cases:
        asked = Maps(draw)
        ordinary, odd, whole, single = asked.ordinary(), asked.tokens(), asked.tokens("int64"), asked.tokens("float32")
        return Cases(
            {
                "ordinary": ordinary,
                "near_the_tolerance": asked.near_the_tolerance(),
                "atol_given": asked.atol_given(),
                "one_token": asked.one_token(),
                "float32": asked.float32(single),
                "int64": asked.int64(whole),
                "memory_layout": asked.memory_layout(odd),
            }
        )

    @sign
    def test_notices_positions(self, student: Any, cases: Cases) -> None:
        """The answer is True for a function of each token by itself, and False for one that adds positions."""
        self.hold_each(student, cases.ordinary[:2])

    @sign
    def test_notices_a_causal_mask(self, student: Any, cases: Cases) -> None:
        """The answer is True for self-attention, and False for causal self-attention."""
        self.hold_each(student, cases.ordinary[2:4])

    @edge
    def test_near_the_tolerance(self, student: Any, cases: Cases) -> None:
        """What is within atol passes, what is not doesn't, however near."""
        self.hold_each(student, cases["near_the_tolerance"])

    @edge
    def test_atol_given(self, student: Any, cases: Cases) -> None:
        """Whoever asks may choose atol, and it counts alone, however large the outputs."""
        self.hold_each(student, cases["atol_given"])


class TestPositionalEncoding(OneToken, FunctionTests):
    exercise = "positional_encoding"
    result_name = "PE"
    oracle = staticmethod(oracle.positional_encoding)

    def cases(self, draw: Draw) -> Cases:
        n, other = draw.sizes(2, smallest=5)
        widths = [int(w) for w in (6, 8, 10, 12)]
        return answered(
            self.oracle,
            {
                "ordinary": [
                    (n, draw.choice((6, 10))),
                    (other, 8),
                    (11, 12),
                    (draw.integer(20, 40), draw.choice(tuple(widths))),
                    (8, 2),
                ],
                "one_token": [(1, 6), (1, 10)],
                "odd_width": [(n, 7), (other, 9), (n, 1), (1, 5)],
            },
        )

    @sign
    def test_each_position_has_its_own_row(self, student: Any, cases: Cases) -> None:
        """Position 0 has zeros and ones alone, no two positions share a row, and no entry leaves -1 to 1."""
        for case in cases.ordinary:
            PE = array(self.ask(student, case), "PE")
            if PE.shape != case.expected.shape or not (np.abs(PE) <= 1 + 1e-9).all():
                raise Unmet("PE has the wrong shape, or entries beyond -1 and 1")
            if not np.isin(PE[0], (0, 1)).all() or np.ptp(PE[0]) == 0:
                raise Unmet("row 0 of PE has entries other than 0 and 1, or the same number throughout")
            if len(np.unique(PE.round(9), axis=0)) < len(PE):
                raise Unmet("two positions have the same row")

    @sign
    def test_each_pair_of_columns_is_one_turn(self, student: Any, cases: Cases) -> None:
        """In each pair of columns the squares of a row sum to 1."""
        for case in cases.ordinary:
            PE = array(self.ask(student, case), "PE")
            if PE.shape != case.expected.shape or not within(
                PE[:, ::2] ** 2 + PE[:, 1::2] ** 2, np.ones(PE[:, ::2].shape), 1e-6
            ):
                raise Unmet("PE has the wrong shape, or in some row the squares of a pair of columns do not sum to 1")
            if np.ptp(PE, axis=0).max() < 1e-9:
                raise Unmet("every position has the same row")

    @edge
    def test_odd_width(self, student: Any, cases: Cases) -> None:
        """An odd number of columns ends in a sine."""
        self.hold_each(student, cases["odd_width"])


class TestSelfAttentionWithPositions(NumpyFunctionTests):
    exercise = "self_attention_with_positions"
    oracle = staticmethod(oracle.self_attention_with_positions)

    def cases(self, draw: Draw) -> Cases:
        width, other_width = draw.choice(((6, 10), (10, 6)))
        n, d_k, d_v, other_n, other_k = (size for size in draw.sizes(7) if size not in (width, other_width))
        sizes, other = (n, width, d_k, d_v), (other_n, other_width, other_k, d_v)

        def inputs(n: int, d_model: int, d_k: int, d_v: int, *, dtype: str = "float64") -> tuple[np.ndarray, ...]:
            """Weights that keep the scaled scores near N(0, 1), so that no scaling hides in a saturated softmax."""
            X, weights = draw.normal(n, d_model), [draw.normal(d_model, d) / d_model**0.5 for d in (d_k, d_k, d_v)]
            return tuple(a.astype(dtype) for a in (X, *weights))

        odd, heavy = inputs(*other), inputs(*sizes)
        whole = tuple(np.sign(draw.normal(*a.shape)).astype("int64") for a in inputs(*sizes))
        order = draw.order(n)
        asked = answered(
            self.oracle,
            {
                "ordinary": [inputs(*sizes), inputs(*sizes), inputs(*other), inputs(6, 6, 6, 6)],
                "one_token": [inputs(1, *sizes[1:])],
                "odd_width": [inputs(n, 7, d_k, d_v)],
                "float32": [inputs(*other, dtype="float32")],
                "int64": [whole],
                "memory_layout": [tuple(oddly_laid(a, way + k) for k, a in enumerate(odd)) for way in range(3)],
                "large_scores": [(60 * heavy[0], *heavy[1:])],
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
    def test_order_matters(self, student: Any, cases: Cases) -> None:
        """Shuffle the tokens, and their weights are more than shuffled."""
        (shuffled,) = cases["permuted"]
        before, after = (pair(self.ask(student, case), "Output, A")[1] for case in (cases.ordinary[0], shuffled))
        order, shape = shuffled.expected, cases.ordinary[0].expected[1].shape
        different_distributions(before, shape)
        different_distributions(after, shape)
        if within(array(after), array(before)[order][:, order], 1e-6):
            raise Unmet("with the tokens shuffled, A is the old A shuffled")

    @sign
    def test_output_mixes_the_values(self, student: Any, cases: Cases) -> None:
        """Output is your A times (X + PE) W_V."""
        for case in cases.ordinary:
            X, W_V = case.args[0], case.args[3]
            Output, A = pair(self.ask(student, case), "Output, A")
            different_distributions(A, case.expected[1].shape)
            placed = X + oracle.positional_encoding(*X.shape)
            close(array(Output, "Output"), array(A) @ placed @ W_V, 1e-6, "Output")

    @edge
    def test_odd_width(self, student: Any, cases: Cases) -> None:
        """Tokens may have an odd number of features."""
        self.hold_each(student, cases["odd_width"])

    @edge
    def test_large_scores(self, student: Any, cases: Cases) -> None:
        """Scores of many thousands give weights, not NaN."""
        self.hold_each(student, cases["large_scores"])


class TestRowEntropy(NumpyFunctionTests):
    exercise = "row_entropy"
    oracle = staticmethod(oracle.row_entropy)

    def cases(self, draw: Draw) -> Cases:
        n, other = draw.sizes(2, smallest=5)
        odd = draw.distribution(other, other)
        with_zeros = [causal(draw.distribution(n, n)), np.eye(other)[draw.order(other)]]
        return answered(
            self.oracle,
            {
                "ordinary": [
                    *((draw.distribution(size, size),) for size in (n, n, other, 7)),
                    (draw.distribution(n, other),),
                    (draw.distribution(other, n),),
                    (softmax(falling_scores(draw, n, other)),),
                ],
                "one_token": [(np.ones((1, 1)),)],
                "zeros": [(A,) for A in with_zeros],
                "float32": [(odd.astype("float32"),)],
                "int64": [(np.eye(n, dtype="int64")[draw.order(n)],)],
                "memory_layout": [(oddly_laid(odd, way),) for way in range(3)],
            },
        )

    @sign
    def test_between_certain_and_even(self, student: Any, cases: Cases) -> None:
        """A row's entropy lies above that of a certain row, is at most that of an even one, and stays when the keys
        change places."""
        for case in cases.ordinary[:2]:
            (A,) = case.args
            entropy, moved = (array(student.row_entropy(weights)) for weights in (A, np.roll(A, 1, axis=1)))
            if entropy.shape != case.expected.shape or not within(moved, entropy, 1e-6):
                raise Unmet("the result has the wrong shape, or changes with the order of the columns of A")
            if not ((entropy > 0) & (entropy <= np.log(len(entropy)) + 1e-9)).all() or np.ptp(entropy) < 1e-9:
                raise Unmet("some entropy is not above 0 and at most ln n, or all are the same")

    @sign
    def test_grows_as_the_row_evens_out(self, student: Any, cases: Cases) -> None:
        """Halfway to equal weights, each row has more entropy than before."""
        for case in cases.ordinary[:2]:
            (A,) = case.args
            before, after = array(self.ask(student, case)), array(student.row_entropy((A + 1 / len(A)) / 2))
            if before.shape != case.expected.shape or after.shape != before.shape or not (after > before).all():
                raise Unmet("some row comes halfway to equal weights, and its entropy does not grow")

    @edge
    def test_zeros(self, student: Any, cases: Cases) -> None:
        """A weight of zero adds nothing."""
        self.hold_each(student, cases["zeros"])

    @rule
    def test_inputs_with_zeros_are_left_alone(self, student: Any, cases: Cases) -> None:
        """Weights of zero are zero after the call, too."""
        for case in cases["zeros"]:
            self.test_inputs_are_left_alone(student, Cases({"ordinary": (case,)}))


class TestAttentionCost(EntryTests):
    exercise = "attention_cost"
    oracle = staticmethod(oracle.attention_cost)

    def cases(self, draw: Draw) -> Cases:
        return answered(self.oracle, {"ordinary": [draw.sizes(3) for _ in range(4)] + [(1, 5, 3)]})
