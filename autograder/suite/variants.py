"""Accepted variants: whole submissions that are right, each in its own style."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variant:
    """A right submission; every one of an assignment's must earn all points. `name` says what its style is."""

    name: str
    source: str
