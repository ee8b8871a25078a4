#!/usr/bin/env python3
"""Pages of `clearance export` in headless Chromium: `viewer_test.py PROGRAM [FOLDER...]` (results to show; without, two
small runs are made).

Frames are drawn (pixels counted), scrubbing, keys, picking, plots and a narrow window work, and nothing is said on the
console. Exit status 77 where the viewer or a browser is missing: SKIPPED.
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from browser import END, ESCAPE, HOME, LEFT, RIGHT, SKIPPED, Browser, PageCase, missing_for_pages


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
                "transform": {"translation": [0.1, 0.4, 0]}}]}, {
    "name": "elements that adapt", "dimension": 2, "time": {"step": 0.02, "duration": 0.3, "mass": "consistent"}, "gravity": [0, 0],
    "contact": {"formulation": "convergent"}, "remesh": {"relative_gain": 1e-5},
    "bodies": [{"name": "bar", "generator": {"kind": "rectangle", "size": [0.6, 0.1], "resolution": [6, 1]}, "motions": [
        {"region": {"box": [[-1, -1, 0], [-0.29, 1, 0]]}},
        {"region": {"box": [[0.29, -1, 0], [1, 1, 0]]}, "linear_velocity": [0, 0.5]}]},
               {"name": "tile", "kind": "rigid", "generator": {"kind": "rectangle", "size": [0.1, 0.1]},
                "transform": {"translation": [0, 0.3, 0]}, "linear_velocity": [0.1, 0]}]}]


class Page(PageCase):
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
        self.browser.errors()  # discards the messages of the test before

    def tearDown(self):
        self.assertEqual(self.browser.errors(), [])

    def test_page_opens_at_the_last_frame_with_the_first_field_asked_for(self):
        for page in self.pages:
            self.browser.open(page)
            self.browser.wait_for("clearance.index === clearance.head.frames.length - 1")
            asked = self.browser.run("return (clearance.head.scene.output.fields || [])[0] || 'body'")
            self.assertEqual(self.browser.run("return document.getElementById('field').value"), asked)

    def test_frames_are_drawn_and_scrubbed(self):
        for page in self.pages:
            self.browser.open(page)
            self.browser.press(HOME)
            self.browser.wait_for("clearance.index === 0")
            first = self.stage()
            total = sum(len(row) for row in first)
            self.assertLess(self.background(first), 0.99 * total, "a blank view")
            last = self.browser.run("return clearance.head.frames.length - 1")
            self.browser.run("const t = document.getElementById('time'); t.value = arguments[0]; t.dispatchEvent(new Event('input'))", last)
            self.browser.wait_for(f"clearance.index === {last} && document.getElementById('now').textContent.length > 0")
            self.assertGreater(self.different(first, self.stage()), 50)

    def test_keys_step_and_play(self):
        self.browser.open(self.pages[0])
        self.browser.press(HOME)
        self.browser.wait_for("clearance.index === 0")
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
        # Find a vertex of the first body that is no obstacle, and its place on the screen.
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
        choose = "const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))"
        self.browser.run(choose, "field", "body")
        plain = self.stage()
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

    def test_elements_that_change_are_drawn(self):
        page = next((page for page in reversed(self.pages) if '"adapts":true' in page.read_text()), None)
        if page is None:
            self.skipTest("no run of the folders has any")
        self.browser.open(page)
        choose = "const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))"
        drawn = """const { frame, view } = clearance, { topology } = frame;
          return [topology.number, topology.bodies.every(({ vertices: [first, count], triangles: [, num] }, b) =>
            view.bodies[b].places.count === count && (num === 0 || (view.bodies[b].surface.geometry.index.count === 3 * num
            && Math.max(...view.bodies[b].surface.geometry.index.array) < count))),
            topology.bodies.reduce((sum, body) => sum + body.triangles[1], 0)]"""
        counts = []
        for field in ("body", "displacement", "velocity"):
            self.browser.run(choose, "field", field)
            for i in [*range(self.browser.run("return clearance.head.frames.length")), 0]:  # forwards, and back at once
                self.browser.run("clearance.seek(arguments[0])", i)
                self.browser.wait_for(f"clearance.frame === clearance.run.frames.get({i})")
                number, is_whole, count = self.browser.run(drawn)
                self.assertTrue(is_whole)
                self.assertEqual(number, self.browser.run("return clearance.head.frames[arguments[0]].topology", i))
                counts.append(count)
        self.assertGreater(max(counts), counts[0])
        self.assertEqual(counts[-1], counts[0])
        first = self.stage()
        self.browser.run("document.getElementById('mesh').click()")
        self.browser.press(END)
        self.browser.wait_for("clearance.index === clearance.head.frames.length - 1")
        self.assertGreater(self.different(first, self.stage()), 50)
        self.assertIn("elements", self.browser.run("return [...clearance.series.keys()]"))

    def test_narrow_window(self):
        self.browser.open(self.pages[0], 500, 800)
        rows = self.stage()
        self.assertLess(self.background(rows), 0.995 * sum(len(row) for row in rows))
        self.assertTrue(self.browser.run("return document.documentElement.scrollWidth <= innerWidth"))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    Page.program, Page.folders = sys.argv[1], sys.argv[2:]
    missing = missing_for_pages(Page.program)
    if missing:
        print("SKIPPED: no", ", no ".join(missing))
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
