"""Attention in steps, each of which a misconception can replace; faults in different steps combine by themselves.

Arrays are NumPy's, with any leading dimensions; the last two axes are tokens and features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any, TypeVar

import numpy as np


@dataclass
class State:
    """What has been computed so far. `X` gives the queries, `source` the keys and values; both are one sequence in
    self-attention. `weights` are W_Q, W_K, W_V; `mask` is True where attending is allowed."""

    X: Any = None
    source: Any = None
    weights: tuple[Any, ...] = ()
    mask: Any = None
    Q: Any = None
    K: Any = None
    V: Any = None
    S: Any = None
    A: Any = None
    Output: Any = None
    result: Any = None

    @property
    def d_k(self) -> int:
        return self.Q.shape[-1]


Step = Callable[[Any], None]  # of a State, or of what else the steps of an exercise share


def swap(array: np.ndarray) -> np.ndarray:
    """The last two axes exchanged."""
    return array.swapaxes(-1, -2)


def softmax(scores: np.ndarray, axis: Any = -1) -> np.ndarray:
    """Distributions along `axis`, of `scores`' shape; the largest score is taken off first, so that none overflows."""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def project(s: State) -> None:
    """Q (n, d_k) of X, K (m, d_k) and V (m, d_v) of the source (Module 8, sections 2 to 4)."""
    W_Q, W_K, W_V = s.weights
    s.Q, s.K, s.V = s.X @ W_Q, s.source @ W_K, s.source @ W_V


def score(s: State) -> None:
    """S (n, m): each query with every key (Module 8, section 5)."""
    s.S = s.Q @ swap(s.K)


def scale(s: State) -> None:
    """S over the root of d_k (Module 8, section 6)."""
    s.S = s.S / np.sqrt(s.d_k)


def hide(s: State) -> None:
    """S with minus infinity where attending is not allowed."""
    if s.mask is not None:
        s.S = np.where(s.mask, s.S, -np.inf)


def normalise(s: State) -> None:
    """A (n, m): each row a distribution over the keys (Module 8, section 7); zeros where no key is allowed."""
    if s.mask is None:
        s.A = softmax(s.S)
        return
    blocked = ~s.mask.any(axis=-1, keepdims=True)
    s.A = np.where(blocked, 0.0, softmax(np.where(blocked, 0.0, s.S)))


def combine(s: State) -> None:
    """Output (n, d_v): the values, weighted (Module 8, section 8)."""
    s.Output = s.A @ s.V


def give(s: State) -> None:
    """What the exercises return: the pair (Output, A)."""
    s.result = (s.Output, s.A)


RIGHT_STEPS: Mapping[str, Step] = {
    step.__name__: step for step in (project, score, scale, hide, normalise, combine, give)
}


@dataclass(frozen=True)
class Fault:
    """A misconception as a step that replaces the right one; `also` are further steps that it replaces."""

    misconception: str
    step: str
    do: Step
    also: Mapping[str, Step] = field(default_factory=dict)

    @property
    def steps(self) -> Mapping[str, Step]:
        return {self.step: self.do, **self.also}


def attend(state: Any, faults: Iterable[Fault] = (), right: Mapping[str, Step] = RIGHT_STEPS) -> Any:
    """Runs all steps, with the faults' in place of the right ones; the last leaves the `result` in the state."""
    steps = dict(right)
    for fault in faults:
        steps.update(fault.steps)
    for step in steps.values():
        step(state)
    return state.result


def singles_and_pairs(faults: Iterable[Fault]) -> Iterator[tuple[Fault, ...]]:
    """Each fault by itself, and each two that replace different steps."""
    every = tuple(faults)
    yield from singles(every)
    yield from (pair for pair in combinations(every, 2) if _combine(*pair))


def singles(faults: Iterable[Fault]) -> Iterator[tuple[Fault]]:
    """Each fault by itself."""
    yield from ((fault,) for fault in faults)


def pairs(ones: Iterable[Fault], others: Iterable[Fault]) -> Iterator[tuple[Fault, Fault]]:
    """Each fault of one kind with each of another kind that replaces different steps."""
    yield from (pair for pair in product(ones, others) if _combine(*pair))


def _combine(one: Fault, other: Fault) -> bool:
    return one.steps.keys().isdisjoint(other.steps)


AnyState = TypeVar("AnyState")  # a State, or what else the steps of an exercise share


def setting(name: str, compute: Callable[[AnyState], Any]) -> Callable[[AnyState], None]:
    """A step that sets the quantity `name`."""

    def step(s: AnyState) -> None:
        setattr(s, name, compute(s))

    return step


def roles(compute: Callable[..., tuple[Any, Any, Any]]) -> Step:
    """A projection step from X, the source and the three weights."""

    def step(s: State) -> None:
        s.Q, s.K, s.V = compute(s.X, s.source, *s.weights)

    return step


def _divide(by: Callable[[State], float]) -> Step:
    return setting("S", lambda s: s.S / by(s))


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def _distances(s: State) -> np.ndarray:
    return -((s.Q[..., :, None, :] - s.K[..., None, :, :]) ** 2).sum(axis=-1)


def _naive(s: State) -> np.ndarray:
    return np.exp(s.S) / np.exp(s.S).sum(axis=-1, keepdims=True)


def _causal(s: State) -> np.ndarray:
    allowed = np.tril(np.ones(s.S.shape[-2:], dtype=bool))
    return softmax(np.where(allowed, s.S, -np.inf))


def _base_two(s: State) -> np.ndarray:
    powers = np.exp2(s.S - s.S.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _sigmoid(scores: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-scores))


def _after_softmax(s: State) -> None:
    normalise(s)
    s.A = s.A / np.sqrt(s.d_k)


def _strongest(s: State) -> np.ndarray:
    return np.take_along_axis(s.V, s.A.argmax(axis=-1)[..., None], axis=-2)


ROLES = (
    Fault("query-key-swapped", "project", roles(lambda X, Y, Q, K, V: (X @ K, Y @ Q, Y @ V))),
    Fault("value-from-key-projection", "project", roles(lambda X, Y, Q, K, V: (X @ Q, Y @ K, Y @ K))),
    Fault("value-from-query-projection", "project", roles(lambda X, Y, Q, K, V: (X @ Q, Y @ K, Y @ Q))),
    Fault("key-from-query-projection", "project", roles(lambda X, Y, Q, K, V: (X @ Q, Y @ Q, Y @ V))),
    Fault("query-from-key-projection", "project", roles(lambda X, Y, Q, K, V: (X @ K, Y @ K, Y @ V))),
    Fault("one-projection-for-all", "project", roles(lambda X, Y, Q, K, V: (X @ Q, Y @ Q, Y @ Q))),
    Fault("no-projections", "project", roles(lambda X, Y, Q, K, V: (X, Y, Y))),
    Fault("no-value-projection", "project", roles(lambda X, Y, Q, K, V: (X @ Q, Y @ K, Y))),
    Fault("no-query-projection", "project", roles(lambda X, Y, Q, K, V: (X, Y @ K, Y @ V))),
    Fault("no-key-projection", "project", roles(lambda X, Y, Q, K, V: (X @ Q, Y, Y @ V))),
    Fault("query-value-swapped", "project", roles(lambda X, Y, Q, K, V: (X @ V, Y @ K, Y @ Q))),
    Fault("key-value-swapped", "project", roles(lambda X, Y, Q, K, V: (X @ Q, Y @ V, Y @ K))),
    Fault(
        "activation-after-projection",
        "project",
        roles(lambda X, Y, Q, K, V: (np.maximum(X @ Q, 0), np.maximum(Y @ K, 0), np.maximum(Y @ V, 0))),
    ),
    Fault("projections-compound", "project", roles(lambda X, Y, Q, K, V: (X @ Q, X @ Q @ K, X @ Q @ K @ V))),
)

SCORES = (
    Fault("scores-transposed", "score", setting("S", lambda s: s.K @ swap(s.Q))),
    Fault("scores-over-features", "score", setting("S", lambda s: swap(s.Q) @ s.K)),
    Fault("scores-by-cosine", "score", setting("S", lambda s: _unit(s.Q) @ swap(_unit(s.K)))),
    Fault("scores-by-distance", "score", setting("S", _distances)),
    Fault("scores-query-with-query", "score", setting("S", lambda s: s.Q @ swap(s.Q))),
    Fault("scores-key-with-key", "score", setting("S", lambda s: s.K @ swap(s.K))),
)

SCALES = (
    Fault("scores-not-scaled", "scale", lambda s: None),
    Fault("scaled-by-key-dimension", "scale", _divide(lambda s: s.d_k)),
    Fault("scaled-by-model-width", "scale", _divide(lambda s: s.X.shape[-1] ** 0.5)),
    Fault("scaled-by-sequence-length", "scale", _divide(lambda s: s.K.shape[-2] ** 0.5)),
    Fault("scaled-by-value-width", "scale", _divide(lambda s: s.V.shape[-1] ** 0.5)),
    Fault("multiplied-by-the-scale", "scale", _divide(lambda s: s.d_k**-0.5)),
    Fault("integer-square-root-scale", "scale", _divide(lambda s: int(s.d_k**0.5))),
    Fault("scaled-by-fourth-root", "scale", _divide(lambda s: s.d_k**0.25)),
    Fault("scaled-by-squared-dimension", "scale", _divide(lambda s: s.d_k**2)),
    Fault("scale-hard-coded", "scale", _divide(lambda s: 8.0)),
)

SOFTMAXES = (
    Fault("softmax-over-queries", "normalise", setting("A", lambda s: softmax(s.S, axis=-2))),
    Fault("softmax-over-everything", "normalise", setting("A", lambda s: softmax(s.S, axis=(-2, -1)))),
    Fault("softmax-naive-exponential", "normalise", setting("A", _naive)),
    Fault("softmax-forgotten", "normalise", setting("A", lambda s: s.S)),
    Fault("softmax-twice", "normalise", setting("A", lambda s: softmax(softmax(s.S)))),
    Fault("softmax-not-normalised", "normalise", setting("A", lambda s: np.exp(s.S))),
    Fault("sigmoid-for-softmax", "normalise", setting("A", lambda s: _sigmoid(s.S))),
    Fault("softmin-for-softmax", "normalise", setting("A", lambda s: softmax(-s.S))),
    Fault("log-softmax-for-softmax", "normalise", setting("A", lambda s: np.log(softmax(s.S)))),
    Fault("softmax-base-two", "normalise", setting("A", _base_two)),
    Fault("argmax-for-softmax", "normalise", setting("A", lambda s: np.eye(s.S.shape[-1])[s.S.argmax(axis=-1)])),
    Fault("scaled-after-softmax", "normalise", _after_softmax),
    Fault("causal-without-being-asked", "normalise", setting("A", _causal)),
)

OUTPUTS = (
    Fault("weights-transposed", "combine", setting("Output", lambda s: swap(s.A) @ s.V)),
    Fault("weights-times-keys", "combine", setting("Output", lambda s: s.A @ s.K)),
    Fault("weights-times-queries", "combine", setting("Output", lambda s: s.A @ s.Q)),
    Fault("values-added-to-output", "combine", setting("Output", lambda s: s.A @ s.V + s.V)),
    Fault("output-transposed", "combine", setting("Output", lambda s: swap(s.A @ s.V))),
    Fault("output-is-strongest-value", "combine", setting("Output", _strongest)),
    Fault("output-normalised-again", "combine", setting("Output", lambda s: softmax(s.A @ s.V))),
)

RESULTS = (
    Fault("output-and-weights-swapped", "give", setting("result", lambda s: (s.A, s.Output))),
    Fault("scores-returned-for-weights", "give", setting("result", lambda s: (s.Output, s.S))),
)
