"""Is this a sentence, or key words thrown together? A permutation test.

Pairs of neighbouring words are counted in the catalogue's texts and the item's own, word by word and by word class. A
sentence is far likelier under these counts than its own words in another order; a salad is not.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise, product

from autograder.catalogue.misconceptions import misconceptions
from autograder.catalogue.objectives import OBJECTIVES

from .wording import COMMA, SYMBOL, Clause, clauses_of

FEWEST_WORDS = 6  # shorter answers have too few orders
SHUFFLES = 99
MOST_LIKELIER = 9  # of the shuffles may be as likely as the answer itself: a test at 10 %

_START, _END = "<start>", "<end>"
_OTHER = "other"
_CLASSES = {
    "article": "the a an",
    "determiner": "each every some any no another its their his your this these",
    "quantity": "all both one two three several multiple many most more",
    "to be": "is are was were be been being",
    "to become": "become becomes becoming get gets",
    "auxiliary": "do does did has have had",
    "modal": "can could would will should must may to",
    "preposition": "of from with for in on at by into over out through between across without as than instead rather",
    "conjunction": "and or but because so if when while since",
    "relative": "which that who whose where",
    "pronoun": "it they them there he we i you",
    "negation": "not never",
    "adverb": "too very also only just overly nearly almost then",
}
_ENDINGS = ("ing", "ed", "ly", "tion", "s")
_CLASS_OF = {word: name for name, words in _CLASSES.items() for word in words.split()}


@dataclass
class WordPairs:
    """Counts of neighbours in some texts, by word and by class."""

    words: Counter[tuple[str, str]] = field(default_factory=Counter)
    first_words: Counter[str] = field(default_factory=Counter)
    classes: Counter[tuple[str, str]] = field(default_factory=Counter)
    first_classes: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, texts: Iterable[str]) -> WordPairs:
        """Counted clause by clause."""
        pairs = cls()
        for text in texts:
            for clause in clauses_of(text):
                pairs._count([word for word in clause.words if word != COMMA])
        return pairs

    def _count(self, words: list[str]) -> None:
        for first, second in pairwise([_START, *words, _END]):
            self.words[first, second] += 1
            self.first_words[first] += 1
            self.classes[_class(first), _class(second)] += 1
            self.first_classes[_class(first)] += 1

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All the words."""
        return frozenset(self.first_words)

    def share(self, first: str, second: str) -> float:
        """How often `second` follows `first`: half by word, half by class, smoothed."""
        by_word = self.words[first, second] / (self.first_words[first] + 1)
        pair = (_class(first), _class(second))
        by_class = (self.classes[pair] + 0.1) / (self.first_classes[pair[0]] + 2)
        return (by_word + by_class) / 2


def _class(word: str) -> str:
    """The class of a word: listed, a symbol ("W_Q", "j"), or told by its ending."""
    if word in (_START, _END) or word in _CLASS_OF:
        return _CLASS_OF.get(word, word)
    if SYMBOL.fullmatch(word):
        return "symbol"
    return next((ending for ending in _ENDINGS if word.endswith(ending)), _OTHER)


@cache
def pairs_beside(texts: tuple[str, ...]) -> WordPairs:
    """Pairs of the catalogue's texts and of `texts`."""
    misconception_texts = [text for m in misconceptions().values() for text in (m.belief, m.feedback)]
    return WordPairs.of([*misconception_texts, *(objective.text for objective in OBJECTIVES.values()), *texts])


def is_in_order(clauses: tuple[Clause, ...], pairs: WordPairs) -> bool:
    """Is each clause likelier than nearly all orders of its own words? Short ones and formulas pass.

    The same words, the same verdict.
    """
    return all(_is_in_order([word for word in clause.words if word != COMMA], pairs) for clause in clauses)


def _is_in_order(words: list[str], pairs: WordPairs) -> bool:
    symbols = sum(SYMBOL.fullmatch(word) is not None for word in words)
    if len(words) < FEWEST_WORDS or 2 * symbols > len(words):  # a formula has an order of its own
        return True
    shares = {pair: math.log(pairs.share(*pair)) for pair in product([_START, *words], [*words, _END])}

    def likelihood(order: list[str]) -> float:
        return sum(shares[pair] for pair in pairwise([_START, *order, _END]))

    own = likelihood(words)
    draw = random.Random(" ".join(words))
    shuffled = words[:]
    likelier = 0
    for _ in range(SHUFFLES):
        draw.shuffle(shuffled)
        likelier += likelihood(shuffled) >= own
    return likelier <= MOST_LIKELIER
