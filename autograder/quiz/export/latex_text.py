"""Texts as LaTeX. Signs of LaTeX's own are escaped, and other letters than its own become its commands."""

from __future__ import annotations

from pylatexenc.latexencode import UnicodeToLatexEncoder

from autograder.quiz.texts.markup import Math
from autograder.quiz.texts.rendering import Renderer


class LatexText(Renderer):
    """`unknown` collects the characters that pdflatex has no command for; they are printed as a bold `?`."""

    between_blocks = "\n\n"

    def __init__(self) -> None:
        self.unknown: set[str] = set()
        self._encoder = UnicodeToLatexEncoder(
            replacement_latex_protection="braces-all", unknown_char_policy=self._unknown, unknown_char_warning=False
        )

    def _unknown(self, character: str) -> str:
        self.unknown.add(character)
        return r"\textbf{?}"

    def text(self, text: str) -> str:
        return str(self._encoder.unicode_to_latex(text))

    def emphasis(self, inner: str) -> str:
        return rf"\emph{{{inner}}}"

    def code(self, text: str) -> str:
        return rf"\texttt{{{self.text(text)}}}"

    def math(self, math: Math) -> str:
        return rf"\[{math.latex}\]" if math.display else f"${math.latex}$"

    def paragraph(self, inner: str) -> str:
        return inner

    def list(self, entries: tuple[str, ...], ordered: bool) -> str:
        kind = "enumerate" if ordered else "itemize"
        rows = "\n".join(rf"\item {entry}" for entry in entries)
        return f"\\begin{{{kind}}}\n{rows}\n\\end{{{kind}}}"

    def code_block(self, text: str) -> str:
        """Line by line: verbatim would end at an `\\end{verbatim}` in the code, and can't stand in an argument."""
        rows = [self.text(line).replace(" ", "~") for line in text.splitlines()]
        inner = "\\\\\n".join(rf"\texttt{{{row}}}" if row else r"\mbox{}" for row in rows)
        return f"\\begin{{quote}}\\setlength{{\\parindent}}{{0pt}}\n{inner}\n\\end{{quote}}"
