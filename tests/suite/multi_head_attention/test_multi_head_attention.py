"""Assignment 05: what its hidden tests catch, what they accept, and what each earns."""

import itertools

import numpy as np
import pytest

from autograder.boundary.outside.exchange import Answer, AnswerKind, ModuleRun, RunModule, Tensor
from autograder.catalogue.misconceptions import misconceptions
from autograder.catalogue.result import Outcome
from autograder.suite import suite_of
from autograder.suite.multi_head_attention.variants import VARIANTS
from autograder.suite.multi_head_attention.wrong_models import WRONG_MODELS

ID = "05_multi_head_attention"
SUITE = suite_of(ID)
SINGLES = [model for model in WRONG_MODELS if len(model.misconceptions) == 1]
ON_EDGES_ALONE = {
    *("memory-order-trusted", "axes-of-one-dropped", "input-changed-in-place", "result-in-single-precision"),
    *(
        "result-in-double-precision",
        "softmax-naive-exponential",
        "indivisible-heads-accepted",
        "answer-kept-from-earlier-call",
        "output-detached",
        "norm-without-epsilon",
    ),
}
# These give the same outputs as another, whatever the inputs, so that neither can be named.
ALIKE = {
    *("query-key-swapped", "scores-transposed", "value-from-key-projection", "weights-times-keys"),
    *("value-from-query-projection", "weights-times-queries", "key-from-query-projection", "scores-query-with-query"),
    *("query-from-key-projection", "scores-key-with-key", "argmax-for-softmax", "output-is-strongest-value"),
}
RAISES_ALONE = {"heads-averaged", "heads-summed", "first-head-only", "heads-split-tokens"}  # inside the module
SPLIT_WITHOUT_TRANSPOSE = "    return x.reshape(x.shape[0], num_heads, x.shape[1], -1)\n"


def answered(give):
    """Answers with `give(first tensor of the request, right answer's array)`, in the place of a tensor."""

    def reply(request, right):
        if request.arguments_after or not isinstance(getattr(right.value, "output", right.value), Tensor):
            return right
        is_module = isinstance(request, RunModule)
        x = (request.inputs if is_module else request.args)[0].array
        due = (right.value.output if is_module else right.value).array
        value = Tensor(np.asarray(give(x, due), x.dtype))
        return Answer(AnswerKind.VALUE, ModuleRun(value, right.value.parameters, {}) if is_module else value)

    return reply


HOLLOW = {
    "zeros": lambda x, due: np.zeros(due.shape),
    "ones": lambda x, due: np.ones(due.shape),
    "nan": lambda x, due: np.full(due.shape, np.nan),
    "the input": lambda x, due: x,
    "the same numbers for every input": lambda x, due: np.random.default_rng(0).normal(size=due.shape),
    "noise of the right shape": lambda x, due: np.random.default_rng().normal(size=due.shape),
    "the input in another shape": lambda x, due: np.resize(x, due.shape) if x.ndim != due.ndim else x,
}


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("exercise", SUITE.tests)
def test_the_oracle_earns_all(bench, exercise, number):
    assert bench(ID, number).marked(exercise, bench(ID, number).right(exercise)).share == 1


@pytest.mark.parametrize("kind", HOLLOW)
@pytest.mark.parametrize("exercise", SUITE.tests)
def test_a_hollow_answer_earns_nothing(bench, exercise, kind):
    right, reply = bench(ID).right(exercise), answered(HOLLOW[kind])
    marked = bench(ID).marked(exercise, lambda request: reply(request, right(request)))
    assert marked.share == 0


@pytest.fixture(scope="module")
def singles(bench):
    """Each wrong model of one misconception, as it is marked and named."""
    marks = [(model, bench(ID).marked(model.exercise, model.reply)) for model in SINGLES]
    return [(model, marked, bench(ID).named(marked)) for model, marked in marks]


def test_a_model_that_is_wrong_on_ordinary_inputs_earns_a_fifth_at_most(singles):
    wrong = [(model, marked.share) for model, marked, _ in singles if model.misconceptions[0] not in ON_EDGES_ALONE]
    assert [(model.exercise, model.misconceptions, part) for model, part in wrong if part > 0.2] == []


def test_a_model_that_is_wrong_on_edges_alone_earns_at_least_half_and_not_all(singles):
    wrong = [(model, marked.share) for model, marked, _ in singles if model.misconceptions[0] in ON_EDGES_ALONE]
    assert len(wrong) >= len(ON_EDGES_ALONE)
    assert [(model.exercise, model.misconceptions, part) for model, part in wrong if not 0.5 <= part < 1] == []


def test_no_model_gets_the_name_of_another(singles):
    assert [
        (m.exercise, m.misconceptions, named) for m, _, named in singles if named not in ((), m.misconceptions)
    ] == []


def test_what_no_other_model_answers_is_named(singles):
    unnamed = {model.misconceptions[0] for model, _, named in singles if not named}
    assert unnamed <= ALIKE | RAISES_ALONE


def test_two_faults_are_told_as_two(bench):
    pairs = [model for model in WRONG_MODELS if model.misconceptions == ("heads-interleaved", "no-output-projection")]
    assert len(pairs) == 1
    assert bench(ID).named(bench(ID).marked(pairs[0].exercise, pairs[0].reply)) == pairs[0].misconceptions


def test_each_check_is_failed_by_a_wrong_model(bench, singles):
    failed = {
        (m.exercise, verdict.check.name)
        for m, marked, _ in singles
        for verdict in marked.verdicts
        if not verdict.passed
    }
    asked = {(name, check.name) for name, e in bench(ID).rehearsal.exercises.items() for check in e.checks}
    assert asked - failed == set()


def test_every_wrong_model_has_a_text():
    assert {name for model in WRONG_MODELS for name in model.misconceptions} <= set(misconceptions())


@pytest.mark.parametrize("number", range(8))
def test_ordinary_inputs_hide_no_mix_up_of_sizes(bench, number):
    exercises = bench(ID, number).rehearsal.exercises
    heads = [case.args[0].shape for case in exercises["merge_heads"].cases.ordinary[:2]]
    modules = [
        (*case.args[0].shape, *case.init)
        for name in ("MultiHeadSelfAttention", "EncoderBlock")
        for case in exercises[name].cases.ordinary[:2]
    ]
    sizes = [*heads, *((b, n, h, d // h, *d_ff) for b, n, d, _, h, *d_ff in modules)]
    assert all(one != other for some in sizes for one, other in itertools.combinations(some, 2))


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_an_accepted_variant_earns_all(graded, variant):
    result = graded(ID, variant.source)
    assert (result.score, result.notes) == (100.0, ()), [e for e in result.exercises if e.score < e.max_score]


def test_heads_that_do_not_divide_cost_a_side_rule_alone(graded):
    source = VARIANTS[0].source.replace("if d_model % num_heads != 0:", "if False:")
    result = graded(ID, source).exercises[2]
    assert 20 <= result.score < 40
    assert [d.misconception for d in result.diagnoses] == ["indivisible-heads-accepted"]


def test_another_exception_for_heads_that_do_not_divide_is_given_no_name(graded):
    source = VARIANTS[0].source.replace("raise ValueError", "raise AssertionError")
    result = graded(ID, source).exercises[2]
    assert (20 <= result.score < 40, result.diagnoses) == (True, ())
    assert "raised AssertionError" in result.observations[0]


def test_who_has_split_heads_wrong_keeps_the_points_of_what_builds_on_it(graded):
    right = VARIANTS[3].source
    body = "    return x.reshape(x.size(0), x.size(1), num_heads, -1).swapaxes(1, 2)\n"
    assert body in right
    split, merge, module, block = graded(ID, right.replace(body, SPLIT_WITHOUT_TRANSPOSE)).exercises
    assert [d.misconception for d in split.diagnoses] == ["heads-split-without-transpose"]
    assert (split.outcome, merge.outcome) == (Outcome.FAILED, Outcome.PASSED)
    assert (module.score, block.score) == (40.0, 25.0)
    assert "split_heads" in module.follow_through.given
    assert module.follow_through.own_score < 40
    assert set(block.follow_through.given) & {"split_heads", "MultiHeadSelfAttention"}


def test_who_has_the_attention_wrong_keeps_the_points_of_the_block(graded):
    wrong = VARIANTS[1].source.replace("Q * Q.size(-1) ** -0.5", "Q")
    assert wrong != VARIANTS[1].source
    *_, module, block = graded(ID, wrong).exercises
    assert [d.misconception for d in module.diagnoses] == ["scores-not-scaled"]
    assert module.score <= 8
    assert (block.score, block.follow_through.given) == (25.0, ("MultiHeadSelfAttention",))


def test_a_missing_earlier_exercise_is_not_given(graded):
    source = VARIANTS[3].source.replace("def merge_heads", "def join_heads")
    _, merge, module, block = graded(ID, source).exercises
    assert merge.outcome is Outcome.MISSING
    assert (module.score, module.follow_through) == (0.0, None)
    assert block.score == 25.0
