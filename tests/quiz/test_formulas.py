"""Keys are computed by arithmetic over an item's variables, and by nothing else."""

import pytest

from autograder.quiz.formulas import FormulaError, evaluate, fill, number_text


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("n * n * d_k", 64),
        ("2 * n", 8),
        ("1 / sqrt(d_k)", 0.5),
        ("exp(0) / (exp(0) + exp(log(3)))", 0.25),
        ("-n + max(n, d_k, 9)", 5),
        ("n ** 2 // 3 % 4", 1),
        ("7", 7),
    ],
)
def test_arithmetic_over_the_variables(formula, value):
    assert evaluate(formula, {"n": 4, "d_k": 4}) == pytest.approx(value)


@pytest.mark.parametrize(
    "formula",
    [
        "__import__('os')",
        "n.real",
        "[1]",
        "'a'",
        "n if n else 1",
        "unknown",
        "9**9**9",
        "1/0",
        "sqrt(-1)",
        "1e308*10",
        "open(1)",
        "True",
        "sqrt(x=1)",
        "(lambda: 1)()",
        "n n",
        "",
        "(" * 500,
        "(-8) ** 0.5",
    ],
)
def test_anything_else_is_refused_in_a_sentence(formula):
    with pytest.raises(FormulaError, match="formula"):
        evaluate(formula, {"n": 4})


def test_templates_are_filled_with_values_and_formats():
    assert fill("$X$ is {{n}} by {{n * 2}}, {{1 / n:.2f}}", {"n": 4}) == "$X$ is 4 by 8, 0.25"


@pytest.mark.parametrize(
    ("number", "text"), [(4.0, "4"), (0.5, "0.5"), (1 / 3, "0.333333"), (-2, "-2"), (4096, "4096")]
)
def test_numbers_are_written_as_a_person_would(number, text):
    assert number_text(number) == text
