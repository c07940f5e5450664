"""Named misconceptions: one id, one belief, one feedback text, wherever it is shown."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .objectives import OBJECTIVES

FILE = Path(__file__).with_name("misconceptions.toml")


@dataclass(frozen=True)
class Misconception:
    """`belief`: what is believed, in one line. `feedback`: what was seen, then a question that leads on."""

    id: str
    belief: str
    feedback: str
    objective: str


@cache
def misconceptions() -> dict[str, Misconception]:
    """All misconceptions by id. Raises ValueError where an entry lacks a part or names no objective."""
    entries = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {name: _read(name, entry) for name, entry in entries.items()}


def _read(name: str, entry: dict[str, str]) -> Misconception:
    if set(entry) != {"belief", "feedback", "objective"}:
        raise ValueError(
            f"{FILE.name}: [{name}] needs belief, feedback and objective, and has {', '.join(sorted(entry))}"
        )
    if entry["objective"] not in OBJECTIVES:
        raise ValueError(f"{FILE.name}: [{name}] names no objective of the catalogue: {entry['objective']}")
    return Misconception(name, entry["belief"], " ".join(entry["feedback"].split()), entry["objective"])
