"""Item analysis agrees with pingouin where it has the same figure, and says when a figure is not defined."""

import numpy as np
import pytest

from autograder.analysis.items import ItemResponses, alpha_interval, analyse

pingouin = pytest.importorskip("pingouin", reason="the figures are held against pingouin (tests/requirements.txt)")
pandas = pytest.importorskip("pandas", reason="pandas comes with pingouin")


def a_class(students: int, items: int, seed: int = 0) -> np.ndarray:
    """Scores 0 or 1 of students whose ability, and items whose difficulty, vary."""
    draw = np.random.default_rng(seed)
    ability = draw.normal(size=(students, 1))
    return (ability + draw.normal(size=(students, items)) > draw.normal(size=items)).astype(float)


def columns(scores: np.ndarray) -> list[ItemResponses]:
    return [
        ItemResponses(f"item-{number}", 1, [None if np.isnan(s) else s for s in column], [False] * len(column))
        for number, column in enumerate(scores.T)
    ]


@pytest.mark.parametrize(("students", "items"), [(40, 10), (200, 6), (31, 3)])
def test_alpha_and_its_interval_agree_with_pingouin(students, items):
    scores = a_class(students, items)
    analysis = analyse(columns(scores))
    alpha, interval = pingouin.cronbach_alpha(pandas.DataFrame(scores))
    assert analysis.alpha == pytest.approx(alpha)
    # Feldt's interval there, Bonett's here: the same to a few hundredths.
    assert analysis.alpha_interval == pytest.approx(tuple(interval), abs=0.05)


def test_alpha_if_deleted_is_the_alpha_of_the_other_items():
    scores = a_class(60, 5)
    for number, item in enumerate(analyse(columns(scores)).items):
        alpha, _ = pingouin.cronbach_alpha(pandas.DataFrame(np.delete(scores, number, axis=1)))
        assert item.alpha_if_deleted == pytest.approx(alpha)


def test_discrimination_is_the_correlation_with_the_sum_of_the_other_items():
    scores = a_class(60, 5)
    for number, item in enumerate(analyse(columns(scores)).items):
        rest = np.delete(scores, number, axis=1).sum(axis=1)
        assert item.item_rest_correlation == pytest.approx(pingouin.corr(scores[:, number], rest)["r"].iloc[0])
        with_itself = pingouin.corr(scores[:, number], scores.sum(axis=1))["r"].iloc[0]
        assert item.item_rest_correlation < with_itself


def test_kr20_is_alpha_for_items_marked_zero_or_one():
    scores = a_class(50, 8)
    p = scores.mean(axis=0)
    kr20 = 8 / 7 * (1 - (p * (1 - p)).sum() / scores.sum(axis=1).var())
    assert analyse(columns(scores)).alpha == pytest.approx(kr20)


def test_difficulty_is_the_mean_share_of_points():
    column = ItemResponses("a", 4, [4, 2, 0, None], [False, False, True, False])
    other = ItemResponses("b", 1, [1, 1, 0, 0], [False] * 4)
    item = analyse([column, other]).items[0]
    assert (item.marked, item.difficulty, item.omitted) == (3, 0.5, 0.25)


def test_the_error_of_measurement_is_in_points():
    scores = a_class(50, 8)
    analysis = analyse(columns(scores))
    wanted = scores.sum(axis=1).std(ddof=1) * np.sqrt(1 - analysis.alpha)
    assert analysis.standard_error_of_measurement == pytest.approx(wanted)


def test_options_are_counted_by_thirds_and_a_distractor_that_nobody_takes_is_named():
    chosen = [("B",), ("B",), ("A",), ("A",), ("A",), ("A",)]
    options = (("A", True), ("B", False), ("C", False))
    first = ItemResponses("a", 1, [0, 0, 1, 1, 1, 1], [False] * 6, chosen, options)
    second = ItemResponses("b", 1, [0, 0, 0, 0, 1, 1], [False] * 6)
    uses = analyse([first, second]).items[0].options
    assert [(use.lower, use.middle, use.upper) for use in uses] == [(0, 2, 2), (2, 0, 0), (0, 0, 0)]
    assert [use.works for use in uses] == [True, True, False]


def test_students_with_equal_totals_stand_in_one_third():
    same = ItemResponses("a", 1, [1] * 7, [False] * 7, [("A",)] * 7, (("A", True), ("B", False)))
    use = analyse([same]).items[0].options[0]
    assert sorted((use.lower, use.middle, use.upper)) == [0, 0, 7]


@pytest.mark.parametrize(
    "scores",
    [
        np.ones((5, 3)),
        np.zeros((1, 3)),
        np.zeros((0, 3)),
        np.array([[1.0], [0.0]]),
        np.full((4, 2), np.nan),
    ],
)
def test_what_is_not_defined_is_none(scores):
    analysis = analyse(columns(scores))
    assert analysis.alpha is None
    assert all(item.item_rest_correlation is None for item in analysis.items)
    assert analysis.few_students


def test_a_class_below_thirty_is_flagged():
    assert analyse(columns(a_class(29, 4))).few_students
    assert not analyse(columns(a_class(30, 4))).few_students


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="each student"):
        analyse([ItemResponses("a", 1, [1], [False]), ItemResponses("b", 1, [1, 0], [False, False])])


def test_no_interval_where_alpha_is_one():
    assert alpha_interval(1.0, 10, 3) is None
