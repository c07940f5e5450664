"""What a `.py` may be made of, and what is said of one that cannot be read."""

import pytest

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.intake import collect
from autograder.intake.entries import MIB, UnreadableError
from autograder.intake.script import read_script

from .conftest import SOURCE, found

FIRST = ASSIGNMENTS["01_numpy_self_attention"]


def text_of(data: bytes) -> str:
    (cell,) = read_script("a.py", data)
    assert cell.name == "a.py"
    return cell.source


@pytest.mark.parametrize(
    "data",
    [
        SOURCE.encode(),
        b"\xef\xbb\xbf" + SOURCE.encode(),
        SOURCE.replace("\n", "\r\n").encode(),
        SOURCE.replace("\n", "\r").encode(),
    ],
)
def test_a_byte_order_mark_and_any_line_ends_are_accepted(data):
    assert text_of(data) == SOURCE


def test_form_feeds_and_unusual_line_separators_do_not_break_lines():
    source = "a = 1\n\f\nb = 'x\u2028y\x0bz'\n%ls\n"
    assert text_of(source.encode()) == "a = 1\n\f\nb = 'x\u2028y\x0bz'\npass\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"a = 1\r\nb = '\xe9'\n", "a.py is not UTF-8 at byte 12, in line 2; save it as UTF-8."),
        (b"a = 1\n\n\0", "a.py holds a NUL byte at byte 7, in line 3; save it as UTF-8 text."),
        (SOURCE.encode("utf-16"), "a.py is saved as UTF-16; save it as UTF-8 and hand it in again."),
        (b"# -*- coding: latin-1 -*-\n", "a.py declares the encoding latin-1; save it as UTF-8 without that line."),
        (
            b"#!/usr/bin/env python\n# vim: set fileencoding=utf_7 :\n",
            "a.py declares the encoding utf_7; save it as UTF-8 without that line.",
        ),
        (b"\xef\xbb\xbf# coding: rot13\n", "a.py declares the encoding rot13; save it as UTF-8 without that line."),
    ],
)
def test_a_script_that_is_no_utf_8_is_told_with_the_place(data, reason):
    with pytest.raises(UnreadableError) as caught:
        read_script("a.py", data)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    "head",
    [
        "# -*- coding: utf-8 -*-",
        "# coding=UTF8",
        "# vim: set fileencoding=utf_8 :",
        "# coding: ascii",
        "x = 1\n# coding: latin-1",
        "#\n#\n# coding: latin-1",
        "'''coding: latin-1'''",
    ],
)
def test_a_declaration_of_utf_8_or_one_that_does_not_count_is_accepted(head):
    assert text_of(head.encode()) == head


def test_an_unreadable_file_is_one_students_problem_and_the_rest_goes_on(folder):
    root = folder(
        {
            "student-01/numpy_self_attention.py": b"\xff\xfe\0",
            "student-02/numpy_self_attention.py": SOURCE,
        }
    )
    first, second = collect([root])
    assert "UTF-16" in first.problem
    assert first.problem == first.files[0].problem
    assert first.files[0].cells == ()
    assert second.problem is None


def test_a_script_of_more_than_a_mebibyte_is_refused_unread(folder):
    root = folder({"student-01/numpy_self_attention.py": b"#" * (MIB + 1)})
    submission = found(root)["student-01", FIRST.id]
    assert submission.problem == (
        "numpy_self_attention.py is larger than 1 MiB, so it was not read; hand in the program alone."
    )


def test_a_script_of_a_mebibyte_is_read(folder):
    root = folder({"student-01/numpy_self_attention.py": b"#" * MIB})
    assert found(root)["student-01", FIRST.id].problem is None
