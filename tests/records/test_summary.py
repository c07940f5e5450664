"""The terminal's summary fits a terminal, and its JSON form says the same."""

import json
from pathlib import Path

from autograder.records.gradebook import NotGraded
from autograder.records.summary import columns_of, fit, summary_json, summary_text
from autograder.records.tally import ClassTally

OUT = Path("out")


def tallied(results, not_graded=()) -> ClassTally:
    tally = ClassTally(not_graded=list(not_graded))
    for result in results:
        tally.add(result)
    return tally


def test_the_summary_fits_eighty_columns(a_class, make):
    wide = [make["full_marks"](name) for name in ("a" * 90, "注意力" * 12, "student-08")]
    lines = summary_text(OUT, tallied([*a_class, *wide])).splitlines()
    assert max(columns_of(line) for line in lines) <= 80
    assert lines[2].split() == ["student-02", "01_numpy_self_attention", "87.2", "graded"]


def test_a_long_gradebook_is_cut_with_a_sentence(make):
    text = summary_text(OUT, tallied(make["full_marks"](f"student-{n:03}") for n in range(100)))
    assert "… and 60 more; all are in gradebook.csv." in text and "student-040" not in text


def test_the_summary_says_where_the_records_lie_and_who_was_not_graded(make):
    text = summary_text(OUT, tallied([make["stopped"]("student-01")], [NotGraded("student-02", "x", "The wall fell.")]))
    assert "out/gradebook.csv" in text and "out/report.html" in text
    assert "Not graded: student-02, x: The wall fell." in text and "1 submission flagged" in text


def test_hostile_text_moves_no_cursor(make):
    text = summary_text(OUT, tallied([make["hostile"]("student-01")], [NotGraded("a\x1b[2Jb\nc", "x", "y\x07")]))
    assert not [c for c in text if (ord(c) < 32 and c != "\n") or c in "\x7f\x9b\u202e"]
    assert "Not graded: ab c, x: y" in text


def test_the_json_form_has_the_same_numbers(a_class):
    data = json.loads(json.dumps(summary_json(OUT, tallied(a_class))))
    [assignment] = data["assignments"]
    assert (data["submissions"], assignment["graded"], assignment["unreadable"]) == (7, 6, 1)
    assert assignment["exercises"][0]["outcomes"] == {"not_implemented": 1, "passed": 5}


def test_a_fitted_text_has_exactly_its_columns():
    for text in ("", "abc", "注意力注意力", "e\u0301" * 9, "x" * 40):
        assert columns_of(fit(text, 7)) == 7
