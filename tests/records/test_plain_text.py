"""Text from a student is made plain: what is not seen goes, what is seen stays."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from autograder.catalogue.plain_text import one_line, plain


def test_escape_sequences_go_whole():
    assert (
        plain("\x1b[1;31mred\x1b[0m \x1b]8;;x:y\x1b\\link\x1b]8;;\x07 \x1b]0;title\x07end \x1bc\x9b2Jx", 100)
        == "red link end x"
    )


def test_every_control_and_direction_character_goes_but_tab_and_newline():
    hidden = [
        chr(n)
        for n in range(0x3000)
        if unicodedata.category(chr(n)) == "Cc"
        or unicodedata.bidirectional(chr(n)) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    ]
    assert [c for c in hidden if c in plain(f"a{c}b", 10)] == ["\t", "\n"]


def test_words_of_all_scripts_stay():
    for text in ("naïve", "注意力", "توجه", "क्षमा\u200dx", "😀", "Q·K / √d_k → A"):
        assert plain(text, 100) == text


def test_line_ends_become_newlines_and_in_one_line_spaces():
    assert plain("a\r\nb\rc\u2028d", 20) == "a\nb\nc\nd" and one_line(" a\r\n\tb\u2028c ", 20) == "a b c"


@given(st.text(), st.integers(1, 40))
def test_no_text_is_longer_than_its_limit_and_all_can_be_encoded(text, limit):
    for shown in (plain(text, limit), one_line(text, limit)):
        assert len(shown) <= limit
        shown.encode()


@given(st.text(max_size=60))
def test_plain_text_is_plain(text):
    assert plain(plain(text, 60), 60) == plain(text, 60)
