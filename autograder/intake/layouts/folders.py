"""`DIR/<student>/<file>`, nbgrader's `DIR/<student>/<assignment>/<file>`, and one student's files alone."""

from __future__ import annotations

from autograder.catalogue.assignments import ASSIGNMENTS

from ..entries import SOURCE_SUFFIXES, Entry, Tree, stem_of
from .handin import Handin, Recognized


def recognize(tree: Tree) -> Recognized:
    """Each folder at the top is a student, and so is each zip.

    Loose files, and folders named for an assignment, are the student's whom the tree is named for. A link or
    a pipe at the top is told as the student it is named for.
    """
    handins: list[Handin] = []
    own: list[Entry] = []
    for name, below in tree.below.items():
        if name in ASSIGNMENTS:
            own.extend(entry.at((name, *entry.path)) for entry in below.entries)
        else:
            handins.append(Handin(name, below.entries))
    for entry in tree.loose:
        if entry.suffix in SOURCE_SUFFIXES:
            own.append(entry)
        elif entry.suffix == ".zip":
            handins.append(Handin(stem_of(entry.name), (entry,)))
        elif entry.refusal:
            handins.append(Handin(entry.name, (entry,)))
    if own:
        handins.append(Handin(tree.name, tuple(own)))
    return Recognized(tuple(handins), Tree(tree.name, ()))
