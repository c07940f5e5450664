"""A bank's YAML as plain data, with the line that each part stands on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import yaml

Path = tuple[str | int, ...]


class YamlError(ValueError):
    """YAML that can't be read; `line` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class YamlSource:
    """`data` is plain lists, dicts and values; `lines` maps a path ("items", 3, "stem") to its line."""

    data: Any
    lines: dict[Path, int]

    def line(self, path: Iterable[str | int]) -> int:
        """The line of `path`, or of the nearest part above it that stands in the file."""
        steps = tuple(path)
        while steps not in self.lines and steps:
            steps = steps[:-1]
        return self.lines.get(steps, 1)


def read_yaml(text: str) -> YamlSource:
    """Raises YamlError for what is no YAML, for a key given twice, and for anchors and aliases."""
    loader = yaml.SafeLoader(text)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if getattr(event, "anchor", None):
                raise YamlError(
                    event.start_mark.line + 1 if event.start_mark else 1,
                    "anchors and aliases (& and *) are not part of a "
                    "bank; put a text that begins with one of them in quotes",
                )
        node = loader.get_single_node()
        if node is None:
            raise YamlError(1, "the file is empty")
        lines: dict[Path, int] = {}
        _place(node, (), lines)
        return YamlSource(loader.construct_document(node), lines)
    except yaml.MarkedYAMLError as error:
        # A quote that is never closed is found out at the end of the file; its context says where it was
        # opened.
        mark = error.context_mark if "end of stream" in str(error.problem) else error.problem_mark
        raise YamlError(mark.line + 1 if mark else 1, f"this is no YAML: {error.problem}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise YamlError(1, f"this is no YAML: {error}") from None
    finally:
        loader.dispose()


def _place(node: yaml.Node, path: Path, lines: dict[Path, int]) -> None:
    lines[path] = node.start_mark.line + 1
    if isinstance(node, yaml.ScalarNode) and node.tag.endswith(":float") and "n" in node.value.casefold():
        raise YamlError(node.start_mark.line + 1, f"{node.value} is no number to reckon with")
    if isinstance(node, yaml.SequenceNode):
        for index, child in enumerate(node.value):
            _place(child, (*path, index), lines)
    elif isinstance(node, yaml.MappingNode):
        for key, child in node.value:
            if key.tag != "tag:yaml.org,2002:str":
                raise YamlError(key.start_mark.line + 1, "the name before a colon has to be a word; put it in quotes")
            step = (*path, key.value)
            if step in lines:
                raise YamlError(key.start_mark.line + 1, f"“{key.value}” is given twice here; keep one")
            _place(child, step, lines)
            lines[step] = key.start_mark.line + 1
