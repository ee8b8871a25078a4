"""Random calls with random arguments raise exceptions and never crash. CLEARANCE_MISUSES sets their number (1,000
under a sanitizer)."""

import os
import pickle
import random
import unittest

import numpy as np

import clearance as cl
from support import IS_SANITIZED, InFolder, bar, drop

COUNT = int(os.environ.get("CLEARANCE_MISUSES", "1000" if IS_SANITIZED else "10000"))
EXPECTED = (cl.ClearanceError, TypeError, ValueError, KeyError, IndexError, RuntimeError, AttributeError, OSError,
            OverflowError, MemoryError, RecursionError, EOFError, pickle.UnpicklingError)


class Misuse(InFolder):
    def test_random_misuses(self):
        draw = random.Random(int(os.environ.get("CLEARANCE_FUZZ_SEED", "1")))
        vertices, tets = bar()
        closed = cl.Simulation(drop(), steps=1)
        closed.close()
        sims = [cl.Simulation(drop(), steps=2) for _ in range(3)] + [closed]
        state = sims[0].save_state()
        nothing = object()

        def junk(depth=0):
            simple = [None, True, -1, 0, 1, 2**31, 2**63, -(2**70), 0.5, float("nan"), float("inf"), "", "a", "box", "\0", "x" * 3000,
                      b"bytes", nothing, len, int, [], {}, (), set(), slice(1, 2), state, sims[0], cl.Scene(), np.nan,
                      vertices, tets, vertices.T, vertices[::-2], tets.astype(np.int64), tets.astype(float), tets - 1,
                      np.zeros(0), np.zeros((0, 3)), np.zeros((2, 4, 3)), np.zeros((2, 3, 2)), np.full((2, 4, 3), np.nan),
                      np.array("text"), np.array([None]), np.zeros((2, 4, 3), dtype=">f8"), np.zeros((1, 1, 1, 1)),
                      np.ma.masked_array([1, 2, 3]), memoryview(b"abc"), self.folder, self.folder / "none"]
            if depth < 2 and draw.random() < 0.3:
                if draw.random() < 0.5:
                    return [junk(depth + 1) for _ in range(draw.randint(0, 4))]
                return {draw.choice(["kind", "size", "step", "name", 3]): junk(depth + 1) for _ in range(draw.randint(0, 3))}
            return draw.choice(simple)

        def some(names):
            return {name: junk() for name in names if draw.random() < 0.4}

        body_keys = ["vertices", "tets", "triangles", "edges", "mesh", "generator", "kind", "material", "transform", "array",
                     "motions", "loads", "linear_velocity", "collision_group"]
        scene_keys = ["time", "friction", "contact", "gravity", "dimension", "bodies", "half_spaces", "joints", "output", "solver",
                      "base_directory", "none"]

        def build():
            scene = cl.Scene(**some(scene_keys))
            for _ in range(draw.randint(0, 2)):
                scene.add_body(junk(), **some(body_keys))
            draw.choice([scene.check, lambda: cl.Simulation(scene, steps=1).run(), scene.copy, lambda: repr(scene)])()

        def damaged():
            scene = drop()
            target = draw.choice([scene.data, scene.data["bodies"][0], scene.data["time"], scene.data["half_spaces"][0]])
            target[draw.choice(list(target) + ["new"])] = junk()
            scene.check()

        def on_simulation():
            sim = draw.choice(sims)
            draw.choice([lambda: sim.step(junk()), lambda: sim.restore(junk()), lambda: sim.body(junk()),
                         lambda: sim.pose(junk()), lambda: sim.positions.__setitem__(junk(), junk()),
                         lambda: sim.positions[junk()], sim.save_state, lambda: sim.contacts, lambda: sim.mesh,
                         lambda: sim._stepper.pose(junk()), lambda: setattr(sim.positions, "shape", junk()),
                         lambda: sim.__exit__(), lambda: repr(sim), lambda: sim.velocities.resize(3)])()

        def on_states():
            make, arguments, *_ = state.__reduce__()
            arrays = dict(arguments[2])
            arrays[draw.choice(list(arrays))] = draw.choice([junk(), np.zeros(3), arrays["x"] + draw.choice([0, 1e-9, 1.0])])
            draw.choice([lambda: cl.State.__new__(cl.State).step, lambda: make(junk(), junk(), junk()),
                         lambda: cl.StepReport.__new__(cl.StepReport, junk()).status,
                         lambda: (sims[1].restore(make(1, 0.5, arrays)), sims[1].step()), lambda: pickle.loads(pickle.dumps(state)[: draw.randint(1, 200)])])()

        def on_functions():
            function = draw.choice([cl.ccd.point_triangle, cl.ccd.edge_edge, cl.ccd.point_edge, cl.contact.barrier,
                                    cl.contact.point_triangle_distance, cl.contact.edge_edge_distance, cl.generate,
                                    cl.read_mesh, cl.verify, cl.Results, cl.Mesh, cl.Scene.load, cl.Simulation])
            function(*(junk() for _ in range(draw.randint(0, 3))),
                     **some(["min_separation", "dhat", "tets", "triangles", "points", "resolution", "dimension", "set", "output",
                             "threads", "steps"]))

        def on_core():
            core = cl.simulation.core
            core.make_mesh(junk(), junk(), junk(), junk(), junk(), junk())
            core.load_scene_text(junk(), junk(), junk())

        raised = 0
        os.chdir(self.folder)
        for _ in range(COUNT):
            try:
                draw.choice([build, damaged, on_simulation, on_simulation, on_states, on_functions, on_core])()
            except EXPECTED:
                raised += 1
        self.assertGreater(raised, COUNT // 3)
        # Everything still works.
        self.assertEqual(cl.Simulation(drop(), steps=3).run().state_hash, cl.Simulation(drop(), steps=3).run().state_hash)


if __name__ == "__main__":
    unittest.main()
