"""A quiz in the terminal asks, answers at once, and keeps what was answered."""

import csv
import io

import pytest

from autograder.commands import main
from autograder.quiz.banks.loading import bank_names, load_bank
from autograder.quiz.take import question_text, take

from .test_marking import RIGHT, WRONG


def sitting(bank, *answers):
    """What was taken and said when these answers are typed, then the input ends."""
    typed, said = iter(answers), []

    def ask(prompt):
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    return take(bank, ask, said.append), "\n".join(said)


def test_all_ten_taken_right_earn_ten_and_taken_wrong_none():
    bank = load_bank("knowledge_check")
    taken, said = sitting(bank, *RIGHT.values())
    assert taken.score == 10 and said.count("Correct.") == 10
    taken, said = sitting(bank, *WRONG.values())
    assert taken.score == 0 and said.count("Not yet.") == 10


def test_what_can_not_be_an_answer_is_asked_again():
    taken, said = sitting(load_bank("knowledge_check"), "", "maybe", "false", "e", "a")
    assert "no answer to this question" in said
    assert [response for _, response, _ in taken.answers] == ["", "false", "a"]


def test_the_end_of_the_input_keeps_what_was_answered():
    taken, said = sitting(load_bank("knowledge_check"), "same sequence", "false")
    assert [row[1:] for row in csv.reader(io.StringIO(taken.responses_csv("student-01")))][1:] == [
        ["kc-01", "same sequence"],
        ["kc-02", "false"],
    ]
    assert "2 of 2 points" in said


def test_a_short_answer_that_rules_can_not_tell_is_shown_the_model_answer():
    _, said = sitting(load_bank("knowledge_check"), "from somewhere")
    assert "All three are projected from the same input sequence." in said


def test_a_model_answer_shows_no_markup():
    _, said = sitting(load_bank("knowledge_check"), "", "", "", "because")
    assert "overly peaked for large d_k" in " ".join(said.split()) and "$" not in said


@pytest.mark.parametrize("name", bank_names())
def test_a_question_fits_eighty_columns_and_shows_no_markup(name):
    for number, item in enumerate(load_bank(name).items, start=1):
        shown = question_text(number, item)
        lines = [line for line in shown.splitlines() if not line.startswith("    ")]
        assert max(map(len, lines)) <= 84, item.id
        assert "$" not in shown and "\\" not in shown and "{{" not in shown, item.id


def run(*arguments):
    return main(["quiz", *map(str, arguments)])


def test_a_page_is_written_by_take(tmp_path):
    assert run("take", "numeric", "--html", tmp_path / "a.html", "--graded", "--seed", "7") == 0
    assert "data-answers" not in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert run("take", "numeric", "--html", tmp_path / "b.html") == 0
    assert "data-answers" in (tmp_path / "b.html").read_text(encoding="utf-8")


def test_wrong_usage_is_two_and_a_missing_bank_one():
    assert run("take", "numeric", "--graded") == 2
    assert run("take", "nowhere") == 1
    with pytest.raises(SystemExit) as stopped:
        run("grade")
    assert stopped.value.code == 2
