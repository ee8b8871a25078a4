"""Every example runs, in its short form."""

import importlib.util
import subprocess
import sys
import unittest
from pathlib import Path

from support import InFolder

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


class Examples(InFolder):
    def test_they_run(self):
        self.assertEqual(len(EXAMPLES), 19)
        for example in EXAMPLES:
            with self.subTest(example.name):
                text = example.read_text()
                needs = [name for name in ("scipy", "matplotlib") if f" {name}" in text]
                if any(importlib.util.find_spec(name) is None for name in needs):
                    self.skipTest(f"{example.name} needs {needs}")
                process = subprocess.run([sys.executable, str(example), "--short"], cwd=self.folder, capture_output=True,
                                         text=True)
                self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
                self.assertTrue(process.stdout)


if __name__ == "__main__":
    unittest.main()
