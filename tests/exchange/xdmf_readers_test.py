#!/usr/bin/env python3
"""`clearance export -o NAME.xdmf` in ParaView and in meshio, whichever is there: `xdmf_readers_test.py PROGRAM`.

They read the positions and arrays of our frames, bit for bit. Exit status 77 if neither is installed: SKIPPED.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from runs import PLANE, SKIPPED, SOLID, array_of, curved, export, frames_of, make_run

# Kinds of cells as VTK numbers them.
TRIANGLE, TETRA, POLY_LINE, QUADRATIC_TRIANGLE, QUADRATIC_TETRA = 5, 10, 4, 22, 24

IN_PARAVIEW = """
import json, sys
from paraview.simple import Xdmf3ReaderS
from paraview import servermanager
reader = Xdmf3ReaderS(FileName=[sys.argv[1]])
reader.UpdatePipelineInformation()
times = list(reader.TimestepValues)
reader.UpdatePipeline(times[int(sys.argv[2])])
grid = servermanager.Fetch(reader)
def arrays(data):
    return {data.GetArrayName(i): [x for t in range(data.GetArray(i).GetNumberOfTuples()) for x in data.GetArray(i).GetTuple(t)]
            for i in range(data.GetNumberOfArrays())}
print("TOLD " + json.dumps({
    "times": times, "points": [x for i in range(grid.GetNumberOfPoints()) for x in grid.GetPoint(i)],
    "types": [grid.GetCellType(i) for i in range(grid.GetNumberOfCells())],
    "point_data": arrays(grid.GetPointData()), "cell_data": arrays(grid.GetCellData())}))
"""
IN_MESHIO = """
import json, sys, meshio
with meshio.xdmf.TimeSeriesReader(sys.argv[1]) as reader:
    points, cells = reader.read_points_cells()
    times = [reader.read_data(k)[0] for k in range(reader.num_steps)]
    time, point_data, cell_data = reader.read_data(int(sys.argv[2]))
print("TOLD " + json.dumps({"times": times, "types": [block.type for block in cells for _ in block.data],
    "point_data": {name: values.ravel().tolist() for name, values in point_data.items()},
    "cell_data": {name: [x for block in blocks for x in block.ravel().tolist()] for name, blocks in cell_data.items()}}))
"""


def has_meshio():
    return subprocess.run(["/usr/bin/python3", "-c", "import meshio, h5py"], stderr=subprocess.DEVNULL).returncode == 0


class Readers(unittest.TestCase):
    program = ""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.runs, cls.reports = {}, {}
        for name, scene in {"solid": SOLID, "plane": PLANE, "quadratic": curved(2), "cubic": curved(3)}.items():
            cls.runs[name] = make_run(cls.program, cls.folder, name, scene)
            cls.reports[name] = export(cls.program, cls.runs[name], cls.folder / f"{name}.xdmf")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def told(self, name, *command):
        done = subprocess.run([*command, str(self.folder / f"{name}.xdmf"), "-1"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=300)
        lines = [line for line in done.stdout.splitlines() if line.startswith("TOLD ")]
        self.assertEqual(len(lines), 1, done.stdout)
        return json.loads(lines[0][5:])

    def check(self, name, told, num_parts=1):
        last = frames_of(self.runs[name])[-1]
        self.assertEqual(len(told["times"]), len(frames_of(self.runs[name])))
        if "points" in told:
            self.assertEqual(told["points"], list(array_of(last, "Points")))
        self.assertEqual(told["point_data"]["velocity"], list(array_of(last, "velocity")))
        bodies = [body for body in array_of(last, "body", "i") for _ in range(num_parts)]
        self.assertEqual(told["cell_data"]["body"], bodies)
        self.assertEqual(len(told["types"]), len(bodies))
        if name != "plane":
            stress = [x for x in array_of(last, "von_mises") for _ in range(num_parts)]
            self.assertGreater(max(stress), 0)
            self.assertEqual(told["cell_data"]["von_mises"], stress)
        if name == "solid":
            self.assertEqual(told["point_data"]["contact_force"], list(array_of(last, "contact_force")))

    @unittest.skipUnless(shutil.which("pvpython"), "no ParaView (Debian: apt-get install python3-paraview)")
    def test_paraview_reads_all_orders(self):
        script = self.folder / "look.py"
        script.write_text(IN_PARAVIEW)
        kinds = {"solid": {TRIANGLE, TETRA}, "quadratic": {QUADRATIC_TETRA}, "cubic": {TETRA}}
        for name in self.runs:
            with self.subTest(name):
                told = self.told(name, "pvpython", str(script))
                self.check(name, told, 27 if name == "cubic" else 1)
                if name in kinds:
                    self.assertEqual(set(told["types"]), kinds[name])
                else:
                    self.assertIn(QUADRATIC_TRIANGLE, told["types"])
        self.assertEqual(self.reports["solid"]["split_cells"], 0)
        self.assertGreater(self.reports["cubic"]["split_cells"], 0)
        self.assertEqual(len(self.reports["cubic"]["notes"]), 1)

    @unittest.skipUnless(has_meshio(), "no meshio (Debian: apt-get install python3-meshio python3-h5py)")
    def test_meshio_reads_linear_and_quadratic_elements(self):
        script = self.folder / "look_meshio.py"
        script.write_text(IN_MESHIO)
        for name, kinds in {"solid": {"triangle", "tetra"}, "quadratic": {"tetra10"}, "cubic": {"tetra"}}.items():
            with self.subTest(name):
                told = self.told(name, "/usr/bin/python3", str(script))
                self.assertEqual(set(told["types"]), kinds)
                self.check(name, told, 27 if name == "cubic" else 1)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    Readers.program = sys.argv[1]
    if not shutil.which("pvpython") and not has_meshio():
        print("SKIPPED: neither ParaView nor meshio")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
