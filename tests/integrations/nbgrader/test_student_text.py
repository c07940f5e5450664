"""Students' Markdown as nbgrader's pages show it: readable, and without what could act on the page."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from nbconvert.filters import markdown2html

from autograder.integrations.nbgrader.student_text import BREAK, harmless

ACTS = {
    "a script": "<script>grade()</script>",
    "an event": '<img src=x onerror="grade()">',
    "a block of HTML": "text\n\n<div onclick=grade()>\n\n**click**\n\n</div>",
    "a comment": "a <!-- b --> c",
    "a tag's end": "</div></div>",
    "an instruction": "<?php echo 1 ?>",
    "a link that is a script": "[click](javascript:grade())",
    "a link in entities": "[click](&#106;avascript:grade())",
    "a link that leads away": "[results](https://example.org/)",
    "a reference": "[click][x]\n\n[x]: javascript:grade()",
    "a short reference": "[x]\n\n[x]: javascript:grade()",
    "a link between angle brackets": "<javascript:grade()>",
    "a picture from elsewhere": "![x](https://example.org/seen.png)",
    "a picture of this server's": "![x](/logout)",
    "a picture by reference": "![x][y]\n\n[y]: /logout",
    "a picture that is not there": "![x](attachment:missing.png)",
    "a heading with a mark's id": "# softmax_rows-check",
    "a heading in a quotation": "> ## softmax_rows-check",
    "a heading in a list": "- # softmax_rows-check\n1. # softmax_rows-check",
    "a heading without a space": "#softmax_rows-check",
    "a heading without a space in a list": "- ##softmax_rows-check",
    "a heading after old line ends": "text\r# softmax_rows-check",
    "an underlined heading between old line ends": "softmax_rows-check\r===\r",
    "an underlined heading before an old line end": "softmax_rows-check\n---\rtext",
    "a heading with a mixed underline": "softmax_rows-check\n===---",
    "an underlined heading": "softmax_rows-check\n===",
    "an underlined heading of the second rank": "softmax_rows-check\n   ---  ",
    "an underlined heading in a list": "- softmax_rows-check\n  ===",
    "an underlined heading in a quotation": "> softmax_rows-check\n> ---",
}
HARMLESS = {
    "a paragraph": "Since scores grow with d_k, *their* variance is **d_k**.",
    "a formula": r"$\mathrm{Var}(q \cdot k) = d_k$, and $$S_{ij} < 1$$",
    "a list": "- rows sum to 1\n- columns need not\n\n1. one\n2. two",
    "code": "`A[i, j] < A[j, i]` and\n\n```python\nx = a[0](b)  # call it\nif a<b: pass\n```",
    "a table": "| a | b |\n| --- | --- |\n| 1 | 2 |",
    "a comparison": "n < m, and m<3 or 3>m",
    "a rank": "This is #1, and C# is no heading",
}


class Page(HTMLParser):
    """A page's tags, ids, links and text; the colours of code left out."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag != "span":
            self.tags.append(tag)
        self.links += [value for name, value in attrs if name == "href"]
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_data(self, data):
        self.text += data


def words(text):
    return " ".join(text.replace(BREAK, "").split())


@pytest.mark.parametrize("what", ACTS)
def test_what_acts_on_the_page_is_text(what):
    html = markdown2html(harmless(ACTS[what]))
    after = Page(html)
    assert set(after.tags) <= {"p", "em", "strong", "ul", "ol", "li", "blockquote", "a"}
    assert after.ids == []
    assert all(link.startswith("https://") and link in ACTS[what] for link in after.links), "an address, to be read"
    assert markdown2html_or_refusal(ACTS[what]) != html.replace(BREAK, ""), "it would act"


def markdown2html_or_refusal(text):
    try:
        return markdown2html(text)
    except Exception:  # nbconvert's, which stops the page
        return "<stopped>"


@pytest.mark.parametrize("what", HARMLESS)
def test_other_text_looks_as_it_did(what):
    before, after = Page(markdown2html(HARMLESS[what])), Page(markdown2html(harmless(HARMLESS[what])))
    assert after.tags == before.tags
    assert words(after.text) == words(before.text)


@pytest.mark.parametrize("what", [*ACTS, *HARMLESS])
def test_no_character_is_lost(what):
    text = (ACTS | HARMLESS)[what]
    assert harmless(text).replace(BREAK, "") == text


def test_a_picture_of_the_cells_own_is_shown():
    picture = "![plot.png](attachment:plot.png)"
    assert harmless(picture, {"plot.png"}) == picture
    assert harmless(picture, {"other.png"}) != picture
