"""The wrong models of assignment 06: tests that students write, with a misconception in each.

What names a misconception is the pattern of implementations that a test lets pass. Where two misconceptions have one
pattern, as the test that asserts nothing and the one that swallows its failure, neither can be named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import Callback
from autograder.suite.models import WrongModel

from .implementations import RIGHT, WRONG, Attend, Matrix

Inputs = tuple[Matrix, Matrix, Matrix, Matrix]
Test = Callable[[Attend], None]
Looks = Callable[[Matrix, Matrix, Inputs], bool]  # at Output, A and the four inputs: are they as they should be?

TOLERANCE = 1e-6
SIZES = {"n": 5, "d_model": 8, "d_k": 6, "d_v": 3}


def inputs(n: int = 5, d_model: int = 8, d_k: int = 6, d_v: int = 3) -> Inputs:
    """Ordinary inputs: scores near N(0, 1)."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, d_model))
    return X, *(rng.normal(size=(d_model, d)) / d_model**0.5 for d in (d_k, d_k, d_v))


def _looking(look: Looks, given: Inputs | None = None) -> Test:
    """A test that calls `attend` once."""

    def test(attend: Attend) -> None:
        arguments = inputs() if given is None else given
        Output, A = attend(*arguments)
        assert look(Output, A, arguments)

    return test


def _near(one: Any, other: Any, tolerance: float = TOLERANCE) -> bool:
    return np.shape(one) == np.shape(other) and np.allclose(one, other, rtol=0, atol=tolerance)


def asserts_nothing(attend: Attend) -> None:
    Output, A = attend(*inputs())
    _ = Output is A


def never_calls_attend(attend: Attend) -> None:
    A = RIGHT[0](*inputs())[1]
    assert _near(A.sum(axis=1), 1.0 + np.zeros(len(A)))


def compares_attend_with_itself(attend: Attend) -> None:
    for one, other in zip(attend(*inputs()), attend(*inputs()), strict=True):
        assert _near(one, other)


def _swallowing(test: Test) -> Test:
    def swallow(attend: Attend) -> None:
        try:
            test(attend)
        except AssertionError:
            return

    return swallow


def _narrow(accepted: tuple[int, ...]) -> Test:
    """Bit for bit what some right implementations give, and what others don't."""
    given = inputs()
    known = [RIGHT[number](*given) for number in accepted]

    def test(attend: Attend) -> None:
        got = attend(*given)
        assert any(all(np.array_equal(a, b) for a, b in zip(got, one, strict=True)) for one in known)

    return test


def _equal_sizes(hides: Callable[..., bool]) -> Iterator[Inputs]:
    """Inputs with some sizes equal, in every way there is that `hides` something."""
    names = tuple(SIZES)
    groups = [equal for count in (2, 3, 4) for equal in combinations(names, count)]
    choices = [{**SIZES, **dict.fromkeys(equal, 5 if "n" in equal else 6)} for equal in groups]
    two_pairs = [{name: 5 if name in ("n", other) else 6 for name in names} for other in names[1:]]
    yield from (inputs(**sizes) for sizes in (*choices, *two_pairs) if hides(**sizes))


def _shapes(output: bool, weights: bool) -> Looks:
    def look(Output: Matrix, A: Matrix, given: Inputs) -> bool:
        n, d_v = len(given[0]), given[3].shape[1]
        return (not output or Output.shape == (n, d_v)) and (not weights or A.shape == (n, n))

    return look


def _are_distributions(A: Matrix, tolerance: float = TOLERANCE) -> bool:
    return A.min() >= -TOLERANCE and _near(A.sum(axis=1), np.ones(len(A)), tolerance)


def _are_distributions_within(tolerance: float, Output: Matrix, A: Matrix, given: Inputs) -> bool:
    return _are_distributions(A, tolerance)


def _weights(given: Inputs, divisor: float | None = None) -> Matrix:
    X, W_Q, W_K, _ = given
    S = (X @ W_Q) @ (X @ W_K).T / (W_Q.shape[1] ** 0.5 if divisor is None else divisor)
    powers = np.exp(S - S.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def _is_right(tolerance: float = TOLERANCE) -> Looks:
    return lambda Output, A, given: _near(A, _weights(given), tolerance)


def _times(given: Inputs, factor: float) -> Inputs:
    X, W_Q, W_K, W_V = given
    return X * factor, W_Q, W_K, W_V


def _demanding(believed: Attend, with_output: bool) -> Test:
    """Takes a wrong implementation for the right one, and compares A or both with it."""

    def test(attend: Attend) -> None:
        for given in (inputs(), inputs(4, 7, 3, 5)):
            (Output, A), (believed_output, believed_A) = attend(*given), believed(*given)
            assert _near(A, believed_A)
            assert not with_output or _near(Output, believed_output)

    return test


def _demanding_shapes_of(number: int) -> Test:
    """Takes a wrong implementation's shapes for the right ones."""
    believed = WRONG["test_shapes"][number].attend

    def test(attend: Attend) -> None:
        for one, other in zip(attend(*inputs()), believed(*inputs()), strict=True):
            assert one.shape == other.shape

    return test


ORDER = np.array([2, 0, 3, 4, 1])


def _shuffled(
    order: Any = ORDER,
    output: Callable[[Matrix, Any], Matrix] | None = lambda Output, order: Output[order],
    weights: Callable[[Matrix, Any], Matrix] | None = lambda A, order: A[order][:, order],
    tolerance: float = TOLERANCE,
) -> Test:
    """Demands of the shuffled tokens' results what `output` and `weights` make of the first ones'; None looks at
    nothing."""

    def test(attend: Attend) -> None:
        X, *others = inputs()
        first, second = attend(X, *others), attend(X[order], *others)
        for before, after, demand in zip(first, second, (output, weights), strict=True):
            assert demand is None or _near(after, demand(before, order), tolerance)

    return test


def _without_values(test: Test) -> Test:
    """The same test with values that are zero for every token."""
    return lambda attend: test(lambda X, W_Q, W_K, W_V: attend(X, W_Q, W_K, 0 * W_V))


def _inverse(order: Any) -> Any:
    return np.argsort(order)


SHAPES: list[tuple[str, Test]] = [
    ("test-looks-at-output-only", _looking(_shapes(output=True, weights=False))),
    ("test-looks-at-weights-only", _looking(_shapes(output=False, weights=True))),
    ("test-compares-number-of-axes", _looking(lambda Output, A, given: Output.ndim == A.ndim == 2)),
    *(
        ("test-uses-equal-sizes", _looking(_shapes(output=True, weights=True), given))
        for given in _equal_sizes(lambda n, d_model, d_k, d_v: d_v in (n, d_model, d_k) or n == d_k)
    ),
    *(("test-demands-own-reference", _demanding_shapes_of(number)) for number in range(len(WRONG["test_shapes"]))),
]
ROWS: list[tuple[str, Test]] = [
    ("test-columns-for-rows", _looking(lambda Output, A, given: _near(A.sum(axis=0), np.ones(len(A))))),
    ("test-total-for-rows", _looking(lambda Output, A, given: _near(A.sum(), len(A)))),
    ("test-total-for-rows", _looking(lambda Output, A, given: bool((A >= 0).all()) and _near(A.sum(), len(A)))),
    ("test-accepts-negative-weights", _looking(lambda Output, A, given: _near(A.sum(axis=1), np.ones(len(A))))),
    ("test-first-row-only", _looking(lambda Output, A, given: _are_distributions(A[:1]))),
    ("test-first-row-only", _looking(lambda Output, A, given: _near(A[0].sum(), 1.0))),
    ("test-uses-one-token", _looking(lambda Output, A, given: _are_distributions(A), inputs(n=1))),
    *(("test-tolerance-too-wide", _looking(partial(_are_distributions_within, wide))) for wide in (0.25, 0.6)),
]
SCALING: list[tuple[str, Test]] = [
    ("test-catches-missing-scale-only", _looking(lambda Output, A, given: not _near(A, _weights(given, 1.0)))),
    ("test-scale-by-row-sums", _looking(lambda Output, A, given: _are_distributions(A))),
    (
        "test-looks-at-output-only",
        _looking(lambda Output, A, given: _near(Output, _weights(given) @ given[0] @ given[3])),
    ),
    ("test-first-row-only", _looking(lambda Output, A, given: _near(A[0], _weights(given)[0]))),
    *(("test-uses-saturated-scores", _looking(_is_right(), _times(inputs(), factor))) for factor in (1e2, 1e6)),
    ("test-uses-vanishing-scores", _looking(_is_right(), _times(inputs(), 0.0))),
    ("test-uses-one-token", _looking(_is_right(), inputs(n=1))),
    *(
        ("test-uses-equal-sizes", _looking(_is_right(), given))
        for given in _equal_sizes(lambda n, d_model, d_k, d_v: d_k in (n, d_model, d_v))
    ),
    *(("test-tolerance-too-wide", _looking(_is_right(wide))) for wide in (0.2, 0.3)),
    *(
        ("test-demands-own-reference", _demanding(wrong.attend, both))
        for wrong in WRONG["test_scaling"]
        for both in (False, True)
    ),
]
PERMUTATIONS: list[tuple[str, Test]] = [
    ("test-looks-at-output-only", _shuffled(weights=None)),
    ("test-looks-at-weights-only", _shuffled(output=None)),
    ("test-demands-invariance", _shuffled(output=lambda Output, order: Output, weights=lambda A, order: A)),
    ("test-demands-invariance", _shuffled(output=lambda Output, order: Output, weights=None)),
    ("test-shuffles-weights-by-rows-only", _shuffled(weights=lambda A, order: A[order])),
    ("test-inverse-order", _shuffled(output=lambda Output, order: Output[_inverse(order)])),
    ("test-uses-constant-values", _without_values(_shuffled(weights=None))),
    ("test-order-moves-nothing", _shuffled(np.arange(5))),
    ("test-symmetric-order-only", _shuffled(np.arange(5)[::-1])),
    ("test-symmetric-order-only", _shuffled(np.array([1, 0, 2, 3, 4]))),
    *(("test-tolerance-too-wide", _shuffled(tolerance=wide)) for wide in (0.25, 0.5)),
]


def _every_exercise(exercise: str) -> Iterator[tuple[str, Test]]:
    """What can go wrong with any test."""
    right = dict(test_shapes=SHAPES, test_rows_sum_to_one=ROWS, test_scaling=SCALING).get(exercise, PERMUTATIONS)
    yield "test-asserts-nothing", asserts_nothing
    yield "test-never-calls-attend", never_calls_attend
    yield "test-swallows-its-failure", _swallowing(right[0][1])
    yield "test-compares-attend-with-itself", compares_attend_with_itself
    if exercise == "test_shapes":
        return
    for count in range(1, len(RIGHT)):
        for accepted in combinations(range(len(RIGHT)), count):
            yield "test-tolerance-too-narrow", _narrow(accepted)


def _answering(test: Test) -> Callable[[Callback], None]:
    return lambda callback: test(callback.function)


WRONG_MODELS = tuple(
    WrongModel(exercise, (misconception,), _answering(test))
    for exercise, tests in {
        "test_shapes": SHAPES,
        "test_rows_sum_to_one": ROWS,
        "test_scaling": SCALING,
        "test_permutation_equivariance": PERMUTATIONS,
    }.items()
    for misconception, test in (*_every_exercise(exercise), *tests)
)
