"""The statements of both lessons and their ties, as `instructor_guide/coverage.yaml` has them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import yaml

from .headings import PROJECT

COVERAGE = PROJECT / "instructor_guide" / "coverage.yaml"
TIES = ("exercises", "checks", "items", "guide")


@dataclass(frozen=True)
class Statement:
    """One sentence-sized statement of a lesson, in our own words, and where it is practised, asked and told."""

    id: str
    lesson: str
    section: str
    says: str
    exercises: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    guide: tuple[str, ...] = ()

    @property
    def ties(self) -> tuple[str, ...]:
        return self.exercises + self.checks + self.items + self.guide


@cache
def statements() -> tuple[Statement, ...]:
    """All statements in the lessons' order. Raises TypeError where an entry has a field that a Statement lacks."""
    lessons = yaml.safe_load(COVERAGE.read_text(encoding="utf-8"))
    return tuple(
        _statement(lesson, part["section"], entry)
        for lesson, parts in lessons.items()
        for part in parts
        for entry in part["statements"]
    )


def _statement(lesson: str, section: str, entry: dict) -> Statement:
    ties = {kind: tuple(entry.get(kind, ())) for kind in TIES}
    rest = {key: value for key, value in entry.items() if key not in TIES}
    return Statement(lesson=lesson, section=section, **rest, **ties)
