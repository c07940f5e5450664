"""What assignment 03's two predicates are asked about: matrices that are weights, or miss it by little; functions of a
sequence that depend on position nowhere, or in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.suite.cases import Case, Draw, oddly_laid

from . import oracle
from . import sequence_maps as maps


class Matrices:
    """Matrices of one inputs set for `is_attention_matrix`; weights are (n, n) or (m, m)."""

    def __init__(self, draw: Draw):
        self._draw = draw
        self._n, self._m = draw.sizes(2, smallest=5)
        self._weights = [draw.distribution(self._n, self._n) for _ in range(8)]
        self._odd = draw.distribution(self._m, self._m)
        self._halves = np.tile(np.repeat([0.5, 0.25, 0.0], [1, 2, self._m - 3]), (self._m, 1))

    def ordinary(self) -> tuple[Case, ...]:
        """The first two are weights and scores; the next two have distributions for rows, and for columns."""
        return (*self._throughout(), *self._but_for_one_row(), *self._more_weights())

    def _throughout(self) -> tuple[Case, ...]:
        """What is right or wrong in every row."""
        draw, n, m = self._draw, self._n, self._m
        uneven = np.linspace(0.6, 1.4, n)[:, None]
        return (
            _matrix("a symmetric matrix whose rows sum to 1 + 1e-12", _balanced(draw, n) * (1 + 1e-12)),
            _matrix("a matrix of scores", draw.normal(n, n)),
            _matrix("a matrix whose rows are distributions", self._weights[3]),
            _matrix("a matrix whose columns are distributions", self._weights[3].T.copy()),
            _matrix("rows that are distributions and have zeros in them", causal(self._weights[4])),
            _matrix("the identity matrix", np.eye(m)),
            _matrix("rows of halves and quarters", self._halves),
            _matrix("positive numbers whose rows sum to anything", np.abs(draw.normal(m, m)) + 0.1),
            _matrix("a matrix whose rows sum to 1 on average, and each to something else", self._weights[5] * uneven),
            _matrix("distributions over more keys than there are queries", draw.distribution(n, n + 2)),
            _matrix("distributions over fewer keys than there are queries", draw.distribution(m + 2, m)),
        )

    def _but_for_one_row(self) -> tuple[Case, ...]:
        """What is wrong in one row, whose sum may be right, or in one entry."""
        past_one, below_zero = _moved(self._weights[1], 2, 1.2), self._with_an_entry_of(-0.05)
        beside = {"a NaN": (np.nan,), "an infinity": (np.inf,), "infinity and minus infinity": (np.inf, -np.inf)}
        return (
            _matrix("a matrix with a row that sums to 0.9", self._off_by(-0.1)),
            _matrix("a matrix with a row that sums to 1.1", self._off_by(0.1)),
            _matrix("a row that sums to 1 with an entry below zero and one above 1", past_one),
            _matrix("a row that sums to 1 with an entry below zero", below_zero),
            _matrix(
                "a row that sums to 1 with an entry below zero", np.roll(below_zero, _to_diagonal(below_zero), axis=1)
            ),
            _matrix("a matrix with NaN in it", _with_entry(self._weights[6], np.nan)),
            _matrix("a matrix with infinity in it", _with_entry(self._weights[7], np.inf)),
            *(
                _matrix(f"a matrix whose rows sum to 1 but for {what} in one", _beside(self._weights[6], *entries))
                for what, entries in beside.items()
            ),
            _matrix("a matrix with a row that sums to 1.02", self._off_by(0.02)),
        )

    def _more_weights(self) -> tuple[Case, ...]:
        """So many that True is as often due as False."""
        draw, n, m = self._draw, self._n, self._m
        return (
            *(_matrix("a matrix whose rows are distributions", draw.distribution(n, n)) for _ in range(3)),
            _matrix("rows that are distributions with one or two entries", _one_or_two(draw, m)),
            *(_matrix("a matrix whose rows are distributions", draw.distribution(m, m)) for _ in range(4)),
        )

    def near_the_tolerance(self) -> tuple[Case, ...]:
        return (
            _matrix("a row that sums to 1 + 3e-7", self._off_by(3e-7)),
            _matrix("a row that sums to 1 with an entry of -1e-9", self._with_an_entry_of(-1e-9)),
            _matrix("a row that sums to 1 with an entry of 1 + 3e-7", self._just_past_one()),
            _matrix("a row that sums to 1 with an entry of -5e-6", self._with_an_entry_of(-5e-6)),
            _matrix("a row that sums to 1 + 5e-6", self._off_by(5e-6)),
        )

    def atol_given(self) -> tuple[Case, ...]:
        above, below = self._off_by(0.02), self._with_an_entry_of(-0.03)
        return (
            _matrix("a row that sums to 1.02, with atol=0.05", above, atol=0.05),
            _matrix("a row that sums to 1.02, with an atol of 0.03 by position", above, 0.03),
            _matrix("a row that sums to 1.02, with atol=0.01", above, atol=0.01),
            _matrix("a row that sums to 1 with an entry of -0.03, with atol=0.05", below, atol=0.05),
            _matrix("a row that sums to 1 + 1e-7, with atol=1e-9", self._off_by(1e-7), atol=1e-9),
            _matrix("rows of halves and quarters, with atol=0", self._halves, atol=0.0),
        )

    def float32(self) -> tuple[Case, ...]:
        draw, n = self._draw, self._n
        return (
            _matrix("weights of float32", draw.distribution(n, n).astype("float32")),
            _matrix("scores of float32", draw.normal(n, n, dtype="float32")),
        )

    def int64(self) -> tuple[Case, ...]:
        eye = np.eye(self._n, dtype="int64")
        return (
            _matrix("whole numbers that are weights", eye[self._draw.order(self._n)]),
            _matrix("whole numbers that are not", eye * 2),
        )

    def memory_layout(self) -> tuple[Case, ...]:
        both = (self._odd, self._odd.T)
        return tuple(_matrix("weights in another memory layout", oddly_laid(A, way)) for way in range(3) for A in both)

    def _off_by(self, gap: float) -> np.ndarray:
        """Weights, one row of which sums to 1 + gap."""
        A = self._weights[0].copy()
        A[1] *= 1 + gap
        return A

    def _with_an_entry_of(self, entry: float) -> np.ndarray:
        """Weights, one row of which has this entry below zero, and sums to 1."""
        A = self._weights[2]
        return _moved(A, 2, A[2].max() - entry)

    def _just_past_one(self) -> np.ndarray:
        """Weights, one row of which has one entry past 1, one below zero, and no other."""
        A = self._weights[0].copy()
        A[1] = 0
        A[1, :2] = 1 + 3e-7, -3e-7
        return A


class Maps:
    """Functions of one inputs set for `is_permutation_equivariant`, from (n, d) to (n, e), each with the tokens and the
    order that it is asked about."""

    def __init__(self, draw: Draw):
        self._draw = draw
        self._n, self._d, e = draw.sizes(3, smallest=5)
        d = self._d
        self._W = draw.normal(d, e) / d**0.5
        self._heads = [draw.normal(d, size) / d**0.5 for size in (3, 3, e)]
        self._square, self._wide = draw.normal(6, 6) / 6**0.5, draw.normal(d, d + 3) / d**0.5
        self._by_token = maps.token_by_token(self._W)
        self._self_attention = maps.attention(*self._heads)
        self._causal = maps.attention(*self._heads, causal=True)

    def tokens(self, dtype: str = "float64") -> np.ndarray:
        """Another sequence: X (n, d)."""
        return self._draw.normal(self._n, self._d, dtype=dtype)

    def ordinary(self) -> tuple[Case, ...]:
        """The first four: token by token, and with positions; self-attention, and causal."""
        return (*self._common(), *self._by_order(), *self._as_wide_as_the_tokens(), *self._hidden_in_one_place())

    def _common(self) -> tuple[Case, ...]:
        W, with_positions = self._W, maps.with_positions
        return (
            self._about("a function of each token by itself", self._by_token, True),
            self._about("a function that adds positions", with_positions(self._by_token), False),
            self._about("self-attention", self._self_attention, True),
            self._about("causal self-attention", self._causal, False),
            self._about("a running sum", maps.running_sum(W), False),
            self._about("a function that subtracts the mean of all tokens", maps.less_its_mean(W), True),
            self._about("a function whose output is the same in any order", maps.sorted_features(W), False),
            self._about("a function that gives every token the same output", maps.one_vector_for_all(W), True),
            self._about("a function that exchanges two places", maps.first_two_exchanged(W), False),
            self._about("self-attention with positions", with_positions(self._self_attention), False),
        )

    def _by_order(self) -> tuple[Case, ...]:
        """What the order decides that is asked about: it keeps the one place where a function differs, or moves it."""
        draw, n = self._draw, self._n
        return (
            self._one_place(n - 1, _order_moving(draw, n, n - 1, 0), "moves"),
            self._one_place(0, _order_moving(draw, n, 0, n - 1), "moves"),
            self._one_place(2, _order_keeping(draw, n, 2), "keeps"),
            self._one_place(1, _order_keeping(draw, n, 1), "keeps"),
            _map(
                "self-attention, and an order that exchanges tokens two by two",
                maps.shared(self._self_attention, self._d),
                self.tokens(),
                np.arange(n)[::-1].copy(),
            ),
        )

    def _as_wide_as_the_tokens(self) -> tuple[Case, ...]:
        """n, d and e are all 6."""
        by_token, one_number = maps.token_by_token(self._square), maps.one_number(self._square)
        return tuple(
            self.about(kind, f, self._draw.normal(6, 6), due)
            for kind, f, due in (
                ("a function of each token by itself", by_token, True),
                ("a function that adds positions", maps.with_positions(by_token), False),
                ("a function that gives one number throughout", one_number, True),
            )
        )

    def _hidden_in_one_place(self) -> tuple[Case, ...]:
        """Functions that depend on position in one feature, in signs, or in one token alone, and as many that don't."""
        W, wide = self._W, self._wide
        queries, keys, _ = self._heads
        return (
            self._about(
                "a function that adds positions to its first feature alone", maps.feature_placed(wide, 0), False
            ),
            self._about(
                "a function that adds positions to its last feature alone", maps.feature_placed(wide, -1), False
            ),
            self._about("a function that turns the signs at every second place", maps.signs_by_place(W), False),
            self._about("a function that moves features round by place", maps.features_turned_by_place(W), False),
            *(self._led_by_the_first(times) for times in (1.0, -1.0)),
            self._about(
                "a function that differs by 1e-12 from place to place", maps.one_place_moved(W, 1, 1e-12), True
            ),
            self._about("self-attention with more features out than in", maps.attention(queries, keys, wide), True),
            self._about("a function that gives every token the same output", maps.one_vector_for_all(wide), True),
            self._about("self-attention", self._self_attention, True),
        )

    def near_the_tolerance(self) -> tuple[Case, ...]:
        return tuple(
            self._about(
                f"a function that adds {gap} to one of its rows", maps.one_place_moved(self._W, 1, float(gap)), due
            )
            for gap, due in (("1e-6", False), ("1e-11", True), ("1.5e-8", False), ("8e-9", True))
        )

    def atol_given(self) -> tuple[Case, ...]:
        near, large = maps.with_positions(self._by_token, 1e-3), maps.one_place_moved(1e5 * self._W, 1, 1e-2)
        return (
            self._about("a function that adds positions times 0.001, with atol=0.1", near, True, atol=0.1),
            self._about("a function that adds positions times 0.001, with atol=1e-5", near, False, atol=1e-5),
            self._about("a function that adds 0.01 to a large row, with atol=0.001", large, False, atol=1e-3),
        )

    def one_token(self) -> tuple[Case, ...]:
        with_positions = maps.with_positions(self._by_token)
        return (self.about("a sequence of one token", with_positions, self._draw.normal(1, self._d), True),)

    def float32(self, X: np.ndarray) -> tuple[Case, ...]:
        kind = "tokens of float32"
        return self.about(kind, self._self_attention, X, True), self.about(kind, self._causal, X, False)

    def int64(self, X: np.ndarray) -> tuple[Case, ...]:
        kind, moved = "tokens of whole numbers", maps.one_place_moved(self._W, 0)
        return self.about(kind, self._self_attention, X, True), self.about(kind, moved, X, False)

    def memory_layout(self, X: np.ndarray) -> tuple[Case, ...]:
        asked = ((self._by_token, True), (self._causal, False), (self._self_attention, True))
        return tuple(
            self.about("tokens in another memory layout", f, oddly_laid(X, way), due)
            for way, (f, due) in enumerate(asked)
        )

    def about(self, kind: str, f: maps.Map, X: np.ndarray, due: bool, **named: Any) -> Case:
        """A case with an order for which the answer is `due`: some suit a map that isn't equivariant."""
        while True:
            case = _map(kind, maps.shared(f, X.shape[1]), X, self._draw.order(len(X)), **named)
            if case.expected is due:
                return case

    def _about(self, kind: str, f: maps.Map, due: bool, **named: Any) -> Case:
        return self.about(kind, f, self.tokens(), due, **named)

    def _one_place(self, place: int, order: np.ndarray, so: str) -> Case:
        kind = f"a function that adds 1 to its row {place}, and an order that {so} this row"
        return _map(kind, maps.shared(maps.one_place_moved(self._W, place), self._d), self.tokens(), order)

    def _led_by_the_first(self, times: float) -> Case:
        """Another token comes first, with a larger number: all that differs is too large, or all is too small."""
        X = self.tokens()
        X = X[X[:, 0].argsort()]
        f = maps.shared(maps.first_number_added(self._W, times), self._d)
        order = _order_moving(self._draw, self._n, 0, self._n - 1)
        return _map("a function that adds the first token's first number to all", f, X, order)


def _asked(answer: Callable[..., bool], kind: str, *args: Any, **named: Any) -> Case:
    """A case; `kind` says what is asked about."""
    return Case(args, answer(*args, **named), kind, named)


def _matrix(kind: str, *args: Any, **named: Any) -> Case:
    return _asked(oracle.is_attention_matrix, kind, *args, **named)


def _map(kind: str, *args: Any, **named: Any) -> Case:
    return _asked(oracle.is_permutation_equivariant, kind, *args, **named)


def causal(A: np.ndarray) -> np.ndarray:
    """The weights of A (n, n) up to the diagonal, with rows that sum to 1 again."""
    kept = np.tril(A)
    return kept / kept.sum(axis=1, keepdims=True)


def _balanced(draw: Draw, n: int) -> np.ndarray:
    """Positive and symmetric, with rows and columns that sum to 1."""
    mixed = sum(np.eye(n)[draw.order(n)] for _ in range(3)) / 3
    return (mixed + mixed.T) / 4 + 0.5 / n


def _to_diagonal(A: np.ndarray) -> int:
    """How far to roll A's columns for its smallest entry to come to stand on the diagonal."""
    i, j = np.unravel_index(A.argmin(), A.shape)
    return int(i - j)


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
