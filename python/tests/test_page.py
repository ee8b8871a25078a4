import re
import shutil
import sys
import time
import unittest
from pathlib import Path

import clearance as cl
from support import IS_SANITIZED, InFolder, drop

HAS_VIEWER = (Path(cl.__file__).parent / "viewer.html").exists()
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "page"))


@unittest.skipUnless(HAS_VIEWER, "no viewer: Node.js or npm was not there")
class Shown(InFolder):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"

    def run_steps(self, count):
        with cl.Simulation(drop(), self.out) as sim:
            for _ in range(count):
                sim.step()
            return sim.show(300)

    def test_a_notebook_gets_a_frame_with_the_run_inside(self):
        page = self.run_steps(4)
        text = page._repr_html_()
        self.assertTrue(text.startswith("<iframe srcdoc=") and text.endswith("</iframe>"))
        self.assertIn('sandbox="allow-scripts"', text)
        self.assertIn("height: 300px", text)
        # Nothing in the page ends the attribute that contains it.
        self.assertEqual(len(re.findall('"', text)), 8)
        self.assertEqual((page.contents["frames"], page.contents["frames_of_run"]), (5, 5))
        self.assertIn("5 of 5 frames", repr(page))
        self.assertIn("default-src 'none'", page.html)

    def test_a_run_under_way_shows_what_is_stored(self):
        with cl.Simulation(drop(), self.out) as sim:
            sim.step()
            self.assertEqual(sim.show().contents["frames"], 2)
            sim.step()
            self.assertEqual(cl.Results(self.out).show().contents["frames"], 3)

    def test_export_writes_what_show_shows_and_replaces_nothing(self):
        self.run_steps(3)
        page = cl.Results(self.out).show(max_megabytes=20)
        file = self.folder / "run.html"
        made = cl.Results(self.out).export(file, max_megabytes=20)
        self.assertEqual(made, page.contents)
        self.assertEqual(file.read_text(encoding="utf-8"), page.html)
        file.write_text("mine")
        with self.assertRaisesRegex(cl.ResultError, "overwrite=True"):
            cl.Results(self.out).export(file)
        self.assertEqual(file.read_text(), "mine")
        cl.Results(self.out).export(file, overwrite=True, exact=True)
        self.assertGreater(file.stat().st_size, 1000)

    def test_mistakes(self):
        self.run_steps(1)
        run = cl.Results(self.out)
        for path, message in (("run.png", "ends in .html"), (self.folder / "no" / "run.html", "run.html")):
            with self.assertRaisesRegex(cl.ResultError, message):
                run.export(path)
        for height in (0, 20000, 1.5, "tall"):
            with self.assertRaisesRegex(ValueError, "height"):
                run.show(height)
        for size in (0, -1, "large", float("nan")):
            with self.assertRaisesRegex(ValueError, "max_megabytes"):
                run.show(max_megabytes=size)
        with self.assertRaisesRegex(RuntimeError, "output"):
            cl.Simulation(drop()).show()
        for file in (self.out / "frames").iterdir():
            file.unlink()
        with self.assertRaisesRegex(cl.ResultError, "frame_000000"):
            run.show()

    @unittest.skipIf(IS_SANITIZED or not (shutil.which("chromium") and shutil.which("chromedriver")), "no Chromium")
    def test_a_browser_draws_it_inside_of_another_page(self):
        from browser import Browser
        file = self.folder / "notebook.html"
        file.write_text("<!doctype html><title>notebook</title><p>a cell</p>" + self.run_steps(5)._repr_html_(), encoding="utf-8")
        browser = Browser()
        try:
            browser.ask("POST", browser.session + "/url", {"url": file.as_uri()})
            browser.ask("POST", browser.session + "/frame", {"id": 0})
            for _ in range(200):
                if browser.run("return !!(window.clearance && clearance.frame && clearance.view.numDrawn > 0)"):
                    break
                time.sleep(0.05)
            self.assertEqual(browser.run("return clearance.head.frames.length"), 6)
            self.assertEqual(browser.errors(), [])
        finally:
            browser.close()


if __name__ == "__main__":
    unittest.main()
