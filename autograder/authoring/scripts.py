"""The Python files that are made from a reference solution: stub, visible tests, worked solution."""

from pathlib import Path

from .reference import Reference, Role
from .regions import clear_regions, drop_marks
from .templating import definitions, render

# The oldest versions that have all that the assignments use.
LOWEST = {"numpy": (1, 22), "torch": (2, 0)}


def not_implemented(exercise: str) -> str:
    """The line that stands where an answer is to be written."""
    return f'raise NotImplementedError("exercise {exercise}: not implemented yet")'


def needs(reference: Reference) -> dict[str, tuple[int, int]]:
    """The packages that an assignment needs, each with its lowest version."""
    return {package: LOWEST[package] for package in reference.packages}


def stub(reference: Reference) -> str:
    """The `.py` file that students fill in."""
    exercises = reference.assignment.exercises
    stubs = [(exercise, clear_regions(reference.cell(Role.ANSWER, exercise.name).source,
                                      not_implemented(exercise.name))) for exercise in exercises]
    return render("stub.py.jinja", assignment=reference.assignment, imports=reference.imports, stubs=stubs)


def visible_tests(reference: Reference) -> str:
    """The tests that students run, with pytest and nothing of the kit."""
    return render("test_visible.py.jinja", file=reference.assignment.file, imports=reference.imports,
                  environment=definitions("environment.py"), needs=needs(reference),
                  provided=[cell.source for cell in reference.of(Role.PROVIDED)],
                  checks=[(cell.name, cell.source) for cell in reference.of(Role.CHECK)])


def solution_script(folder: Path, reference: Reference) -> str:
    """The reference solution as students get it after the deadline: without the marks of its regions."""
    text = (folder / f"{reference.assignment.file}.py").read_text(encoding="utf-8")
    return drop_marks(text) + "\n"
