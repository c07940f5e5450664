"""The guide's pages hold: numbers are the data's, links lead somewhere, sessions run, plans add up."""

import doctest
import itertools
import re
from pathlib import Path

import pytest

from autograder.catalogue.misconceptions import misconceptions

from .facts import GUIDE, MARK, fresh, named, pages, reflections
from .headings import anchors

PAGE = pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
COUNTED = r"points|exercises|assignments|items|questions|objectives|misconceptions|wrong models|variants|checks"


@PAGE
def test_numbers_and_tables_are_the_datas_own(page):
    text = page.read_text(encoding="utf-8")
    assert fresh(text) == text, "stale; `python -m tests.guide.facts` writes it anew"


@PAGE
def test_no_count_of_the_projects_things_stands_outside_a_mark(page):
    unmarked = MARK.sub("", page.read_text(encoding="utf-8"))
    number = r"\d+|four|five|six|seven|eight|nine|ten|eleven|twelve"  # smaller ones are mostly the page's own
    assert re.findall(rf"\b(?:{number}) (?:{COUNTED})\b", unmarked, re.IGNORECASE) == []


@PAGE
def test_links_lead_to_pages_and_headings(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        name, _, anchor = target.partition("#")
        linked = (GUIDE / name).resolve() if name else page
        assert linked.is_file(), f"{target} leads nowhere"
        assert not anchor or anchor in anchors(linked), f"{target}: no such heading"


@PAGE
def test_sessions_print_what_the_page_says(page):
    text = page.read_text(encoding="utf-8")
    source = "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))
    session = doctest.DocTestParser().get_doctest(source, {}, page.name, page.name, 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(session, out=report.append)
    assert not report, "".join(report)


@pytest.mark.parametrize(("name", "minutes"), [("plan_50.md", 50), ("plan_75.md", 75), ("plan_90.md", 90)])
def test_plans_fill_their_minutes_without_a_gap(name, minutes):
    assert [whole(table) for table in timetables(GUIDE / name)] == [minutes]


def test_each_meeting_of_the_two_weeks_fills_its_50_minutes():
    meetings = timetables(GUIDE / "unit_two_weeks.md")
    assert len(meetings) == 5, "the first meeting is the plan for 50 minutes"
    assert {whole(table) for table in meetings} == {50}


def timetables(page: Path) -> list[list[tuple[int, int]]]:
    """The page's tables of minutes: begin and end of each line."""
    rows = re.findall(r"^\| (\d+)–(\d+) \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    tables: list[list[tuple[int, int]]] = []
    for begin, end in ((int(b), int(e)) for b, e in rows):
        if begin == 0:
            tables.append([])
        tables[-1].append((begin, end))
    return tables


def whole(table: list[tuple[int, int]]) -> int:
    """The last minute of a timetable without gaps; fails at a gap."""
    for (_, end), (begin, _) in itertools.pairwise(table):
        assert end == begin, f"between minute {end} and {begin}"
    return table[-1][1]


def test_each_misconception_is_re_taught_in_one_place():
    marks = (mark[2].split() for mark in MARK.finditer((GUIDE / "reteaching.md").read_text(encoding="utf-8")))
    taught = [m for name, *patterns in marks if name == "beliefs" for m in named(tuple(patterns))]
    assert [m for m in misconceptions() if m not in taught] == [], "name them in a mark of reteaching.md"
    assert [m for m in misconceptions() if taught.count(m) > 1] == []


def test_each_written_question_of_the_notebooks_has_a_rubric():
    page = (GUIDE / "reflections.md").read_text(encoding="utf-8")
    rubrics = re.findall(r"^\| (\d\d) `([^`]+)` \|", page, re.MULTILINE)
    assert rubrics == [(assignment[:2], name) for assignment, names in reflections().items() for name in names]


def test_the_index_names_each_page():
    listed = set(LINK.findall((GUIDE / "README.md").read_text(encoding="utf-8")))
    assert {page.name for page in pages()} - {"README.md", "worksheet_answers.md"} <= listed


def test_the_index_of_the_docs_names_each_page():
    docs = GUIDE.parent / "docs"
    listed = set(LINK.findall((docs / "README.md").read_text(encoding="utf-8")))
    assert {page.name for page in docs.glob("*.md")} - {"README.md"} <= listed


def test_the_worksheet_answers_are_printed_with_the_plan_that_needs_them():
    assert "(worksheet_answers.md)" in (GUIDE / "plan_75.md").read_text(encoding="utf-8")
