"""The wrong models of assignment 02. Tensors are NumPy arrays here; `nn.Linear` holds (d_out, d_in)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    attend,
    singles_and_pairs,
    softmax,
)
from autograder.suite.models import WrongModel

Weights = Mapping[str, np.ndarray]
Shapes = dict[str, tuple[int, ...]]

AXES = (
    Fault("softmax-axis-left-open", "normalise", lambda s: setattr(s, "A", softmax(s.S, 0 if s.S.ndim == 3 else 1))),
    Fault("softmax-over-batch", "normalise", lambda s: setattr(s, "A", softmax(s.S, 0))),
    Fault("transpose-reverses-all-axes", "score", lambda s: setattr(s, "S", s.Q @ s.K.T)),
    Fault("transpose-axes-hard-coded", "score", lambda s: setattr(s, "S", s.Q @ s.K.swapaxes(1, 2))),
    Fault("softmax-global-maximum", "normalise", lambda s: setattr(s, "A", _naive(s.S - s.S.max()))),
)
# A function sees no model width, and a module's values are as wide as its keys.
FUNCTION_FAULTS = tuple(
    fault
    for fault in (*SCORES, *SCALES, *SOFTMAXES, *OUTPUTS, *RESULTS, *AXES)
    if fault.misconception != "scaled-by-model-width"
)
MODULE_FAULTS = tuple(
    fault
    for fault in (*ROLES, *SCORES, *SCALES, *SOFTMAXES, *OUTPUTS)
    if fault.misconception != "scaled-by-value-width"
)


def _naive(scores: np.ndarray) -> np.ndarray:
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


def _function(faults: tuple[Fault, ...]) -> Callable[..., Any]:
    def answer(Q: Tensor, K: Tensor, V: Tensor) -> Any:
        keep = [fault for fault in faults if fault.step != "project"]
        state = State(X=Q.array, source=K.array, Q=Q.array, K=K.array, V=V.array)
        given = Fault("", "project", lambda s: None)
        return tuple(Tensor(np.asarray(part, Q.dtype)) for part in attend(state, (given, *keep)))

    return answer


def _module(faults: tuple[Fault, ...]) -> Callable[..., Any]:
    def answer(init: tuple[Any, ...], weights: Weights, x: Tensor) -> Tensor:
        matrices = tuple(weights[f"W_{name}.weight"].T for name in "qkv")
        output, _ = attend(State(X=x.array, source=x.array, weights=matrices), faults)
        return Tensor(np.asarray(output, x.dtype))

    return answer


def _across_batch(init: tuple[Any, ...], weights: Weights, x: Tensor) -> Tensor:
    """All tokens of all samples attend to each other."""
    flat = Tensor(x.array.reshape(1, -1, x.shape[-1]))
    return Tensor(_module(())(init, weights, flat).array.reshape(*x.shape[:2], -1))


def _averaged(init: tuple[Any, ...], weights: Weights, x: Tensor) -> Tensor:
    return Tensor(_module(())(init, weights, x).array.mean(axis=1))


def _changed(init: tuple[Any, ...], weights: Weights, x: Tensor) -> Tensor:
    right = _module(())(init, weights, x)
    x.array[...] *= 2
    return right


def _changed_function(Q: Tensor, K: Tensor, V: Tensor) -> Any:
    right = _function(())(Q, K, V)
    Q.array[...] /= 2
    return right


def _in_single_precision(Q: Tensor, K: Tensor, V: Tensor) -> Any:
    return tuple(Tensor(part.array.astype(np.float32)) for part in _function(())(Q, K, V))


def _square(d_model: int, d_k: int | None = None) -> Shapes:
    return dict.fromkeys(("W_q.weight", "W_k.weight", "W_v.weight"), (d_k or d_model, d_model))


RIGHT = _module(())
STRUCTURES = (
    WrongModel("SelfAttention", ("layers-not-registered",), RIGHT, lambda *init: {}),
    WrongModel("SelfAttention", ("width-argument-ignored",), RIGHT, lambda d_model, d_k=None: _square(d_model)),
    WrongModel("SelfAttention", ("default-width-wrong",), RIGHT, lambda d_model, d_k=64: _square(d_model, d_k)),
    WrongModel(
        "SelfAttention",
        ("value-layer-keeps-model-width",),
        RIGHT,
        lambda d_model, d_k=None: {**_square(d_model, d_k), "W_v.weight": (d_model, d_model)},
    ),
    WrongModel("SelfAttention", ("output-detached",), RIGHT, _square, ("W_q.weight", "W_k.weight", "W_v.weight")),
)

COUNTS: dict[str, Callable[[int, int], int]] = {
    "parameters-count-biases": lambda d, k: 3 * (d * k + k),
    "parameters-forget-one-matrix": lambda d, k: 2 * d * k,
    "parameters-of-one-matrix": lambda d, k: d * k,
    "parameters-of-square-matrices": lambda d, k: 3 * d * d,
    "parameters-of-key-width-only": lambda d, k: 3 * k * k,
    "parameters-count-output-projection": lambda d, k: 4 * d * k,
    "parameters-value-keeps-model-width": lambda d, k: 2 * d * k + d * d,
    "parameters-add-the-sides": lambda d, k: 3 * (d + k),
}


def _count(formula: Callable[[int, int], int]) -> Callable[..., int]:
    return lambda d_model, d_k=None: formula(d_model, d_model if d_k is None else d_k)


def _models() -> list[WrongModel]:
    functions = [
        WrongModel("scaled_dot_product_attention", tuple(f.misconception for f in chosen), _function(chosen))
        for chosen in singles_and_pairs(FUNCTION_FAULTS)
    ]
    modules = [
        WrongModel("SelfAttention", tuple(f.misconception for f in chosen), _module(chosen), _square)
        for chosen in singles_and_pairs(MODULE_FAULTS)
    ]
    others = [
        WrongModel("scaled_dot_product_attention", ("input-changed-in-place",), _changed_function),
        WrongModel("scaled_dot_product_attention", ("result-in-single-precision",), _in_single_precision),
        WrongModel("SelfAttention", ("attends-across-batch",), _across_batch, _square),
        WrongModel("SelfAttention", ("output-averaged-over-tokens",), _averaged, _square),
        WrongModel("scaled_dot_product_attention", ("output-detached",), _function(()), cut_off=("inputs",)),
        WrongModel("SelfAttention", ("input-changed-in-place",), _changed, _square),
        WrongModel("SelfAttention", ("answer-kept-from-earlier-call",), RIGHT, _square, keeps_first=True),
    ]
    counts = [WrongModel("parameter_count", (name,), _count(formula)) for name, formula in COUNTS.items()]
    return [*functions, *modules, *others, *STRUCTURES, *counts]


WRONG_MODELS = tuple(_models())
