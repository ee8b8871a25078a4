#!/usr/bin/env python3
"""`./dev reliability` with programs that only count: slices add up, kills lose one at most, and failures are kept.

reliability_test.py
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

RELIABILITY = Path(__file__).resolve().parents[2] / "scripts" / "reliability.py"
# A program that says that it has tried what it was asked for, slowly if told so, and fails at some seed.
COUNTER = """#!/bin/sh
sleep {sleep}
echo "first $CLEARANCE_FUZZ_FIRST count $CLEARANCE_FUZZ_CCD" >>{log}
if [ "$CLEARANCE_FUZZ_FIRST" = {wrong} ]; then echo "Failure: late"; echo "500 queries, 3 hits"; exit 1; fi
echo "$CLEARANCE_FUZZ_CCD queries, 3 hits, 0 of them within 1e-12 of the start"
"""


class Reliability(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="reliability-")
        self.base = Path(self.temporary.name)
        self.programs = self.base / "build" / "release" / "bin"
        self.programs.mkdir(parents=True)
        self.put("clearance", "#!/bin/sh\necho clearance 0.1.0\n")

    def tearDown(self):
        self.temporary.cleanup()

    def put(self, name, text):
        (self.programs / name).write_text(text)
        (self.programs / name).chmod(0o755)

    def put_counter(self, sleep="0.01", wrong="none"):
        self.put("test_ccd", COUNTER.format(sleep=sleep, wrong=wrong, log=self.base / "log"))

    def start(self, *options):
        return subprocess.Popen([sys.executable, RELIABILITY, "--builds", self.base / "build", *options], text=True,
                                env={**os.environ, "CLEARANCE_RELIABILITY": str(self.base / "states")},
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def call(self, *options, status=0):
        process = self.start(*options)
        output, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, status, output)
        return output

    def state(self):
        return json.loads((self.base / "states" / "ccd-straight" / "state.json").read_text())

    def slices(self):
        return [tuple(int(word) for word in line.split()[1::2]) for line in (self.base / "log").read_text().splitlines()]

    def expect_ranges_without_a_gap(self):
        """Expects that every seed is tried, and none twice but those of a slice that was killed."""
        state, ends = self.state(), {1}
        for first, count in self.slices():
            self.assertIn(first, ends)
            ends.add(first + count // 500)
        self.assertIn(state["next"], ends)

    def test_slices_add_up_and_no_seed_is_left_out(self):
        # Slices grow: fast ones would reach the goal in the first call.
        self.put_counter(sleep="0.2")
        self.call("--minutes", "0.02", "--only", "ccd-straight")
        before = self.state()["counts"]["queries"]
        self.assertEqual(before, sum(count for _, count in self.slices()))
        self.call("--minutes", "0.02", "--only", "ccd-straight")
        self.assertEqual(self.state()["counts"]["queries"], sum(count for _, count in self.slices()))
        self.assertGreater(self.state()["counts"]["queries"], before)
        self.assertEqual(self.state()["counts"]["impacts"], 3 * self.state()["slices"])
        self.expect_ranges_without_a_gap()
        self.assertIn("ccd-straight", self.call("--list"))

    def test_a_kill_loses_the_slice_under_way_alone(self):
        self.put_counter(sleep="0.2")
        self.call("--minutes", "0.001", "--only", "ccd-straight")
        for _ in range(3):
            process, before = self.start("--only", "ccd-straight"), len(self.slices())
            while len(self.slices()) < before + 2:
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.kill()
            process.communicate()
        counted = self.state()["counts"]["queries"]
        self.assertGreaterEqual(counted, 4 * 500)
        self.assertLessEqual(counted, sum(count for _, count in self.slices()))
        self.expect_ranges_without_a_gap()

    def test_a_failure_is_kept_until_another_program_passes_it(self):
        self.put_counter(wrong="1")
        output = self.call("--minutes", "0.02", "--only", "ccd-straight", status=4)
        self.assertIn("FAILED with exit status 1", output)
        self.assertIn("Failure: late", output)
        self.assertEqual(len(self.state()["failures"]), 1)
        # The same program does not try it again, and is not forgiven either.
        self.assertNotIn("FAILS again", self.call("--minutes", "0.02", "--only", "ccd-straight", status=4))
        self.put("clearance", "#!/bin/sh\n# other\necho clearance 0.1.0\n")
        self.assertIn("FAILS again", self.call("--minutes", "0.02", "--only", "ccd-straight", status=4))
        self.put("clearance", "#!/bin/sh\n# mended\necho clearance 0.1.0\n")
        self.put_counter()
        self.assertIn("passes now", self.call("--minutes", "0.02", "--only", "ccd-straight"))
        self.assertIn("passes_with", self.state()["failures"][0])

    def test_a_program_without_counts_is_a_failure_and_a_missing_one_a_skip(self):
        self.put("test_ccd", "#!/bin/sh\necho nothing\n")
        self.assertIn("SKIPPED scenes-thin", self.call("--minutes", "0.01", "--only", "scenes-thin"))
        self.call("--minutes", "0.005", "--only", "ccd-straight", status=4)


if __name__ == "__main__":
    unittest.main()
