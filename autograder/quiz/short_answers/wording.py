"""A short answer as words: what patterns are matched against.

"It isn't O(n²), because K's rows…"  ->  [it is not o n^2 ,] [because k rows]
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass


def word_set(text: str) -> frozenset[str]:
    """The words of `text`."""
    return frozenset(text.split())


# What turns a statement round. "without" and the contractions' "not" are written by `_spelled_out`.
NEGATORS = word_set(
    "not no non never neither nor none nothing nobody nowhere without hardly barely false untrue wrong incorrect fail "
    "fails lack lacks myth sub unlike instead rather anyway regardless"
)
# "instead of one head there are eight": these reach a few words only, the others to the end of the clause.
SHORT_REACH = {"instead": 3, "rather": 3, "unlike": 3, "nor": 4}
# "not only", "not necessarily": what follows is neither stated nor denied.
SOFTENERS = word_set("only just merely necessarily always simply entirely quite exactly")
# "Positional encodings are not needed": one denial that stands after what it denies.
DENIED_AFTERWARDS = word_set("needed necessary required used true there")
_LAUGHS = word_set("lol lmao rofl haha hahaha hehe jk duh")
# Words that turn round or weaken what they belong to: "prevents the heads from …", "less than quadratic".
_REVERSERS = tuple(
    word_set("prevent avoid stop hinder forbid eliminat remov block reduc ignor less fewer below under little except")
)

COMMA = ","
SYMBOL = re.compile(r"\w|\w*[_^\d]\w*")
_BREAKING_WORDS = word_set("but because since so although though thus therefore hence")
# "Q from one sequence, whereas K and V …": one statement still, though a negation on one side does not reach the other.
CONTRASTS = word_set("while whereas")
# What may stand before the beginning of a statement ("but Q comes from …").
LEADS = word_set("but because since and")
_BREAK = re.compile(r"[.;:!?…]+(?=\s|$)|\n|\s[-–—]+\s|[—]|[-–=]+>|[→⇒]")
_TOKEN = re.compile(r"[^\W_]+(?:[_^][^\W_]+)*|,")
# "as" begins a reason where one of these follows: "as it saturates", but not "as large as".
_SUBJECTS = "q|k|v|it|the|there|they|all|keys|queries|both"
_SPELLINGS = (
    (re.compile(r"[’‘´`]"), "'"),
    (re.compile(r"\b[iI]\.? ?e\.(?=\W)"), ", that is"),
    (re.compile(r"\b[eE]\.? ?g\.(?=\W)"), ", for example"),
    (re.compile(r"\b[wW]/[oO]\b"), "without"),
    (re.compile(r"\b[wW]/(?=\s)"), "with"),
    (re.compile(r"\b[bB](?:/c|c|cuz)\b"), "because"),
    (re.compile(r"\b[tT]hru\b"), "through"),
    (re.compile(r"\b([aA])tt(?:n\b|\b\.?)"), r"\1ttention"),
    (re.compile(r"\b([cC]ross|[sS]elf)att"), r"\1-att"),
    (re.compile(r"!=|≠"), " is not "),
    (re.compile(r"\b([pP]os|[eE]nc|[eE]mb|[dD]im|[sS]eq)\.(?=\s|$)"), r"\1"),
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
    (re.compile(r"\bno matter\b"), "whatever"),
    (re.compile(r"\b(?:and )?not (?:the other way (?:a)?round|vice versa|the reverse)\b"), " "),
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


def is_in_jest(clauses: tuple[Clause, ...]) -> bool:
    """Is there a laugh in it?"""
    return any(word in _LAUGHS for clause in clauses for word in clause.words)


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
_ARTICLES = word_set("the a an")
_FUNCTION_WORDS = word_set("the a an of is are from to with and or for because whose which")
_NEVER_LAST = word_set("the a an of is are and or whose with because for")
_NEVER_AFTER_OF = word_set("is are from of to because whose")
# More words in a row that nothing binds together are a list of key words, and so is a clause as long in which nothing
# binds.
MOST_UNBOUND = 6
_BINDING = word_set(
    "a an the this that these those which who whose it its they them their there we you i he not never no and or"
    " nor but if so to of from with without within in for on at by into over through between across than as"
    " because since when while whereas otherwise instead rather unlike be am is are was were been do does did has"
    " have had can could will would should must may all each every both one two three several multiple many more"
    " how what where too very also only just"
)


# Words of the subject: one that a question is not about is a mark of an answer made of key words.
JARGON = tuple(
    word_set(
        "softmax head encoder decoder quadratic peak project gradient saturat concatenat position permut equivarian "
        "residual norm score embedding query queries key value sequence parallel variance magnitude memory matrix "
        "source target cross recurren convolution rnn lstm cnn loss vocabular batch epoch label class dropout overfit "
        "regulari optimi mask causal future column layer random initiali bias feed ffn mlp paramet"
    )
)


def looks_thrown_together(clauses: tuple[Clause, ...]) -> bool:
    """Are these words and no sentence: "the of", a clause that ends in "a", a word twice in a row, a list?"""
    return any(
        clause.words[-1] in _NEVER_LAST
        or any(map(_never_meet, clause.words, clause.words[1:]))
        or _is_list(clause.words)
        for clause in clauses
    )


def _is_list(words: tuple[str, ...]) -> bool:
    """Is there no article, pronoun, preposition, auxiliary, conjunction or quantity for longer than in a sentence?

    Symbols ("W_Q", "n^2") bind too in a clause that has other binding words; formulas need none.
    """
    bound = [word == COMMA or word in _BINDING for word in words]
    symbols = [SYMBOL.fullmatch(word) is not None for word in words]
    if 2 * sum(symbols) > len(words):
        return False
    if len(words) > MOST_UNBOUND and not any(bound):
        return True
    longest = run = 0
    for binds in map(any, zip(bound, symbols, strict=True)):
        run = 0 if binds else run + 1
        longest = max(longest, run)
    return longest > MOST_UNBOUND


def _never_meet(word: str, following: str) -> bool:
    return (
        (word in _ARTICLES and following in _FUNCTION_WORDS)
        or (word == "of" and following in _NEVER_AFTER_OF)
        or (word == following and len(word) > 1)
    )


def jargon_in(clauses: tuple[Clause, ...]) -> frozenset[str]:
    """The words of the subject that are used."""
    words = [word for clause in clauses for word in clause.words]
    return frozenset(stem for stem in JARGON for word in words if word.startswith(stem))
