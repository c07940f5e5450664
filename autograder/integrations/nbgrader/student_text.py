"""Students' Markdown, made harmless for the pages where it stands beside the boxes that set marks.

nbgrader's pages show HTML as it is, follow `javascript:` links, load any picture, and give headings the ids by which
the formgrader finds a cell's mark. What would do so is broken by a character that takes no room, so that the text
still reads as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Collection

BREAK = "\u200b"  # zero width space
TAG = re.compile(r"<(?=[A-Za-z/!?])")
LINK = re.compile(r"\](?P<target>\(attachment:(?P<picture>[^()\s]+)\)|(?=[(\[:]))")
HEADING = re.compile(r"(?<![^\s>])(?=#)")  # nbconvert asks for no space after it
UNDERLINE = re.compile(r"(?<![^\r\n])[ \t>]*(?=[=-]+[ \t]*(?:[\r\n]|$))")  # a line ends at \r alone, too


def harmless(text: str, pictures: Collection[str] = ()) -> str:
    """Markdown without HTML, links and headings, and with no pictures but its cell's own, by name."""
    text = LINK.sub(lambda found: found[0] if found["picture"] in pictures else f"]{BREAK}{found['target']}", text)
    text = TAG.sub(f"<{BREAK}", text)
    text = HEADING.sub(BREAK, text)
    return UNDERLINE.sub(lambda found: found[0] + BREAK, text)
