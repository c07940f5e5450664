"""The contract's table of marks, on a student whose answers are scripted."""

import pytest

from autograder.grading.mark import Verdict, earned, points_of
from autograder.suite.checks import Check, Role


def results(**passed_by_role):
    return [
        Verdict(Check(f"{role}-{k}", Role(role), "", lambda student, cases: None), passed)
        for role, every in passed_by_role.items()
        for k, passed in enumerate(every)
    ]


def test_right_everywhere_earns_all():
    assert earned(results(value=[True], sign=[True], edge=[True, True], rule=[True]), hollow=False) == 1


def test_right_earns_all_where_no_edge_and_no_rule_is_held():
    assert earned(results(value=[True, True]), hollow=False) == 1


def test_right_on_ordinary_inputs_alone_earns_half():
    assert earned(results(value=[True], sign=[True], edge=[False], rule=[False]), hollow=False) == 0.5


def test_right_but_for_one_edge_earns_more_than_half_and_less_than_all():
    assert 0.5 < earned(results(value=[True], edge=[True, False], rule=[True]), hollow=False) < 1


@pytest.mark.parametrize("edges", [[True, True], [False, False]])
def test_wrong_on_ordinary_inputs_earns_a_fifth_at_most_whatever_the_edges(edges):
    assert earned(results(value=[False], sign=[True], edge=edges, rule=[True]), hollow=False) == 0.2


def test_a_hollow_answer_earns_nothing_whatever_signs_it_shows():
    assert earned(results(value=[False], sign=[True, True], edge=[True]), hollow=True) == 0


def test_entries_earn_their_share():
    assert earned(results(entry=[True, True, False, True]), hollow=False) == 0.75


def test_a_test_that_rejects_a_right_implementation_earns_nothing():
    assert earned(results(accept=[True, False], catch=[True, True]), hollow=False) == 0


def test_a_test_earns_in_proportion_to_what_it_catches():
    assert earned(results(accept=[True, True], catch=[True, False]), hollow=False) == 0.5


@pytest.mark.parametrize("maximum", [8, 10, 12, 15, 16, 18, 35, 50])
def test_rounding_never_lifts_a_mark_over_its_bound(maximum):
    assert points_of(0.2, maximum) <= maximum / 5
    assert points_of(0.5, maximum) >= maximum / 2
    assert points_of(1, maximum) == maximum
