"""Item analysis of a class's responses: classical test theory, for the instructor who will reuse the items.

Difficulty is the mean share of points. Discrimination is the corrected item-rest correlation: the item
against the sum of all others (against the total, which holds the item itself, it would flatter).
Reliability is Cronbach's alpha, which for items marked 0 or 1 is KR-20, with the interval of Bonett (2002).
No item response theory: it needs a few hundred students. Below `FEW_STUDENTS` every figure is a hint.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

FEW_STUDENTS = 30
FUNCTIONAL_SHARE = 0.05  # a distractor that fewer choose does no work
CONFIDENCE = 0.95
THIRDS = ("lower", "middle", "upper")


@dataclass(frozen=True)
class ItemResponses:
    """One item's column: what each student earned, chose and left out, in one order of students for all items.

    A score of None is not marked yet. `options` are (letter, is it right), for items that have options.
    """

    item: str
    max_score: float
    scores: Sequence[float | None]
    omitted: Sequence[bool]
    chosen: Sequence[tuple[str, ...]] = ()
    options: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True)
class OptionUse:
    """How many students of each third of the class (by total score) chose an option, and their share of all who
    answered. `works` is False for a distractor that fewer than one in twenty chose."""

    option: str
    correct: bool
    lower: int
    middle: int
    upper: int
    share: float
    works: bool


@dataclass(frozen=True)
class ItemAnalysis:
    """`difficulty` is between 0 (nobody) and 1; None stands where a figure is not defined (no spread, nobody)."""

    item: str
    marked: int
    difficulty: float | None
    item_rest_correlation: float | None
    alpha_if_deleted: float | None
    omitted: float
    options: tuple[OptionUse, ...]


@dataclass(frozen=True)
class QuizAnalysis:
    """`complete` students have every item marked; alpha, its interval, mean, spread and SEM are theirs, in points."""

    students: int
    complete: int
    mean: float | None
    standard_deviation: float | None
    alpha: float | None
    alpha_interval: tuple[float, float] | None
    standard_error_of_measurement: float | None
    items: tuple[ItemAnalysis, ...]

    @property
    def few_students(self) -> bool:
        """Whether every figure here is a hint."""
        return self.complete < FEW_STUDENTS


def analyse(columns: Sequence[ItemResponses]) -> QuizAnalysis:
    """The analysis of a quiz. Raises ValueError where columns are missing or have not one length."""
    if not columns or len({len(column.scores) for column in columns}) != 1:
        raise ValueError("an item analysis needs at least one item, and a score (or None) for each student on each")
    scores = np.array([[math.nan if s is None else s for s in column.scores] for column in columns], float).T
    complete = scores[~np.isnan(scores).any(axis=1)]
    totals = complete.sum(axis=1)
    spread = float(totals.std(ddof=1)) if len(totals) > 1 else None
    alpha = cronbach_alpha(complete)
    thirds = _thirds(np.nansum(scores, axis=1))
    return QuizAnalysis(
        students=len(scores),
        complete=len(complete),
        mean=float(totals.mean()) if len(totals) else None,
        standard_deviation=spread,
        alpha=alpha,
        alpha_interval=alpha_interval(alpha, *complete.shape) if alpha is not None else None,
        standard_error_of_measurement=_measurement_error(spread, alpha),
        items=tuple(_item(column, number, scores, complete, thirds) for number, column in enumerate(columns)),
    )


def cronbach_alpha(scores: np.ndarray) -> float | None:
    """Cronbach's alpha of scores (students, items); None below two students or items, or where totals are all equal."""
    students, items = scores.shape
    if students < 2 or items < 2:
        return None
    spread = scores.sum(axis=1).var(ddof=1)
    if math.isclose(spread, 0, abs_tol=1e-12):
        return None
    return float(items / (items - 1) * (1 - scores.var(axis=0, ddof=1).sum() / spread))


def alpha_interval(
    alpha: float, students: int, items: int, confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """Bonett's interval (2002): ln(1 - alpha) is about normal with variance 2k / ((k - 1)(n - 2))."""
    if students < 3 or items < 2 or alpha >= 1:
        return None
    half = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(2 * items / ((items - 1) * (students - 2)))
    return 1 - (1 - alpha) * math.exp(half), 1 - (1 - alpha) * math.exp(-half)


def _measurement_error(spread: float | None, alpha: float | None) -> float | None:
    return None if spread is None or alpha is None else spread * math.sqrt(max(0.0, 1 - alpha))


def _item(
    column: ItemResponses, number: int, scores: np.ndarray, complete: np.ndarray, thirds: np.ndarray
) -> ItemAnalysis:
    marked = scores[~np.isnan(scores[:, number]), number]
    others = np.delete(complete, number, axis=1)
    return ItemAnalysis(
        item=column.item,
        marked=len(marked),
        difficulty=float(marked.mean() / column.max_score) if len(marked) else None,
        item_rest_correlation=_correlation(complete[:, number], others.sum(axis=1)),
        alpha_if_deleted=cronbach_alpha(others),
        omitted=sum(column.omitted) / len(column.omitted) if column.omitted else 0.0,
        options=_options(column, thirds),
    )


def _correlation(x: np.ndarray, y: np.ndarray) -> float | None:
    if len(x) < 2 or math.isclose(x.std(), 0, abs_tol=1e-12) or math.isclose(y.std(), 0, abs_tol=1e-12):
        return None
    return float(np.corrcoef(x, y)[0, 1])


def _thirds(totals: np.ndarray) -> np.ndarray:
    """0, 1 or 2 for each student, by total score; equal totals stay together, by their middle rank."""
    below = (totals[None, :] < totals[:, None]).sum(axis=1)
    equal = (totals[None, :] == totals[:, None]).sum(axis=1)
    return ((below + equal / 2) * 3 // max(len(totals), 1)).astype(int)


def _options(column: ItemResponses, thirds: np.ndarray) -> tuple[OptionUse, ...]:
    answered = sum(bool(letters) for letters in column.chosen)
    uses = []
    for option, correct in column.options:
        by = [0, 0, 0]
        for letters, third in zip(column.chosen, thirds, strict=True):
            by[third] += option in letters
        lower, middle, upper = by
        share = sum(by) / answered if answered else 0.0
        uses.append(OptionUse(option, correct, lower, middle, upper, share, correct or share >= FUNCTIONAL_SHARE))
    return tuple(uses)
