"""XML written by elements. A child that is not `Xml` already is text, and is escaped: no text can become markup."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup, escape

__all__ = ["HEAD", "Attributes", "Xml", "document", "element", "escape", "lines"]

Xml = Markup

HEAD = Xml('<?xml version="1.0" encoding="UTF-8"?>\n')

Attributes = Mapping[str, object]


def element(tag: str, attributes: Attributes | None = None, *children: str) -> Xml:
    """`<tag attributes>children</tag>`; without children `<tag/>`."""
    start = tag + "".join(f' {name}="{escape(value)}"' for name, value in (attributes or {}).items())
    if not children:
        return Xml(f"<{start}/>")
    return Xml(f"<{start}>{Xml().join(children)}</{tag}>")


def lines(*children: str) -> Xml:
    """Elements one a line, for a file that people may read."""
    return Xml("\n").join(("", *(child for child in children if child), ""))


def document(root: str) -> bytes:
    """`root` as a file: with XML's head, in UTF-8."""
    return (HEAD + root + "\n").encode("utf-8")
