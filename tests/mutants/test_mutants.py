"""Mutants are small changes to what students write, and each that is called equivalent exists.

`make mutants` grades them.
"""

import ast

import pytest

from autograder.authoring.reference import read_reference
from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.shipped import shipped

from .judge import Equivalent, faults, listed
from .mutate import Change, answers, mutants_of


def reference_of(assignment):
    return read_reference(shipped("reference_solutions"), ASSIGNMENTS[assignment])


@pytest.fixture(scope="module", params=ASSIGNMENTS)
def mutated(request):
    return request.param, mutants_of(reference_of(request.param))


def test_every_exercise_has_mutants_that_parse_and_differ(mutated):
    assignment, mutants = mutated
    assert {e.name for e in ASSIGNMENTS[assignment].exercises} <= {mutant.change.cell for mutant in mutants}
    whole = ast.dump(ast.parse(answers(reference_of(assignment), {})))
    assert whole not in {ast.dump(ast.parse(mutant.source)) for mutant in mutants}


def test_visible_checks_are_not_mutated(mutated):
    _, mutants = mutated
    assert not any("def check_" in mutant.source for mutant in mutants)


def test_every_mutant_that_is_called_equivalent_exists(mutated):
    assignment, mutants = mutated
    made = {mutant.change for mutant in mutants}
    assert [e.change for e in listed() if e.assignment == assignment and e.change not in made] == []


def test_every_entry_has_a_reason_and_stands_once():
    entries = listed()
    assert all(entry.reason.endswith(".") for entry in entries)
    assert len({(entry.assignment, entry.change) for entry in entries}) == len(entries)


def test_a_survivor_that_is_not_listed_and_an_entry_that_died_are_both_faults():
    survivor, dead = Change("softmax_rows", "return a", "return b"), Change("softmax_rows", "return c", "return d")
    told = faults("01_numpy_self_attention", [survivor], [Equivalent("01_numpy_self_attention", dead, "None.")])
    assert "is not listed" in told[0] and "+ return b" in told[0]
    assert "no longer survives" in told[1] and "+ return d" in told[1]
    assert faults("02_torch_self_attention", [], [Equivalent("01_numpy_self_attention", dead, "None.")]) == []
