"""Headless Chromium for tests and benchmarks of pages, through the WebDriver protocol and the standard library
alone."""

import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import unittest
import urllib.request
import zlib
from pathlib import Path

SKIPPED = 77


def read_png(data):
    """Returns width, height and rows of (r, g, b) bytes."""
    at, idat, width, height, channels = 8, b"", 0, 0, 0
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, _, color = struct.unpack(">IIBB", body[:10])
            channels = {2: 3, 6: 4}[color]
        elif kind == b"IDAT":
            idat += body
        at += 12 + size
    raw, stride, rows, above = zlib.decompress(idat), width * channels, [], bytes(width * channels)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a = line[i - channels] if i >= channels else 0
            b, c = above[i], above[i - channels] if i >= channels else 0
            if kind == 1:
                line[i] = (line[i] + a) & 255
            elif kind == 2:
                line[i] = (line[i] + b) & 255
            elif kind == 3:
                line[i] = (line[i] + (a + b) // 2) & 255
            elif kind == 4:
                p = a + b - c
                nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                line[i] = (line[i] + nearest) & 255
        above = bytes(line)
        rows.append([tuple(above[i:i + 3]) for i in range(0, stride, channels)])
    return width, height, rows


class Browser:
    """Chromium, driven through the WebDriver protocol."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.folder = tempfile.TemporaryDirectory()
        self.driver = subprocess.Popen([shutil.which("chromedriver"), f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        for _ in range(100):
            try:
                self.ask("GET", "/status")
                break
            except OSError:
                time.sleep(0.1)
        arguments = ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
                     "--enable-unsafe-swiftshader", "--disable-dev-shm-usage", f"--user-data-dir={self.folder.name}"]
        capabilities = {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
                        "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": arguments}}
        session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.session = f"/session/{session['sessionId']}"

    def ask(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.loads(answer.read())["value"]

    def open(self, page, width=1200, height=760):
        """Opens a file or an address; returns the seconds until something is drawn."""
        self.ask("POST", self.session + "/window/rect", {"width": width, "height": height})
        started = time.monotonic()
        self.ask("POST", self.session + "/url", {"url": page.resolve().as_uri() if isinstance(page, Path) else page})
        while not self.run("return !!(window.clearance && clearance.frame && clearance.view.numDrawn > 0)"):
            if time.monotonic() - started > 60:
                raise AssertionError("nothing drawn: " + self.run("return document.getElementById('message').textContent"))
            time.sleep(0.05)
        return time.monotonic() - started

    def run(self, script, *arguments):
        return self.ask("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def wait_for(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.run("return " + condition):
                return
            time.sleep(0.05)
        raise AssertionError("never: " + condition)

    def press(self, key):
        actions = [{"type": "key", "id": "keys", "actions": [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]
        self.ask("POST", self.session + "/actions", {"actions": actions})

    def click(self, x, y):
        actions = [{"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)},
                   {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.ask("POST", self.session + "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})

    def picture(self):
        time.sleep(0.2)  # the browser draws a request with its next frame
        return base64.b64decode(self.ask("GET", self.session + "/screenshot"))

    def errors(self):
        lines = self.ask("POST", self.session + "/se/log", {"type": "browser"})
        return [line["message"] for line in lines if line["level"] in ("SEVERE", "ERROR")]

    def close(self):
        try:
            self.ask("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.folder.cleanup()


RIGHT, LEFT, END, HOME, ESCAPE = "\ue014", "\ue012", "\ue010", "\ue011", "\ue00c"


class PageCase(unittest.TestCase):
    """Base of tests that look at a browser's picture."""

    def stage(self):
        """Returns the pixels of the 3D view."""
        box = self.browser.run("const b = document.getElementById('view').getBoundingClientRect();"
                               "return [b.left, b.top, b.right, b.bottom].map(Math.round)")
        data = self.browser.picture()
        keep = os.environ.get("CLEARANCE_PICTURES")
        if keep:
            Path(keep, self.id().split(".")[-1] + ".png").write_bytes(data)
        width, height, rows = read_png(data)
        return [row[box[0]:min(box[2], width)] for row in rows[box[1]:min(box[3], height)]]

    def different(self, a, b):
        return sum(p != q for row, other in zip(a, b) for p, q in zip(row, other))

    def background(self, rows):
        """Returns the number of pixels that have the colour of the first of their row."""
        return sum(p == row[0] for row in rows for p in row)


def missing_for_pages(program):
    """Returns what is missing for tests of pages."""
    viewer = Path(program).resolve().parent.parent / "share/clearance/viewer.html"
    return [what for what, there in (("chromium", shutil.which("chromium")), ("chromedriver", shutil.which("chromedriver")),
                                     ("the viewer", viewer.exists())) if not there]
