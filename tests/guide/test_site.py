"""The site is built without a warning, its links hold, and it can be read by anyone, at phone width too."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from ..browser import DESK, PHONE
from ..waiting import until
from .headings import PROJECT


class Linked(HTMLParser):
    """What a page links to, and the ids that can be linked to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.ids: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.targets.append(value)
            elif name == "id" and value:
                self.ids.add(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make site` builds it."""
    pytest.importorskip("sphinx", reason="the site's generator is not installed: pip install -r tests/requirements.txt")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs", "-d", folder / "doctrees", "."]
    built = subprocess.run([*command, folder / "html"], cwd=PROJECT, capture_output=True, text=True, timeout=300)
    assert built.returncode == 0, built.stderr
    return folder / "html"


def pages_of(site: Path) -> list[Path]:
    return [page for page in site.rglob("*.html") if "_static" not in page.parts]


def test_every_link_leads_to_a_file_and_a_place_in_it(site):
    linked = {page: Linked(page) for page in pages_of(site)}
    dead = []
    for page, found in linked.items():
        for target in found.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc or (target.startswith("#") and target[1:] in ("", "main-content")):
                continue
            there = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if not there.is_file() or (parts.fragment and there in linked and parts.fragment not in linked[there].ids):
                dead.append(f"{page.relative_to(site)}: {target}")
    assert dead == []


@pytest.mark.parametrize("folder", ["docs", "instructor_guide"])
def test_each_page_stands_below_its_folders_first_page(site, folder):
    first, *others = sorted((site / folder).glob("*.html"), key=lambda page: page.name != "README.html")
    astray = [page.name for page in others if "README.html" not in breadcrumbs(page)]
    assert first.name == "README.html" and astray == ["assignments.html"] * (folder == "docs")


def breadcrumbs(page: Path) -> str:
    """The links to what a page stands below."""
    return (
        page.read_text(encoding="utf-8").partition("bd-breadcrumbs")[2].partition("</ul>")[0].replace("../README", "")
    )


def test_the_site_loads_nothing_from_elsewhere(site):
    elsewhere = re.compile(r"""<(?:script|img|link)[^>]*(?:src|href)=["']?(?:https?:)?//""")
    assert [page.name for page in pages_of(site) if elsewhere.search(page.read_text(encoding="utf-8"))] == []


def test_search_finds_pages_without_a_server(site, browser):
    browser.look(width=DESK, dark=False)
    browser.go((site / "search.html").as_uri() + "?q=equivariant")
    until(
        lambda: browser.run(
            "document.querySelector('#search-results a[href*=\"instructor_guide/live_coding\"]')!==null"
        )
    )


@pytest.mark.parametrize(("dark", "width"), [(False, DESK), (True, PHONE)])
def test_axe_finds_nothing_wrong_on_any_page_on_a_desk_in_the_light_and_on_a_phone_in_the_dark(site, axe, dark, width):
    wrong = {page.relative_to(site).as_posix(): axe(page, dark=dark, width=width) for page in pages_of(site)}
    assert {page: violations for page, violations in wrong.items() if violations} == {}


def test_no_page_is_wider_than_a_phone(site, browser):
    browser.look(width=PHONE, dark=False)
    wide = {}
    for page in pages_of(site):
        browser.go(page.as_uri())
        if (width := browser.run("document.documentElement.scrollWidth")) > PHONE:
            wide[page.relative_to(site).as_posix()] = width
    assert wide == {}
