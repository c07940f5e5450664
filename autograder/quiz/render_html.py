"""A text of a bank as HTML: the tree walked, every character escaped, formulas as MathML."""

from html import escape

from .markup import Code, CodeBlock, Emphasis, Inline, ListBlock, Markup, Math, Paragraph
from .mathml import mathml


def html(markup: Markup) -> str:
    """The blocks of `markup` as HTML."""
    return "".join(map(_block, markup))


def inline_html(markup: Markup) -> str:
    """`markup` without its paragraphs: for a label, which holds no blocks."""
    return " ".join(_inlines(block.children) if isinstance(block, Paragraph) else _block(block) for block in markup)


def _block(block: Paragraph | ListBlock | CodeBlock) -> str:
    match block:
        case Paragraph(children):
            return f"<p>{_inlines(children)}</p>"
        case ListBlock(entries, ordered):
            tag = "ol" if ordered else "ul"
            return f"<{tag}>{''.join(f'<li>{_inlines(entry)}</li>' for entry in entries)}</{tag}>"
        case CodeBlock(text):
            return f'<pre tabindex="0"><code>{escape(text)}</code></pre>'


def _inlines(children: tuple[Inline, ...]) -> str:
    return "".join(map(_inline, children))


def _inline(child: Inline) -> str:
    match child:
        case Emphasis(children):
            return f"<em>{_inlines(children)}</em>"
        case Code(text):
            return f"<code>{escape(text)}</code>"
        case Math(latex, display):
            return mathml(latex, display)
    return escape(child.text)
