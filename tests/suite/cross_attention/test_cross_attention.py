"""Assignment 04: what its hidden tests catch, what they accept, and what each earns."""

import numpy as np
import pytest

from autograder.boundary.outside.exchange import Answer, AnswerKind, ModuleRun, RunModule, Tensor
from autograder.catalogue.misconceptions import misconceptions
from autograder.catalogue.result import StudentError
from autograder.catalogue.shipped import shipped
from autograder.suite import suite_of
from autograder.suite.cross_attention.variants import VARIANTS
from autograder.suite.cross_attention.wrong_models import WRONG_MODELS

ID = "04_cross_attention"
SUITE = suite_of(ID)
SINGLES = [model for model in WRONG_MODELS if len(model.misconceptions) == 1]
ON_EDGES_ALONE = {
    *("kind-never-refused", "kind-by-value-only", "kind-by-key-only", "mask-holds-numbers", "input-changed-in-place"),
    *("softmax-naive-exponential", "softmax-global-maximum", "masked-row-uniform", "masked-row-nan"),
    *("masked-row-attends-to-itself", "masked-numbers-leak", "mask-renormalised-after-softmax", "output-detached"),
    *("default-width-wrong", "result-in-single-precision", "answer-kept-from-earlier-call"),
}
# A fill of -10 shows on ordinary inputs, one of -20 or -10,000 on edges alone.
ON_EDGES_OR_NOT = {"mask-fill-too-small"}
# These give the same answers as another, whatever the inputs, so that neither can be named.
ALIKE = {
    *("mask-fill-tiny", "mask-multiplied-into-scores", "value-from-key-projection", "weights-times-keys"),
    *("argmax-for-softmax", "output-is-strongest-value"),
}
# What only raises, where a value is due, is told as an error.
RAISES_ALONE = {"kind-refuses-all-crossing"}


def hollow(give):
    """Answers with `give(first array of the request, right numbers)` in the place of each array or number."""

    def reply(request, right):
        if request.arguments_after or right.kind is not AnswerKind.VALUE:
            return Answer(AnswerKind.VALUE, right.value)
        given = request.inputs if isinstance(request, RunModule) else request.args
        return Answer(
            AnswerKind.VALUE, _hollow(give, getattr(given[0], "array", given[0]) if given else 0, right.value)
        )

    return reply


def _hollow(give, first, due):
    if isinstance(due, ModuleRun):
        return ModuleRun(_hollow(give, first, due.output), due.parameters, {})
    if isinstance(due, Tensor):
        return Tensor(np.asarray(give(first, due.array), due.dtype))
    if isinstance(due, tuple):
        return tuple(_hollow(give, first, part) for part in due)
    return give(first, due)


HOLLOW = {
    "zeros": lambda first, due: np.zeros(np.shape(due)),
    "ones": lambda first, due: np.ones(np.shape(due)),
    "itself alone": lambda first, due: np.eye(*np.shape(due)[-2:]) if np.ndim(due) == 2 else np.zeros(np.shape(due)),
    "allowed throughout": lambda first, due: np.ones(np.shape(due), dtype=bool),
    "NaN": lambda first, due: np.full(np.shape(due), np.nan),
    "the first argument": lambda first, due: first,
    "the first argument in the right shape": lambda first, due: np.resize(np.asarray(first, float), np.shape(due)),
    "the same numbers each time": lambda first, due: np.random.default_rng(0).normal(size=np.shape(due)),
    "noise": lambda first, due: np.random.default_rng().normal(size=np.shape(due)),
    "the same truths each time": lambda first, due: np.random.default_rng(0).random(np.shape(due)) < 0.5,
}
TEXTS = {
    "one kind for all": lambda query, *_: "cross",
    "the first argument": lambda query, *_: query,
    "": lambda *_: "",
}


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("exercise", SUITE.tests)
def test_the_oracle_earns_all(bench, exercise, number):
    assert bench(ID, number).marked(exercise, bench(ID, number).right(exercise)).share == 1


def test_the_reference_solution_earns_all(graded):
    source = (shipped("reference_solutions") / "cross_attention.py").read_text(encoding="utf-8")
    assert graded(ID, source).score == 100


@pytest.mark.parametrize("kind", HOLLOW)
@pytest.mark.parametrize("exercise", [name for name in SUITE.tests if name != "attention_kind"])
def test_a_hollow_answer_earns_nothing(bench, exercise, kind):
    right, reply = bench(ID).right(exercise), hollow(HOLLOW[kind])
    marked = bench(ID).marked(exercise, lambda request: reply(request, right(request)))
    assert marked.share == 0


@pytest.mark.parametrize("kind", TEXTS)
def test_a_hollow_kind_earns_nothing(bench, kind):
    def reply(request):
        return Answer(AnswerKind.VALUE, TEXTS[kind](*request.args))

    assert bench(ID).marked("attention_kind", reply).share == 0


@pytest.fixture(scope="module", params=range(3))
def singles(bench, request):
    """Each wrong model of one misconception, as it is marked and named on one of the sets."""
    on_set = bench(ID, request.param)
    marks = [(model, on_set.marked(model.exercise, model.reply)) for model in SINGLES]
    return [(model, marked, on_set.named(marked)) for model, marked in marks]


def test_a_model_that_is_wrong_on_ordinary_inputs_earns_a_fifth_at_most(singles):
    edges = ON_EDGES_ALONE | ON_EDGES_OR_NOT
    wrong = [(model, marked.share) for model, marked, _ in singles if model.misconceptions[0] not in edges]
    assert [(model.exercise, model.misconceptions, part) for model, part in wrong if part > 0.2] == []


def test_a_model_that_is_wrong_on_edges_alone_earns_at_least_half_and_not_all(singles):
    wrong = [(model, marked.share) for model, marked, _ in singles if model.misconceptions[0] in ON_EDGES_ALONE]
    assert {name for model, _ in wrong for name in model.misconceptions} == ON_EDGES_ALONE
    assert [(model.exercise, model.misconceptions, part) for model, part in wrong if not 0.5 <= part < 1] == []


def test_a_fill_that_is_too_small_costs_what_it_shows(singles):
    shares = [marked.share for model, marked, _ in singles if model.misconceptions[0] in ON_EDGES_OR_NOT]
    assert min(shares) <= 0.2
    assert max(shares) >= 0.5
    assert all(part <= 0.2 or 0.5 <= part < 1 for part in shares)


def test_no_model_gets_the_name_of_another(singles):
    assert [
        (m.exercise, m.misconceptions, named) for m, _, named in singles if named not in ((), m.misconceptions)
    ] == []


def test_what_no_other_model_answers_is_named(singles):
    assert {model.misconceptions[0] for model, _, named in singles if not named} <= ALIKE | RAISES_ALONE


@pytest.mark.parametrize(
    ("exercise", "faults"),
    [
        ("cross_attention", ("cross-all-from-target", "scores-not-scaled")),
        ("masked_attention", ("mask-ignored", "softmax-over-queries")),
        ("masked_attention", ("mask-transposed", "scaled-by-key-dimension")),
        ("CrossAttention", ("cross-roles-swapped", "softmax-over-queries")),
        ("local_mask", ("window-exclusive", "mask-holds-numbers")),
    ],
)
def test_two_faults_are_told_as_two(bench, exercise, faults):
    model = next(m for m in WRONG_MODELS if m.exercise == exercise and m.misconceptions == faults)
    assert set(bench(ID).named(bench(ID).marked(exercise, model.reply))) == set(faults)


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


def test_only_a_value_error_refuses_keys_and_values_of_different_sequences(bench):
    right = bench(ID).right("attention_kind")

    def reply(request):
        answer = right(request)
        wrong = Answer(AnswerKind.RAISED, error=StudentError("TypeError", "no"))
        return wrong if answer.kind is AnswerKind.RAISED else answer

    assert bench(ID).marked("attention_kind", reply).share == pytest.approx(1 - 0.5 / 3)


@pytest.mark.parametrize("number", range(8))
def test_masks_allow_each_query_a_key_where_inputs_are_ordinary(bench, number):
    for case in bench(ID, number).rehearsal.exercises["masked_attention"].cases.ordinary:
        assert case.args[3].any(axis=1).all()


@pytest.mark.parametrize("number", range(8))
def test_square_masks_allow_each_key_a_query_and_one_other_hides_a_key_from_all(bench, number):
    masks = [case.args[3] for case in bench(ID, number).rehearsal.exercises["masked_attention"].cases.ordinary]
    hides = [not mask.any(axis=0).all() for mask in masks]
    assert sum(hides) == 1
    assert not any(hidden for mask, hidden in zip(masks, hides, strict=True) if len(set(mask.shape)) == 1)


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("exercise", ["cross_attention", "masked_attention"])
def test_ordinary_inputs_have_fewer_queries_than_keys_and_more(bench, number, exercise):
    cases = bench(ID, number).rehearsal.exercises[exercise].cases.ordinary
    differences = {np.sign(len(case.args[0]) - len(case.args[1])) for case in cases}
    assert {-1, 1} <= differences


@pytest.mark.parametrize("number", range(8))
def test_ordinary_inputs_hide_no_mix_up_of_sizes(bench, number):
    exercises = bench(ID, number).rehearsal.exercises
    for name in ("cross_attention", "masked_attention"):
        sizes = {size for given in exercises[name].cases.ordinary[0].args for size in given.shape}
        assert len(sizes) == {"cross_attention": 5, "masked_attention": 4}[name]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_an_accepted_variant_earns_all(graded, variant):
    result = graded(ID, variant.source)
    assert result.score == 100, [e for e in result.exercises if e.score < e.max_score]
