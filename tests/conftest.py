"""What tests of several rooms share: pages are opened in Chromium and held against axe-core."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .browser import CHROMIUM, Browser

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
AXE_RUNS = """axe.run().then(found => ({passes: found.passes.length, violations: found.violations.map(
    v => v.id + ": " + v.help + " at " + v.nodes.map(n => n.html + " " + n.failureSummary).join(" | "))}))"""

Axe = Callable[..., list[str]]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A Chromium that all tests of a session share. Its page may come from anywhere: open your own."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed, so no page can be opened")
    opened = Browser(CHROMIUM, "about:blank", tmp_path_factory.mktemp("chromium"))
    yield opened
    opened.close()


@pytest.fixture
def axe(browser: Browser, tmp_path: Path) -> Axe:
    """`axe(page, dark=False, width=1200)` is the list of what axe-core finds wrong with a page.

    A page is a file, or a text that becomes one.
    """
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm install --prefix tests --no-package-lock")
    script = AXE.read_text(encoding="utf-8")

    def violations(page: str | Path, *, dark: bool = False, width: int = 1200) -> list[str]:
        if isinstance(page, str):
            text, page = page, tmp_path / "page.html"
            page.write_text(text, encoding="utf-8")
        browser.look(width=width, dark=dark)
        browser.go(page.as_uri())
        assert browser.run("innerWidth") == width
        assert browser.run("matchMedia('(prefers-color-scheme: dark)').matches") is dark
        browser.run(script)
        found = browser.run(AXE_RUNS)
        assert found["passes"] > 1, "axe-core saw no page"
        return found["violations"]

    return violations
