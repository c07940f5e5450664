"""Text that came from a student's files or process, made safe to store, print and show."""

import re

ESCAPE_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]?"  # colours, cursor moves
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"  # window titles, links and other strings
    r"|\x1b[ -/]*[0-Z\\^-~]?"
    r"|\x9b[0-?]*[ -/]*[@-~]?"
)
LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Control characters but tab and newline; characters that reorder, join or hide text without being seen.
UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
WINDOW = 4  # how many times its limit of a text is looked at: the rest can't be shown anyway


def plain(text: object, limit: int) -> str:
    """`text` without escape sequences, control and bidirectional characters, cut to `limit` characters.

    Tabs and newlines stay. What UTF-8 can't carry becomes U+FFFD. A cut text ends in an ellipsis.
    """
    text = str(text)
    if len(text) <= limit and text.isprintable():  # most text
        return text
    window = text[: WINDOW * limit]
    shown = LONE_SURROGATE.sub("\ufffd", UNSEEN.sub("", LINE_END.sub("\n", ESCAPE_SEQUENCE.sub("", window))))
    if len(shown) > limit or len(text) > len(window):
        shown = shown[: limit - 1].rstrip() + "…"
    return shown


def one_line(text: object, limit: int) -> str:
    """`plain` text with every run of white space as one space."""
    return plain(" ".join(plain(text, WINDOW * limit).split()), limit)
