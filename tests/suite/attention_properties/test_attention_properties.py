"""Assignment 03: what its hidden tests catch, what they accept, and what each earns."""

import numpy as np
import pytest

from autograder.boundary.outside.exchange import Answer, AnswerKind
from autograder.catalogue.misconceptions import misconceptions
from autograder.catalogue.shipped import shipped
from autograder.suite import suite_of
from autograder.suite.attention_properties import sequence_maps
from autograder.suite.attention_properties.variants import VARIANTS
from autograder.suite.attention_properties.wrong_models import WRONG_MODELS
from autograder.suite.models import WrongModel

ID = "03_attention_properties"
SUITE = suite_of(ID)
SINGLES = [model for model in WRONG_MODELS if len(model.misconceptions) == 1]
ON_EDGES_ALONE = {
    *("small-negatives-refused", "relative-tolerance-left-on", "last-taken-on-a-tie", "input-changed-in-place"),
    *("odd-width-ends-in-cosine", "entropy-nan-at-zero", "softmax-naive-exponential", "tolerance-ignored"),
    "bounds-refused",
}
# These give the same answers as another, whatever the inputs, so that neither can be named.
ALIKE = {
    *("equivariance-by-shape", "always-called-equivariant"),
    *("query-key-swapped", "scores-transposed", "value-from-key-projection", "weights-times-keys"),
    *("value-from-query-projection", "weights-times-queries", "key-from-query-projection", "scores-query-with-query"),
    *("query-from-key-projection", "scores-key-with-key", "argmax-for-softmax", "output-is-strongest-value"),
}
PREDICATES = ("is_attention_matrix", "is_permutation_equivariant")
OWN_TOLERANCES = """
def is_attention_matrix(A, atol=1e-6):
    square = A.shape[0] == A.shape[1]
    return bool(square and np.isfinite(A).all() and (A >= -1e-6).all() and np.allclose(A.sum(axis=1), 1))


def is_permutation_equivariant(f, X, order, atol=1e-8):
    return np.allclose(f(X[order]), f(X)[order])
"""
PARTS = {
    "the first column": lambda Y, d: Y[:, 0],
    "the last column": lambda Y, d: Y[:, -1],
    "as many columns as X has": lambda Y, d: Y[:, :d],
    "the first row": lambda Y, d: Y[0],
    "the last row": lambda Y, d: Y[-1],
    "two rows": lambda Y, d: Y[:2],
    "the diagonal": lambda Y, d: np.diag(Y),
}
HOLLOW = {
    "zero": lambda args, due: 0,
    "one": lambda args, due: 1,
    "yes": lambda args, due: True,
    "no": lambda args, due: False,
    "nothing": lambda args, due: None,
    "a text": lambda args, due: "self",
    "the first argument": lambda args, due: args[0],
    "the last argument": lambda args, due: args[-1],
    "zeros": lambda args, due: _shaped(due, np.zeros),
    "ones": lambda args, due: _shaped(due, np.ones),
    "NaN": lambda args, due: _shaped(due, lambda shape: np.full(shape, np.nan)),
    "the same numbers each time": lambda args, due: _shaped(due, np.random.default_rng(0).standard_normal),
    "noise": lambda args, due: _shaped(due, np.random.default_rng().random),
}


def _shaped(due, fill):
    """What is due, with other numbers."""
    if isinstance(due, tuple):
        return tuple(_shaped(part, fill) for part in due)
    if isinstance(due, dict):
        return {key: _shaped(part, fill) for key, part in due.items()}
    return fill(np.shape(due)) if np.shape(due) else float(fill(()))


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("exercise", SUITE.tests)
def test_the_oracle_earns_all(bench, exercise, number):
    assert bench(ID, number).marked(exercise, SUITE.tests[exercise]().right_answer).share == 1


def test_the_reference_solution_earns_all(graded):
    source = (shipped("reference_solutions") / "attention_properties.py").read_text(encoding="utf-8")
    assert graded(ID, source).score == 100


@pytest.mark.parametrize("kind", HOLLOW)
@pytest.mark.parametrize("exercise", SUITE.tests)
def test_a_hollow_answer_earns_nothing(bench, exercise, kind):
    right = SUITE.tests[exercise]().right_answer

    def reply(request):
        due = right(request)
        return due if request.arguments_after else Answer(AnswerKind.VALUE, HOLLOW[kind](request.args, due.value))

    assert bench(ID).marked(exercise, reply).share == 0


@pytest.fixture(scope="module", params=range(3))
def singles(bench, request):
    """Each wrong model of one misconception, as it is marked and named on one of the sets."""
    on_set = bench(ID, request.param)
    marks = [(model, on_set.marked(model.exercise, model.reply)) for model in SINGLES]
    return [(model, marked, on_set.named(marked)) for model, marked in marks]


def test_a_model_that_is_wrong_on_ordinary_inputs_earns_a_fifth_at_most(singles):
    wrong = [
        (model, marked.share)
        for model, marked, _ in singles
        if model.misconceptions[0] not in ON_EDGES_ALONE and model.exercise != "attention_cost"
    ]
    assert [(model.exercise, model.misconceptions, part) for model, part in wrong if part > 0.2] == []


def test_a_model_that_is_wrong_on_edges_alone_earns_at_least_half_and_not_all(singles):
    wrong = [(model, marked.share) for model, marked, _ in singles if model.misconceptions[0] in ON_EDGES_ALONE]
    assert {name for model, _ in wrong for name in model.misconceptions} == ON_EDGES_ALONE
    assert [(model.exercise, model.misconceptions, part) for model, part in wrong if not 0.5 <= part < 1] == []


def test_a_wrong_count_costs_its_own_entries(singles):
    shares = {m.misconceptions[0]: marked.share for m, marked, _ in singles if m.exercise == "attention_cost"}
    assert shares["cost-weight-entries-by-width"] == pytest.approx(2 / 3)
    assert max(shares.values()) < 1


def test_no_model_gets_the_name_of_another(singles):
    assert [
        (m.exercise, m.misconceptions, named) for m, _, named in singles if named not in ((), m.misconceptions)
    ] == []


def test_what_no_other_model_answers_is_named(singles):
    assert {model.misconceptions[0] for model, _, named in singles if not named} <= ALIKE


def test_a_fault_of_positions_and_one_of_attention_are_told_as_two(bench):
    pairs = [m for m in WRONG_MODELS if m.misconceptions == ("positions-to-values-only", "scores-not-scaled")]
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


@pytest.mark.parametrize(
    "given",
    [None, "text", np.zeros(5), np.zeros((3, 4)), np.zeros((0, 5)), np.zeros((10_000, 5)), [[object()] * 5]],
    ids=["nothing", "text", "vector", "other width", "no token", "too long", "objects"],
)
def test_a_shared_map_refuses_what_is_no_sequence(given):
    f = sequence_maps.shared(lambda X: X, 5)
    with pytest.raises((ValueError, TypeError)):
        f.function(given)


def test_a_shared_map_leaves_its_input_alone():
    X = np.ones((3, 5))
    sequence_maps.shared(sequence_maps.one_place_moved(np.eye(5), 0), 5).function(X)
    assert (X == 1).all()


@pytest.mark.parametrize("number", range(8))
def test_both_answers_of_a_question_are_asked_for(bench, number):
    for name in PREDICATES:
        cases = bench(ID, number).rehearsal.exercises[name].cases
        assert [case.expected for case in cases.ordinary[:4]] == [True, False, True, False]


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("name", PREDICATES)
def test_ordinary_questions_have_both_answers_about_equally_often(bench, name, number):
    answers = [case.expected for case in bench(ID, number).rehearsal.exercises[name].cases.ordinary]
    assert min(answers.count(True), answers.count(False)) >= 10


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("name", PREDICATES)
def test_no_tolerance_that_is_anywhere_near_the_default_changes_an_ordinary_answer(bench, name, number):
    oracle = SUITE.tests[name].oracle
    for case in bench(ID, number).rehearsal.exercises[name].cases.ordinary:
        assert case.kwargs == {}
        assert [oracle(*case.args, atol=atol) for atol in (1e-10, 1e-2)] == [case.expected] * 2, case.kind


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("name", PREDICATES)
def test_constant_answers_are_given_no_name(bench, name, number):
    on_set = bench(ID, number)
    for said in (True, False):
        marked = on_set.marked(name, lambda request, said=said: Answer(AnswerKind.VALUE, said))
        assert (marked.share, on_set.named(marked)) == (0, ())


def test_who_has_a_tolerance_of_their_own_keeps_half_of_the_points(graded):
    source = VARIANTS[0].source + OWN_TOLERANCES
    results = {e.exercise: e for e in graded(ID, source).exercises}
    for name in PREDICATES:
        assert results[name].max_score / 2 <= results[name].score < results[name].max_score


def test_what_was_asked_and_what_came_back_is_told(bench):
    def by_an_order_of_its_own(f, X, order, atol=1e-8):
        return bool((np.abs(f.function(np.roll(X, 1, axis=0)) - np.roll(f.function(X), 1, axis=0)) <= atol).all())

    model = WrongModel("is_permutation_equivariant", (), by_an_order_of_its_own)
    assert bench(ID).marked(model.exercise, model.reply).observations == (
        "You answer False, asked about a function that adds 1 to its row 2, and an order that keeps this row.",
    )


def test_a_dict_without_keys_is_told_to_have_none(bench):
    observations = bench(ID).marked("attention_cost", lambda _: Answer(AnswerKind.VALUE, {})).observations
    assert observations[0] == "The result has no key 'score_multiplications'; it has none."


@pytest.mark.parametrize("part", PARTS)
def test_who_compares_a_part_of_the_outputs_earns_a_fifth_at_most(bench, part):
    def compared(f, X, order, atol=1e-8):
        differences = np.abs(f.function(X[order]) - f.function(X)[order])
        return bool((PARTS[part](differences, X.shape[1]) <= atol).all())

    model = WrongModel("is_permutation_equivariant", (), compared)
    assert bench(ID).marked(model.exercise, model.reply).share <= 0.2


@pytest.mark.parametrize("number", range(8))
def test_constant_answers_name_no_strongest_source(bench, number):
    answers = [c.expected for c in bench(ID, number).rehearsal.exercises["strongest_source"].cases.ordinary]
    assert answers[0] != answers[1]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_an_accepted_variant_earns_all(graded, variant):
    result = graded(ID, variant.source)
    assert result.score == 100, [e for e in result.exercises if e.score < e.max_score]


def test_who_has_the_encoding_wrong_keeps_the_points_of_attention_with_positions(graded):
    wrong = VARIANTS[0].source.replace("10000", "1000")
    results = {e.exercise: e for e in graded(ID, wrong).exercises}
    assert [d.misconception for d in results["positional_encoding"].diagnoses] == ["position-base-1000"]
    assert results["self_attention_with_positions"].score == 10
    assert results["self_attention_with_positions"].follow_through.given == ("positional_encoding",)


def test_who_shuffles_by_the_inverse_keeps_the_points_of_equivariance(graded):
    wrong = VARIANTS[0].source.replace("result[i] = X[order[i]]", "result[order[i]] = X[i]")
    results = {e.exercise: e for e in graded(ID, wrong).exercises}
    assert [d.misconception for d in results["permute_tokens"].diagnoses] == ["inverse-permutation"]
    assert results["is_permutation_equivariant"].score == 20


def test_code_that_misuses_f_harms_itself_alone(graded):
    misuse = """
def is_permutation_equivariant(f, X, order, atol=1e-8):
    for given in (None, X[0], X[:, :1], "X", [X] * 3, np.zeros((100_000, X.shape[1]))):
        try:
            f(given)
        except ValueError:
            continue
        raise AssertionError("f took what is no sequence")
    return np.abs(f(X[order]) - f(X)[order]).max() <= atol
"""
    assert graded(ID, VARIANTS[1].source + misuse).score == 100
