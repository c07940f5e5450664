"""Cases: inputs drawn at random so that no wrong formula can hide, with the oracle's answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

SIZES = (2, 3, 5, 6, 7, 8, 10, 11)  # no perfect square: there int(sqrt(d)) or a square W would hide


@dataclass(frozen=True, eq=False)
class Case:
    """One question and its right answer. `kind` is how feedback names the input: "one token", "float32"."""

    args: tuple[Any, ...]
    expected: Any
    kind: str = "ordinary"
    kwargs: Mapping[str, Any] = field(default_factory=dict)


AnyCase = TypeVar("AnyCase", bound=Case, covariant=True)


class CasesOf(Mapping[str, tuple[AnyCase, ...]]):
    """Cases by kind, in order; `ordinary` is always there."""

    def __init__(self, kinds: Mapping[str, tuple[AnyCase, ...]]):
        self._kinds = dict(kinds)

    def __getitem__(self, kind: str) -> tuple[AnyCase, ...]:
        return self._kinds[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    @property
    def ordinary(self) -> tuple[AnyCase, ...]:
        """Those that the verdict is passed on."""
        return self._kinds["ordinary"]


Cases = CasesOf[Case]


def answered(oracle: Callable[..., Any], kinds: Mapping[str, list[tuple[Any, ...]]]) -> Cases:
    """Cases from arguments by kind, each answered by the oracle."""
    return Cases(
        {
            kind: tuple(Case(args, oracle(*args), kind.replace("_", " ")) for args in every)
            for kind, every in kinds.items()
        }
    )


class Draw:
    """Random inputs of one inputs set: same seed, same inputs."""

    def __init__(self, seed: bytes):
        self._rng = np.random.default_rng(list(seed))

    def sizes(self, count: int, smallest: int = 3, largest: int = SIZES[-1]) -> tuple[int, ...]:
        """`count` sizes, all different, none a perfect square."""
        return tuple(int(s) for s in self._rng.permutation([s for s in SIZES if smallest <= s <= largest])[:count])

    def normal(self, *shape: int, dtype: str = "float64") -> np.ndarray:
        """Entries near N(0, 1); integers are drawn from -4 to 4."""
        if dtype == "int64":
            return self._rng.integers(-4, 5, size=shape)
        return self._rng.standard_normal(shape).astype(dtype)

    def uniform(self, low: float, high: float, *shape: int) -> np.ndarray:
        """Entries from `low` up to and without `high`."""
        return self._rng.uniform(low, high, size=shape)

    def distribution(self, n: int, m: int) -> np.ndarray:
        """An (n, m) matrix whose rows are positive and sum to 1."""
        weights = self._rng.gamma(1.0, size=(n, m)) + 0.02
        return weights / weights.sum(axis=1, keepdims=True)

    def order(self, n: int) -> np.ndarray:
        """A permutation of range(n) that isn't its own inverse, for n of 3 or more."""
        order = self._rng.permutation(n)
        while n > 2 and (order[order] == np.arange(n)).all():
            order = self._rng.permutation(n)
        return order

    def integer(self, low: int, high: int) -> int:
        """From `low` up to and without `high`."""
        return int(self._rng.integers(low, high))

    def choice(self, options: tuple[Any, ...]) -> Any:
        """One of the options, each as likely."""
        return options[self.integer(0, len(options))]


def falling_scores(draw: Draw, n: int, m: int) -> np.ndarray:
    """Scores whose softmax has both large weights in each row and some that are small and still count."""
    return np.stack([np.linspace(0, -9, m)[draw.order(m)] for _ in range(n)])


def oddly_laid(array: np.ndarray, way: int) -> np.ndarray:
    """The same numbers in another memory layout: Fortran order, every second row, or reversed."""
    if way % 3 == 0:
        return np.asfortranarray(array)
    if way % 3 == 1:
        return np.repeat(array, 2, axis=0)[::2]
    return array[::-1].copy()[::-1]
