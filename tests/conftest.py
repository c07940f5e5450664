"""What tests of several rooms share: pages are opened in Chromium and held against axe-core."""

import html
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
RUN = """<script>addEventListener("load", () => setTimeout(() => axe.run().then(found => {
  const told = document.createElement("pre");
  told.id = "axe-told";
  told.textContent = JSON.stringify({passes: found.passes.length, violations: found.violations.map(
    v => v.id + ": " + v.help + " at " + v.nodes.map(n => n.html + " " + n.failureSummary).join(" | "))});
  document.body.append(told);
}), 2000));</script>"""  # a page's own scripts come first

Axe = Callable[..., list[str]]


@pytest.fixture
def axe(tmp_path: Path) -> Axe:
    """`axe(page, dark=False, width=1200, beside=folder)` is the list of what axe-core finds wrong with a page's HTML.

    A page that needs files of a folder is opened `beside` them.
    """
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed, so no page can be opened")
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm install --prefix tests --no-package-lock")

    def violations(page: str, *, dark: bool = False, width: int = 1200, beside: Path = tmp_path) -> list[str]:
        script = f"<script>{AXE.read_text(encoding='utf-8')}</script>{RUN}"
        copy = beside / "page-for-axe.html"
        copy.write_text(POLICY.sub("", page).replace("</body>", f"{script}</body>"), encoding="utf-8")
        scheme = ["--blink-settings=preferredColorScheme=0"] if dark else []
        dom = subprocess.run(
            [
                CHROMIUM,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--dump-dom",
                f"--user-data-dir={tmp_path / 'profile'}",
                f"--window-size={width},900",
                "--virtual-time-budget=20000",
                *scheme,
                copy.as_uri(),
            ],
            capture_output=True,
            text=True,
            timeout=120,
        ).stdout
        copy.unlink()
        told = re.search(r'<pre id="axe-told"[^>]*>(.*?)</pre>', dom, re.DOTALL)
        assert told, "axe-core did not answer"
        found = json.loads(html.unescape(told[1]))
        assert found["passes"] > 1, "axe-core saw no page"
        return found["violations"]

    return violations
