"""`attnkit nbgrader init`: a course's folder, ready for nbgrader's own commands."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.authoring.notebook import notebook_text, source_notebook
from autograder.authoring.reference import read_reference
from autograder.authoring.release import released_names
from autograder.catalogue.assignments import ASSIGNMENTS, Assignment
from autograder.catalogue.shipped import shipped
from autograder.course_secret import course_secret
from autograder.whole_file import whole_folder, write_whole

from . import AUTOGRADE, COLLECT, FEEDBACK
from .cell_output import environment

CONFIG = "nbgrader_config.py"


def init_course(folder: Path) -> None:
    """Make `folder` a course with all assignments: source, release, configuration, gradebook and secret.

    All of it or nothing, and closed to other users, since it holds solutions and marks. Raises FolderInUseError where
    `folder` holds files, OSError or OutputError where it can't be written.
    """
    folder = folder.absolute()
    with whole_folder(folder, mode=0o700) as course:
        write_whole(course / CONFIG, configuration(folder.name))
        course_secret(course)
        for assignment in ASSIGNMENTS.values():
            add_source(course / "source" / assignment.id, assignment)
            _generate(course, assignment)


def configuration(course_id: str) -> str:
    """The text of a course's nbgrader_config.py."""
    template = environment().get_template("nbgrader_config.py.jinja")
    text = template.render(
        course_id=course_id,
        autograde=AUTOGRADE,
        collect=COLLECT,
        feedback=FEEDBACK,
        assignments=ASSIGNMENTS.values(),
    )
    return text + "\n"


def add_source(folder: Path, assignment: Assignment) -> None:
    """Write an assignment's source version: the notebook with solutions, and what students receive beside it."""
    for name in released_names(assignment):
        if not name.endswith(".ipynb"):
            write_whole(folder / name, (shipped("assignments") / assignment.id / name).read_text(encoding="utf-8"))
    reference = read_reference(shipped("reference_solutions"), assignment)
    write_whole(folder / f"{assignment.file}.ipynb", notebook_text(source_notebook(reference)))


def _generate(root: Path, assignment: Assignment) -> None:
    """What `nbgrader generate_assignment` does: the release version, and the assignment in the gradebook."""
    from nbgrader.converters import GenerateAssignment
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config.loader import PyFileConfigLoader

    config = PyFileConfigLoader(CONFIG, str(root)).load_config()
    course = CourseDirectory(root=str(root), assignment_id=assignment.id, config=config)
    converter = GenerateAssignment(coursedir=course, config=config)
    converter.log = logging.getLogger(__name__)
    with _programs_beside_python():
        converter.start()


@contextmanager
def _programs_beside_python() -> Iterator[None]:
    """nbgrader makes a gradebook with the program alembic, which lies beside Python and perhaps not on the path."""
    before = os.environ.get("PATH", os.defpath)
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{before}"
    try:
        yield
    finally:
        os.environ["PATH"] = before
