# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that is told what to do over a pair of pipes: the DevTools protocol, nothing but the standard library."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find():
    """The program, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One page of one browser. Use as a context."""

    def __init__(self, program, limit=60):
        self.profile = tempfile.mkdtemp(prefix="peneira-chromium-")
        self.deadline = time.monotonic() + limit
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()
        # The browser reads its descriptor 3 and writes its descriptor 4; ours may bear any numbers.
        command = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        flags = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-extensions",
                 f"--user-data-dir={self.profile}", "--remote-debugging-pipe", "about:blank")
        self.process = subprocess.Popen(["sh", "-c", command, program, *flags], pass_fds=(to_read, to_write),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.last, self.session, self.events = b"", 0, None, []
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.profile, ignore_errors=True)

    def _message(self):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.back], [], [], max(0, self.deadline - time.monotonic()))
            data = os.read(self.back, 1 << 16) if ready else b""
            if not data:
                raise RuntimeError("the browser " + ("ended" if ready else "took too long"))
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.last += 1
        request = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == self.last:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def open(self, url, width, dark=False):
        """Opens a page in a window of that width, as a phone would if it is narrow."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="screen", features=[scheme])
        self.events.clear()
        self.call("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._message())

    def ask(self, script):
        """What a piece of JavaScript says."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "a script failed"))
        return answer["result"].get("value")

    def complaints(self):
        """Errors and warnings of the page so far."""
        said = []
        for event in self.events:
            about = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                said.append(about["exceptionDetails"]["text"])
            elif event.get("method") == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
                said.append(about["entry"]["text"])
            elif event.get("method") == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
                said.append(str(about["args"]))
        return said

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def picture(self, path, whole=False):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]))
