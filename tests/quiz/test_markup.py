"""Bank texts parse to one tree, and what does not parse is told."""

import pytest

from autograder.quiz.texts.markup import (
    Code,
    CodeBlock,
    Emphasis,
    ListBlock,
    MarkupError,
    Math,
    Paragraph,
    Text,
    parse_markup,
)
from autograder.quiz.texts.plain import fold, math_text, plain_text


def test_a_paragraph_holds_text_emphasis_code_and_math():
    assert parse_markup("Each *row* of `A` sums to $1$.") == (
        Paragraph(
            (
                Text("Each "),
                Emphasis((Text("row"),)),
                Text(" of "),
                Code("A"),
                Text(" sums to "),
                Math("1"),
                Text("."),
            )
        ),
    )


def test_lines_of_a_paragraph_join_and_blank_lines_part_blocks():
    assert parse_markup("one\ntwo\n\nthree") == (Paragraph((Text("one two"),)), Paragraph((Text("three"),)))


def test_lists_and_code_blocks_are_blocks():
    assert parse_markup("Steps:\n- score\n- scale\n\n```python\nS = Q @ K.T\n\nS / 8\n```") == (
        Paragraph((Text("Steps:"),)),
        ListBlock(((Text("score"),), (Text("scale"),))),
        CodeBlock("S = Q @ K.T\n\nS / 8", "python"),
    )


def test_numbered_entries_make_an_ordered_list():
    assert parse_markup("1. project\n2. score")[0] == ListBlock(((Text("project"),), (Text("score"),)), ordered=True)


def test_markdown_is_not_read_inside_code_and_math():
    assert parse_markup("`Q * K * V` and $a*b$")[0].children == (
        Code("Q * K * V"),
        Text(" and "),
        Math("a*b"),
    )


def test_a_star_between_spaces_is_a_star():
    assert parse_markup("Q * K * V")[0].children == (Text("Q * K * V"),)


def test_a_backslash_makes_a_sign_plain():
    assert parse_markup(r"\$5 and \*two\* and \`x\`")[0].children == (Text("$5 and *two* and `x`"),)


def test_underscores_and_angle_brackets_are_plain_text():
    assert parse_markup("d_k < d_v & <b>no tag</b>")[0].children == (Text("d_k < d_v & <b>no tag</b>"),)


@pytest.mark.parametrize("source", ["a $b", "a `b", "a *b", "```\ncode", "empty $ $ math"])
def test_what_is_opened_and_not_closed_is_refused(source):
    with pytest.raises(MarkupError):
        parse_markup(source)


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{QK^T}{\sqrt{d_k}}", "QK^T/√(d_k)"),
        (r"X \in \mathbb{R}^{n \times d_{model}}", "X ∈ℝ^(n × d_model )"),
        (r"n \times n", "n × n"),
        ("O(n^2)", "O(n^2)"),
    ],
)
def test_formulas_read_as_one_line_of_unicode(latex, text):
    assert math_text(latex) == text


def test_plain_text_keeps_lists_and_code_apart():
    assert plain_text(parse_markup("Two:\n- $n$\n- `d`\n\n```\nx\n```")) == "Two:\n\n- n\n- d\n\n    x"


@pytest.mark.parametrize("typed", [r"$n \times n$", "n x n", "N × N", "nxn", r"\(n \times n\)", "n * n."])
def test_ways_to_type_a_size_fold_to_one(typed):
    assert fold(typed) == "nxn"
