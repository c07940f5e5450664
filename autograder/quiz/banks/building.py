"""One entry of a bank, with a value for each of its variables, made an item."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from autograder.catalogue.misconceptions import misconceptions
from autograder.catalogue.objectives import OBJECTIVES
from autograder.quiz.formulas import FormulaError, Number, evaluate, fill
from autograder.quiz.model import (
    Belief,
    Choice,
    Concept,
    Contradiction,
    Item,
    MultipleChoice,
    MultipleResponse,
    Numeric,
    Option,
    Place,
    SampleAnswers,
    ShortAnswer,
    TrueFalse,
    WrongValue,
    of_kind,
)
from autograder.quiz.short_answers.patterns import PatternError, read_pattern
from autograder.quiz.texts.markup import Markup, MarkupError, parse_markup
from autograder.quiz.texts.plain import plain_text

from .ordering import stands_in_order
from .problems import BankError, Problem

PlaceOf = Callable[..., Place]  # of a path below the entry: place("options", 2, "text")


def build_item(entry: dict[str, Any], variables: Mapping[str, Number], place: PlaceOf) -> Item:
    """The item that `entry`, which follows the bank's schema, makes with these values. Raises BankError at a fault."""
    return _Builder(entry, variables, place).build()


class _Builder:
    """An entry and one variant of its variables, on the way to an Item; `_variables` has those of `let` too."""

    def __init__(self, entry: dict[str, Any], variables: Mapping[str, Number], place: PlaceOf) -> None:
        self._entry, self._place = entry, place
        self._chosen, self._variables = dict(variables), dict(variables)

    def build(self) -> Item:
        entry = self._entry
        for name, formula in entry.get("let", {}).items():
            self._variables[name] = self._number(formula, "let", name)
        if entry["objective"] not in OBJECTIVES:
            known = ", ".join(OBJECTIVES)
            raise self._error(f"{entry['objective']} is no objective of the catalogue; it has {known}", "objective")
        head = Item(
            id=entry["id"],
            objective=entry["objective"],
            points=entry.get("points", 1),
            difficulty=entry["difficulty"],
            source=entry["source"],
            kept=entry.get("kept"),
            stem=self._text("stem"),
            explanation=self._text("explanation"),
            place=self._place(),
            variables=tuple(self._chosen.items()),
        )
        match entry["type"]:
            case "mc" | "multi":
                return self._choice(head)
            case "tf":
                return self._true_false(head)
            case "numeric":
                return self._numeric(head)
            case _:
                return self._short(head)

    def _choice(self, head: Item) -> Item:
        options = tuple(self._option(number) for number in range(len(self._entry["options"])))
        kind: type[Choice] = MultipleChoice if self._entry["type"] == "mc" else MultipleResponse
        ordered = not self._entry.get("shuffle", True) or stands_in_order([option.text for option in options])
        return of_kind(kind, head, options=options, ordered=ordered)

    def _option(self, number: int) -> Option:
        path = ("options", number)
        entry = self._entry["options"][number]
        correct = entry.get("correct", False)
        feedback = self._text(*path, "feedback") if "feedback" in entry else self._text("explanation")
        return Option(
            self._text(*path, "text"),
            correct,
            feedback,
            None if correct else self._belief(*path),
            self._place(*path),
        )

    def _true_false(self, head: Item) -> Item:
        def option(value: bool) -> Option:
            right = value == self._entry["answer"]
            return Option(
                parse_markup("True" if value else "False"),
                right,
                head.explanation if right else self._text("wrong", "feedback"),
                None if right else self._belief("wrong"),
                self._place("answer" if right else "wrong"),
            )

        return of_kind(TrueFalse, head, options=(option(True), option(False)), ordered=True)

    def _numeric(self, head: Item) -> Item:
        wrong = []
        for number, entry in enumerate(self._entry["wrong"]):
            path = ("wrong", number)
            wrong.append(
                WrongValue(
                    self._number(entry["formula"], *path, "formula"),
                    str(entry["formula"]),
                    self._text(*path, "feedback"),
                    self._belief(*path),
                    self._place(*path),
                )
            )
        return of_kind(
            Numeric,
            head,
            key=self._number(self._entry["answer"], "answer"),
            formula=str(self._entry["answer"]),
            tolerance=self._number(self._entry.get("tolerance", 0), "tolerance"),
            wrong=tuple(wrong),
        )

    def _short(self, head: Item) -> Item:
        concepts = tuple(Concept(name, tuple(patterns)) for name, patterns in self._entry.get("concepts", {}).items())
        for concept in concepts:
            self._read_patterns(concept.patterns, "concepts", concept.name)
        contradictions = []
        for number, entry in enumerate(self._entry.get("contradictions", [])):
            path = ("contradictions", number)
            self._read_patterns(entry.get("patterns", ()), *path, "patterns")
            denies = entry.get("denies")
            if denies is not None and denies not in {concept.name for concept in concepts}:
                raise self._error(f"denies names {denies}, which is no concept of this item", *path)
            contradictions.append(
                Contradiction(
                    tuple(entry.get("patterns", ())),
                    denies,
                    self._text(*path, "feedback"),
                    self._belief(*path),
                    self._place(*path),
                )
            )
        self._read_patterns(self._entry.get("asides", ()), "asides")
        return of_kind(
            ShortAnswer,
            head,
            answer=self._text("answer"),
            concepts=concepts,
            contradictions=tuple(contradictions),
            asides=tuple(self._entry.get("asides", ())),
            samples=self._samples(),
        )

    def _read_patterns(self, patterns: Iterable[str], *path: str | int) -> None:
        for pattern in patterns:
            try:
                read_pattern(pattern)
            except PatternError as error:
                raise self._error(str(error), *path) from None

    def _samples(self) -> SampleAnswers:
        samples = self._entry.get("sample_answers", {"right": [], "wrong": {}})
        return SampleAnswers(tuple(samples["right"]), tuple(itertools.chain(*samples["wrong"].values())))

    def _text(self, *path: str | int) -> Markup:
        source = self._at(path)
        try:
            return parse_markup(fill(source, self._variables) if self._chosen else source)
        except (MarkupError, FormulaError) as error:
            raise self._error(str(error), *path) from None

    def _number(self, formula: str | Number, *path: str | int) -> Number:
        try:
            return evaluate(str(formula), self._variables)
        except FormulaError as error:
            raise self._error(str(error), *path) from None

    def _belief(self, *path: str | int) -> Belief:
        entry = self._at(path)
        name = entry.get("misconception")
        if name is not None and name not in misconceptions():
            raise self._error(
                f"{name} is no misconception of the catalogue; name one of those, or state a belief", *path
            )
        stated = plain_text(self._text(*path, "belief")) if "belief" in entry else None
        return Belief(name, stated)

    def _error(self, message: str, *path: str | int) -> BankError:
        return BankError(Problem(self._place(*path), message))

    def _at(self, path: tuple[str | int, ...]) -> Any:
        value: Any = self._entry
        for step in path:
            value = value[step]
        return value
