#!/usr/bin/env python3
"""A wheel in a clean Debian: `wheel_test.py --wheel FOLDER --work FOLDER`.

Pip alone installs it, without a compiler and without Debian's libraries; the module, the programs and the meshing of
surfaces then do what README.md says, with the bits of the build; pip removes all of it. Exit status 77 where that
cannot be tried: SKIPPED.
"""
import argparse
import re
import shutil
import sys
import time
from pathlib import Path

from clean_root import HOME, CleanRoot, reason_to_skip
from clean_root_test import CUBE, block_of, say


class Trial:
    def __init__(self, wheels, work):
        found = sorted(wheels.glob("clearance-*.whl"))
        if len(found) != 1:
            raise SystemExit(f"wheel_test: expected one wheel in {wheels}, found {len(found)}")
        self.wheel = found[0]
        start = time.monotonic()
        self.root = CleanRoot(work)
        self.root.run("apt-get update -q", as_root=True, network=True, folder="/")
        # NumPy, which pip would fetch from the network, and pip itself.
        self.root.install("python3-venv", "python3-numpy")
        shutil.copy(self.wheel, self.root.path / HOME.strip("/"))
        say("a clean Debian with Python is there", start, f"{self.root.used_megabytes()} MB")

    def write(self, name, text):
        (self.root.path / HOME.strip("/") / name).write_text(text, encoding="utf-8")

    def install(self):
        start = time.monotonic()
        self.root.run("python3 -m venv --system-site-packages env")
        self.root.run(f"env/bin/pip install --no-index ./{self.wheel.name}")
        seconds = time.monotonic() - start
        assert seconds < 60.0, seconds
        assert "not found" in self.root.run("command -v g++ cc libtbb || echo not found")
        say("pip installs it", start, f"{self.wheel.name}: {self.wheel.stat().st_size / 1e6:.0f} MB")

    def use(self):
        start = time.monotonic()
        self.write("ball.py", block_of("Python", "python"))
        said = self.root.run("env/bin/python ball.py")
        assert re.search(r"^[\d.e+-]+ J$", said, re.MULTILINE), said
        say("README's example in Python works", start, said.strip().split("\n")[-1])

        start = time.monotonic()
        self.write("my_scene.json", block_of("A scene of your own", "json"))
        for name in ("automatic", "portable"):
            self.root.run(f"CLEARANCE_PROCESSOR={name} env/bin/clearance run my_scene.json -o out/{name} -q"
                          if name == "portable" else f"env/bin/clearance run my_scene.json -o out/{name} -q")
        self.root.run("env/bin/clearance verify out/automatic")
        self.root.run("env/bin/clearance render out/automatic -o ball.png")
        self.root.run("env/bin/clearance export out/automatic -o ball.html")
        hashes = [re.findall(r'"state_hash": ?"(\w+)"', (self.root.path / HOME.strip("/") / f"out/{name}/stats.jsonl").read_text())
                  for name in ("automatic", "portable")]
        assert len(hashes[0]) == 100 and hashes[0] == hashes[1], hashes
        say("the programs run, verify, render and export, with the same bits on every processor", start)

        start = time.monotonic()
        self.write("cube.obj", CUBE)
        said = self.root.run("env/bin/clearance mesh cube.obj -o cube.msh")
        self.write("fill.py", "import clearance as cl\nscene = cl.Scene(time={'step': 0.01, 'duration': 0.05})\n"
                              "scene.add_body('cube', mesh='cube.obj', volume_mesh={})\nwith cl.Simulation(scene) as sim:\n"
                              "    sim.run()\n    print(len(sim.positions), 'nodes')\n")
        say("program and module fill surfaces", start, said + self.root.run("env/bin/python fill.py"))

    def remove(self):
        start = time.monotonic()
        self.root.run("env/bin/pip uninstall -y -q clearance")
        left = self.root.run("find env -iname '*clearance*'")
        assert left.strip() == "", left
        say("pip removes all of it", start)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=Path, required=True, help="folder with the wheel")
    parser.add_argument("--work", type=Path, required=True, help="folder for the clean Debian")
    arguments = parser.parse_args()
    if reason := reason_to_skip():
        print(f"SKIPPED: {reason}")
        return 77
    trial = Trial(arguments.wheel, arguments.work)
    trial.install()
    trial.use()
    trial.remove()
    return 0


if __name__ == "__main__":
    sys.exit(main())
