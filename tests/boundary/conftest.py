"""One wall for all tests that don't harm it, with deadlines that keep a test short."""

import textwrap

import pytest

from autograder.boundary.outside.exchange import Limits
from autograder.boundary.outside.wall import raise_wall
from autograder.catalogue.cell import Cell

LIMITS = Limits(load_seconds=1.0, call_seconds=0.5, memory_bytes=512 << 20)


@pytest.fixture(scope="session")
def wall():
    with raise_wall(limits=LIMITS) as wall:
        yield wall


@pytest.fixture
def admit(wall):
    """Admits source texts as the cells of one submission; the process ends with the test."""
    processes = []

    def admitted(*sources, into=wall):
        cells = [Cell(textwrap.dedent(source), f"cell {i}") for i, source in enumerate(sources, 1)]
        processes.append(into.admit(cells))
        return processes[-1]

    yield admitted
    for process in processes:
        process.close()
