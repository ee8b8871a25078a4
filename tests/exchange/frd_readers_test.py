#!/usr/bin/env python3
"""`clearance export -o NAME.frd` in cgx, the postprocessor of CalculiX: `frd_readers_test.py PROGRAM`.

It reads the nodes, elements and numbers of our frames. Exit status 77 if it is not installed: SKIPPED.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from runs import SKIPPED, SOLID, array_of, curved, export, frames_of, make_run, points_of

COMMANDS = """
read run.frd
prnt ds
ds {dataset} e {entity}
prnt se all v
quit
"""


class InCgx(unittest.TestCase):
    program = ""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def read(self, folder, dataset, entity):
        """Returns value, position of every node, and type and nodes of every element, as cgx has read them."""
        (folder / "read.fbd").write_text(COMMANDS.format(dataset=dataset, entity=entity))
        said = subprocess.run(["cgx", "-bg", "read.fbd"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace").stdout
        self.assertNotIn("ERROR", said)
        # The last list of nodes is that of `prnt se all v`.
        nodes = [tuple(map(float, line)) for line in re.findall(r"^ +\d+ +(\S+) +(\S+) +(\S+) +(\S+) *$",
                                                                said[said.rindex("node:    value:") :], re.MULTILINE)]
        elements = [(int(kind), [int(n) for n in numbers.split()]) for kind, numbers in
                    re.findall(r"elem:\d+ type:(\d+) n:([\d ]+)", said)]
        return nodes, elements, said

    def test_reads_the_nodes_elements_and_displacements_of_linear_elements(self):
        run = make_run(self.program, self.folder, "solid", SOLID)
        folder = self.folder / "exported"
        report = export(self.program, run, folder / "run.frd", "--frames", "0:30:10")
        self.assertEqual(report["frames"], 4)
        # Data sets count all blocks: displacement, velocity, contact force and the field of each frame.
        nodes, elements, said = self.read(folder, 3 * 4 + 1, 2)
        frames = frames_of(run)
        start, end = points_of(frames[0]), points_of(frames[30])
        self.assertEqual(len(nodes), len(start))
        for (value, *place), from_, to in zip(nodes, start, end):
            self.assertAlmostEqual(value, to[1] - from_[1], delta=2e-6)
            for a, b in zip(place, from_):
                self.assertAlmostEqual(a, b, delta=1e-6)
        kinds = array_of(frames[0], "types", "B")
        self.assertEqual(len(elements), len(kinds))
        self.assertEqual(sum(1 for kind, _ in elements if kind == 3), sum(1 for kind in kinds if kind == 10))
        self.assertIn("Dataset No:16", said)

    def test_reads_quadratic_tetrahedra_with_their_middles_between_the_right_corners(self):
        run = make_run(self.program, self.folder, "curved", curved(2))
        folder = self.folder / "quadratic"
        export(self.program, run, folder / "run.frd", "--frames", "0")
        nodes, elements, _ = self.read(folder, 1, 1)
        solids = [numbers for kind, numbers in elements if kind == 6]
        self.assertTrue(solids)
        edges = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
        for numbers in solids:
            places = [nodes[n - 1][1:] for n in numbers]
            for k, (a, b) in enumerate(edges):
                for x, y, z in zip(places[4 + k], places[a], places[b]):
                    self.assertAlmostEqual(x, (y + z) / 2, delta=1e-6)


if __name__ == "__main__":
    if shutil.which("cgx") is None:
        print("SKIPPED: cgx is not installed (Debian's calculix-cgx)")
        sys.exit(SKIPPED)
    InCgx.program = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
