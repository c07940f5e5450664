"""`attnkit verify`: does the suite catch every wrong answer and accept every right one?"""

from __future__ import annotations

import argparse
from pathlib import Path

from autograder.boundary.outside.wall import WallError, raise_wall
from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.command_line import DONE, NOT_DONE, WRONG_USAGE, Subparsers, say_why_not, whole_number
from autograder.verification.certificate import certificate
from autograder.verification.completeness import missing_parts
from autograder.verification.proof import Proof, prove
from autograder.whole_file import OutputError, write_whole

from .pool import worker_pool

CERTIFICATE = Path(__file__).resolve().parents[2] / "instructor_guide" / "certificate.md"


def add_commands(subparsers: Subparsers) -> None:
    """Add `verify`."""
    command = subparsers.add_parser(
        "verify", help="prove that the suite catches every wrong answer and accepts right ones"
    )
    command.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="ids, or how they begin; default: all")
    command.add_argument(
        "--jobs", type=whole_number(least=1), default=2, metavar="N", help="assignments at once (default: 2)"
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """DONE where every suite that was asked for holds."""
    asked = tuple(arguments.assignments)
    if unknown := [begin for begin in asked if not any(id_.startswith(begin) for id_ in ASSIGNMENTS)]:
        reason = f"no assignment is called {', '.join(unknown)}; there are {', '.join(ASSIGNMENTS)}."
        return say_why_not("verify", reason, WRONG_USAGE)
    chosen = [id_ for id_ in ASSIGNMENTS if not asked or id_.startswith(asked)]
    if missing := [sentence for id_ in chosen for sentence in missing_parts(ASSIGNMENTS[id_])]:
        print("\n".join(["What is still missing:", *(f"  {sentence}" for sentence in missing)]))
        return NOT_DONE
    try:
        proofs = _proofs(chosen, arguments.jobs)
        for proof in proofs:
            _tell(proof)
        if len(chosen) == len(ASSIGNMENTS):
            _certify(proofs)
    except (WallError, OutputError) as error:
        return say_why_not("verify", error, NOT_DONE)
    return NOT_DONE if any(proof.faults for proof in proofs) else DONE


def _certify(proofs: list[Proof]) -> None:
    """Write the guide's page, in a clone; a wheel has none. Raises OutputError."""
    if CERTIFICATE.parent.is_dir():
        write_whole(CERTIFICATE, certificate(proofs))
        print(f"Certificate: {CERTIFICATE}")


def _proofs(chosen: list[str], jobs: int) -> list[Proof]:
    if min(jobs, len(chosen)) == 1:
        return [_prove(id_) for id_ in chosen]
    with worker_pool(jobs) as pool:
        return list(pool.map(_prove, chosen))


def _prove(assignment_id: str) -> Proof:
    with raise_wall() as wall:
        return prove(assignment_id, wall)


def _tell(proof: Proof) -> None:
    named = sum(bool(row.named) for row in proof.models)
    print(
        f"{proof.assignment}: {len(proof.models)} wrong models caught, {named} told by name; "
        f"{len(proof.variants)} variants accepted; {'holds' if not proof.faults else 'DOES NOT HOLD'}"
    )
    for spread in proof.spreads:
        print(
            f"  {spread.exercise}: variants within {spread.variants:.1g}, "
            f"nearest wrong model at {spread.nearest_wrong:.1g}"
        )
    for fault in proof.faults:
        print(f"  {fault}")
