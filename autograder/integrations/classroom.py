"""GitHub Classroom: the starter repository of an assignment, whose workflow runs the visible checks.

Whatever runs in a student's repository can be read there, so hidden tests never go into it: they are run afterwards, by
`attnkit grade` over the download of all repositories.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from autograder.catalogue.assignments import Assignment
from autograder.catalogue.shipped import shipped
from autograder.whole_file import OutputError, write_whole

FILES = Path(__file__).with_name("classroom_files")


def write_starter(folder: Path, assignment: Assignment) -> None:
    """The files of the starter repository: the release of one assignment, a workflow, and what it can't hide.

    Raises OutputError where the folder holds something already, so that nobody's work is overwritten.
    """
    if folder.exists() and any(folder.iterdir()):
        raise OutputError(f"{folder} is not empty; name a new folder with --out.")
    shutil.copytree(shipped("assignments") / assignment.id, folder, dirs_exist_ok=True)
    workflow = (FILES / "classroom.yml").read_text(encoding="utf-8")
    (folder / ".github" / "workflows").mkdir(parents=True)
    write_whole(folder / ".github" / "workflows" / "classroom.yml", workflow.replace("@FILE@", assignment.file))
    write_whole(folder / "requirements.txt", (FILES / "requirements.txt").read_text(encoding="utf-8"))
    write_whole(folder / ".github" / "INSTRUCTORS.md", (FILES / "INSTRUCTORS.md").read_text(encoding="utf-8"))
