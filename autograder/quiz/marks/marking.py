"""One response to one item, marked. What can't be read is for review: no wrong mark is given silently."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product

from autograder.quiz.formulas import Number, is_near, number_text
from autograder.quiz.model import Belief, Choice, Item, MultipleResponse, Numeric, ShortAnswer, TrueFalse
from autograder.quiz.outcome import Outcome
from autograder.quiz.short_answers.judging import MOST_CHARACTERS, is_blank, judge
from autograder.quiz.texts.markup import Markup
from autograder.quiz.texts.plain import fold, plain_text

from .numbers import readings

TRUE_WORDS = frozenset({"true", "t", "yes", "y", "1"})
FALSE_WORDS = frozenset({"false", "f", "no", "n", "0"})

_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")
_LETTERS = re.compile(r"\(?[A-Za-z][).:]?(?:(?:\s*[,;/&+|]\s*|\s+and\s+|\s+)\(?[A-Za-z][).:]?)*")
_BETWEEN_OPTIONS = re.compile(r"\s*[;|\n]\s*")


@dataclass(frozen=True)
class Mark:
    """What a response earned and why. `feedback` is the student's, `reason` the marker's.

    `chosen` are the letters of the options that a response names; `belief` is the one behind a wrong response.
    """

    outcome: Outcome
    score: Number
    max_score: Number
    reason: str
    feedback: Markup = ()
    belief: Belief | None = None
    chosen: tuple[str, ...] = ()


def mark(item: Item, response: str) -> Mark:
    """The mark of `response`. Text of any size and kind is met with one of the four outcomes."""
    if is_blank(response) and not (isinstance(item, Numeric) and response.strip()):
        return Mark(Outcome.BLANK, 0, item.points, "no answer", item.explanation)
    if len(response) > MOST_CHARACTERS:
        return for_review(item, f"the response has {len(response)} characters, and at most {MOST_CHARACTERS} are read")
    match item:
        case ShortAnswer():
            return _short(item, response)
        case Numeric():
            return _numeric(item, response)
        case TrueFalse():
            return _true_false(item, response)
        case Choice():
            return _choice(item, response)
    raise TypeError(f"{item.id} is of no kind that can be marked")


def for_review(item: Item, reason: str) -> Mark:
    """A mark that a person has to make."""
    return Mark(Outcome.REVIEW, 0, item.points, reason)


def _right(item: Item, reason: str, chosen: tuple[str, ...] = ()) -> Mark:
    return Mark(Outcome.CORRECT, item.points, item.points, reason, item.explanation, chosen=chosen)


def _wrong(
    item: Item, reason: str, feedback: Markup, belief: Belief | None = None, chosen: tuple[str, ...] = ()
) -> Mark:
    return Mark(Outcome.INCORRECT, 0, item.points, reason, feedback, belief, chosen)


def _short(item: ShortAnswer, response: str) -> Mark:
    verdict = judge(item, response)
    if verdict.outcome is Outcome.CORRECT:
        return _right(item, verdict.reason)
    if verdict.outcome is Outcome.INCORRECT and verdict.contradiction is not None:
        contradiction = verdict.contradiction
        return _wrong(item, verdict.reason, contradiction.feedback, contradiction.belief)
    return Mark(verdict.outcome, 0, item.points, verdict.reason)


def _numeric(item: Numeric, response: str) -> Mark:
    values = readings(response)
    if not values:
        return for_review(item, "the response is no number")
    for value in values:
        if is_near(value, item.key, item.tolerance):
            return _right(item, f"{number_text(value)} is within the tolerance")
    for wrong, value in product(item.wrong, values):
        if is_near(value, wrong.value, item.tolerance):
            return _wrong(item, f"{number_text(value)} is the value of {wrong.formula}", wrong.feedback, wrong.belief)
    return _wrong(item, f"{number_text(values[0])} is not the value", item.explanation)


def _true_false(item: TrueFalse, response: str) -> Mark:
    word = response.strip().rstrip(".!").casefold()
    lettered = _LETTER.fullmatch(response.strip())  # on paper the two have letters
    if lettered and lettered[1].upper() in dict(item.lettered):
        letter = lettered[1].upper()
    elif word in TRUE_WORDS | FALSE_WORDS:
        letter = item.lettered[0 if word in TRUE_WORDS else 1][0]
    else:
        return for_review(item, "the response is neither true nor false")
    option = dict(item.lettered)[letter]
    if option.correct:
        return _right(item, "the key", (letter,))
    return _wrong(item, f"the key is {str(item.answer).lower()}", option.feedback, option.belief, (letter,))


def _choice(item: Choice, response: str) -> Mark:
    chosen = named_options(item, response)
    if not chosen:
        return for_review(item, "the response names no option, or more than one reading is possible")
    if isinstance(item, MultipleResponse):
        return _multiple_response(item, chosen)
    if len(chosen) > 1:
        return for_review(item, f"the response names {len(chosen)} options, and one is asked for")
    option = dict(item.lettered)[chosen[0]]
    if option.correct:
        return _right(item, "the key", chosen)
    return _wrong(item, f"the key is {item.key[0]}", option.feedback, option.belief, chosen)


def _multiple_response(item: MultipleResponse, chosen: tuple[str, ...]) -> Mark:
    if chosen == item.key:
        return _right(item, "all right options and no other", chosen)
    for letter, option in item.lettered:
        if letter in chosen and not option.correct:
            return _wrong(item, f"the key is {', '.join(item.key)}", option.feedback, option.belief, chosen)
    return _wrong(item, f"right options are left out; the key is {', '.join(item.key)}", item.explanation, None, chosen)


def named_options(item: Choice, response: str) -> tuple[str, ...]:
    """The letters of the options that `response` names, by letter or by text, in the item's order; () for none.

    For a multiple response, letters may be parted by commas or spaces, and texts by semicolons or line ends.
    """
    whole = _one_option(item, response)
    if whole:
        return whole
    text = response.strip()
    if _LETTERS.fullmatch(text):
        pieces = re.findall(r"[A-Za-z]+", text)
        parts = [piece for piece in pieces if piece.casefold() != "and"]
    elif isinstance(item, MultipleResponse) and text.isascii() and text.isalpha() and len(set(text)) == len(text):
        parts = list(text)
    else:
        parts = [part for part in _BETWEEN_OPTIONS.split(text) if part]
    named = [_one_option(item, part) for part in parts]
    if len(parts) < 2 or not all(named):
        return ()
    letters = {letter for each in named for letter in each}
    return tuple(letter for letter, _ in item.lettered if letter in letters)


def _one_option(item: Choice, response: str) -> tuple[str, ...]:
    """The option that `response` names as its letter, its text, or both ("B. Cross-attention"); () for none or
    several."""
    text = response.strip()
    found = {letter for letter, option in item.lettered if fold(plain_text(option.text)) == fold(text)}
    letter = _LETTER.fullmatch(text)
    if letter and letter[1].upper() in dict(item.lettered):
        found.add(letter[1].upper())
    if not found:
        head, _, tail = text.partition(" ")
        both = _LETTER.fullmatch(head)
        option = dict(item.lettered).get(both[1].upper()) if both and not head.isalpha() else None
        if both and option and fold(plain_text(option.text)) == fold(tail):
            found.add(both[1].upper())
    return tuple(found) if len(found) == 1 else ()
