import os
import unittest

import numpy as np

import clearance as cl
from support import InFolder, drop, run_program


class Folder(InFolder):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"
        scene = drop(output={"frame_interval": 5, "contact_forces": True, "fields": ["von_mises", "principal_stress", "displacement"]})
        scene.add_probe("height", "position", body="box")
        with cl.Simulation(scene, self.out) as sim:
            self.reports = [sim.step() for _ in range(20)]
            self.last = sim.positions.copy()
            self.height = sim.probes["height.y [m]"]

    def test_frames_statistics_and_probes(self):
        run = cl.Results(self.out)
        self.assertTrue(np.allclose(run.times, [0, 0.1, 0.2, 0.3, 0.4]))
        self.assertEqual((len(run), run[-1].time, len(list(run)), len(run[1:3])), (5, run.times[-1], 5, 2))
        self.assertTrue(np.array_equal(run[-1].positions, self.last))
        self.assertEqual(run[-1].contact_forces.shape, self.last.shape)
        self.assertEqual(run[-1].array("von_mises").shape, (len(run[-1].mesh.tets),))
        moved = run[-1].positions - run[0].positions
        self.assertTrue(np.allclose(run[-1].array("displacement"), moved, atol=1e-15))
        self.assertTrue(np.array_equal(run[-1].array("contact_force"), run[-1].contact_forces))
        self.assertEqual(run[-1].array("principal_stress").shape, (len(run[-1].mesh.tets), 3))
        self.assertEqual({name: values.ndim for name, values in run[-1].arrays.items()},
                         {"von_mises": 1, "principal_stress": 2, "displacement": 2, "velocity": 2, "contact_force": 2})
        self.assertEqual(run[-1].rest_positions.shape, (0, 3))
        for name in ("no such", "rest_position"):
            with self.assertRaises(KeyError):
                run[0].array(name)
        stats = run.stats
        self.assertEqual(stats["newton_iterations"].tolist(), [r.newton_iterations for r in self.reports])
        self.assertEqual(stats["energy.kinetic"].tolist(), [r.energy["kinetic"] for r in self.reports])
        self.assertEqual(stats["momentum.total"].shape, (20, 3))
        self.assertEqual(stats["status"].tolist(), ["converged"] * 20)
        self.assertTrue(np.isnan(stats["min_distance"][0]))
        self.assertEqual(run.probes["height.y [m]"][-1], self.height)
        self.assertEqual(run.summary["finished"], "complete")
        self.assertEqual(run.scene["time"]["step"], 0.02)
        self.assertEqual(run.bodies[0]["name"], "box")

    def test_verdict_is_that_of_the_program(self):
        self.assertEqual(run_program("verify", self.out).returncode, 0)
        verdict = cl.verify(self.out).raise_if_broken()
        self.assertEqual((verdict.ok, verdict.frames, verdict.intersections), (True, 5, 0))
        os.remove(self.out / "frames" / "frame_000010.vtu")
        self.assertEqual(run_program("verify", self.out, check=False).returncode, 4)
        broken = cl.Results(self.out).verify()
        self.assertFalse(broken.ok)
        with self.assertRaisesRegex(cl.ResultError, "frame_000010"):
            broken.raise_if_broken()

    def test_what_is_no_result(self):
        for path in (self.folder / "none", self.folder, __file__):
            with self.assertRaises(cl.ResultError):
                cl.Results(path)
            with self.assertRaises(cl.ResultError):
                cl.verify(path)
        os.remove(self.out / "probes.csv")
        with self.assertRaises(cl.ResultError):
            cl.Results(self.out).probes


if __name__ == "__main__":
    unittest.main()
