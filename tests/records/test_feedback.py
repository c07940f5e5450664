"""A feedback page says what was right, what was seen, what to look at next, and nothing that it must not."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from autograder.catalogue.result import CheckResult, Outcome
from autograder.records.feedback import FeedbackPage, State, feedback_html, in_words


class Reader(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.text = [], [], ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_data(self, data):
        self.text += data


def step(result):
    return FeedbackPage(result).next_step


def test_next_is_the_diagnosed_exercise(make):
    result = make["softmax_over_queries"]("student-01")
    assert step(result).exercise == "softmax_rows"
    assert step(result).text == result.exercises[6].diagnoses[0].feedback


def test_next_is_an_observation_before_an_error_and_an_error_before_what_is_not_written(make):
    result = make["half_done"]("student-01")
    assert step(result).exercise == "attention_scores" and "divided by 5.0" in step(result).text
    by_name = {exercise.exercise: exercise for exercise in make["full_marks"]("student-01").exercises}
    mended = replace(result, exercises=(*result.exercises[:4], by_name["attention_scores"], *result.exercises[5:]))
    assert step(mended).exercise == "scale_scores" and "NameError in line 41" in step(mended).text
    mended = replace(mended, exercises=(*mended.exercises[:5], by_name["scale_scores"], *mended.exercises[6:]))
    assert step(mended).exercise == "softmax_rows" and "not implemented" in step(mended).text


def test_next_is_the_first_exercise_of_an_empty_submission(make):
    assert step(make["empty"]("student-01")).exercise == "matrix_dimensions"


def test_an_exercise_that_fell_over_an_unwritten_one_is_not_next(make):
    result = make["half_done"]("student-01")
    by_name = {exercise.exercise: exercise for exercise in result.exercises}
    stub = replace(by_name["self_attention"].error, type="TypeError", message="softmax_rows returned None")
    fallen = replace(by_name["self_attention"], error=stub)
    right = make["full_marks"]("student-01").exercises
    assert (
        step(replace(result, exercises=(*right[:6], by_name["softmax_rows"], right[7], fallen))).exercise
        == "softmax_rows"
    )


def test_nothing_is_next_after_full_marks(make):
    assert step(make["full_marks"]("student-01")) is None
    assert "Everything is right" in feedback_html(make["full_marks"]("student-01"))


def test_follow_through_is_told_with_both_marks(make):
    text = " ".join(Reader(feedback_html(make["softmax_over_queries"]("student-01"))).text.split())
    assert (
        "builds on softmax_rows, so it was marked twice: with your own it earns 3.6 of 18 points, "
        "with a right version in its place 18."
    ) in text


def test_an_unreadable_submission_gets_its_reason_and_what_to_do(make):
    text = Reader(feedback_html(make["unreadable"]("student-01"))).text
    assert "does not parse: line 12" in text and "hand it in again" in text


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_has_a_state_in_words_and_something_to_say(make, outcome):
    result = make["empty"]("student-01")
    page = feedback_html(
        replace(result, exercises=(replace(result.exercises[0], outcome=outcome), *result.exercises[1:]))
    )
    part = FeedbackPage(replace(result, exercises=(replace(result.exercises[0], outcome=outcome),))).parts[0]
    assert part.state in list(State) and str(part.state) in Reader(page).text and step(result).text


def test_hostile_text_makes_no_tag_no_attribute_and_no_template(make):
    page = feedback_html(make["hostile"]("student-01"))
    reader = Reader(page)
    assert "<script" not in page and not {"script", "img"} & set(reader.tags) and reader.tags.count("style") == 1
    assert not [name for name, _ in reader.attributes if name.startswith("on")]
    assert "{{ 7*7 }}" in reader.text
    assert not [c for c in page if (ord(c) < 32 and c not in "\n") or c in "\x7f\x9b\u202e\ud800"]


def test_flags_are_never_shown_to_students(make):
    for name in ("hostile", "stopped"):
        page = feedback_html(make[name]("student-01"))
        assert (
            "canary-flag" not in page and "writes-to-protocol" not in page and "flag" not in Reader(page).text.lower()
        )


def test_a_page_loads_nothing(make):
    reader = Reader(feedback_html(make["half_done"]("student-01")))
    assert not {"link", "img", "iframe", "object", "script"} & set(reader.tags)
    assert all(value.startswith("#") for name, value in reader.attributes if name in ("href", "src"))


def test_a_failed_visible_check_says_that_it_can_be_run(make):
    result = make["half_done"]("student-01")
    seen = replace(
        result.exercises[4],
        checks=(CheckResult("worked_example", False, "The worked example differs.", visible=True),),
    )
    assert "run a visible check of this yourself" in feedback_html(replace(result, exercises=(seen,)))


def test_checks_that_saw_the_same_are_told_together(make):
    result = make["half_done"]("student-01")
    names = ("value", "int64", "entry_W_Q", "one_token")
    failed = tuple(CheckResult(n, False, f"Law of {n}. Here A is off.", seen="A is off") for n in names[:3])
    alone = CheckResult("one_token", False, "A law of its own. Here A has 2 rows.", seen="A has 2 rows")
    seen = replace(result.exercises[4], checks=(*failed, alone), observations=("A is off.",))
    text = " ".join(Reader(feedback_html(replace(result, exercises=(seen,)))).text.split())
    assert "A is off. In 3 checks: right on ordinary inputs, int64, entry W_Q." in text
    assert "A law of its own. Here A has 2 rows." in text and "Law of" not in text
    assert text.count("A is off.") == 2  # at the top, as what to look at next, and in its exercise


def test_an_exercise_that_is_not_written_is_told_in_one_sentence(make):
    checks = tuple(CheckResult(n, False, "Law. Here nothing.", seen="nothing") for n in ("value", "int64"))
    result = make["empty"]("student-01")
    page = feedback_html(replace(result, exercises=(replace(result.exercises[0], checks=checks),)))
    assert "This exercise is not implemented yet." in page and "Law" not in page


def test_a_checks_name_is_told_in_words_and_a_matrix_keeps_its_own():
    names = ("value", "rows_sum_to_one", "entry_W_Q", "entry_Q", "another_d_k", "int64")
    words = ["right on ordinary inputs", "rows sum to one", "entry W_Q", "entry Q", "another d_k", "int64"]
    assert [in_words(name) for name in names] == words


def test_zeros_are_not_praised_for_the_laws_that_zeros_keep(make):
    result = make["full_marks"]("student-01")
    zeros = replace(result.exercises[0], score=0.0, outcome=Outcome.FAILED)
    assert not FeedbackPage(replace(result, exercises=(zeros,))).parts[0].passed
