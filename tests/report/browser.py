"""A headless Chromium that opens a page and answers questions about it, over its debugging pipe: no driver, no port, no network."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any

CHROMIUM = shutil.which("chromium")
PATIENCE = 120.0
"""Longest wait for anything [s]: machines that run tests are busy."""


class Browser:
    """One page in one browser with a profile of its own.

    Attributes
    ----------
    console : texts that the page wrote to the console as warnings or errors, and exceptions that nobody caught
    requests : addresses that the page asked for
    """

    def __init__(self, profile: Path) -> None:
        assert CHROMIUM is not None
        self.console: list[str] = []
        self.requests: list[str] = []
        self._loaded = 0
        self._number, self._rest = 0, b""
        hear, self._send = os.pipe()
        self._hear, say = os.pipe()

        def pipes() -> None:
            first, second = os.dup(hear), os.dup(say)
            os.dup2(first, 3)
            os.dup2(second, 4)

        command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe"]
        command += [f"--user-data-dir={profile}", "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank"]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, preexec_fn=pipes, pass_fds=(3, 4))
        os.close(hear)
        os.close(say)
        target = self._ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        self._session: str | None = None
        self._session = self._ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._ask(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait(PATIENCE)
        os.close(self._send)
        os.close(self._hear)

    def open(self, page: Path, width: int, height: int = 900, scripts: bool = True) -> None:
        """Load a file in a window of this size, with scripts of the page or without."""
        self._ask("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        mobile = width < 600
        self._ask("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile})
        self._ask("Emulation.setEmulatedMedia", {"media": "screen"})
        before = self._loaded
        self._ask("Page.navigate", {"url": page.resolve().as_uri()})
        self._until(lambda: self._loaded > before, "the page to load")

    def value(self, expression: str) -> Any:
        """Of a JavaScript expression; promises are waited for."""
        found = self._ask("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, expression: str) -> None:
        """Until an expression is true."""
        end = monotonic() + PATIENCE
        while not self.value(expression):
            assert monotonic() < end, f"in vain for {expression}; console: {self.console}"
            self.value("new Promise((done) => setTimeout(done, 200))")

    def see_all(self) -> None:
        """Scroll through the page until every chart is drawn."""
        left = "document.querySelector('figure[data-chart]:not(.live)')"
        self.wait(f"(() => {{ const left = {left}; if (left) left.scrollIntoView(); else scrollTo(0, 0); return !left; }})()")

    def screenshot(self, path: Path, whole: bool = True) -> None:
        """Of the whole page, or of the window."""
        image = self._ask("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": whole})["data"]
        path.write_bytes(base64.b64decode(image))

    def pdf(self, path: Path) -> None:
        """The page as it is printed."""
        self._ask("Emulation.setEmulatedMedia", {"media": "print"})
        path.write_bytes(base64.b64decode(self._ask("Page.printToPDF", {"printBackground": False, "preferCSSPageSize": True})["data"]))

    def press(self, key: str) -> None:
        """A key, where the focus is."""
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self._ask("Input.dispatchKeyEvent", {"type": kind, "key": key, "windowsVirtualKeyCode": {"Tab": 9}.get(key, 0), **text})

    # -- protocol -----------------------------------------------------------------------------------------------------------------------------------

    def _ask(self, method: str, parameters: dict[str, Any] | None = None) -> Any:
        self._number += 1
        number, answer = self._number, {}
        session = getattr(self, "_session", None)
        message = {"id": number, "method": method, "params": parameters or {}} | ({"sessionId": session} if session else {})
        os.write(self._send, json.dumps(message).encode() + b"\0")
        self._until(lambda: bool(answer), method, number, answer)
        assert "error" not in answer, answer
        return answer["result"]

    def _until(self, done: Any, what: str, number: int = -1, answer: dict[str, Any] | None = None) -> None:
        end = monotonic() + PATIENCE
        while not done():
            ready, _, _ = select.select([self._hear], [], [], max(0.0, end - monotonic()))
            assert ready, f"no answer: {what}"
            received = os.read(self._hear, 1 << 20)
            assert received, f"the browser ended: {what}"
            *messages, self._rest = (self._rest + received).split(b"\0")
            for raw in messages:
                message = json.loads(raw)
                if message.get("id") == number and answer is not None:
                    answer.update(message)
                elif "method" in message:
                    self._note(message["method"], message["params"])

    def _note(self, event: str, given: dict[str, Any]) -> None:
        if event == "Page.loadEventFired":
            self._loaded += 1
        elif event == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])
        elif event == "Runtime.exceptionThrown":
            self.console.append(json.dumps(given["exceptionDetails"])[:500])
        elif event == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
            self.console.append(f"{given['type']}: {json.dumps(given['args'])[:500]}")
        elif event == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.console.append(f"{given['entry']['level']}: {given['entry']['text']}")
