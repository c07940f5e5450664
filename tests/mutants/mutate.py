"""The mutants of a reference solution: each its answers with one small change, made by mutmut's operators."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import MetadataWrapper
from mutmut.mutation.file_mutation import MutationVisitor
from mutmut.mutation.pragma_handling import IgnoredCode

from autograder.authoring.reference import Reference, ReferenceCell, Role

from .operators import OPERATORS

MUTATED = (Role.ANSWER, Role.HELPER)


@dataclass(frozen=True)
class Change:
    """What tells a mutant from the others: the cell's name, the lines that went, and the lines in their place."""

    cell: str
    was: str
    becomes: str


@dataclass(frozen=True)
class Mutant:
    """`source` is a whole submission."""

    change: Change
    source: str


def mutants_of(reference: Reference) -> tuple[Mutant, ...]:
    """All mutants of the functions and classes that students write; visible checks stay out."""
    mutants: dict[Change, Mutant] = {}
    for cell in reference.cells:
        if cell.role in MUTATED:
            for source in _changed(cell.source):
                change = Change(cell.name, *_difference(cell.source, source))
                mutants.setdefault(change, Mutant(change, answers(reference, {cell: source})))
    return tuple(mutants.values())


def answers(reference: Reference, changed: Mapping[ReferenceCell, str]) -> str:
    """The reference solution as a submission without checks and text, with other sources for some cells."""
    parts = [changed.get(cell, cell.source) for cell in reference.cells if cell.role in (*MUTATED, Role.PROVIDED)]
    return "\n\n\n".join([reference.imports, *parts]) + "\n"


def _changed(source: str) -> Iterator[str]:
    """Each differing text that one operator makes of one node, if it parses and means something else."""
    wrapper = MetadataWrapper(cst.parse_module(source))
    visitor = MutationVisitor(OPERATORS, IgnoredCode(set(), set(), set()))
    wrapper.visit(visitor)
    met = {_meaning(source)}
    for mutation in visitor.mutations:
        text = wrapper.module.deep_replace(mutation.original_node, mutation.mutated_node).code
        meaning = _meaning(text)
        if meaning is not None and meaning not in met:
            met.add(meaning)
            yield text


def _meaning(source: str) -> str | None:
    try:
        return ast.unparse(ast.parse(source))
    except SyntaxError:
        return None


def _difference(before: str, after: str) -> tuple[str, str]:
    """The lines that went and those in their place, without indentation and comments' lines."""
    lines = list(difflib.ndiff(_code(before), _code(after)))
    went, came = ([line[2:].strip() for line in lines if line.startswith(mark)] for mark in ("- ", "+ "))
    return "\n".join(went), "\n".join(came)


def _code(source: str) -> list[str]:
    return [line for line in source.splitlines() if not line.strip().startswith("#")]
