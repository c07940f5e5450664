"""The guide's numbers and tables, read from the project's data.

A page marks what it takes from the data, and stays readable as plain Markdown:

    worth <!-- data: points 01_numpy_self_attention/softmax_rows -->16<!-- / --> points

    <!-- data: exercises 01_numpy_self_attention -->
    | exercise | ...
    <!-- / -->

`python -m tests.guide.facts` writes every mark anew, with `--check` it names stale pages; the tests fail while one is.
"""

from __future__ import annotations

import fnmatch
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.misconceptions import misconceptions
from autograder.catalogue.objectives import OBJECTIVES
from autograder.grading.mark import LEAST_IF_RIGHT, MOST_IF_WRONG
from autograder.quiz.banks.loading import bank_names, load_bank
from autograder.quiz.model import Choice, Item, ShortAnswer
from autograder.quiz.texts.plain import plain_text

from .coverage import Statement, statements
from .headings import PROJECT

GUIDE = PROJECT / "instructor_guide"
MARK = re.compile(r"(<!-- data: ([^>]+?) -->)(.*?)(<!-- / -->)", re.DOTALL)


def pages() -> list[Path]:
    """The guide's pages that people write; the certificate is written by `attnkit verify`."""
    return sorted(page for page in GUIDE.glob("*.md") if page.name != "certificate.md")


def fresh(text: str) -> str:
    """`text` with every mark's content as the data has it now. Raises KeyError for a mark that names no fact."""
    return MARK.sub(lambda mark: mark[1] + fact(*mark[2].split()) + mark[4], text)


def fact(name: str, *arguments: str) -> str:
    """One number or table, as Markdown."""
    if name not in FACTS:
        raise KeyError(f"no fact is called {name!r}; there are {', '.join(sorted(FACTS))}")
    return str(FACTS[name](*arguments))


@cache
def items() -> dict[str, Item]:
    """Quiz items by `bank/id`."""
    banks = [load_bank(name) for name in bank_names()]
    return {f"{bank.name}/{item.id}": item for bank in banks for item in bank.items}


def _item(path: str) -> str:
    """The question, and its options with their letters."""
    item = items()[path]
    lines = [plain_text(item.stem)]
    if isinstance(item, Choice):
        lines.append(" · ".join(f"({letter}) {plain_text(option.text)}" for letter, option in item.lettered))
    return " ".join(lines)


def _key(path: str) -> str:
    item = items()[path]
    if isinstance(item, Choice):
        return ", ".join(f"({letter}) {plain_text(option.text)}" for letter, option in item.lettered if option.correct)
    return plain_text(item.answer) if isinstance(item, ShortAnswer) else f"{item.key:g}"


def _table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n" + "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def _points(path: str) -> int:
    assignment, exercise = path.split("/")
    return ASSIGNMENTS[assignment].exercise(exercise).points


def _exercises(assignment: str) -> str:
    rows = [
        (f"`{e.name}{e.signature}`", e.points, OBJECTIVES[e.objective].text) for e in ASSIGNMENTS[assignment].exercises
    ]
    return _table(("exercise", "points", "objective"), rows)


def _assignments() -> str:
    return _table(
        ("assignment", "title", "lesson", "exercises", "minutes"),
        [(f"`{a.id}`", a.title, a.source, len(a.exercises), a.minutes) for a in ASSIGNMENTS.values()],
    )


def _objectives() -> str:
    practised = {
        o: [f"`{e.name}`" for a in ASSIGNMENTS.values() for e in a.exercises if e.objective == o] for o in OBJECTIVES
    }
    return _table(
        ("objective", "source", "practised in"),
        [(o.text, o.source, ", ".join(practised[o.id]) or "quizzes") for o in OBJECTIVES.values()],
    )


def named(patterns: tuple[str, ...]) -> list[str]:
    """The ids that one of `patterns` matches (`softmax-over-*`), in the bank's order. Raises where one matches none."""
    for pattern in patterns:
        if not fnmatch.filter(misconceptions(), pattern):
            raise KeyError(f"no misconception is called {pattern!r}")
    return [m for m in misconceptions() if any(fnmatch.fnmatch(m, pattern) for pattern in patterns)]


def _beliefs(*patterns: str) -> str:
    return _table(
        ("what is believed", "id in the report"), [(misconceptions()[m].belief, f"`{m}`") for m in named(patterns)]
    )


def reflections() -> dict[str, list[str]]:
    """The written questions of each assignment's notebook, by the names of their cells."""
    sources = {a.id: PROJECT / "reference_solutions" / f"{a.file}.py" for a in ASSIGNMENTS.values()}
    return {a: re.findall(r'reflection="([^"]+)"', path.read_text(encoding="utf-8")) for a, path in sources.items()}


def _coverage(lesson: str) -> str:
    rows = [(s.section, s.says, _places(s)) for s in statements() if s.lesson == lesson]
    return _table(("section", "statement", "where"), rows)


def _places(statement: Statement) -> str:
    exercises = [f"`{exercise}`" for exercise in statement.exercises]
    pages_named = [f"[{tie.partition('.md')[0].replace('_', ' ')}]({tie})" for tie in statement.guide]
    return ", ".join([*exercises, *statement.items, *pages_named])


FACTS: dict[str, Callable[..., object]] = {
    "points": _points,
    "minutes": lambda assignment: ASSIGNMENTS[assignment].minutes,
    "all-minutes": lambda: sum(a.minutes for a in ASSIGNMENTS.values()),
    "all-assignments": lambda: len(ASSIGNMENTS),
    "all-exercises": lambda: sum(len(a.exercises) for a in ASSIGNMENTS.values()),
    "all-objectives": lambda: len(OBJECTIVES),
    "all-misconceptions": lambda: len(misconceptions()),
    "exercises": _exercises,
    "assignments": _assignments,
    "objectives": _objectives,
    "beliefs": _beliefs,
    "coverage": _coverage,
    "most-if-wrong": lambda: f"{MOST_IF_WRONG:.0%}",
    "least-if-right": lambda: f"{LEAST_IF_RIGHT:.0%}",
    "all-reflections": lambda: sum(map(len, reflections().values())),
    "all-statements": lambda: len(statements()),
    "practised-statements": lambda: sum(bool(s.exercises) for s in statements()),
    "banks": lambda: _table(
        ("bank", "title", "items"),
        [(f"`{bank.name}`", bank.title, len(bank.items)) for bank in map(load_bank, bank_names())],
    ),
    "items": lambda bank: len(load_bank(bank).items),
    "item": _item,
    "key": _key,
}


def main(check: bool) -> int:
    """Write every stale page anew, or with `check` only name it. Returns 1 where a check found one."""
    stale = [page for page in pages() if fresh(page.read_text(encoding="utf-8")) != page.read_text(encoding="utf-8")]
    for page in stale:
        if not check:
            page.write_text(fresh(page.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"{page.name} {'is stale' if check else 'brought up to date'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv))
