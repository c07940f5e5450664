"""Banks read: YAML held against `bank.schema.json`, then built to the classes of `model` by `building`.

A bank is strict: one fault anywhere and nothing of it is used. Every fault is told with its place.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from autograder.catalogue.shipped import shipped
from autograder.quiz.formulas import Number
from autograder.quiz.model import Bank, Item, Place

from .building import build_item
from .problems import BankError, BankNotFoundError, Problem
from .yaml_source import YamlError, YamlSource, read_yaml

SCHEMA = Path(__file__).with_name("bank.schema.json")
MOST_VARIANTS = 1000


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
    """The bank in `text`, held against the schema; `file` is what its faults are told with. Raises BankError."""
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
        """The items as the schema has them."""
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
        """Where `path` below the entry stands in the file, or the nearest part above it that does."""
        return Place(self.file, self.yaml.line(("items", index, *path)), str(self.entries[index]["id"]))

    def variables(self, index: int, seed: str | None) -> dict[str, Number]:
        """A value for each variable: by seed and item id alone, so that no other item's presence changes it."""
        entry = self.entries[index]
        choices = entry.get("variables", {})
        if seed is None:
            return {name: values[0] for name, values in choices.items()}
        draw = random.Random(f"{seed}/{entry['id']}")
        return {name: draw.choice(values) for name, values in choices.items()}

    def variants(self, index: int) -> Iterator[Item]:
        """The item in every variant of its variables. Raises BankError where one fails or there are over 1000."""
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
        return build_item(self.entries[index], variables, partial(self.place, index))
