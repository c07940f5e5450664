"""The hidden tests of assignment 05."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import (
    Answer,
    AnswerKind,
    Request,
    RunModule,
    StandIn,
    Tensor,
    TorchFunction,
    TorchModule,
    TorchStep,
)
from autograder.catalogue.result import StudentError
from autograder.suite.cases import Case, Cases, Draw, answered
from autograder.suite.checks import Unanswered, edge, rule, sign
from autograder.suite.expect import TOLERANCE, Unmet, close, tensor, within
from autograder.suite.laws import FunctionTests, LeavesInputsAlone, OneToken, PassesGradients
from autograder.suite.modules import ModuleCase, ModuleCases, ModuleTests, Shapes, Weights

from . import oracle

Sizes = tuple[int, int, int, int]  # batch, n, num_heads, d_head


class HeadTests(PassesGradients, OneToken, LeavesInputsAlone, FunctionTests):
    """A function that moves numbers between (batch, n, d_model) and (batch, num_heads, n, d_head)."""

    def arguments(self, x: np.ndarray, num_heads: int) -> tuple[Any, ...]:
        """What the function takes, for a tensor of the shape that it takes."""
        raise NotImplementedError

    def shape(self, batch: int, n: int, num_heads: int, d_head: int) -> tuple[int, ...]:
        """The shape of the tensor that the function takes."""
        raise NotImplementedError

    def cases(self, draw: Draw) -> Cases:
        n, num_heads, d_head = draw.sizes(3, smallest=3, largest=7)
        sizes = (2, n, num_heads, d_head)
        many = (3, 6, 2, draw.choice((5, 7)))

        def inputs(*sizes: int, dtype: str = "float32") -> tuple[Any, ...]:
            return self.arguments(draw.normal(*self.shape(*sizes), dtype=dtype), sizes[2])

        def laid_out(sizes: Sizes, one: int, other: int) -> tuple[Any, ...]:
            """The same with two axes exchanged in memory, as a transpose leaves them."""
            shape = list(self.shape(*sizes))
            shape[one], shape[other] = shape[other], shape[one]
            return self.arguments(draw.normal(*shape, dtype="float32").swapaxes(one, other), sizes[2])

        return answered(
            self.oracle,
            {
                "ordinary": [inputs(*sizes), inputs(*sizes), inputs(*many), inputs(3, 3, 3, 3)],
                "one_token": [inputs(2, 1, num_heads, d_head)],
                "one_head": [inputs(2, n, 1, d_head)],
                "one_feature": [inputs(2, n, num_heads, 1)],
                "one_sample": [inputs(1, n, num_heads, d_head)],
                "float64": [inputs(*many, dtype="float64")],
                "memory_layout": [laid_out(sizes, 1, 2), laid_out(many, -1, -2)],
                "gradients": [inputs(2, 4, 3, 5)],
            },
        )

    def hold(self, answer: Any, case: Case) -> None:
        close(tensor(answer), case.expected.array, TOLERANCE.of(case.args), "the result", case.args)

    @edge
    def test_one_head(self, student: Any, cases: Cases) -> None:
        """One head holds all features."""
        self.hold_each(student, cases["one_head"])

    @edge
    def test_one_feature(self, student: Any, cases: Cases) -> None:
        """There may be as many heads as features."""
        self.hold_each(student, cases["one_feature"])

    @edge
    def test_one_sample(self, student: Any, cases: Cases) -> None:
        """A batch of one is a batch too."""
        self.hold_each(student, cases["one_sample"])

    @edge
    def test_memory_layout(self, student: Any, cases: Cases) -> None:
        """A tensor that was transposed before gives the same result as any with its numbers."""
        self.hold_each(student, cases["memory_layout"])

    @edge
    def test_float64(self, student: Any, cases: Cases) -> None:
        """Tensors of float64 are as good as those of float32."""
        self.hold_each(student, cases["float64"])

    @rule
    def test_dtype_is_kept(self, student: Any, cases: Cases) -> None:
        """The result has the input's dtype."""
        for case in (cases.ordinary[0], cases["float64"][0]):
            answer = self.ask(student, case)
            tensor(answer)
            if answer.dtype != case.args[0].dtype:
                raise Unmet(f"a tensor of {case.args[0].dtype} gave one of {answer.dtype}")


class TestSplitHeads(HeadTests):
    exercise = "split_heads"

    @staticmethod
    def oracle(x: Tensor, num_heads: int) -> Tensor:
        return Tensor(oracle.split_heads(x.array, num_heads).astype(x.dtype))

    def arguments(self, x: np.ndarray, num_heads: int) -> tuple[Any, ...]:
        return Tensor(x), num_heads

    def shape(self, batch: int, n: int, num_heads: int, d_head: int) -> tuple[int, ...]:
        return batch, n, num_heads * d_head

    @sign
    def test_tokens_keep_their_features(self, student: Any, cases: Cases) -> None:
        """All heads together hold each token's own features."""
        for case in cases.ordinary:
            heads = tensor(self.ask(student, case))
            if heads.shape != case.expected.shape:
                raise Unmet(f"the result has shape {heads.shape}, where {case.expected.shape} is due")
            if not _same_numbers(heads.swapaxes(1, 2), case.args[0].array):
                raise Unmet("some token's heads hold features of other tokens")

    def stand_in(self) -> StandIn:
        return TorchFunction(
            parameters=("x", "num_heads"),
            steps=(
                ("apart", "torch.unflatten", ("$x", -1, ("$num_heads", -1)), {}),
                ("heads", "torch.transpose", ("$apart", 1, 2), {}),
            ),
            result=("heads",),
        )


class TestMergeHeads(HeadTests):
    exercise = "merge_heads"

    @staticmethod
    def oracle(x: Tensor) -> Tensor:
        return Tensor(oracle.merge_heads(x.array).astype(x.dtype))

    def arguments(self, x: np.ndarray, num_heads: int) -> tuple[Any, ...]:
        return (Tensor(x),)

    def shape(self, batch: int, n: int, num_heads: int, d_head: int) -> tuple[int, ...]:
        return batch, num_heads, n, d_head

    @sign
    def test_tokens_keep_their_features(self, student: Any, cases: Cases) -> None:
        """Each token holds the features that its own heads hold."""
        for case in cases.ordinary:
            merged = tensor(self.ask(student, case))
            if merged.shape != case.expected.shape:
                raise Unmet(f"the result has shape {merged.shape}, where {case.expected.shape} is due")
            if not _same_numbers(merged, case.args[0].array.swapaxes(1, 2)):
                raise Unmet("some token holds features that belong to other tokens")

    def stand_in(self) -> StandIn:
        return TorchFunction(
            parameters=("x",),
            steps=(
                ("tokens", "torch.transpose", ("$x", 1, 2), {}),
                ("merged", "torch.flatten", ("$tokens", 2), {}),
            ),
            result=("merged",),
        )


def _same_numbers(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether each token, behind the first two axes, has the same numbers in both, in any order."""
    a, b = (np.sort(array.reshape(*array.shape[:2], -1), axis=-1) for array in (one, other))
    return within(a, b, 1e-6)


class SequenceTests(ModuleTests):
    """A module that maps (batch, n, d_model) to the same shape, and knows of no positions and no other sample."""

    def sequence_cases(self, draw: Draw, init: tuple[Any, ...], n: int) -> dict[str, tuple[ModuleCase, ...]]:
        """Cases with inputs of the module's width that every such module meets."""
        d_model, num_heads, *others = init

        def inputs(*shape: int, dtype: str = "float32") -> np.ndarray:
            return draw.normal(*shape, dtype=dtype)

        first = self.case(draw, init, inputs(2, n, d_model))
        order, (x,) = draw.order(n), first.args
        neighbour = np.stack([x.array[0], inputs(n, d_model)])
        return {
            "ordinary": (first, self.case(draw, init, inputs(2, n, d_model))),
            "permuted": (ModuleCase((Tensor(x.array[:, order]),), order, "permuted"),),
            "other_neighbour": (ModuleCase((Tensor(neighbour),), None, "other neighbour"),),
            "one_token": (self.case(draw, init, inputs(2, 1, d_model)),),
            "one_sample": (self.case(draw, init, inputs(1, n, d_model)),),
            "one_head": (self.case(draw, (d_model, 1, *others), inputs(2, n, d_model)),),
            "one_feature": (self.case(draw, (num_heads, num_heads, *others), inputs(2, n, num_heads)),),
            "float64": (self.case(draw, init, inputs(2, n, d_model, dtype="float64")),),
        }

    @sign
    def test_permutation_equivariance(self, student: Any, cases: ModuleCases) -> None:
        """Shuffle the tokens, and the output is shuffled likewise."""
        output, moved = self._first_and(student, cases, "permuted")
        if not within(moved, output[:, cases["permuted"][0].expected], 1e-4):
            raise Unmet("the output of the shuffled tokens is not the shuffled output")

    @sign
    def test_batch_independence(self, student: Any, cases: ModuleCases) -> None:
        """Changing one sequence of the batch changes the output of no other."""
        output, other = self._first_and(student, cases, "other_neighbour")
        if not within(other[0], output[0], 1e-4) or within(other[1], output[1], 1e-4):
            raise Unmet("the output of a sequence changed with its neighbour, or not with itself")

    def _first_and(self, student: Any, cases: ModuleCases, kind: str) -> tuple[np.ndarray, np.ndarray]:
        """The outputs of one module for the first ordinary case, and for the same with another input."""
        case = cases.ordinary[0]
        module = getattr(student, self.exercise)(*case.init).holding(case.weights)
        outputs = tensor(module(*case.args)), tensor(module(*cases[kind][0].args))
        if any(output.shape != case.expected.shape or np.ptp(output, axis=1).max() < 1e-6 for output in outputs):
            raise Unmet("the output has the wrong shape, or is the same for every token")
        return outputs

    @edge
    def test_one_sample(self, student: Any, cases: ModuleCases) -> None:
        """A batch of one is a batch too."""
        self.hold_each(student, cases["one_sample"])

    @edge
    def test_one_head(self, student: Any, cases: ModuleCases) -> None:
        """One head is enough."""
        self.hold_each(student, cases["one_head"])

    @edge
    def test_one_feature(self, student: Any, cases: ModuleCases) -> None:
        """There may be as many heads as features."""
        self.hold_each(student, cases["one_feature"])


class TestMultiHeadSelfAttention(SequenceTests):
    exercise = "MultiHeadSelfAttention"

    def shapes(self, d_model: int, num_heads: int) -> Shapes:
        return dict.fromkeys((f"W_{name}.weight" for name in "qkvo"), (d_model, d_model))

    def forward(self, init: tuple[Any, ...], weights: Weights, *inputs: np.ndarray) -> np.ndarray:
        (x,) = inputs
        return oracle.multi_head_self_attention(x, weights, init[1])

    def right_answer(self, request: Request) -> Answer:
        if isinstance(request, RunModule) and request.init_args[0] % request.init_args[1]:
            return Answer(AnswerKind.RAISED, error=StudentError("ValueError", ""), lineage=("ValueError",))
        return super().right_answer(request)

    def cases(self, draw: Draw) -> ModuleCases:
        n, num_heads, d_head = draw.sizes(3, smallest=3, largest=7)
        asked = self.sequence_cases(draw, (num_heads * d_head, num_heads), n)
        wide = 2 * draw.choice((5, 7))
        large = draw.normal(2, n, wide) * 60
        return ModuleCases(
            {
                **asked,
                "ordinary": (
                    *asked["ordinary"],
                    self.case(draw, (wide, 2), draw.normal(3, 6, wide, dtype="float32")),
                    self.case(draw, (9, 3), draw.normal(3, 3, 9, dtype="float32")),
                ),
                "large_scores": (self.case(draw, (wide, 2), large, kind="large scores"),),
                "gradients": (self.case(draw, (4, 2), draw.normal(1, 3, 4, dtype="float32")),),
                "indivisible": (ModuleCase((wide, 3), None), ModuleCase((num_heads * d_head + 1, num_heads), None)),
            }
        )

    @edge
    def test_large_scores(self, student: Any, cases: ModuleCases) -> None:
        """Scores of many thousands give an output, not NaN."""
        self.hold_each(student, cases["large_scores"])

    @rule
    def test_indivisible_heads(self, student: Any, cases: ModuleCases) -> None:
        """A number of heads that does not divide d_model is a ValueError, when the module is built."""
        for case in cases["indivisible"]:
            try:
                student.MultiHeadSelfAttention(*case.args).parameters()
            except Unanswered as unanswered:
                error = unanswered.answer.error
                if unanswered.answer.kind is not AnswerKind.RAISED or error is None:
                    raise
                if "ValueError" in unanswered.answer.lineage:
                    continue
                raise Unmet(f"{case.args[1]} heads for {case.args[0]} features raised {error.type}") from None
            raise Unmet(f"{case.args[1]} heads for {case.args[0]} features raised nothing")

    def stand_in(self) -> StandIn:
        linear, attention = "torch.nn.functional.linear", "torch.nn.functional.scaled_dot_product_attention"
        steps: list[TorchStep] = []
        for name in "qkv":
            steps += [
                (f"{name}_all", linear, ("$x", f"$self.W_{name}.weight"), {}),
                (f"{name}_apart", "torch.unflatten", (f"${name}_all", -1, ("$self.num_heads", -1)), {}),
                (name, "torch.transpose", (f"${name}_apart", 1, 2), {}),
            ]
        steps += [
            ("heads", attention, ("$q", "$k", "$v"), {}),
            ("tokens", "torch.transpose", ("$heads", 1, 2), {}),
            ("merged", "torch.flatten", ("$tokens", 2), {}),
            ("output", linear, ("$merged", "$self.W_o.weight"), {}),
        ]
        layers = tuple((f"W_{name}", "torch.nn.Linear", ("$d_model", "$d_model"), {"bias": False}) for name in "qkvo")
        return TorchModule(("d_model", "num_heads"), {}, layers, TorchFunction(("x",), tuple(steps), ("output",)))


class TestEncoderBlock(SequenceTests):
    exercise = "EncoderBlock"

    def shapes(self, d_model: int, num_heads: int, d_ff: int) -> Shapes:
        norms = {f"{norm}.{part}": (d_model,) for norm in ("norm1", "norm2") for part in ("weight", "bias")}
        return {
            **dict.fromkeys((f"attention.W_{name}.weight" for name in "qkvo"), (d_model, d_model)),
            **norms,
            "feed_forward.0.weight": (d_ff, d_model),
            "feed_forward.0.bias": (d_ff,),
            "feed_forward.2.weight": (d_model, d_ff),
            "feed_forward.2.bias": (d_model,),
        }

    def forward(self, init: tuple[Any, ...], weights: Weights, *inputs: np.ndarray) -> np.ndarray:
        (x,) = inputs
        return oracle.encoder_block(x, weights, init[1])

    def cases(self, draw: Draw) -> ModuleCases:
        n, num_heads, d_head, d_ff = draw.sizes(4, smallest=3, largest=7)
        init = (num_heads * d_head, num_heads, d_ff)
        asked = self.sequence_cases(draw, init, n)
        wide = 2 * draw.choice((5, 7))
        faint = draw.normal(2, n, wide, dtype="float32") / 1000
        return ModuleCases(
            {
                **asked,
                "ordinary": (
                    *asked["ordinary"],
                    self.case(draw, (wide, 2, 11), draw.normal(3, 6, wide, dtype="float32")),
                    self.case(draw, (9, 3, 9), draw.normal(3, 3, 9, dtype="float32")),
                ),
                "small_spread": (self.case(draw, (wide, 2, 11), faint, kind="small spread"),),
                "gradients": (self.case(draw, (4, 2, 5), draw.normal(2, 3, 4, dtype="float32")),),
            }
        )

    @sign
    def test_second_norm(self, student: Any, cases: ModuleCases) -> None:
        """Before norm2's own scales and shifts, each token has mean 0 and spread 1."""
        for case in cases.ordinary:
            output = tensor(self.ask(student, case))
            if output.shape != case.expected.shape or np.ptp(output, axis=1).max() < 1e-6:
                raise Unmet("the output has the wrong shape, or is the same for every token")
            plain = (output - case.weights["norm2.bias"]) / case.weights["norm2.weight"]
            if np.abs(plain.mean(axis=-1)).max() > 1e-2 or np.abs(plain.std(axis=-1) - 1).max() > 1e-2:
                raise Unmet("tokens have other means and spreads than norm2 gives")

    @edge
    def test_small_spread(self, student: Any, cases: ModuleCases) -> None:
        """Tokens whose features hardly differ are normalised as PyTorch's defaults have it."""
        self.hold_each(student, cases["small_spread"])
