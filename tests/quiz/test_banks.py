"""The kit's banks ask everything that the two lessons teach, and mark it as the lessons do."""

import re

import numpy as np
import pytest

from autograder.catalogue.objectives import OBJECTIVES
from autograder.quiz.banks.loading import bank_names, find_bank, load_bank, read_source
from autograder.quiz.formulas import number_text
from autograder.quiz.marks.marking import mark
from autograder.quiz.model import Choice, Numeric, ShortAnswer, TrueFalse
from autograder.quiz.outcome import Outcome
from autograder.quiz.texts.plain import plain_text

BANKS = {name: load_bank(name) for name in bank_names()}
ITEMS = [item for bank in BANKS.values() for item in bank.items]

# Every part of the lessons, by the word that an item's source has for it.
PARTS = [
    "Module 8, introduction",
    "Module 8, topics",
    *(f"Module 8, section {number}" for number in range(1, 12)),
    *(
        f"Module 10.1, {part}"
        for part in (
            "how this lesson fits",
            "definition",
            "from scaled dot-product to self-attention",
            "objective 5",
            "self-attention vs cross-attention",
            "what the attention matrix means",
            "PyTorch: minimal self-attention",
            "strengths",
            "tradeoffs",
            "common mistake",
            "misconception",
            "where self-attention appears next",
            "sibling topics",
            "key takeaways",
            "trainer's guide",
        )
    ),
]


def test_there_are_more_than_sixty_items_and_no_id_twice():
    assert len(ITEMS) > 60
    assert len({item.id for item in ITEMS}) == len(ITEMS)


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_the_lessons_is_asked(part):
    assert any(item.source.startswith(part) for item in ITEMS)


def test_every_objective_is_asked():
    assert {item.objective for item in ITEMS} == set(OBJECTIVES)


@pytest.mark.parametrize(
    "symbol", ["W_Q", "W_K", "W_V", "d_v", "d_k", "d_model", "QK", "AV", "BERT", "T5", "ViT", "DeepSeek"]
)
def test_every_symbol_and_family_stands_in_an_item(symbol):
    assert any(symbol in plain_text(text) for item in ITEMS for text in (item.stem, item.explanation)) or any(
        symbol in plain_text(o.text) for item in ITEMS if isinstance(item, Choice) for o in item.options
    )


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)
def test_every_key_earns_all_points_and_every_distractor_none(item):
    match item:
        case TrueFalse():
            made = mark(item, str(not item.answer))
            assert mark(item, str(item.answer)).score == item.points
            assert (made.outcome, made.score) == (Outcome.INCORRECT, 0)
        case Choice():
            right = "; ".join(plain_text(option.text) for option in item.options if option.correct)
            assert mark(item, right).score == item.points
            assert mark(item, ", ".join(item.key)).score == item.points
            for letter, option in item.lettered:
                if not option.correct:
                    made = mark(item, letter)
                    assert (made.outcome, made.feedback) == (Outcome.INCORRECT, option.feedback)
        case Numeric():
            assert mark(item, number_text(item.key)).score == item.points
            for wrong in item.wrong:
                made = mark(item, number_text(wrong.value))
                assert (made.outcome, made.feedback) == (Outcome.INCORRECT, wrong.feedback)
        case ShortAnswer():
            assert mark(item, plain_text(item.answer)).score == item.points


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_every_variant_of_a_numeric_item_has_a_key_that_its_own_stem_leads_to(seed):
    bank = load_bank("numeric", seed)
    item = bank.item("nu-parameters")
    variables = dict(item.variables)
    assert item.key == 2 * variables["d_model"] * variables["d_k"] + variables["d_model"] * variables["d_v"]
    for name, value in variables.items():
        assert f"{name} = {value}" in plain_text(item.stem)


def test_two_tokens_by_hand_agree_with_numpy():
    import numpy as np

    source = read_source(find_bank("numeric"))
    index = next(i for i, entry in enumerate(source.entries) if entry["id"] == "nu-by-hand")
    for item in source.variants(index):
        given = dict(item.variables)
        q, keys, values = np.array([given["q"], 0, 0, 0]), np.zeros((2, 4)), np.array([given["v1"], given["v2"]])
        keys[:, 0] = given["k1"], given["k2"]
        scores = keys @ q / np.sqrt(4)
        weights = np.exp(scores) / np.exp(scores).sum()
        assert item.key == pytest.approx(weights @ values)


def vectors(text: str) -> list[np.ndarray]:
    """Every (1, 0.5) of a text."""
    found = re.findall(r"\(([-\d.]+(?:, [-\d.]+)+)\)", text)
    return [np.array([float(number) for number in inside.split(",")]) for inside in found]


def matrices(text: str) -> list[np.ndarray]:
    """Every [ 0.5 0.5; 1 0 ] of a text."""
    found = re.findall(r"\[ ?([-\d. ;]+?) ?\]", text)
    return [np.array([[float(number) for number in row.split()] for row in inside.split(";")]) for inside in found]


def softmax(scores: np.ndarray) -> np.ndarray:
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


def test_the_rows_of_the_scaled_and_the_unscaled_scores_are_those_of_the_scores_in_the_feedback():
    item = BANKS["trace"].item("tr-two-rows")
    scores, scaled = vectors(plain_text(item.options[1].feedback))
    np.testing.assert_allclose(scaled, scores / 8)
    for row, wanted in zip(vectors(plain_text(item.stem)), (softmax(scores), softmax(scaled)), strict=True):
        np.testing.assert_allclose(row, wanted, atol=0.005)
        assert row.sum() == pytest.approx(1)


def test_the_options_of_the_output_to_read_are_what_each_belief_computes():
    item = BANKS["trace"].item("tr-output")
    A, V = matrices(plain_text(item.stem))
    computed = {None: A @ V, "output-is-values": V, "output-elementwise": A * V, "weights-transposed": A.T @ V}
    for option in item.options:
        belief = None if option.correct else option.belief.misconception
        np.testing.assert_allclose(vectors(plain_text(option.text))[0], computed.pop(belief)[0])
    assert not computed


def test_one_option_alone_is_an_attention_matrix_and_each_other_fails_as_its_feedback_says():
    item = BANKS["trace"].item("tr-is-attention")
    for option in item.options:
        (A,) = matrices(plain_text(option.text))
        assert (np.allclose(A.sum(axis=1), 1) and (A >= 0).all()) == option.correct
    columns, _, negative, whole = (matrices(plain_text(option.text))[0] for option in item.options)
    np.testing.assert_allclose(columns.sum(axis=0), 1)
    np.testing.assert_allclose(negative.sum(axis=1), 1)
    assert whole.sum() == pytest.approx(1)


def test_the_strongest_source_to_read_is_the_largest_of_its_row():
    item = BANKS["trace"].item("tr-strongest")
    (A,) = matrices(plain_text(item.stem))
    np.testing.assert_allclose(A.sum(axis=1), 1)
    (key,) = (plain_text(option.text) for option in item.options if option.correct)
    assert key == f"token {A[1].argmax() + 1}"
    assert plain_text(item.options[0].text) == f"token {A[0].argmax() + 1}"
    assert plain_text(item.options[3].text) == f"token {A[:, 1].argmax() + 1}"


@pytest.mark.parametrize("name", BANKS)
def test_no_variant_of_two_hundred_seeds_has_like_distractors_or_one_that_is_right_once_it_is_rounded(name):
    for seed in range(200):
        for item in load_bank(name, seed=str(seed)).items:
            if isinstance(item, Choice):
                texts = [plain_text(option.text) for option in item.options]
                assert len(set(texts)) == len(texts), (item.id, item.variables)
            if isinstance(item, Numeric):
                values = [item.key, *(wrong.value for wrong in item.wrong)]
                assert len({round(float(value), 6) for value in values}) == len(values), (item.id, item.variables)
                for value in values[1:]:
                    assert mark(item, f"{value:.2f}").outcome is Outcome.INCORRECT, (item.id, item.variables)
                assert mark(item, f"{item.key:.3f}").outcome is Outcome.CORRECT, (item.id, item.variables)
                assert not re.search(r"\d\.\d{4}", plain_text(item.stem) + plain_text(item.explanation))


def test_true_and_false_are_about_as_often_the_key():
    answers = [item.answer for item in ITEMS if isinstance(item, TrueFalse)]
    assert 0.4 <= sum(answers) / len(answers) <= 0.6
