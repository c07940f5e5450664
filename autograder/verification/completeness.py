"""What an exercise needs to be whole, and what of it is missing: for those who add one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from autograder.catalogue.assignments import Assignment
from autograder.catalogue.misconceptions import misconceptions
from autograder.catalogue.objectives import OBJECTIVES
from autograder.catalogue.shipped import shipped
from autograder.suite import suite_of

SUITE = Path(__file__).resolve().parent.parent / "suite"
ROOMS = ("oracle", "test_hidden", "wrong_models", "variants")


def missing_parts(assignment: Assignment) -> Iterator[str]:
    """A sentence for each file or entry that an assignment still lacks."""
    yield from _missing_entries(assignment)
    yield from _missing_files(assignment)
    rooms = [room for room in ROOMS if not (SUITE / assignment.file / f"{room}.py").is_file()]
    if rooms:
        yield from (f"autograder/suite/{assignment.file}/{room}.py is missing." for room in rooms)
        return
    try:
        suite = suite_of(assignment.id)
    except LookupError as error:
        yield f"{error}."
        return
    models = suite.room("wrong_models").WRONG_MODELS
    for exercise in assignment.exercises:
        if not any(model.exercise == exercise.name for model in models):
            yield f"autograder/suite/{assignment.file}/wrong_models.py has no wrong model of {exercise.name}."
    for name in sorted({name for model in models for name in model.misconceptions} - misconceptions().keys()):
        yield f"autograder/catalogue/misconceptions.toml has no entry [{name}], which a wrong model names."


def _missing_entries(assignment: Assignment) -> Iterator[str]:
    if assignment.points != 100:
        yield f"The exercises of {assignment.id} are worth {assignment.points} points together, and must be worth 100."
    for exercise in assignment.exercises:
        if exercise.objective not in OBJECTIVES:
            yield f"autograder/catalogue/objectives.py has no objective {exercise.objective!r} for {exercise.name}."


def _missing_files(assignment: Assignment) -> Iterator[str]:
    reference = f"{assignment.file}.py"
    if not (shipped("reference_solutions") / reference).is_file():
        yield f"reference_solutions/{reference} is missing: write the task and its solution there."
        return
    solution = (shipped("reference_solutions") / reference).read_text(encoding="utf-8")
    folder = shipped("assignments") / assignment.id
    for name in (reference, f"{assignment.file}.ipynb", f"test_visible_{assignment.file}.py", "README.md"):
        if not (folder / name).is_file():
            yield f"assignments/{assignment.id}/{name} is missing: make it with `attnkit author`."
    for exercise in assignment.exercises:
        if f"def {exercise.name}(" not in solution and f"class {exercise.name}(" not in solution:
            yield f"reference_solutions/{reference} does not define {exercise.name}."
