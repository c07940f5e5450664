"""qti3-item-player in Chromium: items are loaded, options clicked, numbers typed, and what it scored is read."""

import html
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from .taking import Attempt

MODULES = Path(__file__).parents[2] / "node_modules"
VUE, PLAYER = MODULES / "vue/dist/vue.min.js", MODULES / "qti3-item-player/dist/qti3Player.umd.min.js"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
PAGE = Path(__file__).with_name("qti_player.html")


def skip_without_player() -> None:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed, so no item can be played")
    if not PLAYER.exists():
        pytest.skip("qti3-item-player is not installed: npm install --prefix tests --no-package-lock")


@dataclass(frozen=True)
class Play:
    xml: str
    chosen: tuple[str, ...] = ()
    typed: str = ""


@dataclass(frozen=True)
class Played:
    """Outcome variables at the attempt's end, and the visible text of labels and options."""

    outcomes: dict[str, object]
    options: tuple[str, ...]


def play(plays: Sequence[Play], folder: Path) -> list[Played]:
    """All plays in one launch of Chromium."""
    data = json.dumps([{"xml": each.xml, "chosen": each.chosen, "typed": each.typed} for each in plays])
    page = PAGE.read_text(encoding="utf-8")
    for name, value in [("VUE", VUE.as_uri()), ("PLAYER", PLAYER.as_uri()), ("PLAYS", data.replace("<", r"\u003c"))]:
        page = page.replace(f"%{name}%", value)
    (folder / "play.html").write_text(page, encoding="utf-8")
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--allow-file-access-from-files",
        "--virtual-time-budget=120000",
        "--dump-dom",
        f"--user-data-dir={folder / 'profile'}",
        (folder / "play.html").as_uri(),
    ]
    dom = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300).stdout
    told = re.search(r'<pre id="told">(.*?)</pre>', dom, re.DOTALL)
    assert told and told[1], "the player did not answer"
    answer = json.loads(html.unescape(told[1]))
    assert answer["errors"] == []
    assert len(answer["played"]) == len(plays)
    return [Played(each["outcomes"], tuple(each["options"])) for each in answer["played"]]


def wrong_scores(marked: dict[Attempt, Played]) -> list[str]:
    """The attempts whose score is not the item's points where they are right, and 0 where they are not."""
    return [
        f"{attempt}: {played.outcomes['SCORE']}"
        for attempt, played in marked.items()
        if float(played.outcomes["SCORE"]) != (float(attempt.item.points) if attempt.right else 0)
    ]
