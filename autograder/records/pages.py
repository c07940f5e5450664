"""HTML pages: one file each, inline style, no script, everything escaped."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from autograder.catalogue.plain_text import one_line, plain

TEMPLATES = Path(__file__).with_name("templates")


@cache
def templates() -> Environment:
    """The templates of this room, escaped by default; a name that a page does not get is an error."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "points": points,
        "percent": percent,
        "count": count,
        "plain": plain,
        "one_line": one_line,
    }
    return environment


def points(value: float) -> str:
    """A mark as people write it: 81.4, 16, 3.25."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def percent(share: float) -> str:
    """A share of 1 as whole percent; only all is 100 % and only nothing is 0 %."""
    whole = round(100 * share)
    if whole == 100 and share < 1:
        whole = 99
    elif whole == 0 and share > 0:
        whole = 1
    return f"{whole} %"


def count(number: int, one: str, many: str | None = None) -> str:
    """ "1 submission", "1,204 submissions"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
