"""Short answers: no wrong one is marked correct, no right one incorrect; what rules can't tell goes to a person."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from math import sqrt
from pathlib import Path
from random import Random

import pytest
import yaml

from autograder.quiz.banks.loading import bank_names, load_bank
from autograder.quiz.model import Concept, ShortAnswer
from autograder.quiz.outcome import Outcome
from autograder.quiz.short_answers.judging import is_blank, judge
from autograder.quiz.short_answers.patterns import PatternError, Stance, read_pattern
from autograder.quiz.short_answers.spelling import is_one_slip
from autograder.quiz.short_answers.wording import clauses_of, looks_thrown_together
from autograder.quiz.texts.plain import plain_text

HELD_OUT = yaml.safe_load(Path(__file__).with_name("short_answers.yaml").read_text(encoding="utf-8"))
SECOND_WRITER = yaml.safe_load(Path(__file__).with_name("second_writer.yaml").read_text(encoding="utf-8"))
ITEMS = {item.id: item for name in bank_names() for item in load_bank(name).items if isinstance(item, ShortAnswer)}
README = Path(__file__).parents[2] / "quizzes" / "README.md"


def wilson(count: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval (1927) of a share, at 95 %."""
    share, square = count / total, z * z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = z / (1 + square / total) * sqrt(share * (1 - share) / total + square / (4 * total * total))
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class Tally:
    """Outcomes of the held-out answers of one item, or of all."""

    right: Counter[Outcome]
    wrong: Counter[Outcome]

    @property
    def review(self) -> int:
        return self.right[Outcome.REVIEW] + self.wrong[Outcome.REVIEW]

    @property
    def total(self) -> int:
        return self.right.total() + self.wrong.total()

    def row(self, name: str) -> str:
        cells = (
            (self.right[Outcome.CORRECT], self.right.total()),
            (self.right[Outcome.INCORRECT], self.right.total()),
            (self.wrong[Outcome.INCORRECT], self.wrong.total()),
            (self.wrong[Outcome.CORRECT], self.wrong.total()),
            (self.review, self.total),
        )
        return f"| {name} | " + " | ".join(map(share, cells)) + " |"


def share(cell: tuple[int, int]) -> str:
    low, high = wilson(*cell)
    return f"{cell[0]}/{cell[1]} ({low:.0%}–{high:.0%})"


def tally(item: str, answers: dict) -> Tally:
    wrong = [answer for kind in answers["wrong"].values() for answer in kind]
    right, wrong = ([judge(ITEMS[item], answer).outcome for answer in group] for group in (answers["right"], wrong))
    return Tally(Counter(right), Counter(wrong))


def of_all(tallies: Iterable[Tally]) -> Tally:
    tallies = list(tallies)
    return Tally(sum((t.right for t in tallies), Counter()), sum((t.wrong for t in tallies), Counter()))


@cache
def of_run(run: str) -> dict[str, Tally]:
    """Of each item, what the rules as they are make of one set of answers."""
    answers = HELD_OUT if run.endswith("_run") else SECOND_WRITER
    return {item: tally(item, answers[item][run]) for item in answers}


@pytest.mark.parametrize("run", ["first_run", "second_run", "tuned_on", "held_out", "third"])
def test_of_the_answers_that_the_rules_have_met_none_is_marked_wrongly(run):
    print("\n" + "\n".join(t.row(name) for name, t in of_run(run).items()))
    marked = of_all(of_run(run).values())
    assert marked.wrong[Outcome.CORRECT] == 0
    assert marked.right[Outcome.INCORRECT] == 0


def test_of_the_answers_kept_aside_by_the_first_writer_a_third_at_most_is_for_review():
    marked = of_all(of_run("second_run").values())
    assert marked.review <= marked.total / 3


def test_the_readme_shows_what_the_rules_make_of_the_second_writers_answers():
    readme = README.read_text(encoding="utf-8")
    for run, name in {
        "tuned_on": "half that rules were mended on",
        "held_out": "other half",
        "third": "third set",
    }.items():
        assert of_all(of_run(run).values()).row(name) in readme


def test_a_partial_answer_is_hardly_ever_marked_without_a_person():
    answers = {
        answer: judge(ITEMS[item], answer).outcome
        for item, runs in SECOND_WRITER.items()
        for run in runs.values()
        for answer in run["partial"]
    }
    assert Outcome.CORRECT not in answers.values()
    assert [answer for answer, outcome in answers.items() if outcome is Outcome.INCORRECT] == [
        "O(n^2) parameters and memory"
    ]


@pytest.mark.parametrize("item", ITEMS)
def test_every_short_item_has_thirty_test_answers_a_third_of_them_kept_aside(item):
    samples, aside = ITEMS[item].samples, HELD_OUT[item]["second_run"]
    assert len(samples.right) >= 10 and len(samples.wrong) >= 10
    assert len(aside["right"]) == sum(len(kind) for kind in aside["wrong"].values()) == 6
    assert set(aside["wrong"]) == {"negated", "inverted", "salad", "half"}


@pytest.mark.parametrize("item", ITEMS)
def test_every_short_item_has_forty_answers_of_a_second_writer_half_of_them_wrong(item):
    first = [SECOND_WRITER[item][run] for run in ("tuned_on", "held_out")]
    assert sum(len(run["right"]) for run in first) >= 20
    assert sum(len(kind) for run in first for kind in run["wrong"].values()) >= 20


@pytest.mark.parametrize("item", ITEMS)
def test_right_answers_in_a_random_order_are_hardly_ever_accepted(item):
    draw, accepted, total = Random(1), 0, 0
    for answer in ITEMS[item].samples.right:
        words = answer.rstrip(".").split()
        for _ in range(10 if len(words) >= 6 else 0):
            draw.shuffle(words)
            accepted += judge(ITEMS[item], " ".join(words)).outcome is Outcome.CORRECT
            total += 1
    assert accepted <= 0.2 * total


@pytest.mark.parametrize("item", ITEMS)
@pytest.mark.parametrize("around", ["It is not true that {}", "It would be wrong to say that {}", "{}, which is false"])
def test_a_right_answer_that_is_denied_as_a_whole_is_not_correct(item, around):
    for answer in ITEMS[item].samples.right:
        denied = around.format(answer[0].lower() + answer[1:].rstrip("."))
        assert judge(ITEMS[item], denied).outcome is not Outcome.CORRECT, denied


@pytest.mark.parametrize("item", ITEMS)
def test_more_than_forty_words_are_for_review(item):
    assert judge(ITEMS[item], plain_text(ITEMS[item].answer) + " and so on" * 14).outcome is Outcome.REVIEW


def stances(pattern: str, answer: str) -> set[Stance]:
    return {match.stance for match in read_pattern(pattern).matches(clauses_of(answer))}


@pytest.mark.parametrize(
    ("pattern", "answer", "stance"),
    [
        ("same sequence", "the same input sequence", Stance.ASSERTED),
        ("same sequence", "not from the same sequence", Stance.DENIED),
        ("same sequence", "they don't share the same sequence", Stance.DENIED),
        ("same sequence", "they dont share the same sequence", Stance.DENIED),
        ("same sequence", "never not the same sequence", Stance.UNCLEAR),
        ("same sequence", "not only the same sequence", Stance.UNCLEAR),
        ("same sequence", "not from two, but from the same sequence", Stance.ASSERTED),
        ("softmax saturat*", "it prevents softmax saturation", Stance.UNCLEAR),
        ("not ~2 peaked", "softmax is not too peaked", Stance.ASSERTED),
        ("many heads", "many heads instead of one", Stance.ASSERTED),
        ("one head", "instead of one head there are many", Stance.DENIED),
        ("dot+product* grow", "dot-products do grow", Stance.ASSERTED),
        ("grow d_k", "grow with $d_k$", Stance.ASSERTED),
        ("position* encod*", "positional encodings are not needed", Stance.DENIED),
        ("many heads", "many heads are not one", Stance.UNCLEAR),
        ("q ~4 target ~6 k ~4 source", "Q comes from the target whereas K comes from the source", Stance.ASSERTED),
        ("k ~4 source", "Q does not come from the source, while K comes from the source", Stance.ASSERTED),
        ("^ q ~3 target", "but Q comes from the target", Stance.ASSERTED),
        ("^ self+attention $", "self-attention", Stance.ASSERTED),
        ("^ self+attention $", "self-attention, it is", Stance.ASSERTED),
        ("^ self+attention $", "self-attention takes one sequence", None),
        ("cross+attention", "cross-attn w/ a mask", Stance.ASSERTED),
        ("cross+attention", "Crossattention", Stance.ASSERTED),
        ("i ~2 j", "the weight of j in the output, i.e. of j", None),
        ("similar ~1 scale", "a similar scale no matter the size", Stance.ASSERTED),
        ("i attends ~2 j", "i attends to j, not the other way round", Stance.ASSERTED),
        ("large scores", "big d_k -> large scores", Stance.ASSERTED),
        ("large scores", "large -> scores", None),
        ("cross+attention", "cross-attn w/o a mask", Stance.UNCLEAR),
        ("o ~0 n^2", "it is O(n²)", Stance.ASSERTED),
        ("^ q", "K and Q", None),
        ("same sequence", "the same. A sequence", None),
        ("same sequence", "same one two three four sequence", None),
    ],
)
def test_a_pattern_is_asserted_denied_or_unclear_within_its_clause(pattern, answer, stance):
    assert stances(pattern, answer) == ({stance} if stance else set())


@pytest.mark.parametrize("pattern", ["", "~2 a", "a ~x b", "a||b", "*", "a b*c"])
def test_a_pattern_that_cannot_be_read_is_refused(pattern):
    with pytest.raises(PatternError):
        read_pattern(pattern)


def judged(concept: str, answer: str, **rules: object) -> Outcome:
    item = replace(
        ITEMS["obj-order"],
        concepts=(Concept("told", (concept,)),),
        contradictions=(),
        **rules,
    )
    return judge(item, answer).outcome


def test_a_true_aside_with_a_negation_leaves_an_answer_correct():
    answer = "positional encodings, attention alone is not aware of the order"
    assert judged("position* encod*", answer, asides=()) is Outcome.REVIEW
    assert judged("position* encod*", answer, asides=("not ~1 aware",)) is Outcome.CORRECT
    assert (
        judged("position* encod*", "attention alone is not aware of the order", asides=("not ~1 aware",))
        is Outcome.REVIEW
    )


@pytest.mark.parametrize("answer", ["positonal encodings", "positional encodding", "postiional encodings"])
def test_a_slip_in_a_long_word_is_read_over(answer):
    assert judged("positional encod*", answer) is Outcome.CORRECT


@pytest.mark.parametrize(
    ("word", "other", "slip"),
    [
        ("encdoing", "encoding", True),
        ("encodin", "encoding", True),
        ("encoddings", "encodings", True),
        ("encodong", "encoding", True),
        ("decoder", "encoder", False),
        ("unscaled", "scaled", False),
        ("increase", "decrease", False),
        ("encoding", "encoding", False),
    ],
)
def test_a_slip_is_one_letter_after_the_same_first_letter(word, other, slip):
    assert is_one_slip(word, other) is is_one_slip(other, word) is slip


@pytest.mark.parametrize(
    "answer",
    [
        "idk we didn't do that in my section",
        "No idea, sorry!",
        "I don’t remember",
        "no clue, haven't watched the next lecture",
    ],
)
def test_small_talk_beside_i_dont_know_is_blank(answer):
    assert is_blank(answer)


@pytest.mark.parametrize(
    "answer", ["not sure, positional encodings?", "no idea, maybe the mask", "none of them has an order", "no"]
)
def test_a_guess_beside_i_dont_know_is_an_answer(answer):
    assert not is_blank(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "softmax gradient variance dot product sqrt d_k large saturate",
        "same sequence W_Q W_K W_V learned linear",
        "order count self attention word embedding positional softmax",
    ],
)
def test_key_words_with_nothing_that_binds_them_are_no_sentence(answer):
    assert looks_thrown_together(clauses_of(answer))


@pytest.mark.parametrize(
    "answer",
    [
        "Q = X W_Q, K = X W_K, V = X W_V",
        "Larger vectors give larger dot products",
        "O(n^2 d_k) multiplications for QK^T",
    ],
)
def test_formulas_and_terse_sentences_are_not_taken_for_key_words(answer):
    assert not looks_thrown_together(clauses_of(answer))


def test_a_laugh_goes_to_a_person():
    assert judged("position* encod*", "positional encodings lol") is Outcome.REVIEW
