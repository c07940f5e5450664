"""Bytes in, `Submission`s out.

Nothing here runs, compiles or parses student code, and nothing is unpacked to disk: files and zips are
listed by name, each student's few files are read under a cap, and source text leaves as cells. One bad
file is one student's problem.
"""

from .collecting import Collection, collect
from .submission import IntakeError, Submission, SubmittedFile, Unplaced

__all__ = ["Collection", "IntakeError", "Submission", "SubmittedFile", "Unplaced", "collect"]
