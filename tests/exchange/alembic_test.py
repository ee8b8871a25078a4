#!/usr/bin/env python3
"""`clearance export -o NAME.abc` in the tools of Alembic's own library: `alembic_test.py PROGRAM`.

They read every sample of every property. Exit status 77 if they are not installed: SKIPPED.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from runs import SKIPPED, SOLID, array_of, export, frames_of, make_run, points_of


class InTheLibrary(unittest.TestCase):
    program = ""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.run_folder = make_run(cls.program, cls.folder, "solid", SOLID)
        cls.archive = cls.folder / "run.abc"
        cls.report = export(cls.program, cls.run_folder, cls.archive)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def output_of(self, tool):
        done = subprocess.run([tool, str(self.archive)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_has_every_object_with_its_samples(self):
        said = self.output_of("abcecho")
        objects = re.findall(r"Object name=(.*)", said)
        self.assertEqual(objects, ["/box and ball", "/box and ball/box", "/box and ball/box/surface",
                                   "/box and ball/ball", "/box and ball/ball/surface", "/box and ball/post",
                                   "/box and ball/post/surface"])
        counts = {}
        for name, text in zip(objects, said.split("Object name=")[1:]):
            for prop, size, samples in re.findall(r"Property name=([^;]+);.*arraysize=(\d+);numsamps=(\d+)", text):
                counts[name.split("/", 2)[-1], prop] = int(size), int(samples)
        num_frames = self.report["frames"]
        num_points = counts["box/surface", "P"][0]
        self.assertEqual(counts["box/surface", ".velocities"], (num_points, num_frames))
        self.assertEqual(counts["box/surface", "P"], (num_points, num_frames))
        self.assertEqual(counts["box/surface", "Cd"], (num_points, num_frames))
        self.assertEqual(counts["box", ".vals"], (16, 1))
        self.assertEqual(counts["ball", ".vals"], (16, num_frames))
        self.assertEqual(counts["ball/surface", "P"][1], 1)
        self.assertEqual(counts["post", ".vals"], (16, 1))

    def test_has_the_bodies_where_the_first_frame_has_them(self):
        said = self.output_of("abcechobounds")
        frame = frames_of(self.run_folder)[0]
        points, bodies = points_of(frame), array_of(frame, "body", "i")
        offsets, corners = array_of(frame, "offsets", "q"), array_of(frame, "connectivity", "i")
        for number, name in enumerate(["box", "ball", "post"]):
            places = [points[v] for cell, body in enumerate(bodies) if body == number
                      for v in corners[offsets[cell - 1] if cell else 0:offsets[cell]]]
            numbers = re.search(rf"/box and ball/{name}/surface \((.*)\) \((.*)\)", said)
            self.assertIsNotNone(numbers, said)
            for side, choose in zip(numbers.groups(), (min, max)):
                for found, wanted in zip(map(float, side.split()), map(choose, zip(*places))):
                    self.assertAlmostEqual(found, wanted, delta=1e-5)


if __name__ == "__main__":
    if shutil.which("abcecho") is None or shutil.which("abcechobounds") is None:
        print("SKIPPED: no tools of Alembic (Debian's alembic-graphics, in unstable)")
        sys.exit(SKIPPED)
    InTheLibrary.program = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
