"""The Python files that are made from a reference solution: stub, visible tests, worked solution."""

from .reference import Reference, ReferenceCell, Role
from .regions import clear_regions, drop_marks
from .templating import definitions, render

# The oldest versions that have all that the assignments use.
LOWEST = {"numpy": (1, 22), "torch": (2, 0)}


def not_implemented(cell: ReferenceCell) -> str:
    """The line that stands where an answer is to be written."""
    kind = "helper" if cell.role is Role.HELPER else "exercise"
    return f'raise NotImplementedError("{kind} {cell.name}: not implemented yet")'


def needs(reference: Reference) -> dict[str, tuple[int, int]]:
    """The packages that an assignment needs, each with its lowest version."""
    return {package: LOWEST[package] for package in reference.packages}


def stub(reference: Reference) -> str:
    """The `.py` file that students fill in."""
    cells = (cell for cell in reference.cells if cell.role in (Role.ANSWER, Role.HELPER))
    stubs = [(heading(reference, cell), clear_regions(cell.source, not_implemented(cell))) for cell in cells]
    return render("stub.py.jinja", assignment=reference.assignment, imports=reference.imports, stubs=stubs)


def heading(reference: Reference, cell: ReferenceCell) -> str:
    """What stands above an answer: the exercise's number, name and points."""
    if cell.role is Role.HELPER:
        return f"Helper: {cell.name} (no points of its own)"
    exercises = reference.assignment.exercises
    number = [exercise.name for exercise in exercises].index(cell.name) + 1
    return f"Exercise {number}: {cell.name} ({exercises[number - 1].points} points)"


def visible_tests(reference: Reference) -> str:
    """The tests that students run, with pytest and nothing of the kit."""
    return render(
        "test_visible.py.jinja",
        file=reference.assignment.file,
        imports=reference.imports,
        environment=definitions("environment.py"),
        needs=needs(reference),
        provided=[cell.source for cell in reference.of(Role.PROVIDED)],
        checks=[(cell.name, cell.source) for cell in reference.of(Role.CHECK)],
    )


def solution_script(reference: Reference) -> str:
    """The worked solution as students get it after the deadline: without the marks of its regions."""
    return drop_marks(reference.text) + "\n"
