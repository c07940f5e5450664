"""The certificate: what was proved of each suite, as a page for instructors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from autograder.catalogue.assignments import ASSIGNMENTS

from .proof import ModelRow, Proof
from .spread import Spread

HEAD = """<!-- Made by `attnkit verify`; do not edit. -->
# The suite's certificate

What `attnkit verify` found: every wrong model is caught, and earns no more than the contract's table allows; none is
given another's name; every accepted variant earns all points; every check catches something; empty answers earn
nothing. `attnkit verify` makes this page again, and fails where one of these no longer holds.
"""


def certificate(proofs: Sequence[Proof]) -> str:
    """Markdown, the same for the same suites."""
    return "\n".join([HEAD, *_summary(proofs), *(line for proof in proofs for line in _assignment(proof))]) + "\n"


def _summary(proofs: Iterable[Proof]) -> Iterator[str]:
    yield "| assignment | checks | wrong models | of these, single misconceptions | named | variants | empty answers |"
    yield "|---|---|---|---|---|---|---|"
    for proof in proofs:
        single = [row for row in proof.models if len(row.misconceptions) == 1]
        checks = sum(len(checks) for checks in proof.checks.values())
        named = sum(bool(row.named) for row in single)
        yield (
            f"| {proof.assignment} | {checks} | {len(proof.models)} | {len(single)} | {named} | "
            f"{len(proof.variants)} | {proof.hollow} |"
        )
    yield ""


def _assignment(proof: Proof) -> Iterator[str]:
    yield f"## {proof.assignment}: {ASSIGNMENTS[proof.assignment].title}"
    yield ""
    yield from (f"**Does not hold:** {fault}" for fault in proof.faults)
    yield f"Accepted variants: {', '.join(proof.variants)}."
    yield ""
    if proof.cancelling:
        yield f"Pairs that cancel, and so are right: {'; '.join(proof.cancelling)}."
        yield ""
    yield from _margins(proof.spreads)
    for exercise, checks in proof.checks.items():
        yield from _table(exercise, checks, [row for row in proof.models if row.exercise == exercise])


def _margins(spreads: Iterable[Spread]) -> Iterator[str]:
    yield "On ordinary inputs, as a part of the largest entry, to the power of ten above and below:"
    yield ""
    yield "| exercise | farthest accepted variant | tolerance | nearest wrong model |"
    yield "|---|---|---|---|"
    for spread in spreads:
        tolerance = f"{spread.tolerance:g}"
        yield f"| {spread.exercise} | {_above(spread.variants)} | {tolerance} | {_below(spread.nearest_wrong)} |"
    yield ""


def _above(value: float) -> str:
    return "exact" if value == 0 else f"below 1e{math.ceil(math.log10(value)):+d}"


def _below(value: float) -> str:
    return "other kinds of answer" if not math.isfinite(value) else f"above 1e{math.floor(math.log10(value)):+d}"


def _table(exercise: str, checks: Sequence[str], rows: Sequence[ModelRow]) -> Iterator[str]:
    """Wrong models of one misconception, check by check; those of several are counted below."""
    single = [row for row in rows if len(row.misconceptions) == 1]
    yield f"### {exercise}"
    yield ""
    yield "| wrong model | earns | told by name | caught by |"
    yield "|---|---|---|---|"
    for row in sorted(single, key=lambda row: row.misconceptions):
        caught = "all checks" if len(row.caught_by) == len(checks) else ", ".join(row.caught_by)
        yield f"| {row.misconceptions[0]} | {row.share:.0%} | {'yes' if row.named else 'no'} | {caught} |"
    several = [row for row in rows if len(row.misconceptions) > 1]
    if several:
        both = sum(set(row.named) == set(row.misconceptions) for row in several)
        most = max(row.share for row in several)
        yield ""
        yield f"{len(several)} pairs of these: each is caught, {both} are told as two, none earns more than {most:.0%}."
    yield ""
