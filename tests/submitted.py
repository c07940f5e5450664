"""A submission made of its source, for tests that grade one without a file."""

import hashlib

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.cell import Cell
from autograder.intake import Submission, SubmittedFile


def submitted(assignment: str, source: str, student: str = "student-01") -> Submission:
    """What intake makes of `source` in a .py file with the assignment's name."""
    name = f"{ASSIGNMENTS[assignment].file}.py"
    digest = hashlib.sha256(source.encode()).hexdigest()
    return Submission(student, assignment, (SubmittedFile(name, (Cell(source, name),)),), digest)
