"""The wrong models of assignment 04. A module's tensors are NumPy arrays here; `nn.Linear` holds (d_out, d_in)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import Tensor
from autograder.suite.attention import (
    OUTPUTS,
    RESULTS,
    ROLES,
    SCALES,
    SCORES,
    SOFTMAXES,
    Fault,
    State,
    Step,
    attend,
    hide,
    pairs,
    roles,
    setting,
    singles,
    softmax,
)
from autograder.suite.models import WrongModel

Answer = Callable[..., Any]

# --- attention_kind


def _without_refusal(decide: Callable[[str, str, str], bool]) -> Answer:
    """Never raises; `decide` says whether it is self-attention."""
    return lambda query, key, value: "self" if decide(query, key, value) else "cross"


def _with_refusal(decide: Callable[[str, str], str]) -> Answer:
    def answer(query: str, key: str, value: str) -> str:
        if key != value:
            raise ValueError("keys and values must come from one sequence")
        return decide(query, key)

    return answer


def _refuses_all_crossing(query: str, key: str, value: str) -> str:
    if not query == key == value:
        raise ValueError("three sources must be one")
    return "self"


KINDS = (
    ("every-layer-called-self-attention", _with_refusal(lambda query, key: "self")),
    ("every-layer-called-self-attention", _without_refusal(lambda query, key, value: True)),
    ("every-layer-called-cross-attention", _with_refusal(lambda query, key: "cross")),
    ("every-layer-called-cross-attention", _without_refusal(lambda query, key, value: False)),
    ("kinds-exchanged", _with_refusal(lambda query, key: "cross" if query == key else "self")),
    ("kinds-exchanged", _without_refusal(lambda query, key, value: not query == key == value)),
    ("kind-never-refused", _without_refusal(lambda query, key, value: query == key == value)),
    ("kind-by-value-only", _without_refusal(lambda query, key, value: query == value)),
    ("kind-by-key-only", _without_refusal(lambda query, key, value: query == key)),
    ("kind-refuses-all-crossing", _refuses_all_crossing),
)

# --- masks


def _offsets(n: int) -> np.ndarray:
    """i - j for each pair of tokens."""
    return np.arange(n)[:, None] - np.arange(n)[None, :]


def _wrapped(n: int, window: int) -> np.ndarray:
    distance = np.abs(_offsets(n))
    return np.minimum(distance, n - distance) <= window


def _blocks(n: int, size: int) -> np.ndarray:
    block = np.arange(n) // max(size, 1)
    return block[:, None] == block[None, :]


def _additive(mask: np.ndarray) -> np.ndarray:
    return np.where(mask, 0.0, -np.inf)


CAUSAL = (
    ("causal-mask-strict", lambda n: _offsets(n) > 0),
    ("causal-mask-upper", lambda n: _offsets(n) <= 0),
    ("causal-mask-one-ahead", lambda n: _offsets(n) >= -1),
    ("causal-mask-all-true", lambda n: np.ones((n, n), dtype=bool)),
    ("causal-mask-itself-only", lambda n: np.eye(n, dtype=bool)),
    ("mask-marks-what-is-forbidden", lambda n: _offsets(n) < 0),
)
LOCAL = (
    ("window-exclusive", lambda n, window: np.abs(_offsets(n)) < window),
    ("window-too-wide", lambda n, window: np.abs(_offsets(n)) <= window + 1),
    ("window-backward-only", lambda n, window: (_offsets(n) >= 0) & (_offsets(n) <= window)),
    ("window-forward-only", lambda n, window: (_offsets(n) <= 0) & (-_offsets(n) <= window)),
    ("window-as-total-width", lambda n, window: np.abs(_offsets(n)) <= window // 2),
    ("window-as-total-width", lambda n, window: 2 * np.abs(_offsets(n)) < window),
    ("window-without-centre", lambda n, window: (np.abs(_offsets(n)) <= window) & (_offsets(n) != 0)),
    ("window-in-blocks", _blocks),
    ("window-in-blocks", lambda n, window: _blocks(n, window + 1)),
    ("window-in-blocks", lambda n, window: _blocks(n, 2 * window + 1)),
    ("window-wraps-around", _wrapped),
    ("mask-marks-what-is-forbidden", lambda n, window: np.abs(_offsets(n)) > window),
)


def _mask_models(exercise: str, wrong: Iterable[tuple[str, Answer]], right: Answer) -> Iterator[WrongModel]:
    """Each fault as bools and as numbers, and the right mask in what is no bool."""
    for misconception, mask in wrong:
        yield WrongModel(exercise, (misconception,), mask)
        yield WrongModel(exercise, (misconception, "mask-holds-numbers"), _as_numbers(mask))
        yield WrongModel(exercise, (misconception, "mask-additive-for-boolean"), _as_additive(mask))
    yield WrongModel(exercise, ("mask-holds-numbers",), _as_numbers(right))
    yield WrongModel(exercise, ("mask-additive-for-boolean",), _as_additive(right))


def _as_numbers(mask: Answer) -> Answer:
    return lambda *sizes: mask(*sizes).astype(float)


def _as_additive(mask: Answer) -> Answer:
    return lambda *sizes: _additive(mask(*sizes))


# --- masked_attention


def _plain_softmax(s: State) -> None:
    """A row without an allowed key is not thought of."""
    s.A = softmax(s.S)


def _filling(fill: Callable[[State], np.ndarray]) -> Step:
    return setting("S", fill)


def _hiding_with(fill: float) -> Step:
    return _filling(lambda s: np.where(s.mask, s.S, fill))


def _lowered(by: float) -> Step:
    return _filling(lambda s: s.S + np.where(s.mask, 0, by))


def _both_ways(misconception: str, step: Step) -> tuple[Fault, Fault]:
    """A wrong mask, with and without thought for rows that have no allowed key."""
    return (
        Fault(misconception, "hide", step),
        Fault(misconception, "hide", step, {"normalise": _plain_softmax}),
    )


def _inverted(s: State) -> None:
    s.mask = ~s.mask
    hide(s)


def _inverted_finitely(s: State) -> None:
    s.S = np.where(s.mask, -1e9, s.S)


def _unmasked(s: State) -> None:
    s.mask = None


def _transposed(s: State) -> None:
    s.mask = s.mask.T
    hide(s)


def _nothing(s: State) -> None:
    """The scores stay as they are."""


def _weights(compute: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Step:
    """A softmax step from scores and mask."""
    return setting("A", lambda s: compute(s.S, s.mask))


def _after_softmax(misconception: str, weigh: Step) -> Fault:
    """The scores are not masked; something happens to the weights."""
    return Fault(misconception, "hide", _nothing, {"normalise": weigh})


def _renormalised(S: np.ndarray, mask: np.ndarray) -> np.ndarray:
    kept = softmax(S) * mask
    return kept / kept.sum(axis=1, keepdims=True)


def _renormalised_where_it_can_be(S: np.ndarray, mask: np.ndarray) -> np.ndarray:
    kept = softmax(S) * mask
    sums = kept.sum(axis=1, keepdims=True)
    return kept / np.where(sums > 0, sums, 1)


def _naive_then_masked(S: np.ndarray, mask: np.ndarray) -> np.ndarray:
    kept = np.exp(S) * mask
    sums = kept.sum(axis=1, keepdims=True)
    return kept / np.where(sums > 0, sums, 1)


def _lowered_then_masked(by: float) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    return lambda S, mask: softmax(S + np.where(mask, 0, by)) * mask


def _attends_in_need(place: Callable[[np.ndarray, int], np.ndarray]) -> Step:
    """A query with no allowed key attends to one place all the same."""

    def step(s: State) -> None:
        n_q, n_k = s.S.shape
        blocked = ~s.mask.any(axis=1, keepdims=True)
        own = np.eye(n_k)[place(np.arange(n_q), n_k)]
        s.A = np.where(blocked, own, softmax(np.where(blocked, 0.0, s.S)))

    return step


def _hidden_values(s: State) -> None:
    s.Output = (s.A * s.mask) @ s.V


def _global_maximum(s: State) -> None:
    powers = np.exp(s.S - s.S.max())
    sums = powers.sum(axis=-1, keepdims=True)
    blocked = False if s.mask is None else ~s.mask.any(axis=-1, keepdims=True)
    s.A = np.where(blocked, 0.0, powers / sums)


GLOBAL_MAXIMUM = Fault("softmax-global-maximum", "normalise", _global_maximum)

MASKS = (
    *_both_ways("mask-polarity-inverted", _inverted),
    Fault("mask-polarity-inverted", "hide", _inverted_finitely, {"normalise": _plain_softmax}),
    Fault("mask-ignored", "hide", _unmasked),
    Fault("mask-transposed", "hide", _transposed),
    *(fault for fill in (-5.0, -10.0, -20.0, -1e4) for fault in _both_ways("mask-fill-too-small", _hiding_with(fill))),
    *_both_ways("mask-fill-tiny", _hiding_with(-1e-9)),
    *_both_ways("mask-fill-positive", _hiding_with(1e9)),
    *_both_ways("mask-multiplied-into-scores", _filling(lambda s: s.S * s.mask)),
    *_both_ways("mask-added-to-scores", _filling(lambda s: s.S + s.mask)),
    _after_softmax("mask-after-softmax", _weights(lambda S, mask: softmax(S) * mask)),
    _after_softmax("mask-renormalised-after-softmax", _weights(_renormalised)),
    _after_softmax("mask-renormalised-after-softmax", _weights(_renormalised_where_it_can_be)),
    _after_softmax("mask-hides-queries", _weights(lambda S, mask: softmax(S) * mask.all(axis=1, keepdims=True))),
    Fault("mask-hides-values-only", "hide", _nothing, {"normalise": _plain_softmax, "combine": _hidden_values}),
    Fault("masked-row-uniform", "hide", _hiding_with(-1e9), {"normalise": _plain_softmax}),
    Fault("masked-row-nan", "hide", hide, {"normalise": _plain_softmax}),
    Fault("masked-row-attends-to-itself", "normalise", _attends_in_need(lambda i, n_k: i % n_k)),
    Fault("masked-row-attends-to-itself", "normalise", _attends_in_need(lambda i, n_k: 0 * i)),
    *(fault for fill in (-1e4, -1e5, -1e6) for fault in _both_ways("masked-numbers-leak", _lowered(fill))),
    _after_softmax("masked-numbers-leak", _weights(_naive_then_masked)),
    *(_after_softmax("masked-numbers-leak", _weights(_lowered_then_masked(by))) for by in (-1e4, -1e5, -1e6)),
)

# Queries, keys and values are given, and no model width with them.
GIVEN = Fault("", "project", _nothing)
MASKED_STEPS = tuple(
    fault
    for fault in (*SCORES, *SCALES, *SOFTMAXES, GLOBAL_MAXIMUM, *OUTPUTS, *RESULTS)
    if fault.misconception != "scaled-by-model-width"
)


def _masked(faults: tuple[Fault, ...]) -> Answer:
    def answer(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray) -> Any:
        return attend(State(X=Q, source=K, Q=Q, K=K, V=V, mask=mask), (GIVEN, *faults))

    return answer


def _masked_in_place(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray) -> Any:
    result = _masked(())(Q, K, V, mask)
    hidden = ~mask.any(axis=0)
    V[hidden] = 0
    mask[...] = ~mask
    return result


def _opened_in_place(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray) -> Any:
    """Right, by a mask that lets queries without an allowed key attend, before their rows are set to zero."""
    result = _masked(())(Q, K, V, mask)
    mask[~mask.any(axis=1)] = True
    return result


# --- cross_attention and CrossAttention


def _of_joined(first: str) -> Step:
    def step(s: State) -> None:
        W_Q, W_K, W_V = s.weights
        parts = (s.X, s.source) if first == "target" else (s.source, s.X)
        joined = np.concatenate(parts, axis=-2)
        s.Q, s.K, s.V = s.X @ W_Q, joined @ W_K, joined @ W_V

    return step


def _cut_to_source(s: State) -> None:
    """The output rows are cut, or repeated, to as many as the source has tokens."""
    output = s.A @ s.V
    s.Output = output[..., np.arange(s.source.shape[-2]) % output.shape[-2], :]


def _scaled_by_target_length(s: State) -> None:
    s.S = s.S / np.sqrt(s.Q.shape[-2])


CROSS = (
    Fault("cross-roles-swapped", "project", roles(lambda X, Y, Q, K, V: (Y @ Q, X @ K, X @ V))),
    Fault("cross-all-from-target", "project", roles(lambda X, Y, Q, K, V: (X @ Q, X @ K, X @ V))),
    Fault("cross-all-from-source", "project", roles(lambda X, Y, Q, K, V: (Y @ Q, Y @ K, Y @ V))),
    Fault("cross-keys-from-target", "project", roles(lambda X, Y, Q, K, V: (X @ Q, X @ K, Y @ V))),
    Fault("cross-values-from-target", "project", roles(lambda X, Y, Q, K, V: (X @ Q, Y @ K, X @ V))),
    Fault("cross-uses-source-weights-for-query", "project", roles(lambda X, Y, Q, K, V: (X @ K, Y @ Q, Y @ V))),
    Fault("cross-sequences-joined", "project", _of_joined("target")),
    Fault("cross-sequences-joined", "project", _of_joined("source")),
    Fault("cross-output-cut-to-source", "combine", _cut_to_source),
    Fault("scaled-by-sequence-length", "scale", _scaled_by_target_length),
)
# Between two sequences, exchanged weights are a matter of which sequence they belong to.
CROSS_STEPS = (
    *(fault for fault in ROLES if fault.misconception not in ("query-key-swapped", "projections-compound")),
    *SCORES,
    *SCALES,
    *SOFTMAXES,
    GLOBAL_MAXIMUM,
    *OUTPUTS,
)


def _cross(faults: tuple[Fault, ...]) -> Answer:
    return lambda X_target, X_source, *weights: attend(State(X=X_target, source=X_source, weights=weights), faults)


def _cross_in_place(X_target: np.ndarray, X_source: np.ndarray, *weights: np.ndarray) -> Any:
    result = _cross(())(X_target, X_source, *weights)
    X_source *= 2
    return result


Weights = Mapping[str, np.ndarray]
Shapes = dict[str, tuple[int, ...]]


def _module(faults: tuple[Fault, ...]) -> Answer:
    def answer(init: tuple[Any, ...], weights: Weights, x_target: Tensor, x_source: Tensor) -> Tensor:
        matrices = tuple(weights[f"W_{name}.weight"].T for name in "qkv")
        output, _ = attend(State(X=x_target.array, source=x_source.array, weights=matrices), faults)
        return Tensor(np.asarray(output, x_target.dtype))

    return answer


RIGHT = _module(())


def _across_batch(init: tuple[Any, ...], weights: Weights, x_target: Tensor, x_source: Tensor) -> Tensor:
    """All tokens of all samples are read."""
    flat = [Tensor(x.array.reshape(1, -1, x.shape[-1])) for x in (x_target, x_source)]
    return Tensor(RIGHT(init, weights, *flat).array.reshape(*x_target.shape[:2], -1))


def _averaged(init: tuple[Any, ...], weights: Weights, x_target: Tensor, x_source: Tensor) -> Tensor:
    return Tensor(RIGHT(init, weights, x_target, x_source).array.mean(axis=1))


def _changed(init: tuple[Any, ...], weights: Weights, x_target: Tensor, x_source: Tensor) -> Tensor:
    right = RIGHT(init, weights, x_target, x_source)
    x_source.array[...] *= 2
    return right


def _in_single_precision(init: tuple[Any, ...], weights: Weights, x_target: Tensor, x_source: Tensor) -> Tensor:
    return Tensor(RIGHT(init, weights, x_target, x_source).array.astype(np.float32))


def _shapes(d_model: int, d_k: int | None = None) -> Shapes:
    return dict.fromkeys(("W_q.weight", "W_k.weight", "W_v.weight"), (d_k or d_model, d_model))


def _structure(misconception: str, answer: Answer, parameters: Callable[..., Shapes], *cut_off: str) -> WrongModel:
    return WrongModel("CrossAttention", (misconception,), answer, parameters, cut_off)


STRUCTURES = (
    _structure("layers-not-registered", RIGHT, lambda *init: {}),
    _structure("width-argument-ignored", RIGHT, lambda d_model, d_k=None: _shapes(d_model)),
    _structure("default-width-wrong", RIGHT, lambda d_model, d_k=64: _shapes(d_model, d_k)),
    _structure(
        "value-layer-keeps-model-width",
        RIGHT,
        lambda d_model, d_k=None: {**_shapes(d_model, d_k), "W_v.weight": (d_model, d_model)},
    ),
    _structure("output-detached", RIGHT, _shapes, "W_q.weight", "W_k.weight", "W_v.weight"),
    _structure("attends-across-batch", _across_batch, _shapes),
    _structure("output-averaged-over-tokens", _averaged, _shapes),
    _structure("input-changed-in-place", _changed, _shapes),
    _structure("result-in-single-precision", _in_single_precision, _shapes),
    WrongModel("CrossAttention", ("answer-kept-from-earlier-call",), RIGHT, _shapes, keeps_first=True),
)


def _models() -> list[WrongModel]:
    module_steps = tuple(fault for fault in CROSS_STEPS if fault.misconception != "scaled-by-value-width")
    return [
        *(WrongModel("attention_kind", (misconception,), answer) for misconception, answer in KINDS),
        *_mask_models("causal_mask", CAUSAL, lambda n: _offsets(n) >= 0),
        *_mask_models("local_mask", LOCAL, lambda n, window: np.abs(_offsets(n)) <= window),
        *_combined("cross_attention", CROSS, (*CROSS_STEPS, *RESULTS), _cross),
        *_combined("masked_attention", MASKS, MASKED_STEPS, _masked),
        *_combined("CrossAttention", CROSS, module_steps, _module, _shapes),
        WrongModel("cross_attention", ("input-changed-in-place",), _cross_in_place),
        WrongModel("masked_attention", ("input-changed-in-place",), _masked_in_place),
        WrongModel("masked_attention", ("input-changed-in-place",), _opened_in_place),
        *STRUCTURES,
    ]


def _combined(
    exercise: str,
    own: Sequence[Fault],
    shared: Sequence[Fault],
    answer: Callable[[tuple[Fault, ...]], Answer],
    *parameters: Any,
) -> Iterator[WrongModel]:
    """Each fault; the exercise's own with those of any attention, of each misconception the first; and scale with
    softmax."""
    first = {fault.misconception: fault for fault in reversed(own)}.values()
    for chosen in (*singles((*own, *shared)), *pairs(first, shared), *pairs(SCALES, SOFTMAXES)):
        yield WrongModel(exercise, tuple(fault.misconception for fault in chosen), answer(chosen), *parameters)


WRONG_MODELS = tuple(_models())
