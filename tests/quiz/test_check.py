"""Each rule of item writing finds its fault; on the lesson's own ten the findings are those recorded."""

import pytest

from autograder.quiz.banks.check import Level, check
from autograder.quiz.banks.loading import bank_names, find_bank, read_source

HEAD = "bank: mine\ntitle: Mine\nitems:\n"
COMMON = "    objective: scale\n    difficulty: 1\n    source: Module 8\n    explanation: Because.\n"


def choice(*options: str, stem: str = "What is the scale?", kind: str = "mc", name: str = "a-1", more: str = "") -> str:
    """An item whose options are texts; those that begin with + are right."""
    item = f"  - id: {name}\n    type: {kind}\n    stem: '{stem}'\n{COMMON}{more}    options:\n"
    for option in options:
        if option.startswith("+"):
            item += f"      - {{text: '{option[1:]}', correct: true}}\n"
        else:
            item += f"      - {{text: '{option}', belief: it is, feedback: Look again.}}\n"
    return item


def numeric(answer: str, *wrong: str, tolerance: str = "0", more: str = "") -> str:
    item = f"  - id: a-1\n    type: numeric\n    stem: How many?\n{COMMON}{more}    answer: {answer}\n"
    item += f"    tolerance: {tolerance}\n    wrong:\n"
    return item + "".join(f"      - {{formula: {w}, belief: it is, feedback: Look again.}}\n" for w in wrong)


def found(tmp_path, *items: str) -> dict[str, str]:
    path = tmp_path / "mine.yaml"
    path.write_text(HEAD + "".join(items), encoding="utf-8")
    return {finding.rule: str(finding.level) for finding in check(read_source(path))}


GOOD = ("+$\\sqrt{d_k}$", "$d_k$", "$n$")


@pytest.mark.parametrize(
    ("item", "rule"),
    [
        (choice("+a b", "+c d", "e f"), "one-key"),
        (choice("a b", "c d"), "one-key"),
        (choice("+a b", "+c d", kind="multi"), "one-key"),
        (choice("+n x n", "$N \\times n$", "d"), "equal-options"),
        (choice("+sequence", "a", "c"), "equal-options"),
        (choice(*GOOD, stem="What is $\\frac{1$?"), "latex"),
        (choice("+$\\sqrt{d_k$", "$d_k$"), "latex"),
        (choice(*GOOD, more="    kept: the words\n", stem="What is $\\foo$?"), "latex"),
        (numeric("8", "8.4", tolerance="0.5"), "tolerance"),
        (numeric("8", "4", tolerance="-1"), "tolerance"),
        (numeric("n * n", "2 * n", more="    variables: {n: [3, 2]}\n"), "tolerance"),
        (numeric("1 / n", "2", more="    variables: {n: [3, 0]}\n"), "format"),
    ],
)
def test_an_item_unfit_for_grading_is_an_error(tmp_path, item, rule):
    assert found(tmp_path, item).get(rule) == Level.ERROR


@pytest.mark.parametrize(
    ("item", "rule"),
    [
        (choice("+one way", "two ways", "None of the above"), "of-the-above"),
        (choice(*GOOD, stem="Which is not a scale?"), "bare-not"),
        (choice("+a very long and careful key with all its reasons", "short", "brief"), "longest-key"),
        (choice("+large scores", "always small", "zero"), "absolute-words"),
        (choice("+the softmax", "the sum", "the mean", stem="What makes softmax rows?"), "clue-in-stem"),
        (choice("+64", "8", "512"), "unsorted-numbers"),
        (choice("+the keys", "the queries", "both of them", name="a-keys"), "telling-id"),
        (choice("+aa", "bb", "cc", "dd", "ee", "ff"), "many-options"),
        (numeric("8", "4", "2 * 2"), "equal-distractors"),
    ],
)
def test_an_item_to_look_at_again_is_a_warning_unless_it_is_kept(tmp_path, item, rule):
    assert found(tmp_path, item)[rule] == Level.WARNING
    kept = item.replace("    difficulty", "    kept: the words\n    difficulty")
    assert found(tmp_path, kept)[rule] == Level.RECORDED


@pytest.mark.parametrize(
    "item",
    [
        choice(*GOOD),
        choice("+a b", "+c d", "e f", kind="multi"),
        choice("8", "+64", "512"),
        choice("+the keys", "the queries", name="a-queries"),
        choice("+the keys", "the values", name="a-keys", stem="What of keys and values?"),
        choice(*GOOD, stem="Which is *not* a scale?"),
        choice("+only here", "only there", "nowhere"),
        numeric("n * 2", "n", "n + 9", more="    variables: {n: [3, 4]}\n"),
    ],
)
def test_a_sound_item_has_no_finding(tmp_path, item):
    assert found(tmp_path, item) == {}


def test_a_key_that_is_always_in_one_place_is_told(tmp_path):
    items = [choice(*GOOD, name=f"a-{number}") for number in range(5)]
    assert found(tmp_path, *items) == {"key-in-one-place": Level.WARNING}


def test_a_key_in_one_place_among_items_with_as_many_options_is_told(tmp_path):
    three = [choice(*GOOD, name=f"a-{number}") for number in range(5)]
    four = [
        choice("aa", *more, name=f"b-{at}") for at, more in enumerate(3 * [("+bb", "cc", "dd"), ("bb", "cc", "+dd")])
    ]
    assert found(tmp_path, *three, *four) == {"key-in-one-place": Level.WARNING}
    assert found(tmp_path, *four) == {}


def statement(answer: str, name: str) -> str:
    item = f"  - id: {name}\n    type: tf\n    stem: The scale is a root.\n{COMMON}    answer: {answer}\n"
    return item + "    wrong: {belief: it is, feedback: Look again.}\n"


def test_statements_that_are_nearly_all_true_are_told(tmp_path):
    answers = ["true", "true", "true", "true", "false"]
    assert found(tmp_path, *(statement(answer, f"a-{at}") for at, answer in enumerate(answers))) == {
        "one-answer": Level.WARNING
    }
    assert found(tmp_path, *(statement(answer, f"a-{at}") for at, answer in enumerate(answers[1:]))) == {}
    assert found(tmp_path, *(statement(answer, f"a-{at}") for at, answer in enumerate([*answers[1:], "false"]))) == {}


SHORT = """\
  - id: a-1
    type: short
    stem: Why scale?
    answer: against saturation
    concepts: {saturation: [saturat*]}
    contradictions:
      - {denies: saturation, belief: it does not, feedback: Look again.}
"""


@pytest.mark.parametrize(
    ("extra", "rule", "level"),
    [
        ("    sample_answers: {right: [softmax does not saturate], wrong: {}}\n", "samples", Level.ERROR),
        ("    sample_answers: {right: [], wrong: {half: [it saturates]}}\n", "samples", Level.ERROR),
        ("", "few-samples", Level.WARNING),
    ],
)
def test_rules_of_a_short_item_are_held_against_its_sample_answers(tmp_path, extra, rule, level):
    assert found(tmp_path, SHORT + COMMON + extra)[rule] == level


def test_a_short_items_id_that_names_its_answer_is_told(tmp_path):
    assert found(tmp_path, SHORT.replace("a-1", "a-saturation") + COMMON)["telling-id"] == Level.WARNING


def test_a_model_answer_whose_formula_does_not_parse_is_an_error(tmp_path):
    assert (
        found(tmp_path, SHORT.replace("against saturation", "saturation by $\\frac{1$") + COMMON)["latex"]
        == Level.ERROR
    )


def test_a_model_answer_that_its_own_rules_refuse_is_an_error(tmp_path):
    assert found(tmp_path, SHORT.replace("against saturation", "for stability") + COMMON)["samples"] == Level.ERROR


def test_a_bad_pattern_is_told_with_its_place(tmp_path):
    assert found(tmp_path, SHORT.replace("saturat*", "saturat*~") + COMMON) == {"format": Level.ERROR}


def test_the_kits_banks_have_no_error_and_no_warning():
    for name in bank_names():
        findings = [f for f in check(read_source(find_bank(name))) if f.level is not Level.RECORDED]
        assert not findings, "\n".join(map(str, findings))


def test_the_lessons_own_ten_are_kept_with_these_warnings_recorded():
    recorded = [(f.place.item, f.rule) for f in check(read_source(find_bank("knowledge_check")))]
    assert recorded == [("kc-09", "longest-key"), ("kc-09", "absolute-words")]
