#!/usr/bin/env python3
"""Pages of `clearance export` in headless Chromium: `./dev bench page [FOLDER...]`.

For each result folder (default: one of 100,352 deforming triangles, made for it): size of the page, seconds of the
export and until the first picture, pictures a second while frames are shown one after the other (every frame unpacked,
shown and drawn before the next), and errors on the console. Chromium draws in software.

--live: the same run plainly and with --view, its page following all frames in that browser, in turn: seconds, and
processor seconds of the run itself. --large: export of 1000 frames of a million triangles, and the most memory that it
takes.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_common import ROOT, busy_percent, machine, table

sys.path.insert(0, str(ROOT / "tests" / "page"))
from browser import Browser  # noqa: E402  (the same browser as the tests')

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


def seconds_of(program, scene, folder, is_shown, browser):
    """Measures a run: seconds on the clock until its last frame, and of the processor without its viewer."""
    words = [program, "run", str(scene), "-o", str(folder), "--overwrite", "--threads", "1"] + (["--view"] if is_shown else [])
    started = time.monotonic()
    run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in run.stdout:
        if "http://" in line:
            browser.open(line.strip())
        if line.startswith("complete"):
            break
    seconds = time.monotonic() - started
    times = Path(f"/proc/{run.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split() if is_shown else None
    if is_shown:
        browser.wait_for("clearance.head.frames.length > 1 && document.getElementById('status').textContent === 'complete'")
        run.terminate()
        run.stdout.read()
        run.wait()
        return seconds, (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
    run.stdout.read()
    _, _, used = os.wait4(run.pid, 0)
    run.returncode = 0
    return seconds, used.ru_utime + used.ru_stime


def measure_live(program, browser, turns):
    scene = ROOT / "examples" / "drop_in_bowl.json"
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for turn in range(turns):
            plain = seconds_of(program, scene, Path(temporary) / "plain", False, browser)
            shown = seconds_of(program, scene, Path(temporary) / "shown", True, browser)
            rows.append([str(turn + 1), f"{plain[0]:.2f}", f"{shown[0]:.2f}", f"{plain[1]:.2f}", f"{shown[1]:.2f}",
                         f"{100 * (shown[1] / plain[1] - 1):+.1f} %"])
    print(table(["turn", "plainly [s]", "shown [s]", "processor, plainly [s]", "processor, shown [s]", "more"], rows))


def measure_large(program):
    """Measures the export of a short run whose frames are listed a thousand times in turn: the export reads them as
    if they all differed."""
    scene = {**DENSE, "name": "a million triangles", "time": {"step": 0.01, "duration": 0.2}}
    scene["bodies"] = [{**DENSE["bodies"][0], "generator": {"kind": "box", "resolution": [6, 6, 3]}, "collision_surface": {"segments": 59}}]
    with tempfile.TemporaryDirectory() as temporary:
        file, folder, page = Path(temporary) / "large.json", Path(temporary) / "large", Path(temporary) / "large.html"
        file.write_text(json.dumps(scene))
        subprocess.run([program, "run", str(file), "-o", str(folder), "-q"], check=True)
        lines = (folder / "frames.pvd").read_text().splitlines(keepends=True)
        sets = [line for line in lines if "<DataSet" in line]
        names = [re.search(r'file="([^"]*)"', line).group(1) for line in sets]
        many = [f'<DataSet timestep="{0.01 * i:.6g}" file="{names[i % len(names)]}"/>\n' for i in range(1000)]
        first = lines.index(sets[0])
        (folder / "frames.pvd").write_text("".join(lines[:first] + many + lines[first + len(sets):]))
        started = time.monotonic()
        made = subprocess.Popen([program, "export", str(folder), "-o", str(page), "--json"], stdout=subprocess.PIPE, text=True)
        report = json.loads(made.stdout.read())
        _, status, used = os.wait4(made.pid, 0)
        made.returncode = status
        print(f"{report['frames_of_run']} frames of {report['triangles']:,} triangles: {report['frames']} kept, {report['bytes'] / 1e6:.1f} MB, "
              f"{time.monotonic() - started:.0f} s, at most {used.ru_maxrss / 1e6:.2f} GB of memory")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--live", type=int, metavar="TURNS", default=0)
    parser.add_argument("--large", action="store_true")
    arguments = parser.parse_args()
    busy = busy_percent()
    print(f"{machine()}, busy at {busy:.0f} % before the start\n")
    if arguments.large:
        measure_large(arguments.program)
        return
    browser = Browser()
    rows = []
    try:
        if arguments.live:
            measure_live(arguments.program, browser, arguments.live)
            return
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
    print(table(["run", "frames", "triangles", "bodies", "page", "export [s]", "first picture [s]", "pictures / s", "errors"], rows))


if __name__ == "__main__":
    main()
