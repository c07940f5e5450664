"""GitHub Classroom: one checkout `<slug>-<username>` for each student, each with its `.git`.

`gh classroom clone student-repos` puts them into a folder `<slug>-submissions`, which tells where the slug
ends; so does a slug that is an assignment's own id or file name. Elsewhere that cannot be known, since slugs
and user names both have hyphens, and the checkout's whole name is the student.
"""

from __future__ import annotations

import re

from autograder.catalogue.assignments import ASSIGNMENTS

from ..entries import Tree
from .handin import Handin, Recognized

_CLONED = re.compile(r"(?P<slug>.+)-submissions", re.DOTALL)
_OWN_SLUGS = tuple(slug.replace("_", "-") for a in ASSIGNMENTS.values() for slug in (a.id, a.file))


def recognize(tree: Tree) -> Recognized:
    """The checkouts at the top, and those in `<slug>-submissions` folders at the top, where these are all there is.

    Beside other folders such a one is a student's, whose id ends so: what is in it can't speak for others.
    """
    handins = _checkouts(tree)
    taken = {path[0] for path in tree.checkouts if len(path) == 1}
    if handins and _CLONED.fullmatch(tree.name):
        taken |= {name for name, below in tree.below.items() if below.entries}
    cloned = {name: below for name, below in tree.below.items() if name not in taken and _CLONED.fullmatch(name)}
    if all(name in taken or name in cloned or not below.entries for name, below in tree.below.items()):
        for name, below in cloned.items():
            if inner := _checkouts(below):
                handins.extend(inner)
                taken.add(name)
    return Recognized(tuple(handins), tree.without(taken))


def _checkouts(tree: Tree) -> list[Handin]:
    """The checkouts; in a `<slug>-submissions` folder that has any, also the folders that have lost their `.git`."""
    cloned = _CLONED.fullmatch(tree.name)
    slugs = (cloned["slug"],) if cloned else _OWN_SLUGS
    found = {name for name in tree.below if (name,) in tree.checkouts}
    if cloned and found:
        found |= {name for name, below in tree.below.items() if below.entries}
    return [Handin(_username(name, slugs), below.entries) for name, below in tree.below.items() if name in found]


def _username(checkout: str, slugs: tuple[str, ...]) -> str:
    for slug in sorted(slugs, key=len, reverse=True):
        if checkout.startswith(f"{slug}-") and len(checkout) > len(slug) + 1:
            return checkout[len(slug) + 1 :]
    return checkout
