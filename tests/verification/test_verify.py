"""`attnkit verify` holds over all six assignments, and would not hold over a weaker suite."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from autograder.boundary.outside.wall import raise_wall
from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.commands.verify import CERTIFICATE
from autograder.grading.inputs import inputs_set
from autograder.grading.rehearsal import rehearse
from autograder.suite import suite_of
from autograder.suite.checks import Check, Role, Unanswered
from autograder.suite.expect import Unmet
from autograder.verification.certificate import certificate
from autograder.verification.completeness import missing_parts
from autograder.verification.proof import SECRET, Proof, hold_model, hold_verdict, prove

EVERY = list(ASSIGNMENTS)
EXERCISES = [(a.id, e.name) for a in ASSIGNMENTS.values() for e in a.exercises]
POWERS = re.compile(r"(below|above) 1e[+-]\d+|exact")  # measured, they differ a little from processor to processor
VERDICTS = {Role.VALUE, Role.ENTRY, Role.CATCH}


@pytest.fixture(scope="module")
def proof_of():
    """Proofs, each made once."""
    made: dict[str, Proof] = {}

    def proof(assignment: str) -> Proof:
        if assignment not in made:
            with raise_wall() as wall:
                made[assignment] = prove(assignment, wall)
        return made[assignment]

    return proof


@pytest.mark.parametrize("assignment", EVERY)
def test_every_wrong_model_is_caught_and_every_variant_accepted(proof_of, assignment):
    assert proof_of(assignment).faults == []


def test_the_bank_has_eighty_misconceptions_and_forty_variants_over_the_six(proof_of):
    proofs = [proof_of(assignment) for assignment in EVERY]
    told = {name for proof in proofs for row in proof.models for name in row.misconceptions}
    assert len(told) >= 80
    assert sum(len(proof.variants) for proof in proofs) >= 40


def test_the_certificate_is_current(proof_of):
    written = CERTIFICATE.read_text(encoding="utf-8")
    made = certificate([proof_of(assignment) for assignment in EVERY])
    assert POWERS.sub("measured", written) == POWERS.sub("measured", made), "make it again with `attnkit verify`"


@pytest.mark.parametrize("assignment", EVERY)
def test_tolerances_lie_well_between_variants_and_the_nearest_wrong_model(proof_of, assignment):
    for spread in proof_of(assignment).spreads:
        assert spread.variants * 10 < spread.tolerance < spread.nearest_wrong / 5, spread


@pytest.mark.parametrize("assignment", EVERY)
def test_nothing_of_an_assignment_is_missing(assignment):
    assert list(missing_parts(ASSIGNMENTS[assignment])) == []


def blunted(check: Check) -> Check:
    """The same check, which asks as before and holds nothing."""

    def test(student: object, cases: object) -> None:
        try:
            check.test(student, cases)
        except (Unmet, Unanswered):
            return

    return replace(check, test=test)


def faults_of(assignment: str, exercise: str, change: Callable[[tuple[Check, ...]], tuple[Check, ...]]) -> list[str]:
    """What the proof finds wrong with an exercise whose checks are changed; it stops at the first."""
    rehearsal = rehearse(assignment, inputs_set(SECRET, assignment, 0))
    rehearsed = rehearsal.exercises[exercise]
    weaker = replace(rehearsed, checks=change(rehearsed.checks))
    proof = Proof(assignment)
    hold_verdict(proof, weaker)
    for model in suite_of(assignment).room("wrong_models").WRONG_MODELS:
        if proof.faults:
            break
        if model.exercise == exercise and len(model.misconceptions) == 1:
            hold_model(proof, weaker, model, rehearsal)
    return proof.faults


@pytest.mark.parametrize("assignment, exercise", EXERCISES)
def test_taking_the_value_check_out_of_an_exercise_is_found(assignment, exercise):
    assert faults_of(assignment, exercise, lambda checks: tuple(c for c in checks if c.role not in VERDICTS))


@pytest.mark.parametrize("assignment, exercise", EXERCISES)
def test_a_value_check_that_holds_nothing_is_found(assignment, exercise):
    assert faults_of(
        assignment, exercise, lambda checks: tuple(blunted(c) if c.role in VERDICTS else c for c in checks)
    )
