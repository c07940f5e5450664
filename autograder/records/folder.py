"""The output folder of a grading: results, feedback, gradebook, report."""

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from autograder import __version__
from autograder.catalogue.result import Result
from autograder.whole_file import OutputError, whole_file, why_not_written

from . import gradebook
from .feedback import feedback_path, write_feedback
from .gradebook import Gradebook, NotGraded
from .report import write_report
from .results import ResultError, read_result, result_files, result_path, write_result
from .tally import ClassTally

LOCK = ".lock"


class UnusableFolderError(OutputError):
    """Nothing can be written to the output folder that was named, or somebody else writes there."""


class OutputFolder:
    """One grader's hold on an output folder.

        with OutputFolder(out) as folder:
            for submission in submissions:
                if not folder.has(...):
                    folder.record(grade(submission))
            tally = folder.finish()

    Every file is whole at every moment, also after a kill. Nothing is held of the results that were recorded.
    The methods raise OutputError, a sentence for the instructor, where the folder can't be written.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._lock: int | None = None

    def __enter__(self) -> Self:
        try:
            if not self.path.is_dir():
                self.path.mkdir(mode=0o700, parents=True)  # marks are personal: whoever may see them, the owner decides
            self._lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise UnusableFolderError(why_not_written(error, self.path / LOCK)) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            raise UnusableFolderError(
                f"Another grading is writing to {self.path}. Wait until it is done, or give --out another folder."
            ) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def has(
        self, student: str, assignment: str, *, submission_sha256: str, inputs_id: str, walls: Sequence[str]
    ) -> bool:
        """Whether a whole result of just this submission, inputs, walls and kit is here, and its page."""
        try:
            result = read_result(result_path(self.path, student, assignment))
        except ResultError:
            return False
        made_of = (result.submission_sha256, result.inputs_id, result.walls, result.kit_version)
        wanted = (submission_sha256, inputs_id, tuple(walls), __version__)
        return made_of == wanted and feedback_path(self.path, student, assignment).exists()

    def record(self, result: Result) -> None:
        """Write the feedback page, then the result: where there is a result, there is its page."""
        write_feedback(self.path, result)
        write_result(self.path, result)

    def finish(self, not_graded: Sequence[NotGraded] = ()) -> ClassTally:
        """Write the gradebook and the report from the result files that are here, whichever run wrote them.

        A result file that is not whole counts as not graded.
        """
        tally = ClassTally()
        missing = {(entry.student, entry.assignment): entry for entry in not_graded}
        assignments = {path.stem for path in result_files(self.path)} | {name for _, name in missing if name}
        with whole_file(self.path / gradebook.NAME) as file:
            book = Gradebook(file, assignments)
            for path in result_files(self.path):
                student, assignment = path.parent.name, path.stem
                if (student, assignment) in missing:
                    continue  # its result is of an earlier submission or run
                try:
                    result = read_result(path)
                except ResultError as error:
                    missing[student, assignment] = NotGraded(
                        student, assignment, f"{error}. Grade again with --resume."
                    )
                    continue
                book.add(result)
                tally.add(result)
            tally.not_graded = sorted(missing.values(), key=lambda entry: (entry.student, entry.assignment))
            for entry in tally.not_graded:
                book.add_not_graded(entry)
        write_report(self.path, tally)
        return tally
