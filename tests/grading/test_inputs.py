"""Inputs are drawn from a course's sets by a keyed hash."""

from autograder.grading.inputs import SETS, chosen_set, inputs_set

ASSIGNMENT = "01_numpy_self_attention"


def test_the_same_submission_always_meets_the_same_set():
    assert chosen_set("secret", ASSIGNMENT, "student-01", "abc") == chosen_set(
        "secret", ASSIGNMENT, "student-01", "abc"
    )


def test_another_secret_draws_other_inputs():
    assert inputs_set("one", ASSIGNMENT, 0).seed != inputs_set("other", ASSIGNMENT, 0).seed


def test_all_sets_are_met_and_none_is_favoured():
    met = [chosen_set("secret", ASSIGNMENT, f"student-{k}", "abc").id for k in range(800)]
    assert len(set(met)) == SETS
    assert min(met.count(one) for one in set(met)) > 50


def test_the_id_of_a_set_tells_neither_secret_nor_seed():
    chosen = chosen_set("secret", ASSIGNMENT, "student-01", "abc")
    assert "secret" not in chosen.id
    assert chosen.seed.hex() not in chosen.id


def test_parts_of_the_key_cannot_run_into_each_other():
    assert chosen_set("s", "a", "b\0c", "d").seed != inputs_set("s", "a\0b", 0).seed
