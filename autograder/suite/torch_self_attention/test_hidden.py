"""The hidden tests of assignment 02."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import StandIn, Tensor, TorchFunction, TorchModule, TorchStep
from autograder.suite.cases import Case, Cases, Draw, answered
from autograder.suite.checks import ExerciseTests, edge, rule, sign, value
from autograder.suite.expect import TOLERANCE, Unmet, close, kind_of, pair, tensor, within
from autograder.suite.laws import FunctionTests, LeavesInputsAlone, PassesGradients
from autograder.suite.modules import ModuleCase, ModuleCases, ModuleTests, Shapes, Weights

from . import oracle


class TestScaledDotProductAttention(PassesGradients, LeavesInputsAlone, FunctionTests):
    exercise = "scaled_dot_product_attention"

    @staticmethod
    def oracle(Q: Tensor, K: Tensor, V: Tensor) -> tuple[Tensor, Tensor]:
        exact = (given.array.astype(np.float64) for given in (Q, K, V))
        output, weights = oracle.scaled_dot_product_attention(*exact)
        return Tensor(output.astype(Q.dtype)), Tensor(weights.astype(Q.dtype))

    def cases(self, draw: Draw) -> Cases:
        n_q, n_k, d_k, d_v = draw.sizes(4)
        other = draw.sizes(4)
        batch, heads = 2, 3

        def inputs(
            *leading: int, sizes: tuple[int, ...], dtype: str = "float32", scale: float = 1.0
        ) -> tuple[Tensor, ...]:
            n_q, n_k, d_k, d_v = sizes
            shapes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
            Q, K, V = (draw.normal(*leading, *shape, dtype=dtype) for shape in shapes)
            return Tensor((Q * scale).astype(dtype)), Tensor(K), Tensor(V)

        sizes = (n_q, n_k, d_k, d_v)
        turned = (n_k, n_q, d_k, d_v)
        ordinary = [inputs(sizes=s) for s in (sizes, sizes, other, turned, (7, 7, 7, 7))]
        X, K, V = inputs(sizes=(n_q, n_q, d_k, d_v))
        order = draw.order(n_q)
        asked = answered(
            self.oracle,
            {
                "ordinary": ordinary,
                "batch": [
                    inputs(b, sizes=s) for b, s in ((batch, sizes), (batch, sizes), (n_k, other), (heads, turned))
                ],
                "one_sample": [inputs(1, sizes=other)],
                "batch_and_heads": [inputs(batch, heads, sizes=sizes), inputs(heads, batch, sizes=other)],
                "one_token": [inputs(sizes=(1, 1, d_k, d_v)), inputs(batch, sizes=(1, 1, d_k, d_v))],
                "float64": [inputs(sizes=other, dtype="float64"), inputs(batch, sizes=sizes, dtype="float64")],
                "large_scores": [inputs(sizes=sizes, dtype="float64", scale=3000.0)],
                "gradients": [inputs(sizes=(2, 3, 5, 4)), inputs(batch, sizes=(4, 3, 2, 5))],
            },
        )
        shuffled = Case((Tensor(X.array[order]), K, V), order, "permuted")
        return Cases({**asked, "permuted": (Case((X, K, V), order), shuffled)})

    def hold(self, answer: Any, case: Case) -> None:
        output, weights = (
            tensor(part, name)
            for part, name in zip(pair(answer, "output, weights"), ("the output", "weights"), strict=True)
        )
        inputs, tolerance = tuple(given.array for given in case.args), TOLERANCE.of(case.args)
        close(weights, case.expected[1].array, tolerance, "weights", inputs)
        close(output, case.expected[0].array, tolerance, "the output", inputs)

    def ordinary_forms(self, cases: Cases) -> tuple[tuple[Case, ...], ...]:
        """Code for one sequence alone, or for (batch, n, d) alone, is right on ordinary inputs."""
        return cases.ordinary, cases["batch"]

    @sign
    def test_each_row_is_a_distribution(self, student: Any, cases: Cases) -> None:
        """Each row of weights is a distribution over the keys, another one for each query."""
        for case in cases.ordinary:
            weights = tensor(pair(self.ask(student, case), "output, weights")[1], "weights")
            if (
                weights.shape != case.expected[1].shape
                or (weights < 0).any()
                or not within(weights.sum(-1), np.ones(len(weights)), 1e-4)
            ):
                raise Unmet("some row of weights is no distribution over the keys")
            if np.ptp(weights, axis=0).max() < 1e-6:
                raise Unmet("every query has the same weights")

    @sign
    def test_output_mixes_the_values(self, student: Any, cases: Cases) -> None:
        """The output is your weights times V."""
        for case in cases.ordinary:
            output, weights = (tensor(part) for part in pair(self.ask(student, case), "output, weights"))
            if weights.shape != case.expected[1].shape or np.ptp(weights, axis=0).max() < 1e-6:
                raise Unmet("weights has the wrong shape, or is the same for every query")
            close(output, weights @ case.args[2].array, 1e-4, "the output")

    @sign
    def test_permutation_equivariance(self, student: Any, cases: Cases) -> None:
        """Shuffle the queries, and the output is shuffled likewise."""
        before, after = cases["permuted"]
        order = before.expected
        output, moved = (tensor(pair(self.ask(student, case), "output, weights")[0]) for case in (before, after))
        if output.shape != (len(order), before.args[2].shape[1]) or np.ptp(output, axis=0).max() < 1e-6:
            raise Unmet("the output has the wrong shape, or is the same for every query")
        if not within(moved, output[order], 1e-4):
            raise Unmet("the output of the shuffled queries is not the shuffled output")

    @edge
    def test_no_leading_dimension(self, student: Any, cases: Cases) -> None:
        """One sequence without a batch dimension is enough."""
        self.hold_each(student, cases.ordinary)

    @edge
    def test_batch(self, student: Any, cases: Cases) -> None:
        """Each sample of a batch is right, and by itself; a batch of one is a batch too."""
        self.hold_each(student, cases["batch"] + cases["one_sample"])

    @edge
    def test_batch_and_heads(self, student: Any, cases: Cases) -> None:
        """Two leading dimensions, as batch and heads, are right too."""
        self.hold_each(student, cases["batch_and_heads"])

    @edge
    def test_one_token(self, student: Any, cases: Cases) -> None:
        """A sequence of one token is a sequence too."""
        self._hold_where_it_works(student, cases["one_token"])

    @edge
    def test_float64(self, student: Any, cases: Cases) -> None:
        """Tensors of float64 are as good as those of float32."""
        self._hold_where_it_works(student, cases["float64"])

    @edge
    def test_large_scores(self, student: Any, cases: Cases) -> None:
        """Scores of many thousands give weights, not NaN."""
        self.hold_each(student, cases["large_scores"])

    @rule
    def test_dtype_is_kept(self, student: Any, cases: Cases) -> None:
        """Output and weights have the input's dtype."""
        for case in (cases.ordinary[0], cases["float64"][0]):
            for part in pair(self.ask(student, case), "output, weights"):
                tensor(part)
                if part.dtype != case.args[0].dtype:
                    raise Unmet(f"tensors of {case.args[0].dtype} gave one of {part.dtype}")

    def _hold_where_it_works(self, student: Any, cases: tuple[Case, ...]) -> None:
        """Holds one of the cases, without a batch or with: leading dimensions have checks of their own."""
        self.hold_one_form(student, tuple((case,) for case in cases))

    def stand_in(self) -> StandIn:
        """The weights are what attention makes of the identity in V's place."""
        attention = "torch.nn.functional.scaled_dot_product_attention"
        return TorchFunction(
            parameters=("Q", "K", "V"),
            steps=(
                ("output", attention, ("$Q", "$K", "$V"), {}),
                ("column", "torch.select", ("$K", -1, 0), {}),
                ("ones", "torch.ones_like", ("$column",), {}),
                ("identity", "torch.diag_embed", ("$ones",), {}),
                ("weights", attention, ("$Q", "$K", "$identity"), {}),
            ),
            result=("output", "weights"),
        )


class TestSelfAttention(ModuleTests):
    exercise = "SelfAttention"

    def shapes(self, d_model: int, d_k: int | None = None) -> Shapes:
        return dict.fromkeys(("W_q.weight", "W_k.weight", "W_v.weight"), (d_k or d_model, d_model))

    def forward(self, init: tuple[Any, ...], weights: Weights, *inputs: np.ndarray) -> np.ndarray:
        return oracle.self_attention(*inputs, *(weights[name] for name in ("W_q.weight", "W_k.weight", "W_v.weight")))

    def cases(self, draw: Draw) -> ModuleCases:
        n, d_model, d_k = draw.sizes(3)
        other_n, other_model, other_k = draw.sizes(3)
        order = draw.order(n)

        def inputs(*shape: int, dtype: str = "float32") -> np.ndarray:
            return draw.normal(*shape, dtype=dtype)

        first = self.case(draw, (d_model, d_k), inputs(2, n, d_model))
        shuffled = Tensor(first.args[0].array[:, order])
        heavy = self.case(draw, (d_model, d_k), inputs(2, n, d_model, dtype="float64") * 60, kind="large scores")
        return ModuleCases(
            {
                "ordinary": (
                    first,
                    self.case(draw, (d_model, d_k), inputs(2, n, d_model)),
                    self.case(draw, (other_model,), inputs(3, other_n, other_model), named={"d_k": other_k}),
                    self.case(draw, (7, 7), inputs(4, 5, 7)),
                ),
                "permuted": (ModuleCase((shuffled,), order, "permuted"),),
                "default_width": tuple(
                    self.case(draw, (width,), inputs(2, n, width)) for width in (d_model, other_model + 1)
                ),
                "one_token": (self.case(draw, (d_model, d_k), inputs(2, 1, d_model)),),
                "one_sample": (self.case(draw, (d_model, d_k), inputs(1, n, d_model)),),
                "float64": (self.case(draw, (other_model, other_k), inputs(2, n, other_model, dtype="float64")),),
                "large_scores": (heavy,),
                "gradients": (self.case(draw, (3, 2), inputs(2, 3, 3)),),
            }
        )

    @sign
    def test_permutation_equivariance(self, student: Any, cases: ModuleCases) -> None:
        """Shuffle the tokens, and the output is shuffled likewise."""
        case, (shuffled,) = cases.ordinary[0], cases["permuted"]
        module = student.SelfAttention(*case.init).holding(case.weights)
        output, moved = tensor(module(*case.args)), tensor(module(*shuffled.args))
        if output.shape != case.expected.shape or np.ptp(output, axis=1).max() < 1e-6:
            raise Unmet("the output has the wrong shape, or is the same for every token")
        if not within(moved, output[:, shuffled.expected], 1e-4):
            raise Unmet("the output of the shuffled tokens is not the shuffled output")

    @sign
    def test_within_the_values(self, student: Any, cases: ModuleCases) -> None:
        """Each output is a weighted mean of its sample's value vectors, not of its own alone."""
        for case in cases.ordinary:
            output = tensor(self.ask(student, case))
            values = case.args[0].array @ case.weights["W_v.weight"].T
            if output.shape != case.expected.shape or not np.ptp(output, axis=1).max() >= 1e-6:
                raise Unmet("the output has the wrong shape, or is the same for every token")
            if (output > values.max(axis=1, keepdims=True) + 1e-4).any() or (
                output < values.min(axis=1, keepdims=True) - 1e-4
            ).any():
                raise Unmet("some outputs lie outside the range of the values")
            if within(output, values, 1e-4):
                raise Unmet("each token's output is its own value, with nothing of the others'")

    @edge
    def test_one_sample(self, student: Any, cases: ModuleCases) -> None:
        """A batch of one is a batch too."""
        self.hold_each(student, cases["one_sample"])

    @edge
    def test_large_scores(self, student: Any, cases: ModuleCases) -> None:
        """Scores of many thousands give an output, not NaN."""
        self.hold_each(student, cases["large_scores"])

    @rule
    def test_default_width(self, student: Any, cases: ModuleCases) -> None:
        """Without d_k, queries, keys and values are as wide as the tokens."""
        self.hold_each(student, cases["default_width"])

    def stand_in(self) -> StandIn:
        linear = "torch.nn.functional.linear"
        projections: tuple[TorchStep, ...] = tuple(
            (name, linear, ("$x", f"$self.W_{name}.weight"), {}) for name in "qkv"
        )
        attention: TorchStep = ("output", "torch.nn.functional.scaled_dot_product_attention", ("$q", "$k", "$v"), {})
        layers = tuple((f"W_{name}", "torch.nn.Linear", ("$d_model", "$d_k"), {"bias": False}) for name in "qkv")
        return TorchModule(
            ("d_model", "d_k"),
            {"d_k": "$d_model"},
            layers,
            TorchFunction(("x",), (*projections, attention), ("output",)),
        )


class TestParameterCount(ExerciseTests):
    exercise = "parameter_count"
    oracle = staticmethod(oracle.parameter_count)

    def cases(self, draw: Draw) -> Cases:
        pairs = [draw.sizes(2) for _ in range(4)]
        return Cases(
            {
                "ordinary": answered(self.oracle, {"ordinary": pairs}).ordinary,
                "default_width": answered(self.oracle, {"ordinary": [(d_model,) for d_model, _ in pairs]}).ordinary,
                "named": tuple(
                    Case((d_model,), self.oracle(d_model, d_k), "named", {"d_k": d_k}) for d_model, d_k in pairs[:2]
                ),
            }
        )

    def hold_each(self, student: Any, cases: tuple[Case, ...]) -> None:
        for case in cases:
            answer = student.parameter_count(*case.args, **case.kwargs)
            if isinstance(answer, bool) or not isinstance(answer, int | float | np.number) or answer != case.expected:
                raise Unmet(self._how_it_differs(answer, case))

    @staticmethod
    def _how_it_differs(answer: Any, case: Case) -> str:
        sizes = (*case.args, *case.kwargs.values())
        if isinstance(answer, bool) or not isinstance(answer, int | float | np.number):
            return f"the result is {kind_of(answer)}, where a whole number is due"
        return f"the count is too {'high' if answer > case.expected else 'low'} for the sizes {sizes}"

    @value
    def test_value(self, student: Any, cases: Cases) -> None:
        """The count is right, with d_k given."""
        self.hold_each(student, cases.ordinary)

    @rule
    def test_default_width(self, student: Any, cases: Cases) -> None:
        """Without d_k, the layers are square."""
        self.hold_each(student, cases["default_width"])

    @rule
    def test_named_width(self, student: Any, cases: Cases) -> None:
        """d_k may be given by name."""
        self.hold_each(student, cases["named"])
