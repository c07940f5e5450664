"""One JSON file for each Result: `results/<student>/<assignment>.json`, held against the schema both ways."""

import json
import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import fastjsonschema

from autograder.catalogue import result as model
from autograder.catalogue.plain_text import one_line
from autograder.catalogue.result import Result
from autograder.whole_file import PART, write_whole

FOLDER = "results"
SCHEMA = Path(model.__file__).with_name("result.schema.json")
LARGEST = 16 << 20  # bytes; a result is some 10 kB

# Legal in JSON, but not in a file that people open: controls, marks that turn the text, halves of characters.
NOT_IN_A_FILE = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


class ResultError(ValueError):
    """A result does not follow the schema, or its file is not whole."""


def result_path(out: Path, student: str, assignment: str) -> Path:
    """Where the result of one submission lies below `out`."""
    return out / FOLDER / student / f"{assignment}.json"


def write_result(out: Path, result: Result) -> Path:
    """Write `result` below `out`, whole or not at all. Raises ResultError and OutputError."""
    data = result.to_json()
    _hold(data, f"the result of {result.student} on {result.assignment}")
    path = result_path(out, result.student, result.assignment)
    write_whole(path, json_text(data))
    return path


def read_result(path: Path) -> Result:
    """The result in `path`. Raises ResultError where the file is missing, cut short or breaks the schema."""
    try:
        if path.stat().st_size > LARGEST:
            raise ResultError(f"{path} is too large for a result")
        data = json.loads(path.read_bytes(), parse_constant=_no_constant)
    except (OSError, ValueError, RecursionError) as error:
        raise ResultError(f"{path} can't be read as a result: {one_line(error, 200)}") from error
    _hold(data, str(path))
    result = Result.from_json(data)
    if (result.student, result.assignment) != (path.parent.name, path.stem):
        raise ResultError(f"{path} holds the result of {result.student} on {result.assignment}")
    return result


def result_files(out: Path) -> Iterator[Path]:
    """All result files below `out`, by student, then assignment. Names alone are held in memory."""
    for student in _names(out / FOLDER):
        for name in _names(out / FOLDER / student):
            if name.endswith(".json"):
                yield out / FOLDER / student / name


def json_text(data: Any) -> str:
    """Indented UTF-8 JSON in the order of `data`; characters that can't be seen in a file are escaped."""
    text = json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)
    return NOT_IN_A_FILE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def _names(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if not entry.name.endswith(PART))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _hold(data: Any, what: str) -> None:
    try:
        _follows_schema()(data)
    except fastjsonschema.JsonSchemaException as error:
        raise ResultError(f"{what} does not follow the schema: {one_line(error, 200)}") from error
    over = [part for part in (data, *data["exercises"]) if part["score"] > part["max_score"]]
    if over:
        raise ResultError(f"{what} has a score of {over[0]['score']} out of {over[0]['max_score']}")


@cache
def _follows_schema() -> Callable[[Any], Any]:
    # 0.2 ms a result where jsonschema's validator takes 5 ms. Tests hold the two to one verdict.
    return fastjsonschema.compile(json.loads(SCHEMA.read_bytes()))


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")
