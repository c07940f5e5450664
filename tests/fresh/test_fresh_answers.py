"""Wrong answers that were not in the bank lose marks as the contract's table says, and right ones lose none."""

import pytest

from autograder.boundary.outside.wall import raise_wall

from .__main__ import PAGE
from .answers import exercise_of, fresh_answers, graded, page, part_of, right_answers

ANSWERS = {answer.id: answer for answer in fresh_answers()}
LOOK_ALIKES = [answer.id for answer in ANSWERS.values() if answer.never_told]
RIGHT = {answer.id: answer for answer in right_answers()}
BOUNDS = {
    "empty": lambda part: part == 0,
    "wrong": lambda part: part <= 0.2,
    "edge": lambda part: 0.5 <= part < 1,
    "by rule": lambda part: part < 1,
    "by entry": lambda part: part < 1,
    "open": lambda part: part <= 1,
}


@pytest.fixture(scope="module")
def results():
    with raise_wall() as wall:
        return {answer.id: graded(answer, wall) for answer in ANSWERS.values()}


def test_there_are_forty_and_more_over_all_six_assignments():
    assert len(ANSWERS) >= 40
    assert len({answer.assignment for answer in ANSWERS.values()}) == 6


@pytest.mark.parametrize("id", ANSWERS)
def test_it_earns_what_the_table_gives_it(results, id):
    for exercise, held in ANSWERS[id].classes.items():
        part = part_of(results[id], exercise)
        assert BOUNDS[held](part), f"{exercise}: {ANSWERS[id].what} is held to be {held} and earns {part:.0%}"


@pytest.mark.parametrize("id", LOOK_ALIKES)
def test_it_is_not_given_the_name_of_another_misconception(results, id):
    for exercise in ANSWERS[id].classes:
        told = {diagnosis.misconception for diagnosis in exercise_of(results[id], exercise).diagnoses}
        assert not told & set(ANSWERS[id].never_told), f"{exercise}: {ANSWERS[id].what} is told {', '.join(told)}"


@pytest.mark.parametrize("id", RIGHT)
def test_a_right_answer_earns_all_points_in_whatever_style(id):
    with raise_wall() as wall:
        result = graded(RIGHT[id], wall)
    lost = [e.exercise for e in result.exercises if e.score < e.max_score]
    assert result.score == result.max_score, f"{RIGHT[id].style} loses points in {', '.join(lost)}"


def test_the_published_list_is_current(results):
    written = PAGE.read_text(encoding="utf-8")
    assert verdicts(written) == verdicts(page(results)), "make it again with `python -m tests.fresh`"


def verdicts(text):
    """Marks and names of each row; what was seen in numbers is left out, since some of the code draws at random."""
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [(*row[:-1], row[-1] if "`" in row[-1] else "") for row in rows]
