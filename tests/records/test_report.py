"""The class report counts what the results say, names whom to look at, and stays small for a large class."""

import os
import re
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from autograder.catalogue.misconceptions import misconceptions
from autograder.records import tally as tally_module
from autograder.records.gradebook import NotGraded
from autograder.records.pages import count, percent, points
from autograder.records.report import TAUGHT, AssignmentPart, report_html
from autograder.records.tally import ClassTally

NUMPY = "01_numpy_self_attention"


def tallied(results, not_graded=()) -> ClassTally:
    tally = ClassTally(not_graded=list(not_graded))
    for result in results:
        tally.add(result)
    return tally


class Reader(HTMLParser):
    """The links and the words of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links, self.tags, self.text = [], [], ""
        self.feed(page)
        self.words = " ".join(self.text.split())

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name == "href"]

    def handle_data(self, data):
        self.text += data


def test_means_medians_and_bins_are_those_of_graded_submissions(a_class):
    tally = tallied(a_class).assignments[NUMPY]
    scores = sorted(result.score for result in a_class if result.status == "graded")
    assert (tally.graded, tally.unreadable) == (6, 1)
    assert tally.mean == pytest.approx(sum(scores) / 6) and tally.median == pytest.approx((scores[2] + scores[3]) / 2)
    assert tally.bins == [1, 0, 0, 1, 0, 0, 1, 0, 2, 1] and (tally.full, tally.nothing) == (1, 1)


def test_a_misconception_counts_once_a_submission(make):
    result = make["softmax_over_queries"]("student-01")
    diagnoses = result.exercises[6].diagnoses
    twice = replace(result, exercises=(*result.exercises[:8], replace(result.exercises[8], diagnoses=diagnoses)))
    [belief] = AssignmentPart(tallied([twice, make["full_marks"]("student-02")]).assignments[NUMPY]).beliefs
    assert (belief.submissions, belief.share, belief.exercises) == (1, 0.5, ("softmax_rows", "self_attention"))
    assert belief.known == misconceptions()["softmax-over-queries"]


def test_what_to_teach_again_is_the_weakest_objective_with_its_belief(make):
    part = AssignmentPart(tallied([make["softmax_over_queries"]("student-01")]).assignments[NUMPY])
    [aim] = part.to_teach
    assert aim.objective.id == "softmax" and aim.share == pytest.approx(0.2) and aim.share < TAUGHT
    assert [belief.id for belief in aim.beliefs] == ["softmax-over-queries"]


def test_a_check_that_most_fail_comes_first(make):
    results = [make["softmax_over_queries"](f"student-{n}") for n in range(3)] + [make["half_done"]("student-09")]
    first = AssignmentPart(tallied(results).assignments[NUMPY]).failed_checks[0]
    assert (first.exercise, first.check, first.failed) == ("softmax_rows", "equals the definition", 3)


def test_the_report_names_unreadable_stopped_flagged_and_not_graded_submissions(a_class):
    page = Reader(report_html(tallied(a_class, [NotGraded("student-99", NUMPY, "The wall fell.")]))).words
    assert "Unreadable: 1" in page and "Ended or out of time: 1" in page and "Flagged: 2" in page
    assert "Not graded: 1" in page and "student-99, 01_numpy_self_attention: The wall fell." in page
    assert "Flags are signs, not verdicts" in page and "writes-to-protocol" in page


def test_every_bar_of_a_plot_stands_in_a_table_too(a_class):
    tally = tallied(a_class)
    page = report_html(tally)
    for exercise in tally.assignments[NUMPY].exercises.values():
        assert f'width="{round(100 * exercise.share, 2)}%"' in page
        assert page.count(percent(exercise.share)) >= 3


def test_each_student_is_linked_to_a_feedback_page_that_is_there(a_class, make):
    odd = [make["full_marks"](name) for name in ("100% sure #1", "ö?x", "a&b")]
    links = [unquote(link) for link in Reader(report_html(tallied([*a_class, *odd]))).links if "feedback/" in link]
    assert {f"feedback/{result.student}/{NUMPY}.html" for result in [*a_class, *odd]} == set(links)


def test_hostile_text_makes_no_tag(make):
    page = report_html(tallied([make["hostile"]("student-01")]))
    assert "<script" not in page and "img" not in Reader(page).tags
    assert not [c for c in page if (ord(c) < 32 and c != "\n") or c in "\x7f\x9b\u202e\ud800"]


def test_submissions_without_a_wall_that_hides_files_are_told(make):
    assert "ran with no wall" not in report_html(tallied([make["full_marks"]("student-01")]))
    open_house = replace(make["full_marks"]("student-01"), walls=("seccomp", "limits"))
    assert "1 submission ran with no wall that hides files" in Reader(report_html(tallied([open_house]))).words


def test_a_large_class_cuts_its_table_and_points_to_the_gradebook(make, monkeypatch):
    monkeypatch.setattr(tally_module, "ROWS", 5)
    monkeypatch.setattr("autograder.records.report.ROWS", 5)
    page = Reader(report_html(tallied(make["stopped"](f"student-{n:03}") for n in range(300))))
    assert "The first 5 of 300 submissions. All are in gradebook.csv" in page.words
    assert "100 more submissions like these" in page.words


def test_memory_does_not_grow_with_the_class(make):
    result = make["stopped"]("student-01")
    tally = tallied([result] * 3000)
    tracemalloc.start()
    for _ in range(3000):
        tally.add(result)
    grown = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert grown < 20_000


def test_an_empty_class_has_a_report():
    assert "0 submissions on 0 assignments" in Reader(report_html(ClassTally())).words


def test_two_assignments_are_told_apart(make):
    results = [make["full_marks"]("student-01"), make["full_marks"]("student-01", "02_torch_self_attention")]
    page = report_html(tallied(results))
    assert "2 submissions on 2 assignments" in page
    identifiers = re.findall(r'id="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))


def test_numbers_read_as_people_write_them():
    assert [points(mark) for mark in (100.0, 81.4, 3.25, 0.0, 33.333)] == ["100", "81.4", "3.25", "0", "33.33"]
    assert [percent(share) for share in (0, 0.001, 0.5, 0.999, 1)] == ["0 %", "1 %", "50 %", "99 %", "100 %"]
    assert count(1, "submission") == "1 submission" and count(1204, "submission") == "1,204 submissions"


def test_a_stub_fails_no_check_and_one_exercise_does_not_fill_the_list(make):
    stub = make["empty"]("student-02")
    unwritten = replace(stub.exercises[6], checks=make["softmax_over_queries"]("x").exercises[6].checks)
    stub = replace(stub, exercises=(*stub.exercises[:6], unwritten, *stub.exercises[7:]))
    results = [make["softmax_over_queries"]("student-01"), stub, make["hostile"]("student-03")]
    checks = AssignmentPart(tallied(results).assignments[NUMPY]).failed_checks
    assert [(check.failed, check.share) for check in checks] == [(2, 1.0), (1, 0.5), (1, 0.5)]


def test_a_student_without_an_assignment_is_named_too():
    page = Reader(report_html(tallied([], [NotGraded("student-01", "", "No file of an assignment.")]))).words
    assert "student-01: No file of an assignment." in page


SAME_PAGE = """
import hashlib, runpy, sys
from autograder.records.report import report_html
from autograder.records.tally import ClassTally
tally = ClassTally()
for number, maker in enumerate(runpy.run_path(sys.argv[1])["MAKERS"]):
    tally.add(maker(f"student-{number}"))
print(hashlib.sha256(report_html(tally).encode()).hexdigest())
"""


def test_the_same_results_give_the_same_page_in_every_process():
    pages = {
        subprocess.run(
            [sys.executable, "-c", SAME_PAGE, str(Path(__file__).with_name("conftest.py"))],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.getcwd()},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(pages) == 1
