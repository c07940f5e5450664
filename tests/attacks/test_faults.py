"""Processes that are killed in the middle of a grading change no record. `make kills` kills a thousand."""

from .kills import compare


def test_a_few_random_kills_change_nothing():
    killed, _ = compare(5, seed=7)
    assert killed.total() >= 5
