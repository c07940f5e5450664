"""The made-up class earns what the contract's table gives it, across the wall."""

import csv

import pytest

from autograder.commands.grade import grade_into
from autograder.commands.sample_class import SAMPLES, hand_in
from autograder.intake import collect
from autograder.records.results import read_result, result_path

NUMPY, TORCH = "01_numpy_self_attention", "02_torch_self_attention"

FULL = [
    ("student-01", NUMPY),
    ("student-02", NUMPY),
    ("student-02", TORCH),
    ("student-03", TORCH),
    ("student-04", NUMPY),
    ("student-04", TORCH),
    ("student-05", NUMPY),
]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    handed_in = tmp_path_factory.mktemp("class")
    hand_in(handed_in)
    out = tmp_path_factory.mktemp("records") / "out"
    tally = grade_into(out, collect([handed_in]), "a secret", 1, frozenset())
    assert not tally.not_graded
    return out


@pytest.fixture
def result_of(out):
    return lambda student, assignment=NUMPY: read_result(result_path(out, student, assignment))


def exercise(result, name):
    return next(e for e in result.exercises if e.exercise == name)


@pytest.mark.parametrize("student, assignment", FULL)
def test_right_answers_in_every_style_earn_all_points(result_of, student, assignment):
    result = result_of(student, assignment)
    assert result.score == 100, [(e.exercise, e.observations) for e in result.exercises if e.score < e.max_score]


@pytest.mark.parametrize(
    "student, assignment, name, misconception",
    [
        ("student-07", NUMPY, "softmax_rows", "softmax-over-queries"),
        ("student-08", NUMPY, "self_attention", "scores-not-scaled"),
        ("student-08", TORCH, "scaled_dot_product_attention", "scores-not-scaled"),
        ("student-09", NUMPY, "scale_scores", "scaled-by-key-dimension"),
        ("student-10", NUMPY, "softmax_rows", "softmax-naive-exponential"),
        ("student-11", NUMPY, "attention_scores", "scores-transposed"),
        ("student-19", TORCH, "SelfAttention", "layers-not-registered"),
        ("student-20", TORCH, "scaled_dot_product_attention", "softmax-over-queries"),
    ],
)
def test_classic_misconceptions_are_named(result_of, student, assignment, name, misconception):
    found = exercise(result_of(student, assignment), name)
    assert [d.misconception for d in found.diagnoses] == [misconception]


def test_a_wrong_softmax_costs_its_own_points_alone(result_of):
    result = result_of("student-07")
    assert exercise(result, "softmax_rows").score <= 16 / 5
    followed = exercise(result, "self_attention")
    assert followed.score == followed.max_score
    assert followed.follow_through.given == ("softmax_rows",)
    assert followed.follow_through.own_score <= 18 / 5


def test_a_wrong_function_costs_the_module_built_on_it_nothing(result_of):
    result = result_of("student-20", TORCH)
    assert exercise(result, "SelfAttention").score == 50
    assert exercise(result, "SelfAttention").follow_through.given == ("scaled_dot_product_attention",)


def test_a_wrong_module_costs_the_count_of_its_parameters_nothing(result_of):
    counted = exercise(result_of("student-19", TORCH), "parameter_count")
    assert counted.score == 15
    assert counted.follow_through.given == ("SelfAttention",)


def test_an_overflow_on_large_scores_alone_costs_less_than_half(result_of):
    found = exercise(result_of("student-10"), "softmax_rows")
    assert 8 <= found.score < 16


def test_what_is_not_implemented_earns_nothing(result_of):
    assert result_of("student-12").score == 0
    assert result_of("student-12", TORCH).score == 0
    assert {e.outcome for e in result_of("student-12").exercises} == {"not_implemented"}


def test_a_file_that_does_not_parse_is_unreadable_and_says_where(result_of):
    result = result_of("student-13")
    assert result.status == "unreadable"
    assert "line 3" in result.status_reason


@pytest.mark.parametrize(
    "student, name, outcome",
    [
        ("student-14", "softmax_rows", "timeout"),
        ("student-15", "attention_output", "crashed"),
        ("student-16", "project_key", "error"),
    ],
)
def test_loops_exits_and_memory_bombs_cost_their_own_exercise_alone(result_of, student, name, outcome):
    result = result_of(student)
    found = exercise(result, name)
    assert found.outcome == outcome
    assert found.score == 0
    assert result.score == 100 - found.max_score


def test_zeros_of_the_right_shape_earn_nothing(result_of):
    result = result_of("student-17")
    assert [exercise(result, n).score for n in ("project_query", "attention_scores", "softmax_rows")] == [0, 0, 0]


def test_hidden_tests_are_not_found_from_inside_the_wall(result_of):
    result = result_of("student-18")
    assert exercise(result, "softmax_rows").error.message == "[]"
    assert {"bwrap", "landlock"} & set(result.walls)


def test_a_plot_costs_no_marks_and_is_told(result_of):
    assert any("matplotlib" in note for note in result_of("student-05").notes)


def test_the_gradebook_has_a_row_for_each_submission(out):
    with (out / "gradebook.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    handed_in = sum(len(sample.files()) for sample in SAMPLES)
    assert rows[0] == ["student", "assignment", "score", "max_score", "status"]
    assert len(rows) == handed_in + 1
