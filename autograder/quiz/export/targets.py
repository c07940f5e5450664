"""The targets of an export, in the order of their importance to instructors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .canvas import export_canvas
from .gift import export_gift
from .moodle import export_moodle
from .output import Export
from .printing import export_print
from .quiz import Quiz


@dataclass(frozen=True)
class Target:
    """`takes_sentences` is False where nothing and nobody marks a short answer: those become choices."""

    name: str
    title: str
    export: Callable[[Quiz], Export]
    takes_sentences: bool = True


TARGETS = {
    target.name: target
    for target in (
        Target("canvas", "Canvas (QTI 1.2)", export_canvas),
        Target("moodle", "Moodle XML", export_moodle),
        Target("print", "print: exam and key", export_print),
        Target("gift", "GIFT", export_gift),
    )
}  # fmt: skip
