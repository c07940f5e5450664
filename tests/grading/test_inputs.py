"""Inputs are drawn from a course's sets by a keyed hash."""

from dataclasses import replace

import pytest

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.grading.inputs import SETS, chosen_set, inputs_set, order_key
from autograder.intake import Submission, collect
from autograder.integrations.nbgrader.marking import submission_in

ASSIGNMENT = ASSIGNMENTS["01_numpy_self_attention"]
SUBMISSION = Submission("student-01", ASSIGNMENT.id, (), "abc")


def test_the_same_submission_always_meets_the_same_set():
    assert chosen_set("secret", SUBMISSION) == chosen_set("secret", replace(SUBMISSION))


def test_another_secret_draws_other_inputs():
    assert inputs_set("one", ASSIGNMENT.id, 0).seed != inputs_set("other", ASSIGNMENT.id, 0).seed


def test_all_sets_are_met_and_none_is_favoured():
    met = [chosen_set("secret", replace(SUBMISSION, student=f"student-{k}")).id for k in range(800)]
    assert len(set(met)) == SETS
    assert min(met.count(one) for one in set(met)) > 50


def test_the_id_of_a_set_tells_neither_secret_nor_seed():
    chosen = chosen_set("secret", SUBMISSION)
    assert "secret" not in chosen.id
    assert chosen.seed.hex() not in chosen.id


def test_parts_of_the_key_cannot_run_into_each_other():
    one, other = replace(SUBMISSION, student="a\0b", sha256="c"), replace(SUBMISSION, student="a", sha256="b\0c")
    assert order_key("s", one) != order_key("s", other)


@pytest.mark.parametrize("id_", ["anna", "Anna", "One, Ada"])
def test_what_a_student_is_asked_does_not_depend_on_who_else_is_in_the_class_or_on_who_runs_it(tmp_path, id_):
    """Two ids that differ in capitals alone can't both be a file's name, so one of them has another form there."""
    for student in ("Anna", "anna", "One, Ada"):
        file = tmp_path / student / f"{ASSIGNMENT.file}.py"
        file.parent.mkdir()
        file.write_text(f"# {student}")
    in_class = {s.student_as_given or s.student: s for s in collect([tmp_path], ASSIGNMENT)}[id_]
    (alone,) = collect([tmp_path / id_], ASSIGNMENT)
    in_nbgrader = submission_in(tmp_path / id_, id_, ASSIGNMENT)
    for submission in (alone, in_nbgrader):
        assert chosen_set("secret", submission) == chosen_set("secret", in_class)
        assert order_key("secret", submission) == order_key("secret", in_class)
