"""Chromium, driven by real key presses over its debugging protocol."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

KEYS = {
    "Tab": ("Tab", 9, ""),
    "Space": (" ", 32, " "),
    "Enter": ("Enter", 13, "\r"),
    "ArrowDown": ("ArrowDown", 40, ""),
}


class Browser:
    """One page in a headless Chromium without a network. Close it."""

    def __init__(self, chromium: str, page: Path, profile: Path) -> None:
        import websocket

        self._process = subprocess.Popen(
            [
                chromium,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                "--remote-debugging-port=0",
                "--remote-allow-origins=*",
                f"--user-data-dir={profile}",
                page.as_uri(),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        port = self._port(profile)
        import urllib.request

        deadline = time.monotonic() + 60
        while True:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=30) as listed:
                pages = [entry for entry in json.load(listed) if entry["url"] == page.as_uri()]
            if pages or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        self._socket = websocket.create_connection(pages[0]["webSocketDebuggerUrl"], timeout=60)
        self._number = 0
        while self.run("document.readyState + ' ' + location.href") != f"complete {page.as_uri()}":
            time.sleep(0.05)

    def _port(self, profile: Path) -> int:
        told = profile / "DevToolsActivePort"
        deadline = time.monotonic() + 60
        while not (told.exists() and told.read_text()):
            assert time.monotonic() < deadline, "Chromium did not start"
            time.sleep(0.1)
        return int(told.read_text().splitlines()[0])

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") == self._number:
                return answer["result"]

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, name: str, times: int = 1) -> None:
        key, code, text = KEYS[name]
        for _ in range(times):
            common = {"key": key, "code": name, "windowsVirtualKeyCode": code}
            self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **common)
            self.call("Input.dispatchKeyEvent", type="keyUp", **common)

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
        self._process.wait(timeout=30)
