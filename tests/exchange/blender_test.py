#!/usr/bin/env python3
"""`clearance export -o NAME.pc2` and its script in Blender, in the background: `blender_test.py PROGRAM`.

Frame n of Blender has the vertices of our frame n, in single precision. Exit status 77 where Blender is missing: SKIPPED.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from runs import PLANE, SKIPPED, SOLID, curved, export, frames_of, make_run, points_of

HERE = Path(__file__).resolve().parent


def blender(*words):
    done = subprocess.run(["blender", "-b", "--factory-startup", *map(str, words)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300)
    return done.stdout


class Scene(unittest.TestCase):
    program = ""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def told(self, head, frames):
        said = blender("--python", HERE / "check_in_blender.py", "--", head, *frames)
        lines = [line for line in said.splitlines() if line.startswith("TOLD ")]
        self.assertEqual(len(lines), 1, said)
        return json.loads(lines[0][5:])

    def check(self, name, scene, motions, up):
        run = make_run(self.program, self.folder, name, scene)
        report = export(self.program, run, self.folder / "out" / f"{name}.pc2")
        self.assertEqual({k: n for k, n in report["bodies"].items() if n}, motions)
        head = self.folder / "out" / f"{name}.json"
        files = frames_of(run)
        frames = [0, 1, len(files) // 2, len(files) - 1]
        told = self.told(head, frames)
        self.assertAlmostEqual(told["rate"], 1 / scene["time"]["step"], 4)
        self.assertEqual(told["frames"], [0, len(files) - 1])
        for got, want in zip(told["up"], (0, 0, 1)):  # z points upwards
            self.assertAlmostEqual(got, want, 6)
        # Vertices of the meshes are found in the first frame by their exact positions.
        number = {place: i for i, place in enumerate(points_of(files[0]))}
        num_checked, farthest = 0, 0.0
        for body in json.loads(head.read_text())["bodies"]:
            lines = (head.parent / body["mesh"]).read_text().splitlines()
            vertices = [number[tuple(map(float, line.split()[1:]))] for line in lines if line.startswith("v ")]
            shown = told["bodies"][body["name"]]
            self.assertEqual(shown["faces"], sum(line.startswith("f ") for line in lines))
            for n in frames:
                exact, first = points_of(files[n]), points_of(files[0])
                self.assertEqual(len(shown["places"][str(n)]), len(vertices))
                for v, place in zip(vertices, shown["places"][str(n)]):
                    for k in range(3):
                        # The numbers are up to 2: three roundings of single precision.
                        self.assertAlmostEqual(place[k], exact[v][k], delta=4e-7, msg=f"{body['name']} frame {n}")
                        farthest = max(farthest, abs(exact[v][k] - first[v][k]))
                    num_checked += 1
        self.assertTrue(all(body["faces"] > 0 for body in told["bodies"].values()))
        self.assertGreater(num_checked, 50)
        self.assertGreater(farthest, 0.1)  # otherwise all frames would look right

    def test_deformable_rigid_and_resting_bodies(self):
        self.check("solid", SOLID, {"deforming": 1, "rigid": 1, "still": 1}, "y")

    def test_a_scene_in_the_plane(self):
        self.check("plane", PLANE, {"deforming": 1, "rigid": 1}, "y")

    def test_curved_elements_and_gravity_along_z(self):
        self.check("curved", curved(3), {"deforming": 1}, "z")

    def test_the_script_saves_a_file_that_finds_its_caches(self):
        run = make_run(self.program, self.folder, "solid", SOLID)
        export(self.program, run, self.folder / "out" / "run.pc2", "--frames", "5:25:5", "--speed", "0.5")
        blend = self.folder / "out" / "scene.blend"
        said = blender("--python", self.folder / "out" / "run_blender.py", "--", blend)
        self.assertTrue(blend.exists(), said)
        # The files are opened in another place, as after mailing.
        (self.folder / "out").rename(self.folder / "moved")
        look = ("import bpy; s = bpy.context.scene; s.frame_set(4); g = bpy.context.evaluated_depsgraph_get(); "
                "m = bpy.data.objects['box'].evaluated_get(g).to_mesh(); "
                "print('TOLD', min(v.co.y for v in m.vertices), s.frame_end, s.render.fps / s.render.fps_base, "
                "'Cube' in bpy.data.objects)")
        said = blender(self.folder / "moved" / "scene.blend", "--python-expr", look)
        line = next(line for line in said.splitlines() if line.startswith("TOLD "))
        lowest, last, rate, has_cube = line.split()[1:]
        frame = points_of(frames_of(run)[25])
        box = [y for x, y, z in frame if abs(x) < 0.4 and y < 0.3]
        self.assertAlmostEqual(float(lowest), min(box), delta=1e-6)
        self.assertEqual(last, "4")
        self.assertAlmostEqual(float(rate), 0.5 / (5 * 0.02), 5)
        self.assertEqual(has_cube, "False")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    Scene.program = sys.argv[1]
    if not shutil.which("blender"):
        print("SKIPPED: no Blender (Debian: apt-get install blender)")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
