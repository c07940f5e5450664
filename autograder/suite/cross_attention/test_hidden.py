"""The hidden tests of assignment 04."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.boundary.outside.exchange import (
    Answer,
    AnswerKind,
    Request,
    StandIn,
    Tensor,
    TorchFunction,
    TorchModule,
    TorchStep,
)
from autograder.catalogue.result import StudentError
from autograder.suite.cases import Case, Cases, Draw, answered, oddly_laid
from autograder.suite.checks import Unanswered, edge, rule, sign
from autograder.suite.expect import (
    Unmet,
    array,
    close,
    different_distributions,
    hold_attention,
    is_bool,
    kind_of,
    pair,
    tensor,
    within,
)
from autograder.suite.laws import FunctionTests, NumpyFunctionTests, OneToken
from autograder.suite.modules import ModuleCase, ModuleCases, ModuleTests, Shapes, Weights

from . import oracle

NAMES = ("encoder", "decoder", "question", "document", "image", "caption", "query", "memory")


class TestAttentionKind(FunctionTests):
    exercise = "attention_kind"
    oracle = staticmethod(oracle.attention_kind)

    def right_answer(self, request: Request) -> Answer:
        try:
            return super().right_answer(request)
        except ValueError:
            return Answer(AnswerKind.RAISED, error=StudentError("ValueError", ""), lineage=("ValueError",))

    def cases(self, draw: Draw) -> Cases:
        a, b, c, d = (NAMES[i] for i in draw.order(len(NAMES))[:4])
        asked = answered(self.oracle, {"ordinary": [(a, a, a), (a, b, b), (b, b, b), (b, a, a), (c, d, d), (d, d, d)]})
        refused = [(a, b, a), (a, a, b), (a, b, c), (d, c, b), (c, d, c), (d, d, a)]
        longer, begun = f"{a} 2", f"{b[0]}{c}"
        alike = answered(self.oracle, {"alike": [(longer, a, a), (a, longer, longer), (b, begun, begun)]})
        return Cases({**asked, **alike, "refused": tuple(Case(sources, None) for sources in refused)})

    def hold(self, answer: Any, case: Case) -> None:
        if not isinstance(answer, str):
            raise Unmet(f"the result is {kind_of(answer)}, where a text is due")
        if answer != case.expected:
            said = f'"{answer}"' if answer in ("self", "cross") else 'neither "self" nor "cross"'
            raise Unmet(f"you answer {said} for the sources {', '.join(case.args)}")

    @edge
    def test_names_that_resemble_each_other(self, student: Any, cases: Cases) -> None:
        """Two names that begin alike, or of which one is part of the other, are two sequences."""
        self.hold_each(student, cases["alike"])

    @rule
    def test_keys_and_values_belong_together(self, student: Any, cases: Cases) -> None:
        """Keys and values of different sequences are a ValueError."""
        for case in cases["refused"]:
            try:
                self.ask(student, case)
            except Unanswered as unanswered:
                error = unanswered.answer.error
                if unanswered.answer.kind is not AnswerKind.RAISED or error is None:
                    raise
                if "ValueError" in unanswered.answer.lineage:
                    continue
                if error.type == "ResultNotReadable":
                    raise Unmet("your code returns something, where an error is to be raised") from None
                raise Unmet(f"your code raised {error.type}, and another error is due") from None
            raise Unmet(f"your code gives an answer for the sources {', '.join(case.args)}, where an error is due")


class TestCrossAttention(NumpyFunctionTests):
    exercise = "cross_attention"
    oracle = staticmethod(oracle.cross_attention)

    def cases(self, draw: Draw) -> Cases:
        sizes, other = draw.sizes(5), draw.sizes(5)
        m, n, d_model, d_k, d_v = sizes

        def inputs(
            m: int, n: int, d_model: int, d_k: int, d_v: int, *, dtype: str = "float64"
        ) -> tuple[np.ndarray, ...]:
            """Weights that keep the scaled scores near N(0, 1), so that no scaling hides in a saturated softmax."""
            sequences = draw.normal(m, d_model), draw.normal(n, d_model)
            weights = [draw.normal(d_model, d) / d_model**0.5 for d in (d_k, d_k, d_v)]
            return tuple(a.astype(dtype) for a in (*sequences, *weights))

        whole = tuple(np.sign(draw.normal(*a.shape)).astype("int64") for a in inputs(*sizes))
        odd, heavy = inputs(*other), inputs(*sizes)
        to, of = draw.order(m), draw.order(n)
        asked = answered(
            self.oracle,
            {
                "ordinary": [
                    inputs(*sizes),
                    inputs(*sizes),
                    inputs(*other),
                    inputs(n, m, d_model, d_k, d_v),
                    inputs(m, m, d_model, d_k, d_v),
                    inputs(7, 7, 7, 7, 7),
                ],
                "one_token": [inputs(1, n, *sizes[2:]), inputs(m, 1, *sizes[2:]), inputs(1, 1, *sizes[2:])],
                "float32": [inputs(*other, dtype="float32")],
                "int64": [whole],
                "memory_layout": [tuple(oddly_laid(a, way + k) for k, a in enumerate(odd)) for way in range(3)],
                "large_scores": [(3000 * heavy[0], *heavy[1:])],
            },
        )
        X_target, X_source, *weights = asked.ordinary[0].args
        return Cases(
            {
                **asked,
                "target_permuted": (Case((X_target[to], X_source, *weights), to),),
                "source_permuted": (Case((X_target, X_source[of], *weights), of),),
            }
        )

    def hold(self, answer: Any, case: Case) -> None:
        hold_attention(answer, case)

    @sign
    def test_each_row_is_a_distribution(self, student: Any, cases: Cases) -> None:
        """Each row of A is a distribution over the source tokens, another one for each target token."""
        for case in cases.ordinary:
            different_distributions(pair(self.ask(student, case), "Output, A")[1], case.expected[1].shape)

    @sign
    def test_order_of_the_sequences(self, student: Any, cases: Cases) -> None:
        """Shuffle the target, and Output is shuffled; shuffle the source, and Output stays."""
        case, (target,), (source,) = cases.ordinary[0], cases["target_permuted"], cases["source_permuted"]
        before, moved, same = (
            array(pair(self.ask(student, asked), "Output, A")[0], "Output") for asked in (case, target, source)
        )
        if before.shape != case.expected[0].shape or np.ptp(before, axis=0).max() < 1e-9:
            raise Unmet("Output has the wrong shape, or is the same for every token")
        if not within(moved, before[target.expected], 1e-6):
            raise Unmet("with the target shuffled, the output is not the old one shuffled")
        if not within(same, before, 1e-6):
            raise Unmet("with the source shuffled, the output is not the old one")

    @sign
    def test_output_mixes_the_values(self, student: Any, cases: Cases) -> None:
        """Output is your A times X_source W_V."""
        for case in cases.ordinary:
            X_source, W_V = case.args[1], case.args[4]
            Output, A = pair(self.ask(student, case), "Output, A")
            different_distributions(A, case.expected[1].shape)
            close(array(Output, "Output"), array(A) @ X_source @ W_V, 1e-6, "Output")

    @edge
    def test_large_scores(self, student: Any, cases: Cases) -> None:
        """Scores of many thousands give weights, not NaN."""
        self.hold_each(student, cases["large_scores"])


class MaskTests(OneToken, FunctionTests):
    """A mask is marked by what it allows; that its entries are bools is a rule of its own."""

    result_name = "the mask"

    def hold(self, answer: Any, case: Case) -> None:
        close(array(answer, "the mask"), case.expected.astype(float), 1e-9, "the mask")

    @sign
    def test_distance_decides(self, student: Any, cases: Cases) -> None:
        """Who may attend to whom depends on how far apart they are and in which direction; some may and some may
        not."""
        for case in cases.ordinary:
            mask = array(self.ask(student, case), "the mask")
            if mask.shape != case.expected.shape or len(np.unique(mask)) != 2:
                raise Unmet("the mask has the wrong shape, or does not have two kinds of entries")
            if not np.array_equal(mask[1:, 1:], mask[:-1, :-1]):
                raise Unmet("two pairs of tokens at the same distance are treated differently")
            if len(np.unique(mask[~np.eye(len(mask), dtype=bool)])) == 1:
                raise Unmet("the mask is the same for all pairs of different tokens")

    @rule
    def test_entries_are_bools(self, student: Any, cases: Cases) -> None:
        """The entries are True and False."""
        for case in cases.ordinary:
            if not is_bool(self.ask(student, case)):
                raise Unmet("the entries of the mask are no bools")


class TestCausalMask(MaskTests):
    exercise = "causal_mask"
    oracle = staticmethod(oracle.causal_mask)

    def cases(self, draw: Draw) -> Cases:
        return answered(self.oracle, {"ordinary": [(n,) for n in draw.sizes(3)], "one_token": [(1,)]})


class TestLocalMask(MaskTests):
    exercise = "local_mask"
    oracle = staticmethod(oracle.local_mask)

    def cases(self, draw: Draw) -> Cases:
        n, other = draw.sizes(2, smallest=7)
        return answered(
            self.oracle,
            {
                "ordinary": [(n, 1), (n, 3), (other, 2), (other + 5, 4), (n + 1, 5)],
                "one_token": [(1, 1), (1, 0), (1, 3)],
                "extreme_windows": [(n, 0), (other, other), (n, n - 1), (other, 3 * n)],
            },
        )

    @edge
    def test_extreme_windows(self, student: Any, cases: Cases) -> None:
        """A window of 0 leaves each token itself, and a window as long as the sequence leaves everything."""
        self.hold_each(student, cases["extreme_windows"])


class TestMaskedAttention(NumpyFunctionTests):
    exercise = "masked_attention"
    oracle = staticmethod(oracle.masked_attention)

    def cases(self, draw: Draw) -> Cases:
        sizes, other = draw.sizes(4), draw.sizes(4)
        n_q, n_k, d_k, d_v = sizes

        def inputs(
            mask: np.ndarray, n_q: int, n_k: int, d_k: int, d_v: int, *, dtype: str = "float64"
        ) -> tuple[Any, ...]:
            shapes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
            return (*(draw.normal(*shape, dtype=dtype) for shape in shapes), mask)

        def some(n_q: int, n_k: int) -> np.ndarray:
            return _some_allowed(draw, n_q, n_k)

        blocked = some(n_q, n_k)
        blocked[[0, n_q - 1]] = False
        square = np.tril(np.ones((other[0], other[0]), dtype=bool), -1)
        odd = inputs(some(*other[:2]), *other)
        nobodys = some(n_k, n_q)
        nobodys[:, 1], nobodys[:, 0] = False, True
        return answered(
            self.oracle,
            {
                "ordinary": [
                    inputs(some(n_q, n_k), *sizes),
                    inputs(some(n_q, n_k), *sizes),
                    inputs(nobodys, n_k, n_q, d_k, d_v),
                    inputs(some(n_q, n_q), n_q, n_q, d_k, d_v),
                    inputs(np.tril(np.ones((n_k, n_k), dtype=bool)), n_k, n_k, d_v, d_k),
                    inputs(np.ones(other[:2], dtype=bool), *other),
                    inputs(some(7, 7), 7, 7, 7, 7),
                ],
                "one_token": [
                    inputs(np.ones((1, 1), dtype=bool), 1, 1, d_k, d_v),
                    inputs(some(1, n_k), 1, n_k, d_k, d_v),
                ],
                "no_allowed_key": [
                    inputs(blocked, *sizes),
                    inputs(square, other[0], other[0], *other[2:]),
                    inputs(np.zeros((n_q, n_k), dtype=bool), *sizes),
                ],
                "huge_numbers_hidden": [_with_huge_numbers(inputs(some(n_q, n_k), *sizes), sign) for sign in (1, -1)],
                "float32": [inputs(some(*other[:2]), *other, dtype="float32")],
                "int64": [inputs(some(n_q, n_k), *sizes, dtype="int64")],
                "memory_layout": [tuple(oddly_laid(a, way + k) for k, a in enumerate(odd)) for way in range(3)],
                "large_scores": [
                    _opposed(_with_scores(inputs(some(n_q, n_k), *sizes), 1e3, 0.0), 1e3),
                    _opposed(_with_scores(inputs(some(n_q, n_k), *sizes), 1.0, -1e4), 1e4),
                ],
            },
        )

    def hold(self, answer: Any, case: Case) -> None:
        hold_attention(answer, case)

    @sign
    def test_each_row_is_a_distribution_over_allowed_keys(self, student: Any, cases: Cases) -> None:
        """Each row of A is a distribution over the query's allowed keys, and no other key has a weight."""
        for case in cases.ordinary:
            A, mask = pair(self.ask(student, case), "Output, A")[1], case.args[3]
            different_distributions(A, mask.shape)
            if array(A)[~mask].any():
                raise Unmet("some key that the mask hides has a weight")

    @sign
    def test_output_mixes_the_values(self, student: Any, cases: Cases) -> None:
        """Output is your A times V."""
        for case in cases.ordinary:
            Output, A = pair(self.ask(student, case), "Output, A")
            different_distributions(A, case.expected[1].shape)
            close(array(Output, "Output"), array(A) @ case.args[2], 1e-6, "Output")

    @edge
    def test_no_allowed_key(self, student: Any, cases: Cases) -> None:
        """A query with no allowed key has zero weights and a zero output."""
        self.hold_each(student, cases["no_allowed_key"])

    @rule
    def test_inputs_are_left_alone_without_allowed_keys(self, student: Any, cases: Cases) -> None:
        """The arguments stay as they were where a query has no allowed key, too."""
        for case in cases["no_allowed_key"]:
            self.test_inputs_are_left_alone(student, Cases({"ordinary": (case,)}))

    @edge
    def test_huge_numbers_hidden(self, student: Any, cases: Cases) -> None:
        """Numbers as large as a million in hidden keys and values change nothing."""
        self.hold_each(student, cases["huge_numbers_hidden"])

    @edge
    def test_large_scores(self, student: Any, cases: Cases) -> None:
        """Scores as large as 10,000 give weights, not NaN, and hidden keys stay hidden."""
        self.hold_each(student, cases["large_scores"])


def _some_allowed(draw: Draw, n_q: int, n_k: int) -> np.ndarray:
    """A mask at random, with an allowed key for each query and an allowed query for each key."""
    mask = draw.uniform(0, 1, n_q, n_k) < 0.55
    for i in range(n_q):
        mask[i, draw.integer(0, n_k)] = True
    for j in range(n_k):
        mask[draw.integer(0, n_q), j] = True
    if mask.all():
        mask[0, draw.integer(0, n_k)] = n_k == 1
    return mask


def _with_huge_numbers(inputs: tuple[Any, ...], sign: int) -> tuple[Any, ...]:
    """One key is hidden from all queries, and holds a million throughout."""
    Q, K, V, mask = inputs
    hidden = 1
    mask[:, hidden] = False
    mask[:, 0] |= ~mask.any(axis=1)
    K[hidden], V[hidden] = sign * 1e6, -sign * 1e6
    return Q, K, V, mask


def _with_scores(inputs: tuple[Any, ...], spread: float, around: float) -> tuple[Any, ...]:
    """Queries and keys whose scaled scores have this spread, and this mean at most."""
    Q, K, V, mask = inputs
    Q, K = Q * spread**0.5, K * spread**0.5
    if around:
        shift = (-around) ** 0.5 / Q.shape[1] ** 0.25
        Q, K = Q + shift, K - shift
    return Q, K, V, mask


def _opposed(inputs: tuple[Any, ...], size: float) -> tuple[Any, ...]:
    """The first query scores -size with key 0, the only one that it may attend to, and size with key 1, which is
    hidden; the last query scores size with key 0. What holds for one row alone shows."""
    Q, K, V, mask = inputs
    K[1] = -K[0]
    Q[-1] = K[0] * size * Q.shape[1] ** 0.5 / (K[0] @ K[0])
    Q[0] = -Q[-1]
    mask[0], mask[[0, -1], 0] = False, True
    return Q, K, V, mask


class TestCrossAttentionModule(ModuleTests):
    exercise = "CrossAttention"

    def shapes(self, d_model: int, d_k: int | None = None) -> Shapes:
        return dict.fromkeys(("W_q.weight", "W_k.weight", "W_v.weight"), (d_k or d_model, d_model))

    def forward(self, init: tuple[Any, ...], weights: Weights, *inputs: np.ndarray) -> np.ndarray:
        return oracle.module(*inputs, *(weights[name] for name in ("W_q.weight", "W_k.weight", "W_v.weight")))

    def cases(self, draw: Draw) -> ModuleCases:
        m, n, d_model, d_k = draw.sizes(4)
        other_m, other_n, other_model, other_k = draw.sizes(4)
        to, of = draw.order(m), draw.order(n)

        def inputs(
            batch: int, m: int, n: int, d_model: int, dtype: str = "float32", scale: float = 1.0
        ) -> tuple[np.ndarray, np.ndarray]:
            return scale * draw.normal(batch, m, d_model, dtype=dtype), draw.normal(batch, n, d_model, dtype=dtype)

        def case(init: tuple[int, ...], *sequences: np.ndarray, **more: Any) -> ModuleCase:
            return self.case(draw, init, *sequences, **more)

        first = case((d_model, d_k), *inputs(2, m, n, d_model))
        target, source = (given.array for given in first.args)
        wide = (other_model, other_k)
        return ModuleCases(
            {
                "ordinary": (
                    first,
                    case((d_model, d_k), *inputs(2, m, n, d_model)),
                    case((other_model,), *inputs(3, other_m, other_n, other_model), named={"d_k": other_k}),
                    case((d_model, d_k), *inputs(2, n, m, d_model)),
                    case((d_model, d_k), *inputs(2, n, n, d_model)),
                    case((7, 7), *inputs(4, 7, 7, 7)),
                ),
                "target_permuted": (ModuleCase((Tensor(target[:, to]), first.args[1]), to),),
                "source_permuted": (ModuleCase((first.args[0], Tensor(source[:, of])), of),),
                "default_width": (case((d_model,), *inputs(2, m, n, d_model)),),
                "one_token": tuple(
                    case((d_model, d_k), *inputs(2, *lengths, d_model)) for lengths in ((1, n), (m, 1), (1, 1))
                ),
                "one_sample": (case((d_model, d_k), *inputs(1, m, n, d_model)),),
                "float64": (case(wide, *inputs(2, other_m, other_n, other_model, dtype="float64")),),
                "large_scores": (
                    case((d_model, d_k), *inputs(2, m, n, d_model, dtype="float64", scale=3000.0), kind="large scores"),
                ),
                "gradients": (case((3, 2), *inputs(2, 2, 4, 3)),),
            }
        )

    @sign
    def test_order_of_the_sequences(self, student: Any, cases: ModuleCases) -> None:
        """Shuffle the target, and the output is shuffled; shuffle the source, and the output stays."""
        case, (target,), (source,) = cases.ordinary[0], cases["target_permuted"], cases["source_permuted"]
        module = student.CrossAttention(*case.init).holding(case.weights)
        before, moved, same = (tensor(module(*asked.args)) for asked in (case, target, source))
        if before.shape != case.expected.shape or np.ptp(before, axis=1).max() < 1e-6:
            raise Unmet("the output has the wrong shape, or is the same for every token")
        if not within(moved, before[:, target.expected], 1e-4):
            raise Unmet("with the target shuffled, the output is not the old one shuffled")
        if not within(same, before, 1e-4):
            raise Unmet("with the source shuffled, the output is not the old one")

    @sign
    def test_within_the_values(self, student: Any, cases: ModuleCases) -> None:
        """Each output is a weighted mean of the value vectors of its sample's source."""
        for case in cases.ordinary:
            output = tensor(self.ask(student, case))
            values = case.args[1].array @ case.weights["W_v.weight"].T
            if output.shape != case.expected.shape or np.ptp(output, axis=1).max() < 1e-6:
                raise Unmet("the output has the wrong shape, or is the same for every token")
            lowest, highest = values.min(axis=1, keepdims=True), values.max(axis=1, keepdims=True)
            if (output > highest + 1e-4).any() or (output < lowest - 1e-4).any():
                raise Unmet("some outputs lie outside the range of the values")

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
        for case in cases["default_width"]:
            self.hold_parameters(student.CrossAttention(*case.init).parameters(), self.shapes(*case.init))
        self.hold_each(student, cases["default_width"])

    def stand_in(self) -> StandIn:
        linear = "torch.nn.functional.linear"
        projections: tuple[TorchStep, ...] = tuple(
            (name, linear, (f"${given}", f"$self.W_{name}.weight"), {})
            for name, given in (("q", "x_target"), ("k", "x_source"), ("v", "x_source"))
        )
        attention: TorchStep = ("output", "torch.nn.functional.scaled_dot_product_attention", ("$q", "$k", "$v"), {})
        layers = tuple((f"W_{name}", "torch.nn.Linear", ("$d_model", "$d_k"), {"bias": False}) for name in "qkv")
        return TorchModule(
            ("d_model", "d_k"),
            {"d_k": "$d_model"},
            layers,
            TorchFunction(("x_target", "x_source"), (*projections, attention), ("output",)),
        )
