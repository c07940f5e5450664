"""GitHub Classroom: the starter repository of an assignment, whose workflow runs the visible checks.

Whatever runs in a student's repository can be read there, so hidden tests never go into it: they are run afterwards, by
`attnkit grade` over the download of all repositories.
"""

from __future__ import annotations

from pathlib import Path

from autograder.authoring.release import released_names
from autograder.catalogue.assignments import Assignment
from autograder.catalogue.shipped import shipped
from autograder.whole_file import whole_folder, write_whole

FILES = Path(__file__).with_name("classroom_files")


def write_starter(folder: Path, assignment: Assignment) -> None:
    """The files of the starter repository: the release of one assignment, a workflow, and what it can't hide.

    Raises FolderInUseError where the folder holds something already, OutputError where it can't be written.
    """
    texts = {name: shipped("assignments") / assignment.id / name for name in released_names(assignment)}
    texts |= {
        "requirements.txt": FILES / "requirements.txt",
        ".github/workflows/classroom.yml": FILES / "classroom.yml",
        ".github/INSTRUCTORS.md": FILES / "INSTRUCTORS.md",
    }
    with whole_folder(folder) as starter:
        for name, source in texts.items():
            write_whole(starter / name, source.read_text(encoding="utf-8").replace("@FILE@", assignment.file))
