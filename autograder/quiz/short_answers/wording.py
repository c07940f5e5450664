"""A short answer as words: what patterns are matched against.

"It isn't O(n²), because K's rows…"  ->  [it is not o n^2 ,] [because k rows]
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What turns a statement round. "without" and the contractions' "not" are written by `_spelled_out`.
NEGATORS = _words(
    "not no non never neither nor none nothing nobody nowhere without hardly barely false untrue wrong incorrect fail "
    "fails lack lacks myth sub unlike instead rather"
)
# "instead of one head there are eight": these reach a few words only, the others to the end of the clause.
SHORT_REACH = {"instead": 3, "rather": 3, "unlike": 3, "nor": 4}
# "not only", "not necessarily": what follows is neither stated nor denied.
SOFTENERS = _words("only just merely necessarily always simply entirely quite exactly")
# Words that turn round or weaken what they belong to: "prevents the heads from …", "less than quadratic".
_REVERSERS = tuple(
    _words("prevent avoid stop hinder forbid eliminat remov block reduc ignor less fewer below under little except")
)

COMMA = ","
_BREAKING_WORDS = _words("but because since so whereas while although though thus therefore hence")
_BREAK = re.compile(r"[.;:!?\n…]+(?=\s|$)|\s[-–—]+\s|[—]")
_TOKEN = re.compile(r"[^\W_]+(?:[_^][^\W_]+)*|,")
# "as" begins a reason where one of these follows: "as it saturates", but not "as large as".
_SUBJECTS = "q|k|v|it|the|there|they|all|keys|queries|both"
_SPELLINGS = (
    (re.compile(r"[’‘´`]"), "'"),
    (re.compile(r"(?<=\w)\s*\*\*\s*(?=\d)"), "^"),
    (re.compile(r"\\(?:times|cdot)\b|[×∗*](?!\*)"), " x "),
    (re.compile(r"\\sqrt|√"), " sqrt "),
    (re.compile(r"²"), "^2"),
    (re.compile(r"³"), "^3"),
    (re.compile(r"\\[a-z]+"), " "),
    (re.compile(r"[${}\\]"), ""),
)
_CONTRACTIONS = (
    (re.compile(r"\bcan't\b|\bcannot\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\b(is|are|do|does|did|was|were|has|have|would|could|should)nt\b"), r"\1 not"),
    (re.compile(r"'(s|re|ve|ll|d|m)\b"), " "),
    (re.compile(r"\b(?:i|we) (?:think|believe|guess|suppose|would say)(?: that)?\b"), " "),
    (re.compile(rf"(?<!such )(?<!same )(?<!well )\bas(?= (?:{_SUBJECTS})\b)"), "because"),
)


@dataclass(frozen=True)
class Clause:
    """Words in order; commas are kept as words of their own."""

    words: tuple[str, ...]


def clauses_of(answer: str) -> tuple[Clause, ...]:
    """`answer` in clauses, parted at stops and at words like "because" and "but"."""
    clauses = []
    for piece in _BREAK.split(_spelled_out(answer)):
        words: list[str] = []
        for word in _TOKEN.findall(piece):
            if word in _BREAKING_WORDS and words:
                clauses.append(words)
                words = []
            words.append(word)
        clauses.append(words)
    return tuple(Clause(tuple(words)) for words in clauses if any(word != COMMA for word in words))


def _spelled_out(answer: str) -> str:
    text = answer
    for pattern, spelling in _SPELLINGS:
        text = pattern.sub(spelling, text)
    text = unicodedata.normalize("NFKC", text).casefold()
    for pattern, spelling in _CONTRACTIONS:
        text = pattern.sub(spelling, text)
    return re.sub(r"(?<=\w)-(?=\w)", " ", text)


def is_reverser(word: str) -> bool:
    """Does `word` turn round or weaken what it belongs to: "prevents", "less"?"""
    return word.startswith(_REVERSERS)


def negations(clauses: tuple[Clause, ...]) -> frozenset[tuple[int, int]]:
    """The (clause, word) of each negation that reaches to the end of its clause."""
    return frozenset(
        (number, at)
        for number, clause in enumerate(clauses)
        for at, word in enumerate(clause.words)
        if word in NEGATORS and word not in SHORT_REACH
    )


# Words that no English clause ends in, or that never follow an article: the marks of words thrown together.
_ARTICLES = _words("the a an")
_FUNCTION_WORDS = _words("the a an of is are from to with and or for because whose which")
_NEVER_LAST = _words("the a an of is are and or whose with because for")
_NEVER_AFTER_OF = _words("is are from of to because whose")


# Words of the subject: one that a question is not about is a mark of an answer made of key words.
JARGON = tuple(
    _words(
        "softmax head encoder decoder quadratic peak project gradient saturat concatenat position permut equivarian "
        "residual norm score embedding query queries key value sequence parallel variance magnitude memory matrix "
        "source target cross recurren convolution"
    )
)


def looks_thrown_together(clauses: tuple[Clause, ...]) -> bool:
    """Are these words and no sentence: "the of", a clause that ends in "a", a word twice in a row?"""
    return any(
        clause.words[-1] in _NEVER_LAST or any(map(_never_meet, clause.words, clause.words[1:])) for clause in clauses
    )


def _never_meet(word: str, following: str) -> bool:
    return (
        (word in _ARTICLES and following in _FUNCTION_WORDS)
        or (word == "of" and following in _NEVER_AFTER_OF)
        or (word == following and len(word) > 1)
    )


def jargon_in(text: str) -> frozenset[str]:
    """The words of the subject that `text` uses."""
    words = [word for clause in clauses_of(text) for word in clause.words]
    return frozenset(stem for stem in JARGON for word in words if word.startswith(stem))
