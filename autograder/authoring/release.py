"""What is handed out: the release, and after the deadline the worked solutions."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from autograder.catalogue.assignments import ASSIGNMENTS, Assignment
from autograder.catalogue.shipped import shipped
from autograder.whole_file import whole_folder, write_whole

from .author import REFERENCES, RELEASED
from .notebook import notebook_text, solution_notebook
from .reference import read_reference
from .scripts import needs, solution_script
from .templating import render

EVERY = tuple(ASSIGNMENTS.values())


def release(out: Path, assignments: Collection[Assignment] = EVERY) -> None:
    """Write what students receive of `assignments` to the folder `out`: all of it, or nothing.

    Raises FolderInUseError where `out` holds files, OutputError where it can't be written.
    """
    references = [read_reference(shipped(REFERENCES), assignment) for assignment in assignments]
    needed = {package: version for reference in references for package, version in needs(reference).items()}
    files = {
        "README.md": render("release.md.jinja", assignments=assignments),
        "requirements.txt": render("requirements.txt.jinja", lowest=needed),
    }
    for assignment in assignments:
        folder = shipped(RELEASED) / assignment.id
        for name in released_names(assignment):
            files[f"{assignment.id}/{name}"] = (folder / name).read_text(encoding="utf-8")
    _write_folder(out, files)


def release_solutions(out: Path, assignments: Collection[Assignment] = EVERY) -> None:
    """Write the worked solutions, as scripts and notebooks, to the folder `out`. Raises as `release` does."""
    files = {"README.md": render("solutions.md.jinja", assignments=assignments)}
    for assignment in assignments:
        reference = read_reference(shipped(REFERENCES), assignment)
        files[f"{assignment.id}/{assignment.file}.py"] = solution_script(reference)
        files[f"{assignment.id}/{assignment.file}.ipynb"] = notebook_text(solution_notebook(reference))
    _write_folder(out, files)


def released_names(assignment: Assignment) -> Iterable[str]:
    """The files of one assignment's folder in the release."""
    file = assignment.file
    return "README.md", "hints.md", f"{file}.py", f"{file}.ipynb", f"test_visible_{file}.py"


def _write_folder(out: Path, files: Mapping[str, str]) -> None:
    with whole_folder(out) as folder:
        for name, text in files.items():
            write_whole(folder / name, text)
