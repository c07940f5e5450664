"""The reference solutions, read once, and submissions made of them."""

from functools import cache
from pathlib import Path

import pytest

from autograder.authoring.reference import Reference, read_reference
from autograder.catalogue.assignments import ASSIGNMENTS

ROOT = Path(__file__).resolve().parents[2]


@cache
def reference_of(assignment_id: str) -> Reference:
    return read_reference(ROOT / "reference_solutions", ASSIGNMENTS[assignment_id])


@pytest.fixture(params=ASSIGNMENTS)
def reference(request: pytest.FixtureRequest) -> Reference:
    """Each assignment's reference solution in turn."""
    return reference_of(request.param)


@pytest.fixture
def root() -> Path:
    return ROOT
