"""The stubs match the module (mypy's stubtest, if it is installed)."""

import importlib.util
import os
import subprocess
import sys
import unittest
from pathlib import Path

import clearance


class Stubs(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_stubs_agree_with_the_module(self):
        package = str(Path(clearance.__file__).parent.parent)
        environment = {**os.environ, "PYTHONPATH": package, "MYPYPATH": package}
        process = subprocess.run([sys.executable, "-m", "mypy.stubtest", "clearance._core", "--ignore-missing-stub",
                                  "--allowlist", str(Path(__file__).parent / "stubs_allowed.txt")],
                                 env=environment, capture_output=True, text=True, cwd=package)
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_the_package_has_sound_types(self):
        package = Path(clearance.__file__).parent
        process = subprocess.run([sys.executable, "-m", "mypy", "--no-error-summary", str(package)], capture_output=True, text=True,
                                 cwd=package.parent)
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)


if __name__ == "__main__":
    unittest.main()
