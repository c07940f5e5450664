"""Short answers: no wrong one is marked correct, no right one incorrect; what rules can't tell goes to a person."""

from collections import Counter
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from random import Random

import pytest
import yaml

from autograder.quiz.banks.loading import bank_names, load_bank
from autograder.quiz.model import ShortAnswer
from autograder.quiz.outcome import Outcome
from autograder.quiz.short_answers.judging import judge
from autograder.quiz.short_answers.patterns import PatternError, Stance, read_pattern
from autograder.quiz.short_answers.wording import clauses_of

HELD_OUT = yaml.safe_load(Path(__file__).with_name("short_answers.yaml").read_text(encoding="utf-8"))
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


def tally(run: str, item: str) -> Tally:
    answers = HELD_OUT[item][run]
    wrong = [answer for kind in answers["wrong"].values() for answer in kind]
    right, wrong = ([judge(ITEMS[item], answer).outcome for answer in group] for group in (answers["right"], wrong))
    return Tally(Counter(right), Counter(wrong))


def table(run: str) -> str:
    tallies = {item: tally(run, item) for item in HELD_OUT}
    everything = Tally(
        sum((t.right for t in tallies.values()), Counter()), sum((t.wrong for t in tallies.values()), Counter())
    )
    return "\n".join(
        [
            "| item | right marked correct | right marked incorrect | wrong marked incorrect | wrong marked correct "
            "| review |",
            "|---|---|---|---|---|---|",
            *(t.row(name) for name, t in tallies.items()),
            everything.row("all"),
        ]
    )


def test_of_the_answers_kept_aside_none_is_marked_wrongly_and_a_third_at_most_is_for_review():
    print("\n" + table("second_run"))
    tallies = [tally("second_run", item) for item in HELD_OUT]
    assert sum(t.wrong[Outcome.CORRECT] for t in tallies) == 0
    assert sum(t.right[Outcome.INCORRECT] for t in tallies) == 0
    assert sum(t.review for t in tallies) <= sum(t.total for t in tallies) / 3


def test_the_first_set_kept_aside_now_has_no_wrong_mark_either():
    tallies = [tally("first_run", item) for item in HELD_OUT]
    assert sum(t.wrong[Outcome.CORRECT] for t in tallies) == sum(t.right[Outcome.INCORRECT] for t in tallies) == 0


def test_the_readme_shows_the_measured_table():
    assert table("second_run") in README.read_text(encoding="utf-8")


@pytest.mark.parametrize("item", ITEMS)
def test_every_short_item_has_thirty_test_answers_a_third_of_them_kept_aside(item):
    samples, aside = ITEMS[item].samples, HELD_OUT[item]["second_run"]
    assert len(samples.right) >= 10 and len(samples.wrong) >= 10
    assert len(aside["right"]) == sum(len(kind) for kind in aside["wrong"].values()) == 6
    assert set(aside["wrong"]) == {"negated", "inverted", "salad", "half"}


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
    assert judge(ITEMS[item], ITEMS[item].answer + " and so on" * 14).outcome is Outcome.REVIEW


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
