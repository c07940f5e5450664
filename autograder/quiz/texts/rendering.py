"""The one walk over a text's tree that writes it. A renderer says what each kind of node is in its target."""

from __future__ import annotations

from abc import ABC, abstractmethod

from .markup import Code, CodeBlock, Emphasis, Inline, ListBlock, Markup, Math, Paragraph, Text


class Renderer(ABC):
    """Texts of a bank in one target's language. Arguments that are not nodes are in that language already."""

    between_blocks = ""

    def blocks(self, markup: Markup) -> str:
        """All of a text."""
        return self.between_blocks.join(self._block(block) for block in markup)

    def line(self, markup: Markup) -> str:
        """The text without a paragraph around it where it is only one, as options and cells want it."""
        if len(markup) == 1 and isinstance(markup[0], Paragraph):
            return self.inlines(markup[0].children)
        return self.blocks(markup)

    def inlines(self, children: tuple[Inline, ...]) -> str:
        """What stands in one paragraph or entry."""
        return "".join(self._inline(child) for child in children)

    def _block(self, block: Paragraph | ListBlock | CodeBlock) -> str:
        match block:
            case Paragraph():
                return self.paragraph(self.inlines(block.children))
            case ListBlock():
                return self.list(tuple(self.inlines(entry) for entry in block.entries), block.ordered)
            case CodeBlock():
                return self.code_block(block.text)

    def _inline(self, child: Inline) -> str:
        match child:
            case Text():
                return self.text(child.text)
            case Emphasis():
                return self.emphasis(self.inlines(child.children))
            case Code():
                return self.code(child.text)
            case Math():
                return self.math(child)

    @abstractmethod
    def text(self, text: str) -> str: ...

    @abstractmethod
    def emphasis(self, inner: str) -> str: ...

    @abstractmethod
    def code(self, text: str) -> str: ...

    @abstractmethod
    def math(self, math: Math) -> str: ...

    @abstractmethod
    def paragraph(self, inner: str) -> str: ...

    @abstractmethod
    def list(self, entries: tuple[str, ...], ordered: bool) -> str: ...

    @abstractmethod
    def code_block(self, text: str) -> str: ...
