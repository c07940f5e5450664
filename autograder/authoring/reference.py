"""Reads a reference solution: a jupytext percent file whose cells say what they are for.

A cell's metadata names its role: `imports`, `answer="softmax_rows"`, `check=...`, `hints=...`;
`helper="make_inputs"` for a function that students write without points, `reflection="scale"` for a written
answer, `provided` for definitions that the visible checks need. A cell without a role is text, or code of the
notebook alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import jupytext
from nbformat import NotebookNode

from autograder.catalogue.assignments import Assignment

from .regions import clear_regions

PACKAGES = ("numpy", "torch")


class Role(StrEnum):
    """What a cell of a reference solution is for."""

    TEXT = "text"
    CODE = "code"
    IMPORTS = "imports"
    PROVIDED = "provided"
    ANSWER = "answer"
    HELPER = "helper"
    CHECK = "check"
    HINTS = "hints"
    REFLECTION = "reflection"


@dataclass(frozen=True)
class ReferenceCell:
    """`name` is the exercise, or the helper's or reflection's own name; empty for the other roles."""

    role: Role
    source: str
    is_code: bool
    name: str = ""


@dataclass(frozen=True)
class Reference:
    """One assignment's reference solution: the file's text, and its cells."""

    assignment: Assignment
    text: str
    cells: tuple[ReferenceCell, ...]

    def of(self, role: Role) -> Iterator[ReferenceCell]:
        """The cells of one role, in the file's order."""
        return (cell for cell in self.cells if cell.role is role)

    def cell(self, role: Role, name: str) -> ReferenceCell:
        """The one cell of this role and name, which `read_reference` has seen to."""
        return next(cell for cell in self.of(role) if cell.name == name)

    @property
    def introduction(self) -> str:
        """The first Markdown cell without its heading."""
        return self.cells[0].source.partition("\n")[2].strip()

    @property
    def imports(self) -> str:
        """The import statements, without the module's docstring."""
        source = next(self.of(Role.IMPORTS)).source
        first = next(node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom))
        return "\n".join(source.splitlines()[first.lineno - 1 :]).strip()

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages outside the standard library that the assignment needs."""
        names = {
            alias.name
            for node in ast.walk(ast.parse(self.imports))
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        return tuple(package for package in PACKAGES if package in names)

    def hints(self, exercise: str) -> tuple[str, ...]:
        """The steps of an exercise's hints, each without its number."""
        return hint_steps(self.cell(Role.HINTS, exercise).source)


def hint_steps(source: str) -> tuple[str, ...]:
    """Cut an ordered Markdown list ("1. …", "2. …") into its items."""
    steps: list[list[str]] = []
    for line in source.splitlines():
        number = f"{len(steps) + 1}. "
        if line.startswith(number):
            steps.append([line.removeprefix(number)])
        elif steps:
            steps[-1].append(line.strip())
    return tuple("\n".join(step).strip() for step in steps)


def read_reference(folder: Path, assignment: Assignment) -> Reference:
    """Read `assignment`'s reference solution from `folder`.

    Raises FileNotFoundError where it is missing, ValueError with every fault of its cells.
    """
    path = folder / f"{assignment.file}.py"
    if not path.is_file():
        raise FileNotFoundError(f"{assignment.id} has no reference solution; write {folder.name}/{path.name}")
    text = path.read_text(encoding="utf-8")
    notebook = jupytext.reads(text, fmt="py:percent")
    reference = Reference(assignment, text, tuple(_cell(cell) for cell in notebook.cells))
    faults = list(_faults(reference))
    if faults:
        raise ValueError("\n".join(f"{folder.name}/{path.name}: {fault}" for fault in faults))
    return reference


def _cell(cell: NotebookNode) -> ReferenceCell:
    is_code = cell.cell_type == "code"
    for role in (Role.ANSWER, Role.HELPER, Role.CHECK, Role.HINTS, Role.REFLECTION):
        if role in cell.metadata:
            return ReferenceCell(role, cell.source, is_code, cell.metadata[role])
    for role in (Role.IMPORTS, Role.PROVIDED):
        if role in cell.metadata:
            return ReferenceCell(role, cell.source, is_code)
    return ReferenceCell(Role.CODE if is_code else Role.TEXT, cell.source, is_code)


def _faults(reference: Reference) -> Iterator[str]:
    if not reference.cells or reference.cells[0].role is not Role.TEXT:
        yield "begins with no Markdown cell that holds the title and an introduction"
    if len(list(reference.of(Role.IMPORTS))) != 1:
        yield "needs exactly one cell with imports=true"
    for role in (Role.ANSWER, Role.CHECK, Role.HINTS):
        yield from _faults_of_order(reference, role)
    for cell in reference.of(Role.HINTS):
        if len(hint_steps(cell.source)) != 3:
            yield f"{cell.name} has {len(hint_steps(cell.source))} hints, not three"
    for cell in reference.cells:
        yield from _faults_of_regions(cell)
        yield from _faults_of_python(cell)


def _faults_of_order(reference: Reference, role: Role) -> Iterator[str]:
    """Each exercise has one cell of this role, in the catalogue's order."""
    exercises = [exercise.name for exercise in reference.assignment.exercises]
    names = [cell.name for cell in reference.of(role)]
    for name in dict.fromkeys([*exercises, *names]):
        if names.count(name) != 1 or name not in exercises:
            yield f"has {names.count(name)} cells {role}={name!r}; each exercise needs exactly one"
    if names != exercises and sorted(names) == sorted(exercises):
        yield f"has its {role} cells in another order than the catalogue's exercises"


def _faults_of_regions(cell: ReferenceCell) -> Iterator[str]:
    if cell.role in (Role.ANSWER, Role.HELPER, Role.REFLECTION):
        try:
            clear_regions(cell.source, "...")
        except ValueError as error:
            yield f"{cell.role}={cell.name!r}: {error}"


def _faults_of_python(cell: ReferenceCell) -> Iterator[str]:
    """A cell that goes into a `.py` file parses, and defines what it is named for and nothing else."""
    prefix = {Role.ANSWER: "", Role.HELPER: "", Role.CHECK: "check_"}.get(cell.role)
    if prefix is None and cell.role not in (Role.IMPORTS, Role.PROVIDED):
        return
    told = f"the cell {cell.role}={cell.name!r}" if cell.name else f"the cell {cell.role}"
    try:
        defined = [getattr(node, "name", None) for node in ast.parse(cell.source).body]
    except SyntaxError as error:
        yield f"{told} is not Python: line {error.lineno}: {error.msg}"
        return
    if prefix is not None and defined != [prefix + cell.name]:
        yield f"{told} must define {prefix + cell.name} and nothing else"
