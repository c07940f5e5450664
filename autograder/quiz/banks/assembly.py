"""Parallel versions of a quiz: the same mix of objectives, difficulties and points from any seed.

The mix is settled by the items that there are, never by the seed; the seed chooses among items that are
alike in objective, difficulty and points, and the variants of numeric ones. A version is a bank of its own,
with the same item ids, so that everything that takes a bank takes it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import yaml

from autograder.catalogue.objectives import OBJECTIVES
from autograder.quiz.model import Choice

from .loading import BankSource, source_of

Cell = tuple[str, int, float]  # objective, difficulty, points


class AssemblyError(ValueError):
    """A version that can't be made; the message says why and what would do."""


@dataclass(frozen=True)
class _Entry:
    source: BankSource
    index: int

    @property
    def data(self) -> dict[str, Any]:
        return self.source.entries[self.index]

    @property
    def cell(self) -> Cell:
        return self.data["objective"], self.data["difficulty"], self.data.get("points", 1)


@dataclass(frozen=True)
class Assembled:
    """A version as the text of a bank, and how many of its items any version of this mix must have."""

    text: str
    ids: tuple[str, ...]
    fixed: int


def assemble(sources: Iterable[BankSource], objectives: tuple[str, ...], count: int, seed: str) -> Assembled:
    """A version of `count` items on `objectives`. Raises AssemblyError or BankError."""
    unknown = [name for name in objectives if name not in OBJECTIVES]
    if unknown:
        raise AssemblyError(f"{unknown[0]} is no objective; there are {', '.join(OBJECTIVES)}.")
    cells: dict[Cell, list[_Entry]] = defaultdict(list)
    names = []
    for source in sources:
        source.build()  # a faulty bank is told before anything is made of it
        names.append(source.yaml.data["bank"])
        for index in range(len(source.entries)):
            entry = _Entry(source, index)
            if entry.data["objective"] in objectives:
                cells[entry.cell].append(entry)
    mix = _mix(cells, objectives, count)
    draw = random.Random(f"assemble/{seed}")
    chosen = [entry for cell, number in mix.items() for entry in draw.sample(cells[cell], number)]
    draw.shuffle(chosen)
    entries = [_settled(entry, seed, draw) for entry in chosen]
    bank = {
        "bank": "assembled",
        "title": f"Quiz, version {seed}",
        "assembled": {"objectives": list(objectives), "count": count, "seed": seed, "banks": names},
        "items": entries,
    }
    text = yaml.safe_dump(bank, sort_keys=False, allow_unicode=True, width=10_000)
    source_of(text, "the assembled bank").build()  # two banks may have one id
    fixed = sum(number for cell, number in mix.items() if number == len(cells[cell]))
    return Assembled(text, tuple(entry["id"] for entry in entries), fixed)


def _mix(cells: dict[Cell, list[_Entry]], objectives: tuple[str, ...], count: int) -> dict[Cell, int]:
    """How many items of each cell: objectives in turn, and in an objective always the cell with most items left
    over."""
    available = sum(len(entries) for entries in cells.values())
    if not 1 <= count <= available:
        raise AssemblyError(f"{count} items are asked for, and there are {available} on {', '.join(objectives)}.")
    mix: dict[Cell, int] = {}
    while sum(mix.values()) < count:
        for objective in objectives:
            left = {cell: len(entries) - mix.get(cell, 0) for cell, entries in cells.items() if cell[0] == objective}
            if any(left.values()) and sum(mix.values()) < count:
                cell = max(left, key=lambda cell: (left[cell] / len(cells[cell]), len(cells[cell]), cell))
                mix[cell] = mix.get(cell, 0) + 1
    return mix


def _settled(entry: _Entry, seed: str, draw: random.Random) -> dict[str, Any]:
    """The entry with one value for each variable, and its options in a random order where they have none."""
    variables = entry.source.variables(entry.index, seed)
    item = entry.source.item(entry.index, variables)
    data = deepcopy(entry.data)
    if "variables" in data:
        data["variables"] = {name: [value] for name, value in variables.items()}
    if isinstance(item, Choice) and "options" in data and not item.ordered:
        draw.shuffle(data["options"])
    return data
