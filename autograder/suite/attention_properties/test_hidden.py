"""The hidden tests of assignment 03."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import Callback
from autograder.suite.attention import softmax
from autograder.suite.cases import Case, Cases, Draw, answered, falling_scores, oddly_laid
from autograder.suite.checks import edge, rule, sign
from autograder.suite.entries import EntryTests
from autograder.suite.expect import (
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

from . import oracle, sequence_maps


class PredicateTests(Float32, Int64, MemoryLayout, LeavesInputsAlone, FunctionTests):
    """A question with the answer True or False. A case's `kind` says what was asked about."""

    def hold(self, answer: Any, case: Case) -> None:
        said = truth(answer)
        if said is not case.expected:
            raise Unmet(f"you answer {said}, asked about {case.kind}")

    def case(self, kind: str, *args: Any, **named: Any) -> Case:
        return Case(args, self.oracle(*args, **named), kind, named)


class TestIsAttentionMatrix(PredicateTests):
    exercise = "is_attention_matrix"
    oracle = staticmethod(oracle.is_attention_matrix)

    def cases(self, draw: Draw) -> Cases:
        n, m = draw.sizes(2, smallest=5)
        weights = [draw.distribution(n, n) for _ in range(8)]
        off_by = [_with_row(weights[0], 1, factor=1 + gap) for gap in (3e-7, 0.02, -0.1, 0.1, 5e-6, 1e-7)]
        uneven = np.linspace(0.6, 1.4, n)[:, None]
        past_one, below_zero = _moved(weights[1], 2, 1.2), _moved(weights[2], 2, weights[2][2].max() + 0.05)
        barely_below, well_below, far_below = (
            _moved(weights[2], 2, weights[2][2].max() + gap) for gap in (1e-9, 5e-6, 0.03)
        )
        beside = {"a NaN": (np.nan,), "an infinity": (np.inf,), "infinity and minus infinity": (np.inf, -np.inf)}
        odd = draw.distribution(m, m)
        halves = np.tile(np.repeat([0.5, 0.25, 0.0], [1, 2, m - 3]), (m, 1))
        ordinary = (
            self.case("a symmetric matrix whose rows sum to 1 + 1e-12", _balanced(draw, n) * (1 + 1e-12)),
            self.case("a matrix of scores", draw.normal(n, n)),
            self.case("a matrix whose rows are distributions", weights[3]),
            self.case("a matrix whose columns are distributions", weights[3].T.copy()),
            self.case("rows that are distributions and have zeros in them", _causal(weights[4])),
            self.case("the identity matrix", np.eye(m)),
            self.case("rows of halves and quarters", halves),
            self.case("positive numbers whose rows sum to anything", np.abs(draw.normal(m, m)) + 0.1),
            self.case("a matrix whose rows sum to 1 on average, and each to something else", weights[5] * uneven),
            self.case("distributions over more keys than there are queries", draw.distribution(n, n + 2)),
            self.case("distributions over fewer keys than there are queries", draw.distribution(m + 2, m)),
            self.case("a matrix with a row that sums to 0.9", off_by[2]),
            self.case("a matrix with a row that sums to 1.1", off_by[3]),
            self.case("a row that sums to 1 with an entry below zero and one above 1", past_one),
            self.case("a row that sums to 1 with an entry below zero", below_zero),
            self.case(
                "a row that sums to 1 with an entry below zero", np.roll(below_zero, _to_diagonal(below_zero), axis=1)
            ),
            self.case("a matrix with NaN in it", _with_entry(weights[6], np.nan)),
            self.case("a matrix with infinity in it", _with_entry(weights[7], np.inf)),
            *(
                self.case(f"a matrix whose rows sum to 1 but for {what} in one", _beside(weights[6], *entries))
                for what, entries in beside.items()
            ),
            self.case("a matrix with a row that sums to 1.02", off_by[1]),
            *(self.case("a matrix whose rows are distributions", draw.distribution(n, n)) for _ in range(3)),
            self.case("rows that are distributions with one or two entries", _one_or_two(draw, m)),
            *(self.case("a matrix whose rows are distributions", draw.distribution(m, m)) for _ in range(4)),
        )
        given = (
            self.case("a row that sums to 1.02, with atol=0.05", off_by[1], atol=0.05),
            self.case("a row that sums to 1.02, with an atol of 0.03 by position", off_by[1], 0.03),
            self.case("a row that sums to 1.02, with atol=0.01", off_by[1], atol=0.01),
            self.case("a row that sums to 1 with an entry of -0.03, with atol=0.05", far_below, atol=0.05),
            self.case("a row that sums to 1 + 1e-7, with atol=1e-9", off_by[5], atol=1e-9),
            self.case("rows of halves and quarters, with atol=0", halves, atol=0.0),
        )
        near = (
            self.case("a row that sums to 1 + 3e-7", off_by[0]),
            self.case("a row that sums to 1 with an entry of -1e-9", barely_below),
            self.case("a row that sums to 1 with an entry of -5e-6", well_below),
            self.case("a row that sums to 1 + 5e-6", off_by[4]),
        )
        return Cases(
            {
                "ordinary": ordinary,
                "near_the_tolerance": near,
                "atol_given": given,
                "float32": (
                    self.case("weights of float32", draw.distribution(n, n).astype("float32")),
                    self.case("scores of float32", draw.normal(n, n, dtype="float32")),
                ),
                "int64": (
                    self.case("whole numbers that are weights", np.eye(n, dtype="int64")[draw.order(n)]),
                    self.case("whole numbers that are not", np.eye(n, dtype="int64") * 2),
                ),
                "memory_layout": tuple(
                    self.case("weights in another memory layout", oddly_laid(A, way))
                    for way in range(3)
                    for A in (odd, odd.T)
                ),
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


def _to_diagonal(A: np.ndarray) -> int:
    """How far to roll A's columns for its smallest entry to come to stand on the diagonal."""
    i, j = np.unravel_index(A.argmin(), A.shape)
    return int(i - j)


def _balanced(draw: Draw, n: int) -> np.ndarray:
    """Positive and symmetric, with rows and columns that sum to 1."""
    mixed = sum(np.eye(n)[draw.order(n)] for _ in range(3)) / 3
    return (mixed + mixed.T) / 4 + 0.5 / n


def _causal(A: np.ndarray) -> np.ndarray:
    kept = np.tril(A)
    return kept / kept.sum(axis=1, keepdims=True)


def _with_row(A: np.ndarray, i: int, factor: float) -> np.ndarray:
    changed = A.copy()
    changed[i] *= factor
    return changed


def _with_entry(A: np.ndarray, entry: float) -> np.ndarray:
    changed = A.copy()
    changed[1, 2] = entry
    return changed


def _beside(A: np.ndarray, *entries: float) -> np.ndarray:
    """A row begins with these entries, and the others sum to 1 without them."""
    changed = A.copy()
    changed[1, : len(entries)] = 0
    changed[1] /= changed[1].sum()
    changed[1, : len(entries)] = entries
    return changed


def _one_or_two(draw: Draw, n: int) -> np.ndarray:
    """Each row is a mean of two tokens, which may be one and the same."""
    return (np.eye(n)[draw.order(n)] + np.eye(n)[draw.order(n)]) / 2


def _moved(A: np.ndarray, i: int, amount: float) -> np.ndarray:
    """Row i with an amount moved from its largest entry to its smallest, so that its sum stays."""
    changed = A.copy()
    changed[i, A[i].argmax()] -= amount
    changed[i, A[i].argmin()] += amount
    return changed


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
            tied = ", whose two strongest sources are equal," if case.kind == "tie" else ""
            raise Unmet(f"for token {case.args[1]}{tied} you answer {got}, and another token is due")

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
        self.hold_each(student, cases["tie"] + cases["narrow_lead"])


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
            if got.shape != X.shape or not np.array_equal(_sorted_rows(got), _sorted_rows(X)):
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
        n, d, e = draw.sizes(3, smallest=5)
        maps = sequence_maps
        W = draw.normal(d, e) / d**0.5
        heads = [draw.normal(d, size) / d**0.5 for size in (3, 3, e)]
        square, wide = draw.normal(6, 6) / 6**0.5, draw.normal(d, d + 3) / d**0.5
        with_square = maps.with_positions(maps.token_by_token(square))
        self_attention, causal = maps.attention(*heads), maps.attention(*heads, causal=True)

        def asked(kind: str, f: maps.Map, due: bool, **named: Any) -> Case:
            return self._asked(draw, kind, maps.shared(f, d), draw.normal(n, d), due, **named)

        def placed(place: int, order: np.ndarray, so: str) -> Case:
            kind = f"a function that adds 1 to its row {place}, and an order that {so} this row"
            return self.case(kind, maps.shared(maps.one_place_moved(W, place), d), draw.normal(n, d), order)

        def led_by_the_first(times: float) -> Case:
            """Another token comes first, with a larger number: all that differs is too large, or all is too small."""
            X = draw.normal(n, d)
            X = X[X[:, 0].argsort()]
            f = maps.shared(maps.first_number_added(W, times), d)
            kind = "a function that adds the first token's first number to all"
            return self.case(kind, f, X, _order_moving(draw, n, 0, n - 1))

        def by_size(kind: str, f: maps.Map, size: int, X: np.ndarray, due: bool) -> Case:
            return self._asked(draw, kind, maps.shared(f, size), X, due)

        near = maps.with_positions(maps.token_by_token(W), 1e-3)
        slightly, barely = maps.one_place_moved(W, 1, 1e-6), maps.one_place_moved(W, 1, 1e-11)
        large = maps.one_place_moved(1e5 * W, 1, 1e-2)
        rows, first_moved = maps.token_by_token(W), maps.one_place_moved(W, 0)
        ordinary = (
            asked("a function of each token by itself", rows, True),
            asked("a function that adds positions", maps.with_positions(rows), False),
            asked("self-attention", self_attention, True),
            asked("causal self-attention", causal, False),
            asked("a running sum", maps.running_sum(W), False),
            asked("a function that subtracts the mean of all tokens", maps.less_its_mean(W), True),
            asked("a function whose output is the same in any order", maps.sorted_features(W), False),
            asked("a function that gives every token the same output", maps.one_vector_for_all(W), True),
            asked("a function that exchanges two places", maps.first_two_exchanged(W), False),
            asked("self-attention with positions", maps.with_positions(self_attention), False),
            placed(n - 1, _order_moving(draw, n, n - 1, 0), "moves"),
            placed(0, _order_moving(draw, n, 0, n - 1), "moves"),
            placed(2, _order_keeping(draw, n, 2), "keeps"),
            placed(1, _order_keeping(draw, n, 1), "keeps"),
            self.case(
                "self-attention, and an order that exchanges tokens two by two",
                maps.shared(self_attention, d),
                draw.normal(n, d),
                np.arange(n)[::-1].copy(),
            ),
            by_size("a function of each token by itself", maps.token_by_token(square), 6, draw.normal(6, 6), True),
            by_size("a function that adds positions", with_square, 6, draw.normal(6, 6), False),
            by_size("a function that gives one number throughout", maps.one_number(square), 6, draw.normal(6, 6), True),
            asked("a function that adds positions to its first feature alone", maps.feature_placed(wide, 0), False),
            asked("a function that adds positions to its last feature alone", maps.feature_placed(wide, -1), False),
            asked("a function that turns the signs at every second place", maps.signs_by_place(W), False),
            asked("a function that moves features round by place", maps.features_turned_by_place(W), False),
            *(led_by_the_first(times) for times in (1.0, -1.0)),
            asked("a function that differs by 1e-12 from place to place", maps.one_place_moved(W, 1, 1e-12), True),
            asked("self-attention with more features out than in", maps.attention(heads[0], heads[1], wide), True),
            asked("a function that gives every token the same output", maps.one_vector_for_all(wide), True),
            asked("self-attention", self_attention, True),
        )
        odd, whole = draw.normal(n, d), draw.normal(n, d, dtype="int64")
        single = draw.normal(n, d, dtype="float32")
        return Cases(
            {
                "ordinary": ordinary,
                "near_the_tolerance": (
                    asked("a function that adds 1e-6 to one of its rows", slightly, False),
                    asked("a function that adds 1e-11 to one of its rows", barely, True),
                    asked("a function that adds 1.5e-8 to one of its rows", maps.one_place_moved(W, 1, 1.5e-8), False),
                    asked("a function that adds 8e-9 to one of its rows", maps.one_place_moved(W, 1, 8e-9), True),
                ),
                "atol_given": (
                    asked("a function that adds positions times 0.001, with atol=0.1", near, True, atol=0.1),
                    asked("a function that adds positions times 0.001, with atol=1e-5", near, False, atol=1e-5),
                    asked("a function that adds 0.01 to a large row, with atol=0.001", large, False, atol=1e-3),
                ),
                "one_token": (
                    by_size("a sequence of one token", maps.with_positions(rows), d, draw.normal(1, d), True),
                ),
                "float32": tuple(
                    by_size("tokens of float32", f, d, single, due)
                    for f, due in ((self_attention, True), (causal, False))
                ),
                "int64": tuple(
                    by_size("tokens of whole numbers", f, d, whole, due)
                    for f, due in ((self_attention, True), (first_moved, False))
                ),
                "memory_layout": tuple(
                    by_size("tokens in another memory layout", f, d, oddly_laid(odd, way), due)
                    for way, (f, due) in enumerate(((rows, True), (causal, False), (self_attention, True)))
                ),
            }
        )

    def _asked(self, draw: Draw, kind: str, f: Callback, X: np.ndarray, due: bool, **named: Any) -> Case:
        """A case with an order for which the answer is `due`: some suit a map that isn't equivariant."""
        while True:
            case = self.case(kind, f, X, draw.order(len(X)), **named)
            if case.expected is due:
                return case

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


def _order_keeping(draw: Draw, n: int, place: int) -> np.ndarray:
    while True:
        order = draw.order(n)
        if order[place] == place:
            return order


def _order_moving(draw: Draw, n: int, place: int, away_from: int) -> np.ndarray:
    """An order that moves a place, and to another than `away_from`."""
    while True:
        order = draw.order(n)
        if place not in (order[place], order[away_from]):
            return order


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
        causal = [_causal(draw.distribution(n, n)), np.eye(other)[draw.order(other)]]
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
                "zeros": [(A,) for A in causal],
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
