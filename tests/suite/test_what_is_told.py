"""What a student is told says what happened: what was left to write, what draws at random, what returns nothing."""

import pytest

from autograder.catalogue.result import Outcome

NUMPY, TORCH, PROPERTIES = "01_numpy_self_attention", "02_torch_self_attention", "03_attention_properties"
CROSS = "04_cross_attention"
MODULE = """
import math, torch
from torch import nn
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        d_k = d_k or d_model
        self.W_q, self.W_k, self.W_v = (nn.Linear(d_model, d_k, bias=False) for _ in range(3))
        self.dropout = nn.Dropout(0.1)
    def forward(self, x):
"""
ATTEND = """
        weights = torch.softmax(self.W_q(x) @ self.W_k(x).transpose(1, 2) / math.sqrt(self.W_q.out_features), -1)
"""


def exercise(result, name):
    return next(e for e in result.exercises if e.exercise == name)


def failed(result, name):
    return {check.check: check.message for check in exercise(result, name).checks if not check.passed}


def test_a_module_whose_forward_is_left_to_write_is_not_implemented(graded):
    found = exercise(graded(TORCH, MODULE + "        raise NotImplementedError('forward')"), "SelfAttention")
    assert (found.outcome, found.score) == (Outcome.NOT_IMPLEMENTED, 0)


def test_a_dropout_that_rests_outside_of_training_is_right(graded):
    source = MODULE + ATTEND + "        return self.dropout(weights) @ self.W_v(x)"
    assert not failed(graded(TORCH, source), "SelfAttention")


@pytest.mark.parametrize(
    "body",
    [
        "return X @ W_Q + np.random.default_rng().normal()",
        "calls.append(1)\n    return X @ W_Q * len(calls)",
        "calls.append(X @ W_Q)\n    return sum(A for A in calls if A.shape == calls[-1].shape)",
    ],
)
def test_what_answers_otherwise_when_asked_again_is_told_so(graded, body):
    source = f"import numpy as np\ncalls = []\ndef project_query(X, W_Q):\n    {body}\n"
    assert "gives another answer" in failed(graded(NUMPY, source), "project_query")["same_question_same_answer"]


def test_what_is_wrong_in_the_same_way_each_time_is_not_told_as_drawn(graded):
    told = failed(graded(NUMPY, "def project_query(X, W_Q): return X @ W_Q + 1"), "project_query")
    assert "gives another answer" not in told["same_question_same_answer"]


@pytest.mark.parametrize(
    ("assignment", "source", "name"),
    [
        (TORCH, "def parameter_count(d_model, d_k=None): print(3)", "parameter_count"),
        (PROPERTIES, "def attention_cost(n, d_k, d_v): print(3)", "attention_cost"),
        (
            "04_cross_attention",
            "def attention_kind(query_source, key_source, value_source): print(3)",
            "attention_kind",
        ),
    ],
)
def test_a_missing_return_is_told_as_one(graded, assignment, source, name):
    assert any("None (is a return missing?)" in told for told in failed(graded(assignment, source), name).values())


def test_an_error_that_is_returned_is_not_told_as_raised(graded):
    source = """
def attention_kind(query_source, key_source, value_source):
    if key_source != value_source:
        return ValueError("keys and values differ")
    return "self" if query_source == key_source else "cross"
"""
    (told,) = failed(graded(CROSS, source), "attention_kind").values()
    assert "your code returns something, where an error is to be raised" in told


def test_a_tuple_is_not_told_as_a_list(graded):
    source = "def attention_cost(n, d_k, d_v): return n * n * d_k, n * n, n * n * d_v"
    assert all("a list or tuple" in told for told in failed(graded(PROPERTIES, source), "attention_cost").values())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_earns_all_points_is_told_as_right(graded, dtype):
    source = f"import numpy as np\ndef permute_tokens(X, order): return X[order].astype('{dtype}')"
    assert exercise(graded(PROPERTIES, source), "permute_tokens").outcome is Outcome.PASSED
    assert not failed(graded(PROPERTIES, source), "permute_tokens")
