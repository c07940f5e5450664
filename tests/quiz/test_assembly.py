"""Versions of a quiz are of equal difficulty, whatever the seed; options that are numbers keep their order."""

from collections import Counter

import pytest
import yaml

from autograder.commands import main
from autograder.quiz.banks.assembly import AssemblyError, assemble
from autograder.quiz.banks.check import Level, check
from autograder.quiz.banks.loading import bank_names, find_bank, read_source, source_of
from autograder.quiz.model import MultipleChoice

SOURCES = [read_source(find_bank(name)) for name in bank_names()]
OBJECTIVES = ("scale", "softmax", "dimensions", "contrast")
SEEDS = tuple("ABCDEFGH")


def version(seed: str, count: int = 12):
    made = assemble(SOURCES, OBJECTIVES, count, seed)
    return made, source_of(made.text, "version.yaml").build()


def test_versions_have_the_same_objectives_difficulties_and_points():
    mixes = {
        seed: Counter((item.objective, item.difficulty, item.points) for item in version(seed)[1].items)
        for seed in SEEDS
    }
    assert all(mix == mixes["A"] for mix in mixes.values())
    counts = Counter(objective for objective, _, _ in mixes["A"].elements())
    assert set(counts) == set(OBJECTIVES) and set(counts.values()) == {3}


def test_versions_differ_and_a_seed_makes_the_same_one_again():
    texts = {version(seed)[0].text for seed in SEEDS}
    assert len(texts) == len(SEEDS)
    assert version("A")[0].text == version("A")[0].text


def test_a_version_is_a_sound_bank_with_the_ids_of_the_kit():
    made, bank = version("A")
    known = {entry["id"] for source in SOURCES for entry in source.entries}
    assert {item.id for item in bank.items} <= known
    assert [item.id for item in bank.items] == list(made.ids)
    assert not [f for f in check(source_of(made.text, "v.yaml")) if f.level is Level.ERROR]


def test_numbers_of_a_version_are_settled():
    for seed in SEEDS:
        made, bank = version(seed)
        again = source_of(made.text, "version.yaml").build("another seed")
        assert [item.stem for item in again.items] == [item.stem for item in bank.items]


ORDERED = """\
bank: ordered
title: Ordered
items:
  - id: a-numbers
    type: mc
    objective: scale
    difficulty: 1
    source: Module 8
    stem: Which number?
    explanation: This one.
    options:
      - {text: $8$, belief: x, feedback: Look again.}
      - {text: '16', correct: true}
      - {text: '1,024', belief: x, feedback: Look again.}
      - {text: about 4096 times, belief: x, feedback: Look again.}
  - id: a-words
    type: mc
    objective: scale
    difficulty: 1
    source: Module 8
    stem: Which word?
    explanation: This one.
    options:
      - {text: one, correct: true}
      - {text: two, belief: x, feedback: Look again.}
      - {text: three, belief: x, feedback: Look again.}
      - {text: four, belief: x, feedback: Look again.}
"""


def test_shuffling_never_breaks_ordered_numbers():
    source = source_of(ORDERED, "ordered.yaml")
    words = set()
    for seed in SEEDS:
        made = assemble([source], ("scale",), 2, seed)
        entries = {entry["id"]: entry for entry in yaml.safe_load(made.text)["items"]}
        assert [option["text"] for option in entries["a-numbers"]["options"]] == [
            "$8$",
            "16",
            "1,024",
            "about 4096 times",
        ]
        words.add(tuple(option["text"] for option in entries["a-words"]["options"]))
    assert len(words) > 3


def test_the_key_moves_with_its_option():
    source = source_of(ORDERED, "ordered.yaml")
    for seed in SEEDS:
        bank = source_of(assemble([source], ("scale",), 2, seed).text, "v.yaml").build()
        item = bank.item("a-words")
        assert isinstance(item, MultipleChoice)
        assert [option.text[0].children[0].text for option in item.options if option.correct] == ["one"]


@pytest.mark.parametrize(
    ("objectives", "count", "word"),
    [
        (("scale",), 999, "999"),
        (("scale",), 0, "0 items"),
        (("nowhere",), 1, "nowhere"),
    ],
)
def test_what_can_not_be_assembled_is_told(objectives, count, word):
    with pytest.raises(AssemblyError, match=word):
        assemble(SOURCES, objectives, count, "A")


def test_a_version_is_graded_like_any_bank(tmp_path, capsys):
    out = tmp_path / "a.yaml"
    arguments = ["quiz", "assemble", "--objectives", "scale", "--count", "3", "--seed", "A", "--out", str(out)]
    assert main(arguments) == 0
    ids = [entry["id"] for entry in yaml.safe_load(out.read_text(encoding="utf-8"))["items"]]
    responses = tmp_path / "r.csv"
    responses.write_text("student,item,response\n" + "".join(f"s,{i},a\n" for i in ids), encoding="utf-8")
    assert main(["quiz", "grade", str(responses), "--quiz", str(out), "--out", str(tmp_path)]) == 0
    capsys.readouterr()
