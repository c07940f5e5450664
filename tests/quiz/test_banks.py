"""The kit's banks ask everything that the two lessons teach, and mark it as the lessons do."""

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
            assert mark(item, item.answer).score == item.points


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
