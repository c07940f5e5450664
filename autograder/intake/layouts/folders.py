"""`DIR/<student>/<file>`, `DIR/<student>/<assignment>/<file>` as nbgrader lays it out, and one student's files alone."""

from __future__ import annotations

from ..entries import SOURCE_SUFFIXES, Tree, stem_of
from . import Handin, Recognized


def recognize(tree: Tree) -> Recognized:
    """Each folder at the top is a student, and so is each zip; loose files are the student's whom the tree is named for.

    A link or pipe at the top is told as the student it is named for.
    """
    handins = [Handin(name, below.entries) for name, below in tree.below().items()]
    loose = tuple(entry for entry in tree.loose if entry.suffix in SOURCE_SUFFIXES)
    if loose:
        handins.append(Handin(tree.name, loose))
    for entry in tree.loose:
        if entry not in loose and (entry.suffix == ".zip" or entry.refusal):
            handins.append(Handin(stem_of(entry.name), (entry,)))
    return Recognized(tuple(handins), Tree(tree.name, ()))
