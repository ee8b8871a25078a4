#!/usr/bin/env python3
"""The documentation as a website: `site_test.py PROGRAM MODULE_FOLDER`.

Every link within the site leads to a page and an anchor that are there, nothing is loaded from outside, every document,
example, public header and public name of Python has its place, and in a browser the search finds and leads there.
Exit status 77 where a package that makes the site is missing: SKIPPED.
"""

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
from html.parser import HTMLParser
from pathlib import Path

from browser import SKIPPED, Browser, missing_for_pages

ROOT = Path(__file__).resolve().parent.parent.parent
# The run of this example takes two seconds, and its film has few pictures.
EXAMPLE = "squeezed_ring"


class Links(HTMLParser):
    """Anchors of a page, links to follow, and files that it loads by itself."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if "id" in attributes:
            self.anchors.add(attributes["id"])
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        self.loads += [attributes[key] for key in ("src", "poster", "data", "srcset") if key in attributes]
        if tag == "link" and "href" in attributes:
            self.loads.append(attributes["href"])


class Site(unittest.TestCase):
    program = module = None

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.site = Path(cls.temporary.name, "site")
        cls.can_show = not missing_for_pages(cls.program)
        made = subprocess.run([sys.executable, str(ROOT / "scripts/make_site.py"), "--program", cls.program, "--module", cls.module, "--output", cls.site,
                               "--work", Path(cls.temporary.name, "work"), "--only", EXAMPLE, "--interactive", EXAMPLE if cls.can_show else ""],
                              capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise AssertionError(made.stdout + made.stderr)
        cls.pages = {file: Links(file.read_text(encoding="utf-8")) for file in cls.site.rglob("*.html")}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_every_link_leads_to_a_page_and_an_anchor(self):
        broken = []
        for file, page in self.pages.items():
            for link in page.links + page.loads:
                address = urllib.parse.urlsplit(link)
                if address.scheme:
                    continue
                path = urllib.parse.unquote(address.path)
                target = (file.parent / path).resolve() if path else file
                there = target.exists() and self.site.resolve() in [target, *target.parents]
                if there and address.fragment and target.suffix == ".html":
                    there = urllib.parse.unquote(address.fragment) in self.pages[target].anchors
                if not there:
                    broken.append(f"{file.relative_to(self.site)}: {link}")
        self.assertEqual(broken, [])
        self.assertGreater(sum(len(page.links) for page in self.pages.values()), 5000)

    def test_nothing_is_loaded_from_outside(self):
        for file, page in self.pages.items():
            for link in page.loads:
                self.assertIn(urllib.parse.urlsplit(link).scheme, ("", "data"), f"{file.name} loads {link}")
                self.assertFalse(link.startswith("//"), f"{file.name} loads {link}")
        styles = (self.site / "style.css").read_text(encoding="utf-8")
        self.assertIsNone(re.search(r"@import|url\(", styles))

    def test_every_document_and_example_has_its_page(self):
        for file in ROOT.glob("docs/**/*.md"):
            name = file.relative_to(ROOT).as_posix().removesuffix(".md").replace("README", "index")
            self.assertTrue((self.site / f"{name}.html").exists(), file)
        for file in ROOT.glob("examples/*.json"):
            self.assertEqual((self.site / "examples" / file.name).read_text(encoding="utf-8"), file.read_text(encoding="utf-8"))
            self.assertIn(f'href="{file.name}"', (self.site / "examples" / f"{file.stem}.html").read_text(encoding="utf-8"))
        page = (self.site / f"examples/{EXAMPLE}.html").read_text(encoding="utf-8")
        self.assertIn(f'src="../gallery/{EXAMPLE}.mp4"', page)
        self.assertEqual((self.site / f"gallery/{EXAMPLE}.mp4").read_bytes()[4:8], b"ftyp")

    def test_the_references_hold_every_public_name(self):
        sys.path.insert(0, str(self.module))
        import clearance
        python = self.pages[self.site / "python/clearance.html"].anchors
        functions = {name for name in clearance.__all__ if not name.startswith("__") and callable(getattr(clearance, name))}
        self.assertEqual(functions - python, set())
        self.assertIn("Simulation.step", python)
        installed = set(re.findall(r"\b[\w/]+\.h\b", " ".join(re.findall(r"HEADERS([^)]*)\)", (ROOT / "cmake/package.cmake").read_text(encoding="utf-8")))))
        for header in installed:
            name = header.removesuffix(".h").replace("/", "_")
            self.assertTrue((self.site / f"cpp/{name}.html").exists(), header)
        simulation = (self.site / "cpp/simulation_simulation.html").read_text(encoding="utf-8")
        plain = re.sub(r"<[^>]+>", "", simulation)
        self.assertIn("static Result&lt;Simulation&gt; create(const SceneDesc&amp; scene);", plain)
        self.assertIn("Checks the scene, loads its meshes", plain)
        self.assertIn('<a href="scene_scene.html#SceneDesc">', simulation)

    def test_a_link_that_leads_nowhere_is_an_error(self):
        sys.path.insert(0, str(ROOT / "scripts"))
        from website.documents import Library
        folder = Path(self.temporary.name, "broken")
        (folder / "docs").mkdir(parents=True)
        (folder / "README.md").write_text("# A\n\n[there](docs/there.md) and [gone](docs/gone.md)\n", encoding="utf-8")
        (folder / "docs/there.md").write_text("# There\n\n![no picture](no.png)\n", encoding="utf-8")
        library = Library(folder)
        with self.assertRaisesRegex(ValueError, "README.md: the link to docs/gone.md leads to no document"):
            library.page("README.md")
        with self.assertRaisesRegex(ValueError, "docs/there.md: there is no picture no.png"):
            library.page("docs/there.md")

    def test_the_search_leads_to_what_it_finds(self):
        if not self.can_show:
            self.skipTest("missing: " + ", ".join(missing_for_pages(self.program)))
        browser = Browser()
        try:
            browser.ask("POST", browser.session + "/window/rect", {"width": 1300, "height": 800})
            browser.ask("POST", browser.session + "/url", {"url": (self.site / "index.html").as_uri()})
            browser.press("/")
            for letter in "restitution":
                browser.press(letter)
            browser.wait_for("document.querySelectorAll('#search li a').length > 3")
            self.assertIn("restitution", browser.run("return document.querySelector('#search li a').textContent").lower())
            browser.press("\ue015")  # arrow down
            browser.press("\ue007")  # enter
            browser.wait_for("!location.pathname.endsWith('/index.html')")
            self.assertIn("restitution", browser.run("return document.body.innerText").lower())
            self.assertEqual(browser.run("return performance.getEntriesByType('resource').filter(e => !e.name.startsWith('file:')).length"), 0)
            self.assertEqual(browser.errors(), [])
            # A result that turns and plays.
            browser.open(self.site / f"gallery/{EXAMPLE}.html")
            self.assertEqual(browser.errors(), [])
        finally:
            browser.close()


if __name__ == "__main__":
    missing = [package for module, package in (("markdown_it", "python3-markdown-it"), ("pygments", "python3-pygments"))
               if importlib.util.find_spec(module) is None]
    missing += [name for name in ("doxygen", "ffmpeg") if not shutil.which(name)]
    if missing:
        print("SKIPPED: missing " + ", ".join(missing))
        sys.exit(SKIPPED)
    Site.program, Site.module = sys.argv[1], sys.argv[2]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
