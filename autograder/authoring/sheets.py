"""The Markdown files that are made from a reference solution: task sheet and hints."""

import ast

from .reference import Reference, Role
from .templating import render


def summary(reference: Reference, exercise: str) -> str:
    """The first sentence of an answer's docstring, without its full stop."""
    definition = ast.parse(reference.cell(Role.ANSWER, exercise).source).body[0]
    assert isinstance(definition, ast.FunctionDef | ast.ClassDef)
    docstring = ast.get_docstring(definition)
    if docstring is None:
        raise ValueError(f"{reference.assignment.file}: {exercise} has no docstring")
    return docstring.splitlines()[0].rstrip(".")


def task_sheet(reference: Reference) -> str:
    """The README.md of an assignment: exercises, points, time, how to work and hand in."""
    return render(
        "README.md.jinja",
        assignment=reference.assignment,
        introduction=reference.introduction,
        exercises=[(e, summary(reference, e.name)) for e in reference.assignment.exercises],
        reflections=len(list(reference.of(Role.REFLECTION))),
        packages=reference.packages,
        draws=any("matplotlib" in cell.source for cell in reference.of(Role.CODE)),
    )


def hints_sheet(reference: Reference) -> str:
    """The hints of all exercises, each step folded away."""
    assignment = reference.assignment
    hints = [(exercise.name, reference.hints(exercise.name)) for exercise in assignment.exercises]
    return render("hints.md.jinja", file=assignment.file, title=assignment.title, hints=hints)
