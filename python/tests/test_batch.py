import unittest
import warnings

import numpy as np

import clearance as cl

NUM_WORLDS, NUM_STEPS = 5, 12


def pusher():
    """Returns a rigid cube on a table, and a box that a control pushes against it."""
    scene = cl.Scene(time={"step": 0.01, "duration": 1.0}, friction={"coefficient": 0.5})
    cube = {"kind": "box", "size": [0.05, 0.05, 0.05]}
    scene.add_control("speed", 0.1)
    scene.add_control("lift")
    scene.add_half_space(point=[0, 0, 0], normal=[0, 1, 0])
    scene.add_body("cube", kind="rigid", generator=cube, transform={"translation": [0, 0.0251, 0]})
    scene.add_body("pusher", kind="rigid", generator=cube, transform={"translation": [-0.0502, 0.03, 0]},
                   motions=[{"displacement": ["speed * t", "lift * t", "0"]}])
    scene.add_probe("cube", kind="position", body="cube", point=[0, 0.0251, 0])
    return scene


def controls_of(step):
    """Returns controls of all worlds that differ from world to world and from step to step."""
    speeds = 0.1 + 0.05 * np.arange(NUM_WORLDS)
    return np.column_stack([speeds, np.full(NUM_WORLDS, 0.01 * (step % 2))])


def hashes_alone():
    """Returns the hashes of every world at every step, as simulations of their own have them."""
    scene, hashes = pusher(), []
    for world in range(NUM_WORLDS):
        with cl.Simulation(scene, threads=1) as sim:
            hashes.append([])
            for step in range(NUM_STEPS):
                sim.controls["speed"], sim.controls["lift"] = controls_of(step)[world]
                hashes[-1].append(sim.step().state_hash)
    return hashes


def hashes_of(batch):
    return [batch.world(number).state_hash for number in range(len(batch))]


class Worlds(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", cl.ClearanceWarning)

    def test_worlds_have_the_bits_of_simulations_of_their_own(self):
        expected = hashes_alone()
        self.assertEqual(len(set(row[-1] for row in expected)), NUM_WORLDS)
        for threads in (1, 2, 3):
            with self.subTest(threads=threads), cl.Batch(pusher(), NUM_WORLDS, threads=threads) as batch:
                for step in range(NUM_STEPS):
                    self.assertTrue(batch.step(controls_of(step)).all())
                    self.assertEqual(hashes_of(batch), [row[step] for row in expected])

    def test_controls_by_name_are_those_of_columns_and_stay(self):
        with cl.Batch(pusher(), NUM_WORLDS) as by_name, cl.Batch(pusher(), NUM_WORLDS) as by_column:
            self.assertEqual(by_name.control_names, ["speed", "lift"])
            by_name.step({"speed": controls_of(0)[:, 0], "lift": 0.0})
            by_column.step(controls_of(0))
            self.assertEqual(hashes_of(by_name), hashes_of(by_column))
            by_name.step()
            by_column.step(controls_of(2))
            self.assertEqual(hashes_of(by_name), hashes_of(by_column))

    def test_arrays_have_a_row_per_world(self):
        with cl.Batch(pusher(), NUM_WORLDS) as batch:
            batch.step(controls_of(0))
            world = batch.world(3)
            for name in ("positions", "velocities", "contact_forces"):
                stacked = getattr(batch, name)
                self.assertEqual(stacked.shape, (NUM_WORLDS, *getattr(world, name).shape))
                np.testing.assert_array_equal(stacked[3], getattr(world, name))
            self.assertEqual(batch.poses("cube").shape, (NUM_WORLDS, 4, 4))
            np.testing.assert_array_equal(batch.poses("cube")[3], world.pose("cube"))
            for name, values in batch.probes.items():
                self.assertEqual(values.shape, (NUM_WORLDS,))
                self.assertEqual(values[3], world.probes[name])
            self.assertEqual(batch.step_numbers.tolist(), [1] * NUM_WORLDS)

    def test_restored_worlds_begin_anew_and_others_go_on(self):
        expected = hashes_alone()
        with cl.Batch(pusher(), NUM_WORLDS) as batch:
            start = batch.save_states()
            for step in range(3):
                batch.step(controls_of(step))
            batch.restore([start[1], start[4]], worlds=[1, 4])
            self.assertEqual(batch.step_numbers.tolist(), [3, 0, 3, 3, 0])
            controls = controls_of(3)
            controls[[1, 4]] = controls_of(0)[[1, 4]]
            batch.step(controls)
            hashes = hashes_of(batch)
            self.assertEqual([hashes[1], hashes[4]], [expected[1][0], expected[4][0]])
            self.assertEqual([hashes[0], hashes[2]], [expected[0][3], expected[2][3]])
            batch.restore(start[2])
            self.assertEqual(len(set(hashes_of(batch))), 1)

    def test_worlds_that_are_done_rest_while_others_step(self):
        with cl.Batch(pusher(), 3, steps=2) as batch:
            start = batch.save_states()
            batch.step()
            batch.restore(start[0], worlds=[2])
            batch.step()
            self.assertEqual(batch.done.tolist(), [True, True, False])
            before = hashes_of(batch)
            batch.step()
            self.assertEqual(hashes_of(batch)[:2], before[:2])
            self.assertTrue(batch.done.all())
            batch.step()
            self.assertEqual(batch.step_numbers.tolist(), [2, 2, 2])

    def test_a_failed_world_is_named_and_leaves_the_others_alone(self):
        scene = pusher()
        scene.data["bodies"][1]["motions"][0]["displacement"] = ["0.1 * t / (lift < 0.5)", "0", "0"]
        with cl.Batch(scene, 3) as batch:
            start = batch.save_states()
            converged = batch.step({"lift": [0.0, 1.0, 0.0]})
            self.assertEqual(converged.tolist(), [True, False, True])
            self.assertEqual(list(batch.failures), [1])
            self.assertIsInstance(batch.failures[1], cl.StepError)
            self.assertEqual(batch.step_numbers.tolist(), [1, 0, 1])
            batch.restore(start[1], worlds=[1])
            self.assertEqual(batch.failures, {})
            self.assertTrue(batch.step({"lift": 0.0}).all())

    def test_the_scene_is_warned_of_once(self):
        scene = pusher()
        scene.data["bodies"][0]["material"] = {"density": 1e-3}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            batch = cl.Batch(scene, 4)
            told = [str(entry.message) for entry in caught]
            self.assertTrue(told)
            self.assertEqual(len(told), len(set(told)))
            batch.close()


class Misuse(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", cl.ClearanceWarning)

    def test_is_told_before_any_world_is_stepped(self):
        with cl.Batch(pusher(), NUM_WORLDS) as batch:
            wrong = controls_of(0)
            wrong[2, 0] = np.nan
            cases = [
                (ValueError, r"\(5, 2\).*not \(2,\)", lambda: batch.step([1.0, 2.0])),
                (ValueError, r"\(5, 2\).*not \(5, 3\)", lambda: batch.step(np.zeros((5, 3)))),
                (ValueError, r"controls\['speed'\].*\(5,\).*not \(4,\)", lambda: batch.step({"speed": np.zeros(4)})),
                (ValueError, r"finite.*nan.*world 2", lambda: batch.step(wrong)),
                (KeyError, "no control 'sped'; there are speed, lift", lambda: batch.step({"sped": 1.0})),
                (IndexError, "world 5: there are 5", lambda: batch.world(5)),
                (TypeError, "whole number", lambda: batch.world("cube")),
                (KeyError, "no body 'ball'; there are cube, pusher", lambda: batch.poses("ball")),
                (ValueError, "expected one state, or 2", lambda: batch.restore(batch.save_states(), worlds=[0, 1])),
                (AttributeError, "restore", lambda: setattr(batch, "positions", 1)),
            ]
            for kind, message, call in cases:
                with self.subTest(message=message), self.assertRaisesRegex(kind, message):
                    call()
            self.assertEqual(batch.step_numbers.tolist(), [0] * NUM_WORLDS)
        for count, kind in ((0, ValueError), (2.5, TypeError), (True, TypeError)):
            with self.subTest(count=count), self.assertRaises(kind):
                cl.Batch(pusher(), count)

    def test_a_closed_batch_says_so(self):
        batch = cl.Batch(pusher(), 2)
        batch.close()
        batch.close()
        with self.assertRaisesRegex(RuntimeError, "closed"):
            batch.step()
        with self.assertRaisesRegex(RuntimeError, "closed"):
            batch.save_states()

    def test_adapting_elements_are_refused(self):
        scene = cl.Scene()
        scene.add_body("box", generator={"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]}, remesh={})
        with self.assertRaisesRegex(ValueError, "remesh"):
            cl.Batch(scene, 2)

    def test_scene_errors_are_those_of_a_simulation(self):
        with self.assertRaises(cl.SceneError):
            cl.Batch(cl.Scene(time={"step": -1}), 2)


if __name__ == "__main__":
    unittest.main()
