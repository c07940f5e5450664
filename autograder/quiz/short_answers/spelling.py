"""Slips of the pen: "positonal encodding" is read as "positional encoding"."""

from __future__ import annotations

from collections.abc import Iterable

from .wording import Clause

SHORTEST_WORD = 6  # shorter words are too often one letter from another word


def respelled(clauses: tuple[Clause, ...], known: Iterable[str], right: frozenset[str]) -> tuple[Clause, ...]:
    """`clauses` with the known word for each long word that is one slip from it, and neither `known` nor `right`.

    A slip leaves out, adds, exchanges or swaps one letter, and never the first: "unscaled" and "decoder" stay.
    """
    words = frozenset(word for word in known if len(word) >= SHORTEST_WORD)
    return tuple(Clause(tuple(_respelled(word, words, right) for word in clause.words)) for clause in clauses)


def _respelled(word: str, known: frozenset[str], right: frozenset[str]) -> str:
    if len(word) < SHORTEST_WORD or not word.isalpha() or word in right or any(map(word.startswith, known)):
        return word
    candidates = [other for other in known if is_one_slip(word, other)]
    return min(candidates, key=lambda other: (len(other), other)) if candidates else word


def is_one_slip(word: str, other: str) -> bool:
    """Are they one letter, or two neighbours in the other order, apart, after the same first letter?"""
    if word == other or word[0] != other[0] or abs(len(word) - len(other)) > 1:
        return False
    at = next((at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    if len(word) != len(other):
        shorter, longer = sorted((word, other), key=len)
        return shorter[at:] == longer[at + 1 :]
    swapped = word[at + 1 : at + 2] + word[at] == other[at : at + 2] and word[at + 2 :] == other[at + 2 :]
    return swapped or word[at + 1 :] == other[at + 1 :]
