"""The templates of what is generated."""

import ast
import json
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

TEMPLATES = Path(__file__).with_name("templates")

# What is made is Python and Markdown of the kit's own, so nothing is escaped.
_environment = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=False,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_environment.filters["json"] = json.dumps


def render(template: str, **values: object) -> str:
    """A template's text with these values; a name that is not given raises jinja2's UndefinedError."""
    return _environment.get_template(template).render(**values)


def definitions(name: str) -> str:
    """The functions and classes of one of the templates' Python files, without its imports."""
    source = (TEMPLATES / name).read_text(encoding="utf-8")
    first = next(node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef))
    return "\n".join(source.splitlines()[first.lineno - 1 :])
