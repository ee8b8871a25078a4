#!/usr/bin/env python3
"""Pages of `clearance export` in headless Chromium: `./dev bench page [FOLDER...]`.

For each result folder (default: one of 100,352 deforming triangles, made for it): size of the page, seconds of the
export and until the first picture, pictures a second while frames are shown one after the other (every frame unpacked,
shown and drawn before the next), and errors on the console. Chromium draws in software.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_common import ROOT, busy_percent, machine, table

sys.path.insert(0, str(ROOT / "tests" / "page"))
from viewer_test import Browser  # noqa: E402  (the same browser as the tests')

DENSE = {"name": "100,352 triangles", "time": {"step": 0.01, "duration": 0.6}, "contact": {"enabled": False},
         "bodies": [{"generator": {"kind": "box", "resolution": [2, 2, 1]}, "collision_surface": {"segments": 56},
                     "velocity": ["3 * y", "0", "2 * x"], "material": {"youngs_modulus": 3e4}}]}

PLAY = """
const done = arguments[arguments.length - 1], count = clearance.head.frames.length;
(async () => {
  const started = performance.now();
  let shown = 0;
  while (performance.now() - started < 6000) {
    await clearance.seek(shown % count);
    const drawn = clearance.view.numDrawn;
    while (clearance.view.numDrawn === drawn) await new Promise(requestAnimationFrame);
    ++shown;
  }
  done(shown / (performance.now() - started) * 1000);
})();"""


def measure(program, folder, browser):
    with tempfile.TemporaryDirectory() as temporary:
        page = Path(temporary) / "page.html"
        started = time.monotonic()
        made = subprocess.run([program, "export", folder, "-o", str(page), "--json"], capture_output=True, text=True, check=True)
        seconds = time.monotonic() - started
        report = json.loads(made.stdout)
        first = browser.open(page)
        rate = browser.ask("POST", browser.session + "/execute/async", {"script": PLAY, "args": []})
        bodies = browser.run("return clearance.head.bodies.length")
        errors = browser.errors()
    return [Path(folder).name, f"{report['frames']} of {report['frames_of_run']}", f"{report['triangles']:,}", str(bodies),
            f"{report['bytes'] / 1e6:.1f} MB", f"{seconds:.1f}", f"{first:.1f}", f"{rate:.0f}", str(len(errors))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("folders", nargs="*")
    arguments = parser.parse_args()
    busy = busy_percent()
    browser = Browser()
    rows = []
    try:
        with tempfile.TemporaryDirectory() as temporary:
            folders = arguments.folders
            if not folders:
                scene, folder = Path(temporary) / "dense.json", Path(temporary) / "dense"
                scene.write_text(json.dumps(DENSE))
                subprocess.run([arguments.program, "run", str(scene), "-o", str(folder), "-q"], check=True)
                folders = [str(folder)]
            rows = [measure(arguments.program, folder, browser) for folder in folders]
    finally:
        browser.close()
    print(f"{machine()}, busy at {busy:.0f} % before the start\n")
    print(table(["run", "frames", "triangles", "bodies", "page", "export [s]", "first picture [s]", "pictures / s", "errors"], rows))


if __name__ == "__main__":
    main()
