"""Banks are strict: a fault is told with file, line and item, and nothing of the bank is used."""

from pathlib import Path

import pytest

from autograder.catalogue.misconceptions import misconceptions
from autograder.quiz.banks.loading import bank_names, load_bank
from autograder.quiz.banks.problems import BankError, BankNotFoundError
from autograder.quiz.model import MultipleChoice, Numeric, ShortAnswer, TrueFalse
from autograder.quiz.texts.plain import plain_text

MINIMAL = """\
bank: mine
title: Mine
items:
  - id: a-1
    type: mc
    objective: scale
    difficulty: 1
    source: Module 8, section 6
    stem: Divide by?
    explanation: Because.
    options:
      - text: $\\sqrt{d_k}$
        correct: true
      - text: $d_k$
        misconception: scaled-by-key-dimension
        feedback: Look again.
"""

NUMERIC = """\
bank: mine
title: Mine
items:
  - id: a-1
    type: numeric
    objective: dimensions
    difficulty: 1
    source: Module 8, section 10
    variables: {n: [3, 5, 6], d: [8, 16]}
    let: {twice: 2 * n}
    stem: How many in {{n}} by {{d}}?
    answer: n * d
    wrong:
      - formula: n + d
        belief: Sizes add.
        feedback: "{{n}} rows of {{d}}."
    explanation: "{{n}} times {{d}} is {{n * d}}, twice that {{twice * d}}."
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def faults(path: Path) -> list[str]:
    with pytest.raises(BankError) as caught:
        load_bank(path)
    return [str(problem) for problem in caught.value.problems]


def test_the_knowledge_check_is_the_lessons_ten_in_order():
    bank = load_bank("knowledge_check")
    assert [item.id for item in bank.items] == [f"kc-{number:02}" for number in range(1, 11)]
    assert " ".join(item.type for item in bank.items) == "short tf mc short tf mc short tf mc short"
    assert [item.answer for item in bank.items if isinstance(item, TrueFalse)] == [False, True, True]
    assert [item.key for item in bank.items if isinstance(item, MultipleChoice)] == [("A",), ("B",), ("B",)]
    assert plain_text(bank.items[6].stem) == "Name one computational cost of full self-attention."
    assert isinstance(bank.items[9], ShortAnswer)


def test_every_bank_of_the_kit_loads():
    assert "knowledge_check" in bank_names()
    for name in bank_names():
        assert load_bank(name).name == name


def test_every_distractor_has_a_belief_of_the_catalogue_or_its_own():
    for name in bank_names():
        for item in load_bank(name).items:
            for distractor in (o for o in getattr(item, "options", ()) if not o.correct):
                belief = distractor.belief
                assert (belief.misconception in misconceptions()) != bool(belief.stated), distractor.place


def test_a_path_serves_as_well_as_a_name(tmp_path):
    bank = load_bank(write(tmp_path, MINIMAL))
    assert (bank.name, bank.points) == ("mine", 1)


@pytest.mark.parametrize("name", ["nowhere", "nowhere.yaml", "../knowledge_check", ""])
def test_a_bank_that_is_not_there_is_told_with_those_that_are(name):
    with pytest.raises(BankNotFoundError, match="knowledge_check"):
        load_bank(name)


@pytest.mark.parametrize(
    ("old", "new", "line", "word"),
    [
        ("    stem: Divide by?\n", "", 4, "stem"),
        ("    stem: Divide by?\n", "    stem: Divide by?\n    stem: Again?\n", 10, "twice"),
        ("difficulty: 1", "difficulty: 9", 7, "difficulty"),
        ("objective: scale", "objective: scales", 6, "scales"),
        ("misconception: scaled-by-key-dimension", "misconception: no-such-one", 14, "no-such-one"),
        ("        misconception: scaled-by-key-dimension\n", "", 14, "belief"),
        ("        feedback: Look again.\n", "", 14, "feedback"),
        ("feedback: Look again.", "feedback: a $b", 16, "closed"),
        ("feedback: Look again.", "hint: Look again.", 14, "feedback"),
        ("stem: Divide by?", "stem: [1, 2]", 9, "stem"),
        ("stem: Divide by?", "stem: '  '", 9, "empty"),
        ("stem: Divide by?", "stem: &anchor Divide", 9, "anchors"),
        ("stem: Divide by?", "stem: 'Divide", 9, "YAML"),
        ("id: a-1", "id: A 1", 4, "id"),
        ("type: mc", "type: essay", 5, "type"),
        ("title: Mine", "title: Mine\n1: x", 3, "word"),
        ("title: Mine", "title: Mine\n? [a]\n: x", 3, "word"),
        ("title: Mine", "title: Mine\nno: x", 3, "word"),
        ("difficulty: 1", "difficulty: 1\n    points: .nan", 8, "number"),
        ("difficulty: 1", "difficulty: 1\n    points: -.inf", 8, "number"),
        ("difficulty: 1", "difficulty: 1\n    points: 0", 8, "points"),
        ("stem: Divide by?", "stem: 2020-01-01", 9, "stem"),
    ],
)
def test_a_fault_is_told_with_its_line(tmp_path, old, new, line, word):
    messages = faults(write(tmp_path, MINIMAL.replace(old, new)))
    assert any(f"mine.yaml, line {line}" in message and word in message for message in messages), messages


def test_two_items_of_one_id_are_refused(tmp_path):
    item = MINIMAL.split("items:\n")[1]
    assert "unique" in faults(write(tmp_path, MINIMAL + item))[0]


def test_a_file_that_is_not_utf8_is_told_with_the_line(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_bytes(MINIMAL.replace("Because", "Déjà").encode("latin-1"))
    assert faults(path) == ["mine.yaml, line 10: this line is not UTF-8; save the file as UTF-8"]


def test_a_numeric_key_is_computed_from_its_formula(tmp_path):
    item = load_bank(write(tmp_path, NUMERIC)).items[0]
    assert isinstance(item, Numeric)
    assert (item.key, [wrong.value for wrong in item.wrong]) == (24, [11])
    assert plain_text(item.explanation) == "3 times 8 is 24, twice that 48."


def test_a_seed_chooses_one_variant_and_always_the_same(tmp_path):
    path = write(tmp_path, NUMERIC)
    drawn = {seed: load_bank(path, seed).items[0].variables for seed in map(str, range(30))}
    assert len(set(drawn.values())) == 6
    assert drawn == {seed: load_bank(path, seed).items[0].variables for seed in drawn}


def test_a_formula_that_fails_is_told_with_its_line(tmp_path):
    broken = NUMERIC.replace("answer: n * d", "answer: n * e")
    assert faults(write(tmp_path, broken))[0].startswith("mine.yaml, line 12, item a-1: the formula “n * e”")
