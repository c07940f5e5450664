"""What is said of an answer that differs tells how, and never a factor that is none."""

import numpy as np
import pytest

from autograder.suite.expect import alike
from autograder.suite.observe import difference

WANT = np.linspace(1.0, 2.0, 12).reshape(3, 4)


def seen(got, inputs=()):
    return difference(got, WANT, 1e-6, inputs)


@pytest.mark.parametrize("factor", [1.000002, 1 - 3e-6, 1.0005])
def test_what_is_all_but_right_is_not_told_as_a_factor_of_1(factor):
    told = seen(WANT * factor)
    assert "times" not in told
    assert told.endswith("differ, by no more than " + f"{2 * abs(factor - 1):.1g}")


@pytest.mark.parametrize(("factor", "figure"), [(0.5, "0.5"), (1.005, "1.005"), (-1.0, "-1"), (3.0, "3")])
def test_a_factor_is_told_with_as_many_figures_as_tell_it_from_1(factor, figure):
    assert seen(WANT * factor) == f"every entry is the expected one times {figure}"


def test_an_input_all_but_handed_back_is_not_told_as_divided_by_1():
    assert "divided by 1.002" in seen(WANT**2 / 1.002, (WANT**2,))


def test_a_large_difference_is_told_without_its_size():
    assert seen(WANT[::-1].copy()).endswith("rows are wrong") or "by no more" not in seen(WANT[::-1].copy())


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (np.ones(3), np.ones(3) + 1e-9, True),
        (np.ones(3), np.ones(3) + 1e-2, False),
        (np.ones(3), np.ones((1, 3)), False),
        (np.full(2, np.nan), np.full(2, np.nan), True),
        ([np.ones(2), 1], [np.ones(2), 1], True),
        ([np.ones(2), 1], [np.ones(2)], False),
        ("self", "self", True),
        ("self", "cross", False),
        (None, None, True),
        (True, False, False),
    ],
)
def test_two_answers_are_alike_where_their_numbers_are(one, other, same):
    assert alike(one, other) is same
