"""`attnkit verify`: does the suite catch every wrong answer and accept every right one?"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from autograder.boundary.outside.wall import WallError, raise_wall
from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.verification.certificate import certificate
from autograder.verification.completeness import missing_parts
from autograder.verification.proof import Proof, prove
from autograder.whole_file import OutputError, write_whole

CERTIFICATE = Path(__file__).resolve().parents[2] / "instructor_guide" / "certificate.md"


def add_commands(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = subparsers.add_parser(
        "verify", help="prove that the suite catches every wrong answer and accepts right ones"
    )
    command.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="ids, or how they begin; default: all")
    command.add_argument("--jobs", type=int, default=2, metavar="N", help="assignments at once (default: 2)")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    chosen = [id for id in ASSIGNMENTS if not arguments.assignments or any(map(id.startswith, arguments.assignments))]
    if not chosen:
        print(f"attnkit verify: no assignment is called so; there are {', '.join(ASSIGNMENTS)}.", file=sys.stderr)
        return 2
    missing = [sentence for id in chosen for sentence in missing_parts(ASSIGNMENTS[id])]
    if missing:
        print("\n".join(["What is still missing:", *(f"  {sentence}" for sentence in missing)]))
        return 1
    try:
        proofs = _proofs(chosen, arguments.jobs)
    except WallError as error:
        print(f"attnkit verify: {error}", file=sys.stderr)
        return 1
    for proof in proofs:
        _tell(proof)
    if len(chosen) == len(ASSIGNMENTS) and CERTIFICATE.parent.is_dir():
        try:
            write_whole(CERTIFICATE, certificate(proofs))
        except OutputError as error:
            print(f"attnkit verify: {error}", file=sys.stderr)
            return 1
        print(f"Certificate: {CERTIFICATE}")
    return 1 if any(proof.faults for proof in proofs) else 0


def _proofs(chosen: list[str], jobs: int) -> list[Proof]:
    if min(jobs, len(chosen)) == 1:
        return [_prove(id) for id in chosen]
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
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
