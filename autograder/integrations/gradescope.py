"""Gradescope: the autograder zip that an instructor uploads, and what runs in its container.

The zip's form and that of results.json are Gradescope's documented ones (its autograder documentation, "Autograder
specifications" and "Output format"). In the container the kit runs as root, has no namespaces, and gives each student
process a user of its own; the kit's folder is closed to all but root.
"""

from __future__ import annotations

import json
import traceback
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from autograder.boundary.outside.wall import WallError, raise_wall
from autograder.catalogue.assignments import ASSIGNMENTS, Assignment
from autograder.catalogue.result import Result, Status, StudentError
from autograder.catalogue.shipped import PACKAGE, shipped
from autograder.grading.grade import Course, grade
from autograder.intake import IntakeError
from autograder.intake.choosing import submission_of
from autograder.intake.disk import tree_of_folder
from autograder.intake.layouts import Handin
from autograder.intake.students import Register
from autograder.intake.work import Work
from autograder.records.feedback import ExercisePart, FeedbackPage
from autograder.same_zip import add_to_zip
from autograder.whole_file import whole_binary_file, write_whole

FILES = Path(__file__).with_name("gradescope_files")
SHIPPED = ("assignments", "quizzes", "reference_solutions")
LEFT_OUT = {"__pycache__", "shipped"}
CLOSED, RUNS = 0o100600, 0o100700


@dataclass(frozen=True)
class AutograderCourse:
    """What a container must know: which assignment it grades, and the secret that its inputs are drawn from."""

    assignment: str
    secret: str


def write_autograder_zip(path: Path, assignment: Assignment, secret: str) -> None:
    """The zip to upload as the assignment's autograder: the kit, its pinned needs, and `AutograderCourse`.

    Keep it to yourself: hidden tests and secret are in it. Raises OutputError where it can't be written.
    """
    course = json.dumps(asdict(AutograderCourse(assignment.id, secret)), indent=2)
    with whole_binary_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("setup.sh", "run_autograder"):
            add_to_zip(archive, name, (FILES / name).read_bytes(), RUNS)
        add_to_zip(archive, "requirements.txt", (FILES / "requirements.txt").read_bytes(), CLOSED)
        add_to_zip(archive, "course.json", course.encode(), CLOSED)
        for source, target in _kit_files():
            add_to_zip(archive, f"kit/{target}", source.read_bytes(), CLOSED)


def _kit_files() -> list[tuple[Path, str]]:
    """The kit as a wheel lays it out, so that it needs nothing but Python's path."""
    pairs = [(source, f"autograder/{relative}") for source, relative in _tree(PACKAGE)]
    for folder in SHIPPED:
        pairs += [(source, f"autograder/shipped/{folder}/{relative}") for source, relative in _tree(shipped(folder))]
    return sorted(pairs, key=lambda pair: pair[1])


def _tree(folder: Path) -> list[tuple[Path, str]]:
    return [
        (path, path.relative_to(folder).as_posix())
        for path in folder.rglob("*")
        if path.is_file() and not LEFT_OUT & set(path.relative_to(folder).parts)
    ]


def run_in_container(home: Path = Path("/autograder")) -> int:
    """Grades `home/submission` and writes `home/results/results.json`: always, and never full marks by accident."""
    course = AutograderCourse(**json.loads((home / "source" / "course.json").read_text(encoding="utf-8")))
    try:
        found = _outcome(home, course)
    except (IntakeError, WallError) as error:
        found = not_graded(str(error))
    except Exception:  # whatever it is, the student must get an answer, and the instructor alone the reason
        traceback.print_exc()  # Gradescope shows it to instructors, as long as stdout_visibility is hidden
        found = not_graded("The grader failed on this submission. Tell your instructor, who can read why.")
    write_whole(home / "results" / "results.json", json.dumps(found, indent=2) + "\n")
    return 0


def _outcome(home: Path, course: AutograderCourse) -> dict[str, Any]:
    handin = Handin(_student(home), tree_of_folder(home / "submission").entries)  # all of it is one student's
    student = Register().enter(handin.student)
    submission = submission_of(Work.of([handin]), student, ASSIGNMENTS[course.assignment])
    with raise_wall() as wall:
        return results_json(grade(submission, wall, Course(course.secret)))


def _student(home: Path) -> str:
    """The submitter, by Gradescope's own number; the inputs set is chosen by it."""
    metadata = json.loads((home / "submission_metadata.json").read_text(encoding="utf-8"))
    users = metadata.get("users") or [{}]
    return f"gradescope-{users[0].get('id', metadata.get('id', 'unknown'))}"


def results_json(result: Result) -> dict[str, Any]:
    """A Result in the form that Gradescope reads; flags go to the instructor's `extra_data` alone."""
    if result.status is Status.UNREADABLE:
        return {**not_graded(result.status_reason or "The file can't be read."), "extra_data": _extra(result)}
    return {
        "score": result.score,
        "execution_time": result.duration_s,
        "output": "\n".join(result.notes),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [_test(part) for part in FeedbackPage(result).parts],
        "extra_data": _extra(result),
    }


def not_graded(reason: str) -> dict[str, Any]:
    """No marks, and why."""
    return {
        "score": 0.0,
        "output": f"Not graded: {reason}",
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [],
    }


def _test(part: ExercisePart) -> dict[str, Any]:
    return {
        "name": part.name,
        "score": part.result.score,
        "max_score": part.result.max_score,
        "status": "failed" if part.lost_marks else "passed",
        "output": "\n".join(_told(part)),
        "output_format": "text",
        "visibility": "visible",
    }


def _told(part: ExercisePart) -> Iterator[str]:
    """What the feedback page says of an exercise, in lines of plain text."""
    yield f"{part.state}."
    if part.lost_marks:
        yield from (diagnosis.feedback for diagnosis in part.result.diagnoses)
        yield from filter(None, (part.saw, _error(part.result.error)))
        yield from part.observations
        yield from (f"{sight.text} {sight.where}".rstrip() for sight in part.sights)
    if part.follow_through:
        yield part.follow_through
    if part.passed:
        yield f"Right: {', '.join(part.passed)}."


def _error(error: StudentError | None) -> str:
    if error is None:
        return ""
    where = f" in line {error.line}" if error.line else ""
    return f"Your code raised {error.type}{where}" + (f": {error.message}" if error.message else ".")


def _extra(result: Result) -> dict[str, Any]:
    return {"inputs_id": result.inputs_id, "walls": list(result.walls), "flags": [f.flag for f in result.flags]}
