"""Assignment 06: what students' tests are run on, what they earn, and what they are told."""

import numpy as np
import pytest

from autograder.boundary.outside.exchange import AnswerKind
from autograder.catalogue.result import Outcome
from autograder.suite import suite_of
from autograder.suite.attention_tests.implementations import (
    MOST_FEATURES,
    MOST_TOKENS,
    REFUSAL,
    RIGHT,
    WRONG,
    takes_anything,
)
from autograder.suite.attention_tests.variants import VARIANTS
from autograder.suite.attention_tests.wrong_models import WRONG_MODELS

ID = "06_test_your_attention"
SUITE = suite_of(ID)
SAMPLES = 60
# One pattern of catches belongs to several of these, so that none of them can be named.
ALIKE = {
    *("test-asserts-nothing", "test-never-calls-attend", "test-swallows-its-failure"),
    *("test-compares-attend-with-itself", "test-order-moves-nothing"),
    *("test-scale-by-row-sums", "test-uses-vanishing-scores", "test-uses-one-token"),
    "test-inverse-order",  # rejects everything, as any broken test does
}


def generic_inputs(rng):
    """n from 3 to 6, all sizes different, scores near N(0, 1)."""
    while True:
        n = int(rng.integers(3, 7))
        d_model, d_k, d_v = (int(size) for size in rng.permutation([s for s in range(2, 13) if s != n])[:3])
        X, W_Q, W_K = (rng.normal(size=shape) for shape in ((n, d_model), (d_model, d_k), (d_model, d_k)))
        S = X @ W_Q @ W_K.T @ X.T / d_model / d_k**0.5
        if 0.6 < S.std() < 1.6:
            return X, W_Q / d_model**0.5, W_K / d_model**0.5, rng.normal(size=(d_model, d_v)) / d_model**0.5


def generic_order(rng, n):
    """A permutation that is more than tokens changing places in pairs."""
    while (order := rng.permutation(n))[order].tolist() == list(range(n)):
        pass
    return order


def fault_in_shapes(attend, inputs, rng):
    Output, A = attend(*inputs)
    right = ((len(inputs[0]), inputs[3].shape[1]), (len(inputs[0]), len(inputs[0])))
    return float((Output.shape, A.shape) != right)


def fault_in_rows(attend, inputs, rng):
    _, A = attend(*inputs)
    return max(np.abs(A.sum(axis=1) - 1).max(), -A.min())


def fault_in_scale(attend, inputs, rng):
    return np.abs(attend(*inputs)[1] - RIGHT[0](*inputs)[1]).max()


def fault_in_equivariance(attend, inputs, rng):
    X, *weights = inputs
    order = generic_order(rng, len(X))
    (Output, A), (Output_2, A_2) = attend(X, *weights), attend(X[order], *weights)
    return max(np.abs(Output_2 - Output[order]).max(), np.abs(A_2 - A[np.ix_(order, order)]).max())


FAULTS = dict(zip(SUITE.tests, (fault_in_shapes, fault_in_rows, fault_in_scale, fault_in_equivariance), strict=True))


@pytest.mark.parametrize("exercise", WRONG)
def test_a_wrong_implementation_shows_its_fault_on_every_generic_input(exercise):
    rng = np.random.default_rng(6)
    for _ in range(SAMPLES):
        inputs = generic_inputs(rng)
        hidden = [w.name for w in WRONG[exercise] if not FAULTS[exercise](w.attend, inputs, rng) > 1e-2]
        assert hidden == [], [a.shape for a in inputs]


@pytest.mark.parametrize("exercise", WRONG)
def test_a_right_implementation_shows_no_fault(exercise):
    rng = np.random.default_rng(7)
    for _ in range(SAMPLES):
        inputs = generic_inputs(rng)
        assert all(FAULTS[exercise](attend, inputs, rng) < 1e-12 for attend in RIGHT)


def test_right_implementations_differ_in_rounding():
    inputs = generic_inputs(np.random.default_rng(8))
    results = {attend(*inputs)[1].tobytes() for attend in RIGHT}
    assert len(results) == len(RIGHT)


def test_right_implementations_stay_finite_on_large_scores():
    X, *weights = generic_inputs(np.random.default_rng(9))
    for attend in RIGHT:
        assert all(np.isfinite(part).all() for part in attend(1e4 * X, *weights))


ONES = np.ones((3, 2)), np.ones((2, 4)), np.ones((2, 4)), np.ones((2, 5))


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ONES[:3],
        (*ONES, 1),
        (np.ones((2, 3, 2)), *ONES[1:]),
        (np.ones((0, 2)), *ONES[1:]),
        (np.ones((MOST_TOKENS + 1, 2)), *ONES[1:]),
        (np.ones((3, MOST_FEATURES + 1)), *(np.ones((MOST_FEATURES + 1, 2)) for _ in range(3))),
        (np.ones((3, 7)), *ONES[1:]),
        (*ONES[:2], np.ones((2, 5)), ONES[3]),
        (None, *ONES[1:]),
        ("X", *ONES[1:]),
        ([[1, 2], [3]], *ONES[1:]),
        ([["a", "b"]], *ONES[1:]),
        (np.ones((3, 2), dtype=complex), *ONES[1:]),
        ({}, *ONES[1:]),
        (3.0, *ONES[1:]),
    ],
    ids=repr,
)
def test_what_is_no_input_of_attention_is_refused(arguments):
    for attend in RIGHT:
        with pytest.raises(ValueError):
            attend(*arguments)


def test_lists_and_other_numbers_are_taken_as_they_are():
    wide = tuple(a.astype("float32") for a in ONES)
    for attend in RIGHT:
        for inputs in (wide, tuple(a.astype("int64") for a in ONES), tuple(a.tolist() for a in ONES)):
            assert all(part.dtype == np.float64 for part in attend(*inputs))


def test_inputs_are_not_modified():
    inputs = generic_inputs(np.random.default_rng(10))
    kept = [a.copy() for a in inputs]
    for attend in (*RIGHT, *(w.attend for every in WRONG.values() for w in every)):
        attend(*inputs)
        assert all(np.array_equal(a, b) for a, b in zip(inputs, kept, strict=True))


def test_one_token_is_enough_for_every_implementation():
    for attend in (*RIGHT, *(w.attend for every in WRONG.values() for w in every)):
        attend(np.ones((1, 2)), *ONES[1:])


def test_a_fault_of_the_kits_own_is_not_hidden_by_the_guard():
    with pytest.raises(ZeroDivisionError):
        takes_anything(lambda *inputs: 1 / 0)(*ONES)


# --- Marks


@pytest.mark.parametrize("exercise", SUITE.tests)
def test_the_oracle_earns_all(bench, exercise):
    assert bench(ID).marked(exercise, SUITE.tests[exercise]().right_answer).share == 1


@pytest.fixture(scope="module")
def marked_models(bench):
    """Each wrong test, as it is marked and named."""
    marks = [(model, bench(ID).marked(model.exercise, model.reply)) for model in WRONG_MODELS]
    return [(model, marked, bench(ID).named(marked)) for model, marked in marks]


def test_a_wrong_test_earns_its_share_of_catches_or_nothing_if_it_rejects_a_right_one(marked_models):
    for model, marked, _ in marked_models:
        right, wrong = marked.transcript.answers[: len(RIGHT)], marked.transcript.answers[len(RIGHT) :]
        caught = sum(answer.kind is AnswerKind.RAISED for answer in wrong) / len(wrong)
        accepts = all(answer.kind is AnswerKind.VALUE for answer in right)
        assert marked.share == (caught if accepts else 0) < 1, model.misconceptions


def test_a_wrong_test_gets_its_own_name_or_none(marked_models):
    told = [(m.exercise, m.misconceptions, named) for m, _, named in marked_models]
    assert [line for line in told if line[2] not in ((), line[1])] == []
    assert {misconceptions[0] for _, misconceptions, named in told if not named} == ALIKE


def test_each_check_is_failed_by_a_wrong_test(bench, marked_models):
    failed = {(m.exercise, v.check.name) for m, marked, _ in marked_models for v in marked.verdicts if not v.passed}
    asked = {(name, check.name) for name, e in bench(ID).rehearsal.exercises.items() for check in e.checks}
    assert asked - failed == set()


def test_no_message_tells_which_implementation_it_was(bench):
    names = {wrong.name for every in WRONG.values() for wrong in every}
    for exercise in bench(ID).rehearsal.exercises.values():
        for check in exercise.checks:
            assert not any(name in check.law or name in check.name for name in names)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_an_accepted_variant_earns_all(graded, variant):
    result = graded(ID, variant.source)
    assert (result.score, result.notes) == (100.0, ()), [e for e in result.exercises if e.score < e.max_score]


INPUTS = """
import os, sys
import numpy as np
import pytest

def make():
    rng = np.random.default_rng(0)
    return rng.normal(size=(5, 7)), *(rng.normal(size=(7, d)) / 7**0.5 for d in (4, 4, 3))
"""


def of_shapes(graded, body):
    """The result of test_shapes with this body."""
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return graded(ID, f"{INPUTS}\ndef test_shapes(attend):\n{lines}").exercises[0]


LOOK = "Output, A = attend(*make())\nif Output.shape != (5, 3) or A.shape != (5, 5): "


@pytest.mark.parametrize(
    "body",
    [
        "raise AssertionError",
        "assert False, attend(*make())",
        "attend(*make())",
        "return True",
        "pytest.skip()",
        LOOK + "pytest.skip('a wrong shape')",
        LOOK + "pytest.xfail('a wrong shape')",
        LOOK + "pytest.exit('a wrong shape')",
        LOOK + "os._exit(1)",
        LOOK + "raise NotImplementedError",
        "attend(1, 2)",
        "attend(np.ones((200, 7)), *make()[1:])",
        "attend([[[[]]]], 'W', None, {1: 2})",
        "Output, A = attend(*make())\nassert Output.shape == (3, 5) or A.shape != (5, 5)",
    ],
)
def test_what_catches_nothing_or_rejects_a_right_one_earns_nothing(graded, body):
    assert of_shapes(graded, body).score == 0


@pytest.mark.parametrize(
    "body",
    [
        LOOK + "raise KeyError('anything')",
        LOOK + "pytest.fail('a wrong shape')",
        LOOK + "sys.exit('a wrong shape')",
        LOOK.replace("*make()", "**dict(zip(('X', 'W_Q', 'W_K', 'W_V'), make()))") + "raise AssertionError",
        LOOK + "raise KeyboardInterrupt",
        LOOK + "raise AssertionError\nreturn lambda: 'what a test returns is of no account'",
        "with pytest.raises(ValueError):\n    attend(np.ones((3, 2)), *make()[1:])\n" + LOOK + "1 / 0",
    ],
)
def test_any_exception_but_a_skip_is_a_catch(graded, body):
    assert of_shapes(graded, body).score == 15


def test_half_of_the_catches_earn_half_of_the_points(graded):
    result = of_shapes(graded, "Output, A = attend(*make())\nassert Output.shape == (5, 3)")
    assert result.score == pytest.approx(15 * 7 / 12, abs=1e-3)
    assert [d.misconception for d in result.diagnoses] == ["test-looks-at-output-only"]


def test_what_got_through_is_counted(graded):
    result = of_shapes(graded, "Output, A = attend(*make())")
    assert result.outcome is Outcome.FAILED
    assert result.observations == ("12 of 12 wrong implementations got through.",)


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("return np.shape(Output) == (1, 1)", "your test returned False, which nobody reads"),
        ("return bool(np.shape(Output) == (1, 1))", "your test returned False, which nobody reads"),
        ("pytest.skip('a wrong shape')", "your test skipped or gave up"),
        ("return True", None),
        ("return Output", None),
        ("pass", None),
    ],
)
def test_a_test_that_says_no_without_raising_is_told_so(graded, ending, told):
    body = "Output, A = attend(*make())\nif np.shape(Output) == (5, 3) and np.shape(A) == (5, 5): return\n"
    result = of_shapes(graded, body + ending)
    seen = {check.message.partition(" Here ")[2] for check in result.checks if not check.passed}
    assert result.score == 0 and result.observations == ("12 of 12 wrong implementations got through.",)
    assert seen == {"it got through."} if told is None else all(told in message for message in seen)


def test_a_test_that_wants_a_fixture_is_told_what_it_is_called_with(graded):
    source = INPUTS + "\ndef test_shapes(attend, inputs): pass\n"
    (seen,) = graded(ID, source).exercises[0].observations
    assert "it takes more than attend" in seen
    within = of_shapes(graded, "def f(x): pass\nf()").observations
    assert "it takes more than attend" not in within[0]


def test_a_rejected_right_implementation_is_told_with_the_line_that_raised(graded):
    result = of_shapes(graded, "Output, A = attend(*make())\nassert Output.shape == (5, 9)")
    assert result.outcome is Outcome.FAILED
    assert result.observations == ("Your test rejects a right implementation: it raised AssertionError.",)
    assert result.error.source == "assert Output.shape == (5, 9)"


def test_a_difference_of_rounding_is_told_as_one(graded):
    body = """
    X, W_Q, W_K, W_V = make()
    _, A = attend(X, W_Q, W_K, W_V)
    S = (X @ W_Q) @ (X @ W_K).T / np.sqrt(4)
    powers = np.exp(S - S.max(axis=1, keepdims=True))
    assert (A == powers / powers.sum(axis=1, keepdims=True)).all()
    """
    source = INPUTS + "\ndef test_scaling(attend):" + body
    result = graded(ID, source).exercises[2]
    assert result.score == 0
    assert "differ in rounding alone" in str(result.observations) or [d.misconception for d in result.diagnoses] == [
        "test-tolerance-too-narrow"
    ]


def test_a_refusal_says_what_attend_takes(graded):
    result = of_shapes(graded, "attend(np.ones((2, 3, 4)), *make()[1:])")
    assert (result.outcome, result.error.type) == (Outcome.FAILED, "ValueError")
    assert result.error.message.startswith(REFUSAL[:60])


def test_a_stub_is_not_implemented(graded):
    assert of_shapes(graded, "raise NotImplementedError('test_shapes')").outcome is Outcome.NOT_IMPLEMENTED


def test_tests_cannot_tell_how_many_implementations_came_before(graded):
    source = INPUTS + "\ncalls = []\ndef test_shapes(attend):\n    calls.append(1)\n    assert len(calls) == 1\n"
    assert graded(ID, source).exercises[0].observations == ("12 of 12 wrong implementations got through.",)
