#!/usr/bin/env python3
"""Small scenes under valgrind: no byte is read that nothing has written, or that is no longer there.

memory_test.py PROGRAM. Skipped (exit 77) without valgrind. The sanitizers of .ci/run leave the folder `simulation` out,
which takes too long to build with them; these scenes go through it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
# The program would go on as the one for AVX2, which valgrind does not follow.
ENVIRONMENT = {**os.environ, "CLEARANCE_PROCESSOR": "portable"}
STATIC = {"step": 1, "duration": 2, "integrator": "quasi_static"}
SOFT = {"density": 1000, "youngs_modulus": 1e6, "poisson_ratio": 0.3}


def rectangle(name, size, cells, at=(0, 0), **more):
    return {"name": name, "generator": {"kind": "rectangle", "size": size, "resolution": cells},
            "transform": {"translation": [*at, 0]}, **more}


def held_below(height):
    return [{"region": {"box": [[-1, -1], [1, height]]}}]


class Memory(unittest.TestCase):
    def check(self, scene, commands=("check", "run")):
        with tempfile.TemporaryDirectory(prefix="memory-") as folder:
            file = Path(folder) / "scene.json"
            file.write_text(json.dumps(scene))
            for command in commands:
                output = ["-o", folder + "/out", "--threads", "1", "-q"] if command == "run" else []
                done = subprocess.run(["valgrind", "--error-exitcode=99", PROGRAM, command, str(file), *output],
                                      capture_output=True, text=True, check=False, env=ENVIRONMENT)
                self.assertEqual(done.returncode, 0, f"{command}: {done.stderr[-3000:]}")
                self.assertIn("ERROR SUMMARY: 0 errors", done.stderr, "valgrind has lost sight of the program")

    def test_statics_with_friction_and_a_rigid_body(self):
        # Its contacts are narrowed in stages, and its softening has fewer unknowns than blocks.
        self.check({"dimension": 2, "time": STATIC, "friction": {"coefficient": 0.2}, "bodies": [
            rectangle("pad", [0.2, 0.1], [4, 2], material=SOFT, motions=held_below(-0.049)),
            rectangle("block", [0.1, 0.1], [1], (0, 0.1001), kind="rigid", material={"density": 2000})]})

    def test_statics_of_a_free_body(self):
        end = {"box": [[0.499, -1], [1, 1]]}
        self.check({"dimension": 2, "gravity": [0, 0], "time": STATIC, "static": {"hold_free": True}, "bodies": [
            rectangle("bar", [1, 0.1], [10, 2], material=SOFT,
                      loads=[{"kind": "force", "value": [100, 0, 0], "region": end}]),
            rectangle("rod", [1, 0.1], [1], (0, 1), kind="affine", material={"density": 1000})]})

    def test_overlaps_that_are_separated(self):
        self.check({"dimension": 2, "gravity": [0, 0], "time": STATIC, "start": {"overlaps": "separate"},
                    "friction": {"coefficient": 0.1}, "bodies": [
                        rectangle("left", [0.1, 0.1], [3, 3], (-0.05, 0), material=SOFT,
                                  motions=[{"region": {"box": [[-1, -1], [-0.099, 1]]}}]),
                        rectangle("right", [0.1, 0.1], [3, 3], (0.0495, 0), material=SOFT,
                                  motions=[{"region": {"box": [[0.099, -1], [1, 1]]}}])]})

    def test_bodies_in_joints_that_rebound(self):
        self.check({"time": {"step": 0.01, "duration": 0.3}, "contact": {"restitution": 0.5}, "bodies": [
            {"name": "rod", "kind": "rigid", "generator": {"kind": "box", "size": [0.5, 0.02, 0.02], "resolution": [1]},
             "transform": {"translation": [0.25, 0.1, 0]}, "material": {"density": 1000}}],
            "joints": [{"name": "hinge", "bodies": ["rod", ""], "kind": "hinge", "point": [0, 0.1, 0],
                        "axis": [0, 0, 1], "lower": -80, "upper": 80}],
            "half_spaces": [{"point": [0, 0, 0]}]})

    def test_deformable_and_stiff_bodies_that_meet(self):
        self.check({"time": {"step": 0.01, "duration": 0.1}, "friction": {"coefficient": 0.3}, "bodies": [
            {"name": "soft", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2]},
             "transform": {"translation": [0, 0.051, 0]}, "material": SOFT, "order": 2},
            {"name": "stiff", "kind": "affine", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1]},
             "transform": {"translation": [0, 0.155, 0]}, "material": {"density": 500}}],
            "half_spaces": [{"point": [0, 0, 0]}]})

    def test_a_cloth_a_cable_and_grains(self):
        """Shells, rods and particles, with the moments of their clamps."""
        cloth = {"name": "cloth", "kind": "shell", "thickness": 0.002, "material": {"youngs_modulus": 1e5},
                 "generator": {"kind": "sheet", "size": [0.2, 0.2], "resolution": [3, 3]},
                 "transform": {"translation": [0, 0.02, 0]},
                 "motions": [{"region": {"box": [[0, 0, 0], [0.01, 1, 1]], "frame": "body"}, "clamp": True,
                              "angular_velocity": [0, 0, 30]}]}
        cable = {"name": "cable", "kind": "rod", "thickness": 0.01, "material": {"youngs_modulus": 1e6},
                 "generator": {"kind": "line", "size": [0.2], "resolution": [5]},
                 "transform": {"translation": [0.02, 0.03, 0]},
                 "motions": [{"region": {"nodes": [0, 1]}, "clamp": True}]}
        grains = {"name": "grains", "kind": "particles", "thickness": 0.01,
                  "generator": {"kind": "box", "size": [0.05, 0.02, 0.05], "resolution": [1, 1, 1]},
                  "transform": {"translation": [0, 0.06, 0.03]}}
        probes = [{"name": name, "kind": "reaction", "body": name} for name in ("cloth", "cable")]
        self.check({"time": {"step": 0.01, "duration": 0.05}, "friction": {"coefficient": 0.3}, "half_spaces": [{}],
                    "bodies": [cloth, cable, grains], "output": {"probes": probes}})

    def test_elements_that_adapt(self):
        self.check({"dimension": 2, "time": {"step": 0.02, "duration": 0.1}, "contact": {"formulation": "convergent"},
                    "half_spaces": [{"point": [0, 0]}], "remesh": {}, "bodies": [
                        rectangle("soft", [0.2, 0.1], [4, 2], (0, 0.06), material=SOFT, linear_velocity=[0, -3, 0])]})

    def test_a_block_that_yields_hangs_on_links(self):
        """Fields of yielding bodies come from copies of their potential; a link breaks."""
        block = {"name": "block", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2]},
                 "material": {**SOFT, "yield_stress": 300, "hardening": [], "hardening_modulus": 1e4}}
        self.check({"time": {"step": 0.01, "duration": 0.05}, "bodies": [block],
                    "attachments": [{"name": "hooks", "body": "block", "break_force": 3,
                                     "region": {"box": [[0, 1, 0], [1, 1, 1]], "frame": "body"}}],
                    "output": {"fields": ["von_mises", "plastic_strain", "stress"],
                               "probes": [{"name": "hooks", "kind": "attachment", "attachment": "hooks"},
                                          {"name": "peak", "kind": "stress", "body": "block"}]}})


if __name__ == "__main__":
    if shutil.which("valgrind") is None:
        sys.exit(77)
    PROGRAM = sys.argv.pop(1)
    unittest.main()
