"""`python -m tests.mutants [ASSIGNMENT...]`: mutation testing of the reference solutions against the hidden tests.

Prints a table and what is wrong; the exit status is 1 where a mutant earns 100 that equivalent.yaml does not explain.
"""

from __future__ import annotations

import argparse
import sys

from autograder.authoring.reference import read_reference
from autograder.boundary.outside.wall import raise_wall
from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.shipped import shipped

from .judge import Grader, faults, listed
from .mutate import answers, mutants_of


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="an id or how it begins; else all")
    asked = parser.parse_args().assignments or [""]
    entries, wrong = listed(), []
    print(f"{'assignment':28} {'mutants':>8} {'killed':>8} {'survivors':>10}", flush=True)
    with raise_wall() as wall:
        for assignment in ASSIGNMENTS.values():
            if not assignment.id.startswith(tuple(asked)):
                continue
            reference = read_reference(shipped("reference_solutions"), assignment)
            grader, mutants = Grader.of(assignment.id, wall), mutants_of(reference)
            if not grader.earns_all(answers(reference, {})):
                wrong.append(f"{assignment.id}: the reference itself does not earn 100, so nothing is shown.")
                continue
            survived = grader.survivors(mutants)
            killed = len(mutants) - len(survived)
            print(f"{assignment.id:28} {len(mutants):8} {killed:8} {len(survived):10}", flush=True)
            wrong += faults(assignment.id, survived, entries)
    for fault in wrong:
        print(fault, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
