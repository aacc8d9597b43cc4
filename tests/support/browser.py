# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, spoken to over a pair of pipes in the DevTools protocol."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find():
    """The browser's path, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """Chromium without a network. Use it as a context manager."""

    def __init__(self, patience_s=60):
        self.patience_s = patience_s
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        their_in, self.out = os.pipe()
        self.source, their_out = os.pipe()
        self.rest = b""
        self.number = 0
        self.events = []

        # It reads commands from descriptor 3, and writes answers to 4. The pipes may have either
        # number here, so both are moved out of the way first.
        def place():
            reads, writes = os.dup(their_in), os.dup(their_out)
            high_reads, high_writes = 100, 101
            os.dup2(reads, high_reads)
            os.dup2(writes, high_writes)
            os.dup2(high_reads, 3)
            os.dup2(high_writes, 4)

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--disable-background-networking",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe",
             f"--user-data-dir={self.folder.name}", "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(their_in)
        os.close(their_out)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.out)
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.source)
        self.folder.cleanup()

    def _read(self, until_s):
        while b"\0" not in self.rest:
            left_s = until_s - time.monotonic()
            if left_s <= 0 or not select.select([self.source], [], [], left_s)[0]:
                raise TimeoutError("the browser says nothing")
            block = os.read(self.source, 1 << 20)
            if not block:
                raise RuntimeError("the browser has ended")
            self.rest += block
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, session=None, **parameters):
        """Sends a command and returns its result; events that come meanwhile are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.out, text):]
        until_s = time.monotonic() + self.patience_s
        while True:
            answer = self._read(until_s)
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def wait(self, session, method):
        """Waits for an event."""
        until_s = time.monotonic() + self.patience_s
        seen = 0
        while True:
            for event in self.events[seen:]:
                if event.get("sessionId") == session and event.get("method") == method:
                    return event
            seen = len(self.events)
            self.events.append(self._read(until_s))

    def open(self, path, width, height=900, dark=False, touch=False):
        return Page(self, path, width, height, dark, touch)


class Page:
    """A page that has been loaded from a file."""

    def __init__(self, browser, path, width, height, dark, touch):
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target,
                                    flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Runtime.enable")
        self.call("Log.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=touch)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        started_s = time.monotonic()
        self.call("Page.navigate", url=f"file://{path}")
        browser.wait(self.session, "Page.loadEventFired")
        # Two frames later whatever the page's scripts have drawn is on the screen.
        self.evaluate("new Promise(done => requestAnimationFrame(() => "
                      "requestAnimationFrame(() => done(0))))")
        self.opened_s = time.monotonic() - started_s

    def call(self, method, **parameters):
        return self.browser.call(method, session=self.session, **parameters)

    def evaluate(self, expression):
        """The value of a JavaScript expression, a promise's when it is kept."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description",
                                                                                   "exception"))
        return result["result"].get("value")

    def complaints(self):
        """Errors and warnings that the page has caused."""
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, told = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                found.append(told["exceptionDetails"].get("exception", {}).get("description", ""))
            elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning"):
                found.append(" ".join(str(one.get("value")) for one in told["args"]))
            elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
                found.append(told["entry"]["text"])
        return found

    def wheel(self, x, y, delta):
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=delta)

    def screenshot(self, path, top=0, bottom=None):
        """Writes the page, or the part of it between two heights, as a PNG."""
        size = self.evaluate("[document.documentElement.scrollWidth, "
                             "document.documentElement.scrollHeight]")
        image = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                          clip={"x": 0, "y": top, "width": size[0], "scale": 1,
                                "height": min(size[1], bottom or size[1]) - top})
        with open(path, "wb") as file:
            file.write(base64.b64decode(image["data"]))

    def picture(self, element, path):
        """Writes the figure around an element, by its id, as a PNG."""
        box = self.evaluate(f"""(box => [box.x + scrollX, box.y + scrollY, box.width, box.height])(
            document.getElementById("{element}").getBoundingClientRect())""")
        image = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                          clip={"x": box[0] - 12, "y": box[1] - 8, "width": box[2] + 24,
                                "height": box[3] + 10, "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(image["data"]))

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
