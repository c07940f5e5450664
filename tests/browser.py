"""Chromium, driven over its debugging protocol: real keys, real clicks, any width, light and dark."""

from __future__ import annotations

import json
import shutil
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

from .waiting import PATIENCE, until

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DESK, PHONE = 1200, 390  # widths in CSS pixels
KEYS = {
    "Tab": ("Tab", 9, ""),
    "Space": (" ", 32, " "),
    "Enter": ("Enter", 13, "\r"),
    "ArrowDown": ("ArrowDown", 40, ""),
}


class Browser:
    """One page in a headless Chromium, which can reach this machine alone. Close it."""

    def __init__(self, chromium: str, address: str, profile: Path) -> None:
        import websocket

        self._process = subprocess.Popen(
            [
                chromium,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                "--remote-debugging-port=0",
                "--remote-allow-origins=*",
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        told = profile / "DevToolsActivePort"
        port = until(lambda: told.exists() and told.read_text()).splitlines()[0]
        (page,) = until(lambda: _pages(port))
        self._socket = websocket.create_connection(page["webSocketDebuggerUrl"], timeout=PATIENCE)
        self._number = 0
        self.go(address)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") == self._number:
                assert "result" in answer, answer
                return answer["result"]

    def go(self, address: str) -> None:
        """Open a page, and wait until it has run its scripts."""
        came = self.call("Page.navigate", url=address)
        assert "errorText" not in came, f"{address}: {came.get('errorText')}"
        until(lambda: self.run("document.readyState + ' ' + location.href") == f"complete {address}")

    def look(self, *, width: int, dark: bool) -> None:
        """From the next page on: a window `width` CSS pixels wide, and what the reader's system prefers."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression, whatever the page's own policy on scripts."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, name: str, times: int = 1) -> None:
        key, code, text = KEYS[name]
        for _ in range(times):
            common = {"key": key, "code": name, "windowsVirtualKeyCode": code}
            self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **common)
            self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def click(self, css: str, text: str = "") -> None:
        """Click the first element that `css` selects, and that says `text` and no more where that is given."""
        wanted = f"e => e.checkVisibility() && (!{json.dumps(text)} || e.innerText.trim() === {json.dumps(text)})"
        place = f"""(e => {{
            if (!e) return null;
            e.scrollIntoView({{block: "nearest"}});
            const box = e.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})([...document.querySelectorAll({json.dumps(css)})].find({wanted}))"""
        x, y = until(lambda: self.run(place))
        for kind, held in (("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)):
            self.call(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=held, clickCount=int(held or 1)
            )

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def tab_to(self, condition: str) -> None:
        """Press Tab until `condition` holds of the focused element `e`."""
        for _ in range(200):
            if self.run(f"(e => Boolean(e && ({condition})))(document.activeElement)"):
                return
            self.press("Tab")
        raise AssertionError(f"no Tab leads to an element with {condition}")

    def close(self) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait(timeout=PATIENCE)


def _pages(port: str) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=PATIENCE) as listed:
        return [entry for entry in json.load(listed) if entry["type"] == "page"]
