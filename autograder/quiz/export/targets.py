"""The targets of an export, in the order of their importance to instructors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from .anki import export_anki
from .canvas import export_canvas
from .gift import export_gift
from .html_pages import export_html
from .jupyterquiz import export_jupyterquiz
from .moodle import export_moodle
from .olx import export_olx
from .output import Export
from .printing import export_print
from .qti3 import export_qti3
from .qti21 import export_qti21
from .quiz import Quiz


class Sentences(Enum):
    """What a target does with short answers: sentences that a person (or `attnkit quiz grade`) marks, or choices."""

    OPEN = "its responses are marked by attnkit quiz grade, as sentences"
    EITHER = "a person can mark them in the target"
    CHOICE = "nothing and nobody marks a sentence there"


@dataclass(frozen=True)
class Target:
    """`name` is what `--format` takes, `title` what the report says; `export` makes the files, in memory."""

    name: str
    title: str
    export: Callable[[Quiz], Export]
    sentences: Sentences = Sentences.EITHER


TARGETS = {
    target.name: target
    for target in (
        Target("canvas", "Canvas (QTI 1.2)", export_canvas),
        Target("moodle", "Moodle XML", export_moodle),
        Target("print", "print: exam and key", export_print),
        Target("html", "HTML: self-check and graded", export_html, Sentences.OPEN),
        Target("gift", "GIFT", export_gift),
        Target("qti3", "QTI 3.0", export_qti3),
        Target("jupyterquiz", "jupyterquiz", export_jupyterquiz, Sentences.CHOICE),
        Target("olx", "Open edX (OLX)", export_olx, Sentences.CHOICE),
        Target("anki", "Anki", export_anki),
        Target("qti21", "QTI 2.1", export_qti21),
    )
}
