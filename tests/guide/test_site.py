"""The site is built without a warning, its links hold, and it can be read by anyone, at phone width too."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from .headings import PROJECT

pytestmark = pytest.mark.xdist_group("site")  # built once
KINDS_OF_PAGE = ("index", "instructor_guide/plan_75", "docs/api", "assignments/01_numpy_self_attention/README")
PHONE = 390  # CSS pixels


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
    pytest.importorskip("sphinx", reason="the site's generator is not installed: pip install -r requirements.txt")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs", "-d", folder / "doctrees", "."]
    built = subprocess.run([*command, folder / "html"], cwd=PROJECT, capture_output=True, text=True, timeout=300)
    assert built.returncode == 0, built.stderr
    return folder / "html"


@pytest.fixture
def dom(tmp_path: Path) -> Callable[[str], str]:
    """`dom(address)` is what stands in a page when its scripts have run."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("Chromium is not installed, so no page can be opened")

    def opened(address: str) -> str:
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        options += ["--allow-file-access-from-files", "--virtual-time-budget=20000", "--dump-dom"]
        command = [chromium, *options, f"--user-data-dir={tmp_path / 'profile'}", address]
        return subprocess.run(command, capture_output=True, text=True, timeout=240).stdout

    return opened


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


def test_the_site_loads_nothing_from_elsewhere(site):
    elsewhere = re.compile(r"""<(?:script|img|link)[^>]*(?:src|href)=["']?(?:https?:)?//""")
    assert [page.name for page in pages_of(site) if elsewhere.search(page.read_text(encoding="utf-8"))] == []


def test_search_finds_pages_without_a_server(site, dom):
    found = dom((site / "search.html").as_uri() + "?q=equivariant")
    assert 'href="instructor_guide/live_coding.html' in found


@pytest.mark.parametrize("name", KINDS_OF_PAGE)
def test_axe_finds_nothing_wrong_in_the_light(site, axe, name):
    page = site / f"{name}.html"
    assert axe(page.read_text(encoding="utf-8"), width=500, beside=page.parent) == []


def test_axe_finds_nothing_wrong_in_the_dark(site, axe):
    page = site / "instructor_guide" / "reteaching.html"
    assert axe(page.read_text(encoding="utf-8"), dark=True, width=500, beside=page.parent) == []


def test_no_page_is_wider_than_a_phone(site, dom):
    pages = [page.relative_to(site).as_posix() for page in pages_of(site)]
    frames = site / "frames.html"
    frames.write_text(
        "".join(f'<iframe src="{page}" title="{page}" width="{PHONE}" height="800"></iframe>' for page in pages)
        + """<pre id="told"></pre><script>addEventListener("load", () => {
        for (const f of document.querySelectorAll("iframe"))
            told.textContent += f.title + " " + f.contentDocument.documentElement.scrollWidth + "\\n"})</script>""",
        encoding="utf-8",
    )
    told = dom(frames.as_uri()).partition('<pre id="told">')[2]
    widths = dict(re.findall(r"(\S+\.html) (\d+)\n", told))
    assert sorted(widths) == sorted(pages), "some pages did not open"
    assert {page: width for page, width in widths.items() if int(width) > PHONE} == {}
