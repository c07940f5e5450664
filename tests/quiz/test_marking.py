"""A response earns what the item's key says, however it is typed; what can't be read goes to a person."""

import pytest

from autograder.quiz.banks.loading import load_bank
from autograder.quiz.marks.marking import mark, read_number
from autograder.quiz.model import Bank, Choice
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


@pytest.mark.parametrize("typed", ["maybe", "true and false", "not true", "a", "tr"])
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


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("4096", 4096),
        ("4,096", 4096),
        (" 0.5 ", 0.5),
        (".5", 0.5),
        ("0,73", 0.73),
        ("1/8", 0.125),
        ("−2", -2),
        ("1e-3", 0.001),
        ("+3.", 3),
        ("12,345,678", 12345678),
        ("64.", 64),
    ],
)
def test_numbers_are_read_as_people_type_them(typed, number):
    assert read_number(typed) == pytest.approx(number)


@pytest.mark.parametrize(
    "typed",
    [
        "four",
        "4 tokens",
        "nan",
        "inf",
        "1/0",
        "",
        "-",
        "e5",
        "1,2,3",
        "4^2",
        "0x10",
        "٤",
        "1_000",
        "1e999",
        "9" * 900,
        "=4",
        "1..2",
    ],
)
def test_what_is_no_number_is_not_guessed(typed):
    assert read_number(typed) is None


def test_every_options_letter_and_text_name_it_in_every_bank():
    from autograder.quiz.banks.loading import bank_names
    from autograder.quiz.marks.marking import named_options

    for name in bank_names():
        for item in load_bank(name).items:
            if isinstance(item, Choice):
                for letter, option in item.lettered:
                    assert named_options(item, letter) == (letter,), item.id
                    assert named_options(item, plain_text(option.text)) == (letter,), item.id
