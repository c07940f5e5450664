"""Makes `assignments/` from `reference_solutions/`."""

from pathlib import Path

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.whole_file import write_whole

from .notebook import notebook_text, release_notebook
from .reference import Reference, read_reference
from .scripts import stub, visible_tests
from .sheets import hints_sheet, task_sheet

REFERENCES, RELEASED = "reference_solutions", "assignments"


def assignment_files(reference: Reference) -> dict[str, str]:
    """What students receive of one assignment: file names and texts."""
    file = reference.assignment.file
    return {
        "README.md": task_sheet(reference),
        "hints.md": hints_sheet(reference),
        f"{file}.py": stub(reference),
        f"{file}.ipynb": notebook_text(release_notebook(reference)),
        f"test_visible_{file}.py": visible_tests(reference),
    }


def authored(root: Path) -> dict[Path, str]:
    """All that the reference solutions under `root` make, by path relative to `root`.

    Raises FileNotFoundError where a reference solution is missing, ValueError where one is incomplete.
    """
    return {
        Path(RELEASED, assignment.id, name): text
        for assignment in ASSIGNMENTS.values()
        for name, text in assignment_files(read_reference(root / REFERENCES, assignment)).items()
    }


def author(root: Path) -> list[Path]:
    """Write what is not current in `root`/assignments, and return the paths that were written. Raises OutputError."""
    made = authored(root)
    written = [path for path, text in made.items() if _text(root / path) != text]
    for path in written:
        write_whole(root / path, made[path])
    return written


def stale(root: Path) -> list[Path]:
    """The paths in `root`/assignments that the reference solutions make otherwise, or don't make at all."""
    made = authored(root)
    changed = {path for path, text in made.items() if _text(root / path) != text}
    files = (path for path in (root / RELEASED).rglob("*") if path.is_file())
    present = {path.relative_to(root) for path in files if path.parent.name != "__pycache__"}
    return sorted(changed | (present - made.keys()))


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None
