import gc
import os
import pickle
import signal
import threading
import time
import unittest

import numpy as np

import clearance as cl
from support import InFolder, bar, drop, run_program


class SameAsTheProgram(InFolder):
    def test_hashes_of_every_step(self):
        scene = drop()
        scene.save(self.folder / "scene.json")
        run_program("run", self.folder / "scene.json", "-o", self.folder / "program", "-q")
        expected = [step["state_hash"] for step in cl.Results(self.folder / "program").steps]
        with cl.Simulation(scene) as sim:
            hashes = []
            while not sim.done:
                report = sim.step()
                self.assertEqual(report.state_hash, sim.state_hash)
                hashes.append(report.state_hash)
        self.assertEqual(len(expected), 20)
        self.assertEqual(hashes, expected)

    def test_arrays_and_files_are_the_same_scene(self):
        vertices, tets = bar()
        cl.Mesh(vertices, tets=tets).save(self.folder / "bar.msh")
        keys = dict(transform={"translation": [0, 0.1, 0]}, material={"youngs_modulus": 1e5})
        hashes = []
        for shape in ({"vertices": vertices, "tets": tets}, {"mesh": self.folder / "bar.msh"},
                      {"mesh": cl.read_mesh(self.folder / "bar.msh")},
                      {"generator": {"kind": "box", "size": [0.2, 0.05, 0.05], "resolution": [4, 1, 1]}}):
            scene = cl.Scene(time={"step": 0.02, "duration": 0.2})
            scene.add_body("bar", **shape, **keys)
            scene.add_half_space()
            hashes.append(cl.Simulation(scene).run().state_hash)
        self.assertEqual(len(set(hashes)), 1)

    def test_a_scene_from_arrays_is_stored_whole(self):
        vertices, tets = bar()
        scene = cl.Scene(time={"step": 0.02, "duration": 0.1})
        scene.add_body("bar", vertices=vertices, tets=tets, transform={"translation": [0, 0.1, 0]})
        scene.add_half_space()
        with cl.Simulation(scene, self.folder / "out") as sim:
            sim.run()
        run_program("run", self.folder / "out" / "scene.json", "-o", self.folder / "again", "-q")
        first, again = (cl.Results(self.folder / name).steps[-1]["state_hash"] for name in ("out", "again"))
        self.assertEqual(first, again)

    def test_arrays_give_the_numbers_of_materials(self):
        vertices, tets = bar()
        middles = vertices[tets].mean(axis=1)
        ends = []
        for field in ({"values": 1e5 * (1 + 10 * middles[:, 0])}, {"values": 1e5 * (1 + 10 * vertices[:, 0])},
                      {"expression": "1e5 * (1 + 10 * x)"}):
            scene = cl.Scene(time={"step": 0.02, "duration": 0.2})
            scene.add_body("bar", vertices=vertices, tets=tets, material={"youngs_modulus": 2e5},
                           material_fields=[{"number": "youngs_modulus", **field}],
                           motions=[{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}])
            ends.append(cl.Simulation(scene).run().positions)
        for end in ends[1:]:
            np.testing.assert_allclose(end, ends[0], rtol=0, atol=1e-12)
        with self.assertRaisesRegex(cl.SceneError, r"material_fields\[0\].values: body 'bar' has \d+ tetrahedra"):
            scene = cl.Scene()
            scene.add_body("bar", vertices=vertices, tets=tets,
                           material_fields=[{"number": "density", "values": np.array([1.0, -2.0])}])
            cl.Simulation(scene)

    def test_threads_do_not_matter(self):
        hashes = {cl.Simulation(drop(), threads=n).run().state_hash for n in (1, 2, 0)}
        self.assertEqual(len(hashes), 1)

    def test_arrays_of_elements_that_adapt_have_other_lengths(self):
        scene = cl.Scene(dimension=2, gravity=[0, 0], time={"step": 0.02, "duration": 0.2, "mass": "consistent"},
                         contact={"formulation": "convergent"}, remesh={"relative_gain": 1e-5})
        scene.add_body("bar", generator={"kind": "rectangle", "size": [0.6, 0.1], "resolution": [6, 1]},
                       motions=[{"region": {"box": [[-1, -1, 0], [-0.29, 1, 0]]}},
                                {"region": {"box": [[0.29, -1, 0], [1, 1, 0]]}, "linear_velocity": [0, 0.5]}])
        scene.add_body("tile", kind="rigid", generator={"kind": "rectangle", "size": [0.1, 0.1]},
                       transform={"translation": [0, 0.3]})
        with cl.Simulation(scene, self.folder / "out") as sim:
            first, first_speed = sim.positions, sim.velocities
            lengths = [len(first)]
            stale = 0
            while not sim.done:
                before, tile, rows = sim.positions, sim.body("tile"), sim.body("tile").vertices
                sim.step()
                after = sim.positions
                if sim.body("tile").vertices == rows:
                    self.assertEqual(tile.vertices, rows)
                else:
                    stale += 1
                    with self.assertRaisesRegex(RuntimeError, "have adapted.*ask for sim.body"):
                        tile.vertices
                lengths.append(len(after))
                self.assertEqual(len(sim.velocities), len(after))
                # Arrays that were asked for before follow the step, or keep their values.
                self.assertEqual(before is after, lengths[-1] == lengths[-2])
                self.assertEqual(sim.bodies[-1].vertices.stop, len(after))
                self.assertEqual(sim.body("tile").vertices, sim.bodies[1].vertices)
                np.testing.assert_array_equal(after, sim.mesh.vertices)
            self.assertGreater(lengths[-1], lengths[0])
            self.assertEqual((len(first), len(first_speed)), (lengths[0], lengths[0]))
            self.assertIn("bar", repr(sim.bodies))
            self.assertGreater(stale, 0)
        repr(sim)
        self.assertEqual((tile.name, tile.kind, tile.number, tile.entry), ("tile", "rigid", 1, 1))
        run = cl.Results(self.folder / "out")
        self.assertTrue(run.verify().ok)
        self.assertEqual([len(frame.positions) for frame in run], lengths)
        # Both bodies start at rest.
        np.testing.assert_array_equal(run[0].rest_positions, run[0].positions)
        rest = run[-1].rest_positions
        self.assertEqual(rest.shape, (lengths[-1], 3))
        self.assertEqual(rest[: len(rest) - 4, :2].min(axis=0).tolist(), [-0.3, -0.05])
        np.testing.assert_array_equal(run[-1].array("rest_position"), rest)

    def test_plane(self):
        scene = cl.Scene(dimension=2, time={"step": 0.02, "duration": 0.4})
        scene.add_body("plate", vertices=[[0, 0], [1, 0], [1, 1], [0, 1]], triangles=[[0, 1, 2], [0, 2, 3]],
                       transform={"translation": [0, 0.05]})
        scene.add_half_space(point=[0, 0], normal=[0, 1])
        sim = cl.Simulation(scene).run()
        self.assertTrue(np.all(sim.positions[:, 2] == 0.0))
        self.assertTrue(np.all(sim.positions[:, 1] > 0.0))
        self.assertEqual(sim.contacts.normal.shape[1], 3)


class Arrays(unittest.TestCase):
    def test_positions_are_one_view_that_steps_refresh(self):
        sim = cl.Simulation(drop())
        x = sim.positions
        address = x.ctypes.data
        self.assertIs(x, sim.positions)
        self.assertFalse(x.flags.writeable)
        with self.assertRaises(ValueError):
            x[0, 0] = 1.0
        before = x.copy()
        sim.step()
        self.assertFalse(np.array_equal(before, x))
        self.assertEqual(sim.positions.ctypes.data, address)
        self.assertTrue(np.array_equal(x, sim.mesh.vertices))
        v = sim.velocities
        self.assertAlmostEqual(v[:, 1].mean(), -9.80665 * 0.02, places=9)

    def test_views_outlive_their_simulation(self):
        sim = cl.Simulation(drop())
        x = sim.positions
        y = x[sim.body("box").vertices, 1]
        lowest = y.min()
        sim.close()
        del sim
        gc.collect()
        junk = [np.ones(x.size) for _ in range(50)]
        self.assertEqual(y.min(), lowest)
        del junk

    def test_forces_carry_the_weight(self):
        sim = cl.Simulation(drop(time={"step": 0.02, "duration": 4.0})).run()
        weight = 1000 * 0.1**3 * 9.80665
        self.assertAlmostEqual(sim.contact_forces[:, 1].sum(), weight, delta=1e-3 * weight)
        contacts = sim.contacts
        self.assertGreater(len(contacts.gap), 0)
        self.assertAlmostEqual(contacts.force[:, 1].sum(), weight, delta=1e-3 * weight)
        self.assertTrue(np.all(contacts.gap > 0.0))
        self.assertTrue(np.allclose(np.linalg.norm(contacts.normal, axis=1), 1.0))
        self.assertEqual(set(contacts.bodies[:, 1]), {-1})
        along = np.einsum("ij,ij->i", contacts.force, contacts.normal)
        self.assertTrue(np.allclose(along, np.linalg.norm(contacts.force, axis=1)))

    def test_forces_between_bodies_are_opposite(self):
        scene = drop(time={"step": 0.02, "duration": 0.5})
        scene.add_body("lid", kind="rigid", generator={"kind": "box", "size": [0.2, 0.02, 0.2], "resolution": [2, 1, 2]},
                       transform={"translation": [0, 0.25, 0]})
        sim = cl.Simulation(scene).run()
        contacts = sim.contacts
        index = [sim.body(name).number for name in ("box", "lid")]
        between = np.isin(contacts.bodies, index).all(axis=1) & (contacts.bodies[:, 0] != contacts.bodies[:, 1])
        self.assertTrue(between.any())
        signs = np.where(contacts.bodies[between, 0] == index[1], 1.0, -1.0)
        on_lid = (signs[:, None] * contacts.force[between]).sum(axis=0)
        total = sim.contact_forces[sim.body("lid").vertices].sum(axis=0)
        self.assertTrue(np.allclose(on_lid, total, rtol=1e-9, atol=1e-9 * np.abs(total).max()))

    def test_pose_leads_from_the_start(self):
        scene = cl.Scene(time={"step": 0.01, "duration": 0.3})
        for kind, x in (("rigid", 0.0), ("affine", 1.0)):
            scene.add_body(kind, kind=kind, generator={"kind": "box", "size": [0.1, 0.2, 0.3]},
                           transform={"translation": [x, 1, 0], "rotation": [10, 20, 30]},
                           angular_velocity=[100, 50, 20], linear_velocity=[1, 0, 0])
        sim = cl.Simulation(scene)
        start = sim.positions.copy()
        for kind in ("rigid", "affine"):
            self.assertTrue(np.allclose(sim.pose(kind), np.eye(4), atol=1e-14))
        sim.run()
        for kind in ("rigid", "affine"):
            pose, rows = sim.pose(kind), sim.body(kind).vertices
            moved = start[rows] @ pose[:3, :3].T + pose[:3, 3]
            self.assertTrue(np.allclose(moved, sim.positions[rows], atol=1e-12))
            self.assertTrue(np.allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-3))
        with self.assertRaises(ValueError):
            cl.Simulation(drop()).pose("box")


class States(InFolder):
    def test_branches_are_equal_and_states_can_be_pickled(self):
        sim = cl.Simulation(drop(friction={"coefficient": 0.3}))
        for _ in range(8):
            sim.step()
        state = pickle.loads(pickle.dumps(sim.save_state()))
        self.assertEqual((state.step, sim.step_number), (8, 8))
        first = [sim.step().state_hash for _ in range(6)]
        sim.restore(state)
        self.assertEqual(sim.step_number, 8)
        self.assertEqual([sim.step().state_hash for _ in range(6)], first)
        other = cl.Simulation(drop(friction={"coefficient": 0.3}))
        other.restore(state)
        self.assertEqual([other.step().state_hash for _ in range(6)], first)

    def test_a_state_of_another_scene_is_refused(self):
        scene = cl.Scene()
        scene.add_body("ball", generator={"kind": "sphere", "size": [1.0]})
        with self.assertRaises(cl.SceneError):
            cl.Simulation(drop()).restore(cl.Simulation(scene).save_state())

    def test_a_state_of_bodies_of_other_sizes_is_refused(self):
        for kind in ("deformable", "affine", "rigid"):
            sims = []
            for size in (0.1, 0.2):
                scene = cl.Scene(gravity=[0, 0, 0])
                scene.add_body("b", kind=kind, generator={"kind": "box", "size": [size] * 3, "resolution": [2]})
                sims.append(cl.Simulation(scene))
            with self.assertRaisesRegex(cl.SceneError, "other shapes"):
                sims[1].restore(sims[0].save_state())

    def test_a_state_can_go_on_with_another_material(self):
        scene = drop()
        state = cl.Simulation(scene).save_state()
        scene.data["bodies"][0]["material"]["youngs_modulus"] = 2e5
        sim = cl.Simulation(scene)
        sim.restore(state)
        self.assertTrue(sim.step().converged)

    def test_a_resumed_folder_ends_alike(self):
        with cl.Simulation(drop(), self.folder / "whole") as sim:
            sim.run()
            expected = sim.state_hash
        with cl.Simulation(drop(), self.folder / "parts") as sim:
            for _ in range(7):
                sim.step()
        self.assertEqual(cl.Results(self.folder / "parts").summary["finished"], "stopped")
        with cl.Simulation(drop(), self.folder / "parts", resume=True) as sim:
            self.assertEqual(sim.step_number, 7)
            sim.run()
            self.assertEqual(sim.state_hash, expected)
        self.assertEqual(cl.Results(self.folder / "parts").summary["finished"], "complete")
        self.assertTrue(cl.verify(self.folder / "parts").raise_if_broken().ok)

    def test_a_result_is_not_overwritten_unasked(self):
        with cl.Simulation(drop(), self.folder / "out", steps=2) as sim:
            sim.run()
            with self.assertRaises(cl.ResultError):  # it is being written
                cl.Simulation(drop(), self.folder / "out", overwrite=True)
        with self.assertRaisesRegex(cl.ResultError, "resume=True.*overwrite=True"):
            cl.Simulation(drop(), self.folder / "out")
        with cl.Simulation(drop(), self.folder / "out", steps=3, overwrite=True) as sim:
            sim.run()
        self.assertEqual(len(cl.Results(self.folder / "out").steps), 3)

    def test_a_bad_scene_leaves_no_folder(self):
        scene = drop()
        scene.data["bodies"][0]["transform"]["translation"] = [0, 0, 0]
        with self.assertRaises(cl.SceneError) as raised:
            cl.Simulation(scene, self.folder / "out")
        self.assertIn("half_spaces[0]", str(raised.exception))
        self.assertFalse((self.folder / "out").exists())

    def test_a_simulation_with_a_folder_goes_forward_only(self):
        with cl.Simulation(drop(), self.folder / "out") as sim:
            state = sim.save_state()
            sim.step()
            with self.assertRaises(RuntimeError):
                sim.restore(state)


class Stopping(InFolder):
    def test_an_exception_in_a_callback_leaves_the_step_untaken(self):
        sim = cl.Simulation(drop())
        for _ in range(8):
            sim.step()
        before, x = sim.state_hash, sim.positions.copy()
        for stop_at in (1, 2, 3):
            def raise_at(iteration, residual, stop_at=stop_at):
                self.assertGreaterEqual(residual, 0.0)
                if iteration == stop_at:
                    raise KeyError("mine")

            with self.assertRaisesRegex(KeyError, "mine"):
                sim.step(raise_at)
            self.assertEqual((sim.state_hash, sim.step_number), (before, 8))
            self.assertTrue(np.array_equal(x, sim.positions))
        twin = cl.Simulation(drop())
        for _ in range(9):
            twin.step()
        heard = []
        report = sim.step(lambda iteration, residual: heard.append(iteration))
        self.assertEqual(heard, list(range(1, report.newton_iterations + 1)))
        self.assertEqual(sim.state_hash, twin.state_hash)

    def test_an_exception_with_a_folder_loses_no_frame(self):
        def fail(iteration, residual):
            raise ValueError("mine")

        with cl.Simulation(drop(), self.folder / "out") as sim:
            sim.step()
            with self.assertRaisesRegex(ValueError, "mine"):
                sim.step(fail)
            sim.run()
            last = sim.state_hash
        self.assertEqual(last, cl.Simulation(drop()).run().state_hash)
        self.assertTrue(cl.verify(self.folder / "out").ok)

    def test_ctrl_c_ends_a_step(self):
        scene = drop(time={"step": 0.02, "duration": 4})
        # Long steps: fine and stiff.
        scene.data["bodies"][0]["generator"]["resolution"] = [12, 12, 12]
        sim = cl.Simulation(scene)
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            while True:
                sim.step()
        done = sim.step_number
        self.assertEqual(sim.step().step, done + 1)

    def test_other_threads_go_on_and_are_told_to_wait(self):
        scene = drop()
        scene.data["bodies"][0]["generator"]["resolution"] = [10, 10, 10]
        sim = cl.Simulation(scene)
        x = sim.positions
        count, errors, stop = [0], [], threading.Event()

        def work():
            while not stop.is_set():
                count[0] += 1
                float(x[0, 0]), sim.time, sim.step_number, sim.positions
                try:
                    sim.step()
                except RuntimeError as error:
                    errors.append(str(error))

        thread = threading.Thread(target=work)
        inside = []
        started = threading.Event()

        def on_iteration(iteration, residual):
            if not thread.is_alive() and not started.is_set():
                started.set()
                thread.start()
            before = count[0]
            time.sleep(0.01)
            inside.append(count[0] - before)

        for _ in range(6):
            sim.step(on_iteration)
            if started.is_set():
                break
        stop.set()
        thread.join()
        self.assertGreater(sum(inside), 0)
        self.assertTrue(all("is in a step" in e or "steps are done" in e for e in errors), set(errors))

    def test_after_the_end(self):
        sim = cl.Simulation(drop(), steps=1).run()
        box = sim.body("box")
        with self.assertRaisesRegex(RuntimeError, "all 1 steps are done"):
            sim.step()
        sim.close()
        sim.close()
        for use in (sim.step, lambda: sim.positions, lambda: sim.velocities, lambda: sim.contacts, sim.save_state,
                    lambda: sim.pose("box"), lambda: sim.mesh, lambda: sim.state_hash, lambda: sim.body("box"),
                    lambda: sim.bodies, lambda: box.vertices):
            with self.assertRaisesRegex(RuntimeError, "closed"):
                use()
        self.assertEqual(repr(sim), "<Simulation: closed>")

    def test_a_step_that_cannot_be_taken(self):
        scene = drop()
        scene.data["bodies"][0]["loads"] = [{"kind": "acceleration", "expression": ["sqrt(0.05 - t)", "0", "0"]}]
        sim = cl.Simulation(scene)
        sim.step()
        sim.step()
        before = sim.state_hash
        with self.assertRaisesRegex(cl.StepError, "step 3: undefined_input") as raised:
            sim.step()
        self.assertEqual(raised.exception.report.status, "undefined_input")
        self.assertTrue(sim.done)
        self.assertEqual(sim.state_hash, before)
        with self.assertRaisesRegex(RuntimeError, "step 3 could not be taken: undefined_input"):
            sim.step()
        self.assertEqual(sim.steps_by_status, {"converged": 2})


class Steering(InFolder):
    def scene(self, **keys):
        """Returns a finger pulled along a slider by its effort, and a post that is moved."""
        time = {"step": 0.01, "duration": 0.2, "integrator": "implicit_euler"}
        scene = cl.Scene(**{"time": time, "gravity": [0, 0, 0], **keys})
        scene.add_control("pull")
        scene.add_control("place", 0.0)
        box = {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]}
        scene.add_body("finger", kind="rigid", generator=box, mass=2.0)
        scene.add_joint("rail", kind="slider", bodies=["finger", ""], axis=[1, 0, 0], effort="2 * pull")
        scene.add_body("post", kind="obstacle", generator=box, transform={"translation": [0, 1, 0]},
                       motions=[{"displacement": ["place", "0", "0"]}])
        scene.add_body("weight", generator=box, transform={"translation": [0, 3, 0]},
                       loads=[{"kind": "acceleration", "expression": ["pull", "0", "0"]}])
        return scene

    def test_efforts_motions_and_loads_obey(self):
        sim = cl.Simulation(self.scene())
        v, x = sim.velocities, sim.positions
        rows = {name: sim.body(name).vertices for name in ("finger", "post", "weight")}
        start = x.copy()
        sim.step()
        self.assertTrue(np.allclose(x, start, atol=1e-12))
        sim.controls["pull"] = 3.0
        sim.controls["place"] = 0.25
        self.assertEqual(dict(sim.controls), {"pull": 3.0, "place": 0.25})
        for _ in range(10):
            sim.step()
        self.assertTrue(np.allclose(v[rows["finger"], 0], 10 * 0.01 * 2 * 3.0 / 2.0, rtol=1e-6))
        self.assertTrue(np.allclose(v[rows["weight"], 0], 10 * 0.01 * 3.0, rtol=1e-6))
        self.assertTrue(np.allclose((x - start)[rows["post"], 0], 0.25))
        sim.controls.update(pull=0.0)
        before = v[rows["finger"], 0].copy()
        sim.step()
        self.assertTrue(np.allclose(v[rows["finger"], 0], before, rtol=1e-6))

    def steer(self, sim, first=0):
        hashes = []
        while not sim.done:
            sim.controls["pull"] = np.sin(sim.step_number)
            sim.controls["place"] = 0.01 * sim.step_number
            hashes.append(sim.step().state_hash)
        return hashes

    def test_the_folder_repeats_what_was_set(self):
        out = self.folder / "out"
        with cl.Simulation(self.scene(), out) as sim:
            hashes = self.steer(sim)
        self.assertEqual(cl.Results(out).stats["controls.pull"][3], np.sin(3))
        again = cl.Simulation(self.scene(), controls=out)
        self.assertEqual([again.step().state_hash for _ in hashes], hashes)
        run_program("run", out / "scene.json", "-o", self.folder / "program", "-q", "--controls", out)
        self.assertEqual([s["state_hash"] for s in cl.Results(self.folder / "program").steps], hashes)
        run_program("run", out / "scene.json", "-o", self.folder / "free", "-q")
        self.assertNotEqual(cl.Results(self.folder / "free").steps[-1]["state_hash"], hashes[-1])

    def test_resumed_runs_know_what_was_set(self):
        out = self.folder / "out"
        scene = self.scene()
        with cl.Simulation(scene, out) as sim:
            hashes = self.steer(sim)
        with cl.Simulation(scene, self.folder / "short", steps=16) as sim:
            self.steer(sim)
        # The run looks as if it had been killed after step 18: the checkpoint is that of step 16.
        again = self.folder / "again"
        with cl.Simulation(scene, again) as sim:
            for _ in range(18):
                sim.controls["pull"] = np.sin(sim.step_number)
                sim.controls["place"] = 0.01 * sim.step_number
                sim.step()
        (again / "checkpoint" / "state.bin").write_bytes((self.folder / "short" / "checkpoint" / "state.bin").read_bytes())
        with cl.Simulation(scene, again, resume=True) as sim:
            self.assertEqual(sim.step_number, 16)
            self.assertEqual(sim.controls["pull"], np.sin(15))
            self.assertEqual([sim.step().state_hash for _ in range(2)], hashes[16:18])
            self.assertEqual(sim.controls["pull"], np.sin(17))
            self.assertEqual(self.steer(sim), hashes[18:])

    def test_results_of_a_simulation_that_goes_on_have_all_frames(self):
        # The list of frames follows later; the statistics name each frame at once.
        with cl.Simulation(self.scene(), self.folder / "out") as sim:
            for step in range(1, 6):
                sim.step()
                run = cl.Results(self.folder / "out")
                self.assertEqual(len(run), step + 1)
                np.testing.assert_array_equal(run[-1].positions, sim.positions)
                self.assertEqual(run.times[-1], sim.time)

    def test_states_hold_controls(self):
        sim = cl.Simulation(self.scene())
        sim.controls["pull"] = 1.5
        sim.step()
        state = pickle.loads(pickle.dumps(sim.save_state()))
        sim.controls["pull"] = 0.0
        sim.restore(state)
        self.assertEqual(sim.controls["pull"], 1.5)

    def test_mistakes(self):
        sim = cl.Simulation(self.scene())
        with self.assertRaisesRegex(cl.SceneError, "known are pull, place"):
            sim.controls["pul"] = 1.0
        with self.assertRaisesRegex(cl.SceneError, "finite"):
            sim.controls["pull"] = float("nan")
        with self.assertRaises(TypeError):
            sim.controls["pull"] = "a"
        with self.assertRaises(KeyError):
            sim.controls["none"]
        with self.assertRaises(TypeError):
            del sim.controls["pull"]
        sim.controls = {"pull": 0.5}
        self.assertEqual(sim.controls["pull"], 0.5)
        with self.assertRaisesRegex(KeyError, "there are pull, place"):
            sim.controls["none"]
        with self.assertRaisesRegex(TypeError, "save_state"):
            pickle.dumps(sim)
        for name, message in (("t", "already use"), ("sin", "already use"), ("a b", "letters"), ("", "letters"),
                              ("pull", "another control")):
            scene = self.scene()
            scene.add_control(name)
            with self.assertRaisesRegex(cl.SceneError, message):
                scene.check()
        scene = self.scene()
        scene.data["joints"][0]["effort"] = "2 * pul"
        with self.assertRaisesRegex(cl.SceneError, "pull"):
            scene.check()
        with self.assertRaises(cl.ResultError):
            cl.Simulation(self.scene(), controls=self.folder)


class Reports(unittest.TestCase):
    def test_steps_with_an_accuracy_have_a_row_of_probes_per_part(self):
        scene = drop()
        scene.add_probe("height", "position", body="box")
        scene.data["time"]["accuracy"] = 0.01
        with cl.Simulation(scene) as sim:
            report = sim.step()
            rows = sim.probe_rows
            self.assertGreater(report.parts, 1)
            self.assertEqual(len(rows), report.parts)
            self.assertEqual(rows[-1], (sim.time, dict(sim.probes)))
            self.assertLessEqual(report.time_error, 0.01)

    def test_probes_and_energies(self):
        scene = drop()
        scene.add_probe("height", "position", body="box")
        sim = cl.Simulation(scene)
        report = sim.step()
        self.assertEqual(report.step, 1)
        self.assertTrue(report.converged)
        self.assertAlmostEqual(sim.probes["height.y [m]"], sim.positions[:, 1].mean(), delta=1e-3)
        self.assertAlmostEqual(report.energy["kinetic"], 0.5 * 1.0 * (9.80665 * 0.02) ** 2, delta=1e-6)
        self.assertIn("total", report.seconds)
        self.assertEqual(len(report.momentum["total"]), 3)


class Forces(unittest.TestCase):
    def box(self, **keys):
        scene = cl.Scene(time={"step": 0.01, "duration": 1.0, "integrator": "implicit_euler"}, gravity=[0, 0, 0], **keys)
        scene.add_body("box", kind="rigid", mass=2, generator={"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [1, 1, 1]})
        scene.add_body("wall", kind="obstacle", generator={"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]},
                       transform={"translation": [0.5, 0, 0]})
        return cl.Simulation(scene)

    def test_an_impulse_moves_a_body_for_one_step(self):
        sim = self.box(applied_forces=True)
        sim.apply_force("box", [0, 3, 0], torque=[0, 0, 0.1])
        sim.step()
        inertia = 2 * (0.2 ** 2 + 0.2 ** 2) / 12
        for _ in range(2):
            np.testing.assert_allclose(sim.twist("box"), [[0, 0.015, 0], [0, 0, 0.001 / inertia]], atol=1e-6)
            sim.step()

    def test_forces_at_vertices_add_up(self):
        sim = self.box(applied_forces=True)
        forces = np.zeros(sim.positions.shape)
        forces[sim.body("box").vertices] = [0.5, 0, 0]
        sim.apply_forces(forces)
        sim.apply_force("box", [1, 0, 0])
        sim.step()
        count = sim.body("box").vertices.stop - sim.body("box").vertices.start
        self.assertAlmostEqual(sim.twist("box")[0][0], 0.01 * (0.5 * count + 1) / 2, delta=1e-9)

    def test_an_obstacle_goes_where_it_is_aimed_at(self):
        sim = self.box()
        wall = sim.body("wall").vertices
        places = sim.positions[wall] + [0.02, 0.01, 0]
        sim.aim("wall", places)
        for _ in range(2):
            sim.step()
            np.testing.assert_array_equal(sim.positions[wall], places)

    def test_mistakes_are_told(self):
        sim = self.box()
        self.assertRaises(cl.SceneError, sim.apply_force, "box", [1, 0, 0])
        self.assertRaises(cl.SceneError, sim.aim, "box", sim.positions[sim.body("box").vertices])
        self.assertRaises(ValueError, sim.apply_force, "wall", [1, 0, 0])
        self.assertRaises(ValueError, sim.apply_force, "box", [1, 0])
        self.assertRaises(ValueError, sim.apply_forces, np.zeros((2, 3)))


if __name__ == "__main__":
    unittest.main()
