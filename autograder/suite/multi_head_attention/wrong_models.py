"""The wrong models of assignment 05. Tensors are NumPy arrays here; `nn.Linear` holds (d_out, d_in)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import Tensor
from autograder.suite.attention import (
    OUTPUTS,
    RIGHT_STEPS,
    ROLES,
    SCALES,
    SCORES,
    SOFTMAXES,
    Fault,
    State,
    attend,
    roles,
    setting,
    singles_and_pairs,
    softmax,
)
from autograder.suite.models import WrongModel

Weights = Mapping[str, np.ndarray]
Shapes = dict[str, tuple[int, ...]]
Array = np.ndarray
Map = Callable[[Array], Array]
Split = Callable[[Array, int], Array]


# --- split_heads and merge_heads


def split(x: Array, num_heads: int) -> Array:
    return np.stack(np.split(x, num_heads, axis=-1), axis=1)


def merge(x: Array) -> Array:
    return np.concatenate(list(x.swapaxes(0, 1)), axis=-1)


def _cut(x: Array, heads: int, width: int) -> Array:
    return x.reshape(*x.shape[:2], heads, width)


def _merge_squeezed(x: Array) -> Array:
    """Axes of length 1 are dropped, and the axes of what is left taken for heads, tokens and features."""
    x = x.squeeze()
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def _in_memory_order(x: Array) -> Array:
    """The numbers as they lie in memory, read as if nothing had been transposed."""
    return x.ravel(order="K").reshape(x.shape)


# How features are cut to (batch, n, num_heads, d_head), and how heads are then brought in front of the tokens.
CUTS: dict[str, Split] = {
    "": lambda x, h: _cut(x, h, x.shape[-1] // h),
    "heads-interleaved": lambda x, h: _cut(x, x.shape[-1] // h, h).swapaxes(2, 3),
    "head-count-for-head-width": lambda x, h: _cut(x, x.shape[-1] // h, h),
    "heads-in-reverse": lambda x, h: _cut(x, h, x.shape[-1] // h)[:, :, ::-1],
}
FRONTS: dict[str, Map] = {
    "": lambda cut: cut.swapaxes(1, 2),
    "heads-behind-tokens": lambda cut: cut,
    "heads-split-without-transpose": lambda cut: cut.reshape(cut.shape[0], cut.shape[2], cut.shape[1], cut.shape[3]),
}


def _splits(cut: Split, front: Map) -> Split:
    return lambda x, h: front(cut(x, h))


SPLITS: dict[tuple[str, ...], Split] = {
    **{(cut, front): _splits(CUTS[cut], FRONTS[front]) for cut in CUTS for front in FRONTS if cut or front},
    ("heads-split-tokens",): lambda x, h: x.reshape(x.shape[0], h, x.shape[1] // h, x.shape[2]),
    ("memory-order-trusted",): lambda x, h: split(_in_memory_order(x), h),
}
MERGES: dict[str, Map] = {
    "merge-without-transpose": lambda x: x.reshape(x.shape[0], x.shape[2], -1),
    "merge-interleaves-heads": lambda x: x.transpose(0, 2, 3, 1).reshape(x.shape[0], x.shape[2], -1),
    "heads-averaged": lambda x: x.mean(axis=1),
    "heads-summed": lambda x: x.sum(axis=1),
    "first-head-only": lambda x: x[:, 0],
    "heads-in-reverse": lambda x: merge(x[:, ::-1]),
    "memory-order-trusted": lambda x: merge(_in_memory_order(x)),
    "axes-of-one-dropped": _merge_squeezed,
}


def _of_tensors(function: Callable[..., Array]) -> Callable[..., Tensor]:
    return lambda x, *others: Tensor(np.asarray(function(x.array, *others), x.dtype))


PRECISIONS = {"result-in-single-precision": np.float32, "result-in-double-precision": np.float64}


def _in_precision(function: Callable[..., Array], dtype: Any) -> Callable[..., Tensor]:
    return lambda x, *others: Tensor(function(x.array, *others).astype(dtype))


def _in_place(function: Callable[..., Array]) -> Callable[..., Tensor]:
    def answer(x: Tensor, *others: Any) -> Tensor:
        right = Tensor(function(x.array, *others).copy())
        x.array[...] *= 2
        return right

    return answer


HEAD_FUNCTIONS = (
    *(WrongModel("split_heads", tuple(filter(None, names)), _of_tensors(wrong)) for names, wrong in SPLITS.items()),
    *(WrongModel("merge_heads", (name,), _of_tensors(wrong)) for name, wrong in MERGES.items()),
    *(
        WrongModel(name, ("output-detached",), _of_tensors(right), cut_off=("inputs",))
        for name, right in (("split_heads", split), ("merge_heads", merge))
    ),
    *(
        WrongModel(name, ("input-changed-in-place",), _in_place(right))
        for name, right in (("split_heads", split), ("merge_heads", merge))
    ),
    *(
        WrongModel(name, (precision,), _in_precision(right, dtype))
        for name, right in (("split_heads", split), ("merge_heads", merge))
        for precision, dtype in PRECISIONS.items()
    ),
)


# --- MultiHeadSelfAttention


@dataclass
class Heads(State):
    num_heads: int = 1
    W_O: Any = None
    merged: Any = None


def split_all(s: Heads) -> None:
    s.Q, s.K, s.V = (split(array, s.num_heads) for array in (s.Q, s.K, s.V))


def join(s: Heads) -> None:
    s.merged = merge(s.Output)


def mix(s: Heads) -> None:
    s.result = s.merged @ s.W_O


HEAD_STEPS = {
    "project": RIGHT_STEPS["project"],
    "split": split_all,
    **{name: RIGHT_STEPS[name] for name in ("score", "scale", "normalise", "combine")},
    "merge": join,
    "mix": mix,
}


def _splitting(function: Callable[[Array, int], Array]) -> Callable[[Heads], None]:
    def step(s: Heads) -> None:
        s.Q, s.K, s.V = (function(array, s.num_heads) for array in (s.Q, s.K, s.V))

    return step


def _merging(function: Callable[[Array], Array]) -> Callable[[Heads], None]:
    return setting("merged", lambda s: function(s.Output))


def _output_layer_on_values(s: Heads) -> None:
    RIGHT_STEPS["project"](s)
    s.V = s.V @ s.W_O


def _first_block_for_all(x: Array, num_heads: int) -> Array:
    heads = split(x, num_heads)
    return np.repeat(heads[:, :1], num_heads, axis=1)


def _divided(by: Callable[[Heads], float]) -> Callable[[Heads], None]:
    return setting("S", lambda s: s.S / by(s))


HEAD_FAULTS = (
    *(Fault(name, "split", _splitting(SPLITS[name, ""])) for name in list(CUTS)[1:]),
    Fault("heads-split-without-transpose", "split", _splitting(SPLITS["", "heads-split-without-transpose"])),
    Fault("heads-split-tokens", "split", _splitting(SPLITS[("heads-split-tokens",)])),
    Fault("heads-share-one-projection", "split", _splitting(_first_block_for_all)),
    *(Fault(name, "merge", _merging(MERGES[name])) for name in list(MERGES)[:5]),
    Fault(
        "heads-attend-to-each-other",
        "split",
        _splitting(SPLITS["", "heads-behind-tokens"]),
        {"merge": setting("merged", lambda s: s.Output.reshape(*s.Output.shape[:2], -1))},
    ),
    Fault(
        "heads-ignored",
        "split",
        lambda s: None,
        {"merge": setting("merged", lambda s: s.Output)},
    ),
    Fault("no-output-projection", "mix", setting("result", lambda s: s.merged)),
    Fault("output-projection-transposed", "mix", setting("result", lambda s: s.merged @ s.W_O.T)),
    Fault(
        "output-projection-before-heads",
        "project",
        _output_layer_on_values,
        {"mix": setting("result", lambda s: s.merged)},
    ),
    Fault("input-added-to-output", "mix", setting("result", lambda s: s.merged @ s.W_O + s.X)),
)
PROJECTIONS = (
    Fault("projection-transposed", "project", roles(lambda X, Y, Q, K, V: (X @ Q.T, Y @ K.T, Y @ V.T))),
    Fault("fused-chunks-out-of-order", "project", roles(lambda X, Y, Q, K, V: (X @ K, Y @ V, Y @ Q))),
    Fault("fused-chunks-out-of-order", "project", roles(lambda X, Y, Q, K, V: (X @ V, Y @ Q, Y @ K))),
)
HEAD_SCALES = (
    Fault("scaled-by-head-count", "scale", _divided(lambda s: s.num_heads**0.5)),
    Fault("scaled-by-batch-size", "scale", _divided(lambda s: len(s.X) ** 0.5)),
)
HEAD_SOFTMAXES = (
    Fault("softmax-over-heads", "normalise", setting("A", lambda s: softmax(s.S, axis=1))),
    Fault("softmax-over-batch", "normalise", setting("A", lambda s: softmax(s.S, axis=0))),
)
# A head's values are as wide as its keys.
SINGLE_FAULTS = tuple(
    fault
    for fault in (
        *(*HEAD_FAULTS, *PROJECTIONS, *HEAD_SCALES, *HEAD_SOFTMAXES),
        *(*ROLES, *SCORES, *SCALES, *SOFTMAXES, *OUTPUTS),
    )
    if fault.misconception != "scaled-by-value-width"
)
COMBINING = {
    *(fault.misconception for fault in (*HEAD_FAULTS, *HEAD_SCALES)),
    *("projection-transposed", "query-key-swapped", "value-from-key-projection", "one-projection-for-all"),
    *("scores-transposed", "scores-not-scaled", "scaled-by-key-dimension", "scaled-by-model-width"),
    *("scaled-by-sequence-length", "multiplied-by-the-scale", "softmax-over-queries", "softmax-over-heads"),
    *("softmax-forgotten", "softmax-twice", "weights-transposed", "scaled-after-softmax"),
}


def multi_head(x: Array, weights: Weights, num_heads: int, faults: tuple[Fault, ...] = ()) -> Array:
    W_Q, W_K, W_V, W_O = (weights[f"W_{name}.weight"].T for name in "qkvo")
    state = Heads(X=x, source=x, weights=(W_Q, W_K, W_V), num_heads=num_heads, W_O=W_O)
    return attend(state, faults, HEAD_STEPS)


def _multi_head(faults: tuple[Fault, ...]) -> Callable[..., Tensor]:
    def answer(init: tuple[int, int], weights: Weights, x: Tensor) -> Tensor:
        return Tensor(np.asarray(multi_head(x.array, weights, init[1], faults), x.dtype))

    return answer


def _square(d_model: int, num_heads: int) -> Shapes:
    """The right parameters."""
    if d_model % num_heads:
        raise ValueError("the heads don't divide the features")
    return dict.fromkeys((f"W_{name}.weight" for name in "qkvo"), (d_model, d_model))


def _any_heads(d_model: int, num_heads: int) -> Shapes:
    return dict.fromkeys((f"W_{name}.weight" for name in "qkvo"), (d_model, d_model))


def _head_wide(d_model: int, num_heads: int) -> Shapes:
    d_head = d_model // num_heads
    return {**_square(d_model, num_heads), **dict.fromkeys((f"W_{name}.weight" for name in "qkv"), (d_head, d_head))}


def _changed(right: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def answer(init: tuple[int, ...], weights: Weights, x: Tensor) -> Tensor:
        output = right(init, weights, x)
        x.array[...] *= 2
        return output

    return answer


def _cast(right: Callable[..., Tensor], dtype: Any) -> Callable[..., Tensor]:
    return lambda init, weights, x: Tensor(right(init, weights, x).array.astype(dtype))


def _across_batch(right: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """All tokens of all samples attend to each other."""

    def answer(init: tuple[int, ...], weights: Weights, x: Tensor) -> Tensor:
        flat = Tensor(x.array.reshape(1, -1, x.shape[-1]))
        return Tensor(right(init, weights, flat).array.reshape(x.shape))

    return answer


def _averaged(right: Callable[..., Tensor]) -> Callable[..., Tensor]:
    return lambda init, weights, x: Tensor(right(init, weights, x).array.mean(axis=1))


def _multi_head_models() -> list[WrongModel]:
    name, right = "MultiHeadSelfAttention", _multi_head(())
    combining = tuple(fault for fault in SINGLE_FAULTS if fault.misconception in COMBINING)
    pairs = (chosen for chosen in singles_and_pairs(combining) if len(chosen) == 2)
    return [
        *(WrongModel(name, (fault.misconception,), _multi_head((fault,)), _square) for fault in SINGLE_FAULTS),
        *(WrongModel(name, tuple(f.misconception for f in pair), _multi_head(pair), _square) for pair in pairs),
        WrongModel(name, ("indivisible-heads-accepted",), right, _any_heads),
        WrongModel(name, ("heads-split-before-projection",), right, _head_wide),
        WrongModel(name, ("layers-not-registered",), right, lambda *init: _square(*init) and {}),
        WrongModel(name, ("output-detached",), right, _square, tuple(_square(2, 1))),
        WrongModel(name, ("attends-across-batch",), _across_batch(right), _square),
        WrongModel(name, ("output-averaged-over-tokens",), _averaged(right), _square),
        WrongModel(name, ("input-changed-in-place",), _changed(right), _square),
        WrongModel(name, ("answer-kept-from-earlier-call",), right, _square, keeps_first=True),
        *(WrongModel(name, (precision,), _cast(right, dtype), _square) for precision, dtype in PRECISIONS.items()),
    ]


# --- EncoderBlock


@dataclass
class Block:
    """What the block is made of; `wire` joins it."""

    x: Array
    weights: Weights
    num_heads: int
    layer_norm: Callable[[Array, Array, Array], Array] = field(init=False)
    feed_forward: Map = field(init=False)
    result: Any = None

    def attention(self, x: Array) -> Array:
        own = {name.removeprefix("attention."): w for name, w in self.weights.items()}
        return multi_head(x, own, self.num_heads)

    def norm1(self, x: Array) -> Array:
        return self._norm("norm1", x)

    def norm2(self, x: Array) -> Array:
        return self._norm("norm2", x)

    def _norm(self, name: str, x: Array) -> Array:
        return self.layer_norm(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def linear(self, place: int, x: Array) -> Array:
        return x @ self.weights[f"feed_forward.{place}.weight"].T + self.weights[f"feed_forward.{place}.bias"]


def normed(axis: int = -1, epsilon: float = 1e-5, lost: int = 0) -> Callable[[Block], None]:
    """A step that chooses a norm over `axis`, whose variance divides by the number of features less `lost`."""

    def norm(x: Array, weight: Array, bias: Array) -> Array:
        mean, variance = x.mean(axis, keepdims=True), x.var(axis, keepdims=True, ddof=lost)
        return (x - mean) / np.sqrt(variance + epsilon) * weight + bias

    return setting("layer_norm", lambda s: norm)


def fed(activation: Callable[[Array], Array], end: Callable[[Array], Array] = lambda x: x) -> Callable[[Block], None]:
    """A step that chooses what stands between the two linear layers, and after them."""
    return setting("feed_forward", lambda s: lambda x: end(s.linear(2, activation(s.linear(0, x)))))


def wired(compute: Callable[[Block, Array], Array]) -> Callable[[Block], None]:
    return setting("result", lambda s: compute(s, s.x))


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def gelu(x: Array) -> Array:
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def _pre_norm(s: Block, x: Array) -> Array:
    x = x + s.attention(s.norm1(x))
    return x + s.feed_forward(s.norm2(x))


def _no_residual(s: Block, x: Array) -> Array:
    return s.norm2(s.feed_forward(s.norm1(s.attention(x))))


def _no_residual_around_attention(s: Block, x: Array) -> Array:
    x = s.norm1(s.attention(x))
    return s.norm2(x + s.feed_forward(x))


def _no_residual_around_feed_forward(s: Block, x: Array) -> Array:
    return s.norm2(s.feed_forward(s.norm1(x + s.attention(x))))


def _residual_outside_the_norm(s: Block, x: Array) -> Array:
    x = x + s.norm1(s.attention(x))
    return x + s.norm2(s.feed_forward(x))


def _first_residual_outside_the_norm(s: Block, x: Array) -> Array:
    x = x + s.norm1(s.attention(x))
    return s.norm2(x + s.feed_forward(x))


def _second_residual_outside_the_norm(s: Block, x: Array) -> Array:
    x = s.norm1(x + s.attention(x))
    return x + s.norm2(s.feed_forward(x))


def _residual_from_block_input(s: Block, x: Array) -> Array:
    return s.norm2(x + s.feed_forward(s.norm1(x + s.attention(x))))


def _in_parallel(s: Block, x: Array) -> Array:
    return s.norm2(s.norm1(x + s.attention(x)) + s.feed_forward(x))


def _summed_in_parallel(s: Block, x: Array) -> Array:
    return s.norm2(x + s.attention(s.norm1(x)) + s.feed_forward(s.norm1(x)))


def _feed_forward_first(s: Block, x: Array) -> Array:
    x = s.norm1(x + s.feed_forward(x))
    return s.norm2(x + s.attention(x))


def _second_norm_with_feed_forward_first(s: Block, x: Array) -> Array:
    x = s.norm2(x + s.feed_forward(x))
    return s.norm1(x + s.attention(x))


def _no_feed_forward(s: Block, x: Array) -> Array:
    return s.norm1(x + s.attention(x))


def _no_feed_forward_but_its_norm(s: Block, x: Array) -> Array:
    return s.norm2(s.norm1(x + s.attention(x)))


def _same_norm_twice(s: Block, x: Array) -> Array:
    x = s.norm1(x + s.attention(x))
    return s.norm1(x + s.feed_forward(x))


def _second_norm_twice(s: Block, x: Array) -> Array:
    x = s.norm2(x + s.attention(x))
    return s.norm2(x + s.feed_forward(x))


def _norms_exchanged(s: Block, x: Array) -> Array:
    x = s.norm2(x + s.attention(x))
    return s.norm1(x + s.feed_forward(x))


def _no_norm(s: Block, x: Array) -> Array:
    x = x + s.attention(x)
    return x + s.feed_forward(x)


def _first_norm_left_out(s: Block, x: Array) -> Array:
    x = x + s.attention(x)
    return s.norm2(x + s.feed_forward(x))


def _second_norm_left_out(s: Block, x: Array) -> Array:
    x = s.norm1(x + s.attention(x))
    return x + s.feed_forward(x)


def _right(s: Block, x: Array) -> Array:
    x = s.norm1(x + s.attention(x))
    return s.norm2(x + s.feed_forward(x))


BLOCK_STEPS = {"norm": normed(), "feed": fed(relu), "wire": wired(_right)}
WIRINGS = (
    ("pre-norm-block", _pre_norm),
    ("no-residual", _no_residual),
    ("no-residual-around-attention", _no_residual_around_attention),
    ("no-residual-around-feed-forward", _no_residual_around_feed_forward),
    ("residual-outside-the-norm", _residual_outside_the_norm),
    ("residual-outside-the-norm", _first_residual_outside_the_norm),
    ("residual-outside-the-norm", _second_residual_outside_the_norm),
    ("residual-from-block-input", _residual_from_block_input),
    ("attention-and-feed-forward-in-parallel", _in_parallel),
    ("attention-and-feed-forward-in-parallel", _summed_in_parallel),
    ("feed-forward-first", _feed_forward_first),
    ("feed-forward-first", _second_norm_with_feed_forward_first),
    ("no-feed-forward", _no_feed_forward),
    ("no-feed-forward", _no_feed_forward_but_its_norm),
    ("same-norm-twice", _same_norm_twice),
    ("same-norm-twice", _second_norm_twice),
    ("norms-exchanged", _norms_exchanged),
    ("no-norm", _no_norm),
    ("first-norm-left-out", _first_norm_left_out),
    ("second-norm-left-out", _second_norm_left_out),
)
BLOCK_FAULTS = (
    *(Fault(name, "wire", wired(compute)) for name, compute in WIRINGS),
    Fault("norm-over-tokens", "norm", normed(axis=1)),
    Fault("norm-by-sample-spread", "norm", normed(lost=1)),
    Fault("norm-without-epsilon", "norm", normed(epsilon=0.0)),
    Fault("norm-without-epsilon", "norm", normed(epsilon=1e-12)),
    Fault("other-activation-for-relu", "feed", fed(gelu)),
    Fault("feed-forward-without-relu", "feed", fed(lambda x: x)),
    Fault("relu-after-both-layers", "feed", fed(relu, end=relu)),
)


# Other activations are told as one more of their kind, and not together with a second fault.
ACTIVATIONS: tuple[Map, ...] = (
    lambda x: x * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))) / 2,
    lambda x: np.where(x > 0, x, 0.01 * x),
    lambda x: np.where(x > 0, x, np.expm1(x)),
    lambda x: x / (1 + np.exp(-x)),
    lambda x: 1 / (1 + np.exp(-x)),
    np.tanh,
)
OTHER_ACTIVATIONS = tuple(Fault("other-activation-for-relu", "feed", fed(activation)) for activation in ACTIVATIONS)


def _block(faults: tuple[Fault, ...]) -> Callable[..., Tensor]:
    def answer(init: tuple[int, int, int], weights: Weights, x: Tensor) -> Tensor:
        return Tensor(np.asarray(attend(Block(x.array, weights, init[1]), faults, BLOCK_STEPS), x.dtype))

    return answer


def _whole(d_model: int, num_heads: int, d_ff: int) -> Shapes:
    """The right parameters."""
    return {
        **{f"attention.{name}": shape for name, shape in _square(d_model, num_heads).items()},
        **{f"{norm}.{part}": (d_model,) for norm in ("norm1", "norm2") for part in ("weight", "bias")},
        **{"feed_forward.0.weight": (d_ff, d_model), "feed_forward.0.bias": (d_ff,)},
        **{"feed_forward.2.weight": (d_model, d_ff), "feed_forward.2.bias": (d_model,)},
    }


def _block_models() -> list[WrongModel]:
    name, right = "EncoderBlock", _block(())
    faulty = (
        WrongModel(name, tuple(fault.misconception for fault in chosen), _block(chosen), _whole)
        for chosen in (*singles_and_pairs(BLOCK_FAULTS), *((fault,) for fault in OTHER_ACTIVATIONS))
    )
    return [
        *faulty,
        WrongModel(name, ("output-detached",), right, _whole, tuple(_whole(2, 1, 2))),
        WrongModel(name, ("attends-across-batch",), _across_batch(right), _whole),
        WrongModel(name, ("output-averaged-over-tokens",), _averaged(right), _whole),
        WrongModel(name, ("input-changed-in-place",), _changed(right), _whole),
        WrongModel(name, ("answer-kept-from-earlier-call",), right, _whole, keeps_first=True),
        *(WrongModel(name, (precision,), _cast(right, dtype), _whole) for precision, dtype in PRECISIONS.items()),
        WrongModel(name, ("layers-not-registered",), right, lambda *init: {}),
    ]


WRONG_MODELS = (*HEAD_FUNCTIONS, *_multi_head_models(), *_block_models())
