#!/usr/bin/env python3
"""`clearance export -o RUN.glb` before the validator of Khronos: `gltf_test.py PROGRAM [FOLDER...]` (results to check too).

The validator comes from npm, by validator/package-lock.json. Exit status 77 where Node.js, npm or their registry is
missing: SKIPPED.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from runs import PLANE, SKIPPED, SOLID, curved, export, make_run

VALIDATOR = Path(__file__).resolve().parent / "validator"


class Validator(unittest.TestCase):
    program, tools, folders = "", None, []

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def validate(self, run, *options):
        output = self.folder / "run.glb"
        export(self.program, run, output, "--overwrite", *options)
        said = subprocess.run(["node", "validate.cjs", str(output)], cwd=self.tools, check=True, stdout=subprocess.PIPE,
                              text=True).stdout
        report = json.loads(said)
        issues = report["issues"]
        self.assertEqual(issues["numErrors"] + issues["numWarnings"] + issues["numInfos"], 0, issues["messages"])
        return report["info"]

    def test_bodies_of_all_kinds_are_valid(self):
        info = self.validate(make_run(self.program, self.folder, "solid", SOLID))
        self.assertTrue(info["hasMorphTargets"])
        self.assertEqual(info["animationCount"], 1)
        self.assertEqual(info["materialCount"], 3)
        self.assertGreater(info["totalTriangleCount"], 100)

    def test_stiff_bodies_alone_are_valid(self):
        scene = {**SOLID, "bodies": SOLID["bodies"][1:]}
        info = self.validate(make_run(self.program, self.folder, "stiff", scene))
        self.assertFalse(info["hasMorphTargets"])
        self.assertEqual(info["animationCount"], 1)

    def test_a_scene_in_the_plane_is_valid(self):
        self.validate(make_run(self.program, self.folder, "plane", PLANE))

    def test_curved_elements_another_upward_axis_and_few_targets_are_valid(self):
        self.validate(make_run(self.program, self.folder, "cubic", curved(3)), "--max-targets", "3", "--speed", "0.1")

    def test_one_frame_is_valid(self):
        info = self.validate(make_run(self.program, self.folder, "solid", SOLID), "--frames", "3")
        self.assertEqual(info["animationCount"], 0)

    def test_given_results_are_valid(self):
        for folder in self.folders:
            with self.subTest(folder):
                self.validate(folder)

    def test_the_validator_sees_what_is_wrong(self):
        output = self.folder / "run.glb"
        export(self.program, make_run(self.program, self.folder, "solid", SOLID), output)
        data = output.read_bytes()
        self.assertIn(b'"mode":4', data)
        output.write_bytes(data.replace(b'"mode":4', b'"mode":9', 1))
        said = subprocess.run(["node", "validate.cjs", str(output)], cwd=self.tools, stdout=subprocess.PIPE, text=True).stdout
        self.assertGreater(json.loads(said)["issues"]["numErrors"], 0)


def install(tools):
    """Returns the name of what is missing, or nothing."""
    for program in ("node", "npm"):
        if not shutil.which(program):
            return program
    shutil.copytree(VALIDATOR, tools)
    done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"],
                          cwd=tools, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return "" if done.returncode == 0 else f"npm's registry: {done.stderr.strip()}"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as temporary:
        Validator.program, Validator.folders = sys.argv[1], sys.argv[2:]
        Validator.tools = Path(temporary) / "validator"
        missing = install(Validator.tools)
        if missing:
            print("SKIPPED: no", missing)
            sys.exit(SKIPPED)
        done = unittest.main(argv=sys.argv[:1], verbosity=2, exit=False)
    sys.exit(not done.result.wasSuccessful())
