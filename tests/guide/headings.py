"""The headings of a Markdown page, as links name them."""

import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


def anchors(page: Path) -> set[str]:
    """The anchors of `page`'s headings, formed as GitHub and MyST form them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return {_slug(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


def _slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
