"""Pages read well with a screen reader, in light and dark, on a desk and on a phone."""

import pytest

from autograder.records.feedback import feedback_html
from autograder.records.gradebook import NotGraded
from autograder.records.report import report_html
from autograder.records.tally import ClassTally

from ..browser import DESK, PHONE

LOOKS = [(False, DESK), (True, PHONE), (True, DESK), (False, PHONE)]


@pytest.mark.parametrize(("dark", "width"), LOOKS)
@pytest.mark.parametrize("name", ["half_done", "hostile", "unreadable"])
def test_axe_finds_nothing_wrong_with_a_feedback_page(axe, make, name, dark, width):
    assert axe(feedback_html(make[name]("student-01")), dark=dark, width=width) == []


@pytest.mark.parametrize(("dark", "width"), LOOKS)
def test_axe_finds_nothing_wrong_with_the_report(axe, a_class, dark, width):
    tally = ClassTally(not_graded=[NotGraded("student-99", "01_numpy_self_attention", "The wall fell.")])
    for result in a_class:
        tally.add(result)
    assert axe(report_html(tally), dark=dark, width=width) == []


def test_axe_would_find_something(axe):
    assert axe("<html><head><title>x</title></head><body><p style='color:#aaa;background:#bbb'>faint</p></body></html>")
