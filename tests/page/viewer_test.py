#!/usr/bin/env python3
"""Pages of `clearance export` in headless Chromium: `viewer_test.py PROGRAM [FOLDER...]` (results to show; without, two
small runs are made).

Frames are drawn (pixels counted), scrubbing, keys, picking, plots and a narrow window work, and nothing is said on the
console. Exit status 77 where the viewer or a browser is missing: SKIPPED.
"""

import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
import zlib
from pathlib import Path

SKIPPED = 77


def read_png(data):
    """Width, height and rows of (r, g, b) bytes."""
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
    """Chromium through its driver, by the WebDriver protocol."""

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

    def open(self, path, width=1200, height=760):
        self.ask("POST", self.session + "/window/rect", {"width": width, "height": height})
        started = time.monotonic()
        self.ask("POST", self.session + "/url", {"url": path.resolve().as_uri()})
        while not self.run("return !!(window.clearance && clearance.frame && clearance.view.numDrawn > 0)"):
            if time.monotonic() - started > 60:
                raise AssertionError("nothing drawn: " + self.run("return document.getElementById('message').textContent"))
            time.sleep(0.05)
        return time.monotonic() - started

    def run(self, script, *arguments):
        return self.ask("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def wait_for(self, condition):
        for _ in range(200):
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
        time.sleep(0.2)  # what is asked for is drawn with the next frame of the browser
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


SCENES = [{
    "name": "box and ball </script>", "time": {"step": 0.02, "duration": 0.6}, "friction": {"coefficient": 0.3},
    "half_spaces": [{"point": [0, -0.3, 0]}], "output": {"contact_forces": True, "fields": ["von_mises"]},
    "bodies": [
        {"name": "box", "generator": {"kind": "box", "size": [0.5, 0.5, 0.5], "resolution": [3, 3, 3]}},
        {"name": "ball", "kind": "rigid", "generator": {"kind": "sphere", "size": [0.2], "resolution": [3]},
         "transform": {"translation": [0.1, 0.6, 0]}, "linear_velocity": [0.5, -1, 0.3]},
        {"name": "post", "kind": "obstacle", "generator": {"kind": "box", "size": [0.1, 0.6, 0.1]},
         "transform": {"translation": [0.6, 0.01, 0]}}]}, {
    "name": "disk", "dimension": 2, "time": {"step": 0.02, "duration": 0.4}, "half_spaces": [{"point": [0, -0.3, 0]}],
    "bodies": [{"name": "disk", "order": 2, "generator": {"kind": "disk", "size": [0.25], "resolution": [2]},
                "material": {"youngs_modulus": 2e4}},
               {"name": "bar", "kind": "affine", "generator": {"kind": "rectangle", "size": [0.6, 0.1]},
                "transform": {"translation": [0.1, 0.4, 0]}}]}]


class Page(unittest.TestCase):
    program, folders = "", []

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.browser = Browser()
        cls.pages = []
        for i, scene in enumerate([] if cls.folders else SCENES):
            path, folder = Path(cls.temporary.name) / f"scene{i}.json", Path(cls.temporary.name) / f"run{i}"
            path.write_text(json.dumps(scene))
            subprocess.run([cls.program, "run", str(path), "-o", str(folder), "-q"], check=True)
            cls.folders = [*cls.folders, str(folder)]
        for i, folder in enumerate(cls.folders):
            page = Path(cls.temporary.name) / f"page{i}.html"
            subprocess.run([cls.program, "export", folder, "-o", str(page)], check=True, stdout=subprocess.DEVNULL)
            cls.pages.append(page)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.temporary.cleanup()

    def setUp(self):
        self.browser.errors()  # of the test before

    def tearDown(self):
        self.assertEqual(self.browser.errors(), [])

    def stage(self):
        """Pixels of the 3D view."""
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
        """Pixels that have the colour of the first of their row."""
        return sum(p == row[0] for row in rows for p in row)

    def test_frames_are_drawn_and_scrubbed(self):
        for page in self.pages:
            self.browser.open(page)
            first = self.stage()
            total = sum(len(row) for row in first)
            self.assertLess(self.background(first), 0.99 * total, "a blank view")
            last = self.browser.run("return clearance.head.frames.length - 1")
            self.browser.run("const t = document.getElementById('time'); t.value = arguments[0]; t.dispatchEvent(new Event('input'))", last)
            self.browser.wait_for(f"clearance.index === {last} && document.getElementById('now').textContent.length > 0")
            self.assertGreater(self.different(first, self.stage()), 50)

    def test_keys_step_and_play(self):
        self.browser.open(self.pages[0])
        self.browser.press(RIGHT)
        self.browser.wait_for("clearance.index === 1")
        self.browser.press(LEFT)
        self.browser.wait_for("clearance.index === 0")
        self.browser.press(END)
        self.browser.wait_for("clearance.index === clearance.head.frames.length - 1")
        self.browser.press(HOME)
        self.browser.wait_for("clearance.index === 0")
        self.browser.press(" ")
        self.browser.wait_for("clearance.isPlaying && clearance.index > 1")
        self.browser.press(" ")
        self.browser.wait_for("!clearance.isPlaying")

    def test_what_is_clicked_tells_its_values(self):
        self.browser.open(self.pages[0])
        # A vertex of the first body that is no obstacle, where it is on the screen.
        at = self.browser.run("""
          const { view, run, frame, head } = clearance, body = head.bodies.find((b) => !b.obstacle && b.triangles[1] > 0);
          const box = document.getElementById("view").getBoundingClientRect();
          let best, nearest = Infinity;
          for (let v = body.vertices[0]; v < body.vertices[0] + body.vertices[1]; ++v) {
            const p = view.low.clone().set(...run.place(frame, v, [0, 0, 0]));
            const far = p.distanceTo(view.camera.position);
            if (far < nearest) nearest = far, best = p;
          }
          best.lerp(view.low.clone().add(view.high).multiplyScalar(0.5), 0.02).project(view.camera);
          return [box.left + (best.x + 1) / 2 * box.width, box.top + (1 - best.y) / 2 * box.height];""")
        self.browser.click(*at)
        self.browser.wait_for("!document.getElementById('picked').hidden")
        told = self.browser.run("return document.getElementById('picked').textContent")
        for word in ("body", "node", "place", "displacement"):
            self.assertIn(word, told)
        self.assertNotIn("NaN", told)
        self.stage()
        self.browser.press(ESCAPE)
        self.browser.wait_for("document.getElementById('picked').hidden")

    def test_colours_sections_and_plots(self):
        self.browser.open(self.pages[0])
        self.browser.press(END)
        self.browser.wait_for("clearance.index > 0")
        plain = self.stage()
        choose = "const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))"
        self.browser.run(choose, "field", "velocity")
        self.assertGreater(self.different(plain, self.stage()), 500)
        self.browser.run(choose, "field", "body")
        self.assertLess(self.different(plain, self.stage()), 50)
        self.browser.run(choose, "axis", "0")
        self.assertGreater(self.different(plain, self.stage()), 500)
        for name in self.browser.run("return [...clearance.series.keys()]"):
            self.browser.run(choose, "plot", name)
            self.assertTrue(self.browser.run("return clearance.chart.bbox.width > 50"))
        # A click in the middle of the plot goes there.
        at = self.browser.run("const b = clearance.chart.over.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]")
        before = self.browser.run("return clearance.index")
        self.browser.click(*at)
        self.browser.wait_for(f"clearance.index !== {before}")

    def test_narrow_window(self):
        self.browser.open(self.pages[0], 500, 800)
        rows = self.stage()
        self.assertLess(self.background(rows), 0.995 * sum(len(row) for row in rows))
        self.assertTrue(self.browser.run("return document.documentElement.scrollWidth <= innerWidth"))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    Page.program, Page.folders = sys.argv[1], sys.argv[2:]
    viewer = Path(Page.program).resolve().parent.parent / "share/clearance/viewer.html"
    missing = [what for what, there in (("chromium", shutil.which("chromium")), ("chromedriver", shutil.which("chromedriver")),
                                        ("the viewer", viewer.exists())) if not there]
    if missing:
        print("SKIPPED: no", ", no ".join(missing))
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
