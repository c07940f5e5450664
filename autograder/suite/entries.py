"""Exercises that are marked by entry: the result is a dict, and each of its keys earns its share."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from autograder.catalogue.assignments import exercise_named

from .cases import Cases
from .checks import Check, ExerciseTests, Role
from .expect import Unmet, kind_of


class EntryTests(ExerciseTests):
    """One check for each key: right on all cases, or not."""

    def checks(self) -> Iterator[Check]:
        for entry in self.entries():
            yield Check(
                f"entry_{entry}",
                Role.ENTRY,
                f"The entry {entry} is right for all sizes.",
                partial(self.hold_entry, entry),
            )

    def entries(self) -> tuple[str, ...]:
        return exercise_named(self.exercise).entries

    def hold_entry(self, entry: str, student: Any, cases: Cases) -> None:
        for case in cases.ordinary:
            answer = getattr(student, self.exercise)(*case.args)
            if not isinstance(answer, dict):
                raise Unmet(f"the result is {kind_of(answer)}, where a dict is due")
            if entry not in answer:
                raise Unmet(
                    f"the result has no key {entry!r}; it has {', '.join(sorted(map(str, answer)))[:120] or 'none'}"
                )
            if plain(answer[entry]) != plain(case.expected[entry]):
                raise Unmet(f"the entry {entry} is wrong for the sizes {case.args}")


def plain(value: Any) -> Any:
    """Lists for tuples and Python's numbers for NumPy's; a bool is not a number."""
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value.tolist()]
    if isinstance(value, bool | np.bool_):
        return ("bool", bool(value))
    return value.item() if isinstance(value, np.generic) else value
