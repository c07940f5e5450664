"""A response earns what the item's key says, however it is typed; what can't be read goes to a person."""

from dataclasses import replace

import pytest

from autograder.quiz.banks.loading import load_bank
from autograder.quiz.marks.marking import mark
from autograder.quiz.marks.numbers import read_number, readings
from autograder.quiz.model import Bank, Choice, Numeric
from autograder.quiz.outcome import Outcome
from autograder.quiz.texts.plain import plain_text


@pytest.fixture(scope="module")
def knowledge_check() -> Bank:
    return load_bank("knowledge_check")


def outcome(bank: Bank, item: str, response: str) -> str:
    return mark(bank.item(item), response).outcome


RIGHT = {
    "kc-01": "All three are projected from the same input sequence.",
    "kc-02": "False",
    "kc-03": "a",
    "kc-04": "To keep dot-product magnitudes stable so softmax does not become overly peaked for large d_k.",
    "kc-05": "True",
    "kc-06": "b",
    "kc-07": "Quadratic time/memory in sequence length from the n x n score matrix.",
    "kc-08": "True",
    "kc-09": "b",
    "kc-10": "Multiple parallel attention heads whose outputs are concatenated and projected.",
}
WRONG = {
    "kc-01": "From three different sequences.",
    "kc-02": "True",
    "kc-03": "b",
    "kc-04": "To make the rows sum to 1.",
    "kc-05": "False",
    "kc-06": "a",
    "kc-07": "The cost is linear in the sequence length.",
    "kc-08": "False",
    "kc-09": "c",
    "kc-10": "It adds positional encodings.",
}


@pytest.mark.parametrize("item", RIGHT)
def test_the_lessons_own_answers_are_correct(knowledge_check, item):
    made = mark(knowledge_check.item(item), RIGHT[item])
    assert (made.outcome, made.score) == (Outcome.CORRECT, 1)


@pytest.mark.parametrize("item", WRONG)
def test_plainly_wrong_answers_are_incorrect_and_explained(knowledge_check, item):
    made = mark(knowledge_check.item(item), WRONG[item])
    assert (made.outcome, made.score) == (Outcome.INCORRECT, 0)
    assert plain_text(made.feedback) and made.belief


@pytest.mark.parametrize(
    "typed", ["a", "A", " (a) ", "A.", "a)", "A:", "n x n", "$n \\times n$", "N×N", "a. n x n", "(A) n × n"]
)
def test_an_option_is_named_by_letter_or_text_in_any_case_and_spacing(knowledge_check, typed):
    assert outcome(knowledge_check, "kc-03", typed) == "correct"


@pytest.mark.parametrize("typed", ["d", "a or b", "a, b", "b. n x n", "the first", "n", "ab", "A. d x d", "=A1"])
def test_a_response_that_names_no_single_option_is_for_review(knowledge_check, typed):
    assert outcome(knowledge_check, "kc-03", typed) == "review"


@pytest.mark.parametrize("typed", ["true", "TRUE", " t ", "T.", "yes", "Y", "1"])
def test_true_has_several_words(knowledge_check, typed):
    assert outcome(knowledge_check, "kc-05", typed) == "correct"


@pytest.mark.parametrize("typed", ["false", "F", "no", "N", "0", "False."])
def test_false_has_several_words(knowledge_check, typed):
    assert outcome(knowledge_check, "kc-05", typed) == "incorrect"


@pytest.mark.parametrize("typed", ["maybe", "true and false", "not true", "c", "tr"])
def test_what_is_neither_true_nor_false_is_for_review(knowledge_check, typed):
    assert outcome(knowledge_check, "kc-05", typed) == "review"


@pytest.mark.parametrize("typed", ["", "   ", "\n", "-", "?", "…", "I don't know", "I don’t know.", "idk", "N/A"])
@pytest.mark.parametrize("item", ["kc-01", "kc-02", "kc-03"])
def test_no_answer_is_blank(knowledge_check, item, typed):
    assert outcome(knowledge_check, item, typed) == "blank"


@pytest.mark.parametrize("item", RIGHT)
@pytest.mark.parametrize(
    "text", ["a " * 500_000, "x" * 1_000_000, "same sequence " * 80_000], ids=["words", "one word", "key words"]
)
def test_a_megabyte_is_for_review(knowledge_check, item, text):
    assert outcome(knowledge_check, item, text) == "review"


@pytest.mark.parametrize("item", RIGHT)
@pytest.mark.parametrize(
    "text", ["\0", "\ud800", "\x1b[31m", "𝒏×𝒏", "ｎ × ｎ", "\u202eabc", "$", "\\", "{{", "(" * 900, "a*" * 400]
)
def test_odd_text_has_an_outcome(knowledge_check, item, text):
    assert mark(knowledge_check.item(item), text).outcome in Outcome


NUMBERS = {
    "4096": 4096,
    "4,096": 4096,
    "4 096": 4096,
    "4\u202f096": 4096,
    "4'096": 4096,
    "4’096": 4096,
    "96.000.000": 96_000_000,
    "1.234,5": 1234.5,
    "1,234.5": 1234.5,
    "1 234,5": 1234.5,
    " 0.5 ": 0.5,
    ".5": 0.5,
    ".125": 0.125,
    ",125": 0.125,
    "0,73": 0.73,
    "0,125": 0.125,
    "-0,125": -0.125,
    "1/8": 0.125,
    "1 / 8": 0.125,
    "-1/8": -0.125,
    "⅛": 0.125,
    "½": 0.5,
    r"\frac{1}{8}": 0.125,
    r"$\frac{1}{8}$": 0.125,
    r"-\dfrac{1}{8}": -0.125,
    "$0.2$": 0.2,
    "12.5%": 0.125,
    "12,5 %": 0.125,
    r"20\%": 0.2,
    "1e-1": 0.1,
    "1E-1": 0.1,
    "1,5e-1": 0.15,
    "9.6*10^7": 96_000_000,
    "9.6 × 10^7": 96_000_000,
    r"9.6 \cdot 10^{7}": 96_000_000,
    "5·10^-1": 0.5,
    "−2": -2,
    "1e-3": 0.001,
    "+3.": 3,
    "12,345,678": 12345678,
    "64.": 64,
}


@pytest.mark.parametrize(("typed", "number"), NUMBERS.items())
def test_numbers_are_read_as_people_type_them(typed, number):
    assert read_number(typed) == pytest.approx(number)


NO_NUMBERS = [
    "four",
    "4 tokens",
    "nan",
    "inf",
    "Infinity",
    "1/0",
    "1½",
    "",
    "-",
    "%",
    "e5",
    "1,2,3",
    "1.2.3",
    "4 09",
    "4^2",
    "10^7",
    "0x10",
    "٤",
    "1_000",
    "1e999",
    "9" * 900,
    "=4",
    "1..2",
    "2·10^-1^2",
]


@pytest.mark.parametrize("typed", NO_NUMBERS)
def test_what_is_no_number_is_not_guessed(typed):
    assert read_number(typed) is None


TWO_READINGS = {"16,235": (16235, 16.235), "6.400": (6.4, 6400), "-1,000": (-1000, -1), "1.000e0": (1,)}


@pytest.mark.parametrize(("typed", "numbers"), TWO_READINGS.items())
def test_what_parts_thousands_here_and_decimals_there_is_read_both_ways(typed, numbers):
    assert readings(typed) == pytest.approx(numbers)


def number_item(key: float, wrong: float) -> Numeric:
    item = load_bank("numeric").item("nu-equal-scores")
    return replace(item, key=key, tolerance=0.001, wrong=(replace(item.wrong[0], value=wrong),))


@pytest.mark.parametrize(
    ("key", "typed"),
    [(16.235, "16,235"), (16235, "16,235"), (6400, "6.400"), (6.4, "6.400"), (0.125, "0,125"), (0.125, "12,5 %")],
)
def test_a_right_number_is_right_in_the_spelling_of_any_language(key, typed):
    assert mark(number_item(key, wrong=3), typed).outcome is Outcome.CORRECT


def test_a_wrong_number_is_told_by_its_formula_in_the_spelling_of_any_language():
    made = mark(number_item(3, wrong=16.235), "16,235")
    assert made.outcome is Outcome.INCORRECT
    assert made.belief is not None
    assert mark(number_item(3, wrong=4), "16,235").reason == "16235 is not the value"


def test_every_options_letter_and_text_name_it_in_every_bank():
    from autograder.quiz.banks.loading import bank_names
    from autograder.quiz.marks.marking import named_options

    for name in bank_names():
        for item in load_bank(name).items:
            if isinstance(item, Choice):
                for letter, option in item.lettered:
                    assert named_options(item, letter) == (letter,), item.id
                    assert named_options(item, plain_text(option.text)) == (letter,), item.id


@pytest.mark.parametrize(
    ("typed", "expected"), [("A", "incorrect"), ("b", "correct"), ("(B)", "correct"), ("A.", "incorrect")]
)
def test_a_statement_is_answered_by_its_letter_as_it_stands_on_paper(knowledge_check, typed, expected):
    assert outcome(knowledge_check, "kc-02", typed) == expected
