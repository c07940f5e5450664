"""Banks read: YAML held against `bank.schema.json`, then built to the classes of `model`.

A bank is strict: one fault anywhere and nothing of it is used. Every fault is told with its place.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from autograder.catalogue.misconceptions import misconceptions
from autograder.catalogue.objectives import OBJECTIVES
from autograder.catalogue.shipped import shipped

from .formulas import FormulaError, Number, evaluate, fill
from .markup import Markup, MarkupError, parse_markup
from .model import (
    Bank,
    Belief,
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
)
from .ordering import stands_in_order
from .patterns import PatternError, read_pattern
from .yaml_source import YamlError, YamlSource, read_yaml

SCHEMA = Path(__file__).with_name("bank.schema.json")
MOST_VARIANTS = 1000


@dataclass(frozen=True)
class Problem:
    """One fault of a bank and its place."""

    place: Place
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


class BankError(ValueError):
    """A bank that can't be used; `problems` are its faults, and the message tells them one a line."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class BankNotFoundError(BankError):
    """No such bank; the message names those that there are."""

    def __init__(self, message: str) -> None:
        ValueError.__init__(self, message)
        self.problems = ()


def bank_names() -> tuple[str, ...]:
    """The banks that come with the kit."""
    return tuple(sorted(path.stem for path in shipped("quizzes").glob("*.yaml")))


def find_bank(name_or_path: str | Path) -> Path:
    """The file of a bank of the kit by its name, or of any bank by its path. Raises BankNotFoundError."""
    path = Path(name_or_path)
    if path.suffix in (".yaml", ".yml") or path.is_file():
        if path.is_file():
            return path
        names = ", ".join(bank_names())
        raise BankNotFoundError(f"there is no file {path}; give a bank's file, or one of {names}")
    if str(name_or_path) in bank_names():
        return shipped("quizzes") / f"{name_or_path}.yaml"
    raise BankNotFoundError(
        f"there is no bank {name_or_path}; the kit has {', '.join(bank_names())}, "
        "and a bank of your own is given by its file's path, ending in .yaml"
    )


def load_bank(name_or_path: str | Path, seed: str | None = None) -> Bank:
    """The bank with its variables filled in by `seed`; without one, the first value of each is used.

    Raises BankNotFoundError, or BankError with every fault that was found.
    """
    return read_source(find_bank(name_or_path)).build(seed)


def read_source(path: Path) -> BankSource:
    """The bank's file, held against the schema. Raises BankError."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        fault = Problem(Place(path.name, line), "this line is not UTF-8; save the file as UTF-8")
        raise BankError(fault) from None
    except OSError as error:
        raise BankError(Problem(Place(path.name, 1), f"the file can't be read: {error.strerror}")) from None
    return source_of(text, path.name)


def source_of(text: str, file: str) -> BankSource:
    """The bank in `text`, held against the schema; `file` is what its faults are told with. Raises
    BankError.
    """
    try:
        source = read_yaml(text)
    except YamlError as error:
        raise BankError(Problem(Place(file, error.line), str(error))) from None
    problems = _schema_problems(source, file)
    if problems:
        raise BankError(*problems)
    return BankSource(file, source)


@cache
def _validator() -> Draft202012Validator:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def _schema_problems(source: YamlSource, file: str) -> tuple[Problem, ...]:
    problems = []
    for error in _validator().iter_errors(source.data):
        deepest = best_match([error]) or error
        path = tuple(deepest.absolute_path)
        place = Place(file, source.line(path), _item_id(source.data, path))
        problems.append(Problem(place, _sentence(deepest, path)))
    return tuple(sorted(problems, key=lambda problem: problem.place.line))


def _item_id(data: Any, path: tuple[str | int, ...]) -> str | None:
    if len(path) < 2 or path[0] != "items":
        return None
    item = data["items"][path[1]]
    return str(item["id"]) if isinstance(item, dict) and "id" in item else None


def _sentence(error: ValidationError, path: tuple[str | int, ...]) -> str:
    where = ".".join(str(step) for step in path[2:] if isinstance(step, str)) or "the entry"
    if error.validator == "oneOf" and "misconception" in str(error.validator_value):
        return (
            f"{where}: a wrong response needs either misconception (an id of the catalogue) or belief "
            "(a sentence), not both"
        )
    if error.validator == "pattern" and error.validator_value == r"\S":
        return f"{where} is empty"
    message = error.message if len(error.message) < 300 else error.message[:300] + " …"
    return f"{where}: {message}"


@dataclass(frozen=True)
class BankSource:
    """A bank's data as it stands in the file, its variables still open."""

    file: str
    yaml: YamlSource

    @property
    def entries(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.yaml.data["items"]
        return items

    def build(self, seed: str | None = None) -> Bank:
        """Every item in the variant that `seed` chooses. Raises BankError with all faults."""
        items, problems = [], []
        seen: set[str] = set()
        for index, entry in enumerate(self.entries):
            place = self.place(index)
            if entry["id"] in seen:
                problems.append(Problem(place, "an earlier item has this id; ids are unique in a bank"))
            seen.add(entry["id"])
            try:
                items.append(self.item(index, self.variables(index, seed)))
            except BankError as error:
                problems.extend(error.problems)
        if problems:
            raise BankError(*problems)
        return Bank(self.yaml.data["bank"], self.yaml.data["title"], tuple(items), seed)

    def place(self, index: int, *path: str | int) -> Place:
        return Place(self.file, self.yaml.line(("items", index, *path)), str(self.entries[index]["id"]))

    def variables(self, index: int, seed: str | None) -> dict[str, Number]:
        """A value for each variable: by seed and item id alone, so that no other item's presence changes
        it.
        """
        entry = self.entries[index]
        choices = entry.get("variables", {})
        if seed is None:
            return {name: values[0] for name, values in choices.items()}
        draw = random.Random(f"{seed}/{entry['id']}")
        return {name: draw.choice(values) for name, values in choices.items()}

    def variants(self, index: int) -> Iterator[Item]:
        """The item in every variant of its variables. Raises BankError where one fails or there are over
        1000."""
        choices = self.entries[index].get("variables", {})
        count = math.prod(len(values) for values in choices.values())
        if count > MOST_VARIANTS:
            raise BankError(
                Problem(
                    self.place(index, "variables"),
                    f"the variables make {count} variants; {MOST_VARIANTS} can be checked",
                )
            )
        for values in itertools.product(*choices.values()):
            yield self.item(index, dict(zip(choices, values, strict=True)))

    def item(self, index: int, variables: Mapping[str, Number]) -> Item:
        """One item with these variables. Raises BankError."""
        return _ItemBuilder(self, index, variables).build()


class _ItemBuilder:
    """One entry of the file and one variant of its variables, on the way to an Item."""

    def __init__(self, source: BankSource, index: int, variables: Mapping[str, Number]) -> None:
        self.source, self.index = source, index
        self.entry = source.entries[index]
        self.chosen = dict(variables)
        self.variables = dict(variables)

    def build(self) -> Item:
        entry = self.entry
        for name, formula in entry.get("let", {}).items():
            self.variables[name] = self.number(formula, "let", name)
        if entry["objective"] not in OBJECTIVES:
            known = ", ".join(OBJECTIVES)
            raise self.error(f"{entry['objective']} is no objective of the catalogue; it has {known}", "objective")
        common = {
            "id": entry["id"],
            "objective": entry["objective"],
            "points": entry.get("points", 1),
            "difficulty": entry["difficulty"],
            "source": entry["source"],
            "kept": entry.get("kept"),
            "stem": self.text("stem"),
            "explanation": self.text("explanation"),
            "place": self.source.place(self.index),
            "variables": tuple(self.chosen.items()),
        }
        return {
            "mc": self.choice,
            "multi": self.choice,
            "tf": self.true_false,
            "numeric": self.numeric,
            "short": self.short,
        }[entry["type"]](common)

    def choice(self, common: dict[str, Any]) -> Item:
        options = tuple(self.option(number) for number in range(len(self.entry["options"])))
        kind = MultipleChoice if self.entry["type"] == "mc" else MultipleResponse
        ordered = not self.entry.get("shuffle", True) or stands_in_order([option.text for option in options])
        return kind(**common, options=options, ordered=ordered)

    def option(self, number: int) -> Option:
        path = ("options", number)
        entry = self.entry["options"][number]
        correct = entry.get("correct", False)
        feedback = self.text(*path, "feedback") if "feedback" in entry else self.text("explanation")
        return Option(
            self.text(*path, "text"),
            correct,
            feedback,
            None if correct else self.belief(*path),
            self.source.place(self.index, *path),
        )

    def true_false(self, common: dict[str, Any]) -> Item:
        def option(value: bool) -> Option:
            right = value == self.entry["answer"]
            return Option(
                parse_markup("True" if value else "False"),
                right,
                common["explanation"] if right else self.text("wrong", "feedback"),
                None if right else self.belief("wrong"),
                self.source.place(self.index, "answer" if right else "wrong"),
            )

        return TrueFalse(**common, options=(option(True), option(False)), ordered=True)

    def numeric(self, common: dict[str, Any]) -> Item:
        wrong = []
        for number, entry in enumerate(self.entry["wrong"]):
            path = ("wrong", number)
            wrong.append(
                WrongValue(
                    self.number(entry["formula"], *path, "formula"),
                    str(entry["formula"]),
                    self.text(*path, "feedback"),
                    self.belief(*path),
                    self.source.place(self.index, *path),
                )
            )
        return Numeric(
            **common,
            key=self.number(self.entry["answer"], "answer"),
            formula=str(self.entry["answer"]),
            tolerance=self.number(self.entry.get("tolerance", 0), "tolerance"),
            wrong=tuple(wrong),
        )

    def short(self, common: dict[str, Any]) -> Item:
        concepts = tuple(Concept(name, tuple(patterns)) for name, patterns in self.entry.get("concepts", {}).items())
        for concept in concepts:
            self.read_patterns(concept.patterns, "concepts", concept.name)
        contradictions = []
        for number, entry in enumerate(self.entry.get("contradictions", [])):
            path = ("contradictions", number)
            self.read_patterns(entry.get("patterns", ()), *path, "patterns")
            denies = entry.get("denies")
            if denies is not None and denies not in {concept.name for concept in concepts}:
                raise self.error(f"denies names {denies}, which is no concept of this item", *path)
            contradictions.append(
                Contradiction(
                    tuple(entry.get("patterns", ())),
                    denies,
                    self.text(*path, "feedback"),
                    self.belief(*path),
                    self.source.place(self.index, *path),
                )
            )
        return ShortAnswer(
            **common,
            answer=self.entry["answer"],
            concepts=concepts,
            contradictions=tuple(contradictions),
            samples=self.samples(),
        )

    def read_patterns(self, patterns: Iterable[str], *path: str | int) -> None:
        for pattern in patterns:
            try:
                read_pattern(pattern)
            except PatternError as error:
                raise self.error(str(error), *path) from None

    def samples(self) -> SampleAnswers:
        samples = self.entry.get("sample_answers", {"right": [], "wrong": {}})
        return SampleAnswers(tuple(samples["right"]), tuple(itertools.chain(*samples["wrong"].values())))

    def text(self, *path: str | int) -> Markup:
        source = self._at(path)
        try:
            return parse_markup(fill(source, self.variables) if self.chosen else source)
        except (MarkupError, FormulaError) as error:
            raise self.error(str(error), *path) from None

    def number(self, formula: str | Number, *path: str | int) -> Number:
        try:
            return evaluate(str(formula), self.variables)
        except FormulaError as error:
            raise self.error(str(error), *path) from None

    def belief(self, *path: str | int) -> Belief:
        entry = self._at(path)
        name = entry.get("misconception")
        if name is not None and name not in misconceptions():
            raise self.error(
                f"{name} is no misconception of the catalogue; name one of those, or state a belief", *path
            )
        return Belief(name, entry.get("belief"))

    def error(self, message: str, *path: str | int) -> BankError:
        return BankError(Problem(self.source.place(self.index, *path), message))

    def _at(self, path: tuple[str | int, ...]) -> Any:
        value: Any = self.entry
        for step in path:
            value = value[step]
        return value
