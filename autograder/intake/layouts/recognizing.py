"""All recognizers in turn, and the folder that zip programs wrap around a class."""

from __future__ import annotations

from autograder.catalogue.assignments import ASSIGNMENTS

from ..entries import SIZE_LIMITS, Tree
from . import canvas, classroom, folders, gradescope, moodle
from .handin import Handin

RECOGNIZERS = (
    gradescope.recognize,
    canvas.recognize,
    moodle.recognize,
    classroom.recognize,
    folders.recognize,
)


def handins_of(tree: Tree, fewest_in_wrapper: int = 2) -> tuple[Handin, ...]:
    """Everything in `tree`, by student.

    Where all lies in one folder that is no student's, that folder is looked into: one that holds no file to
    hand in, but at least `fewest_in_wrapper` folders that do; or one called like the zip that it came in, which
    holds nothing but two or more zips, or zips and folders.
    """
    found: list[Handin] = []
    for recognize in RECOGNIZERS:
        if recognize is folders.recognize and not found:
            tree = _unwrapped(tree, fewest_in_wrapper)
        recognized = recognize(tree)
        found.extend(recognized.handins)
        tree = recognized.rest
    return tuple(found)


def _unwrapped(tree: Tree, fewest: int) -> Tree:
    below = tree.below
    if len(below) != 1 or tree.loose:
        return tree
    (inner,) = below.values()
    students = [
        name
        for name, folder in inner.below.items()
        if name not in ASSIGNMENTS and any(entry.suffix in SIZE_LIMITS for entry in folder.entries)
    ]
    loose = [entry.suffix for entry in inner.loose if entry.suffix in SIZE_LIMITS]
    if loose and inner.name == tree.name and set(loose) == {".zip"}:
        return inner if len(students) + len(loose) > 1 else tree
    return inner if len(students) >= fewest and not loose else tree
