"""Runs as functions that programs differentiate."""

import importlib.util
import unittest
import warnings

import numpy as np

import clearance as cl
from clearance._rollout import Rollout
STEPS = 12
PATHS = ["bodies[0].material.youngs_modulus", "bodies[0].linear_velocity"]
VALUES = [np.array(1e5), np.array([0.5, -1.0, 0.2])]


def thrown():
    """Returns a soft box that hits the floor and slides."""
    scene = cl.Scene(time={"step": 0.02, "duration": 0.02 * STEPS, "integrator": "implicit_euler"},
                     friction={"coefficient": 0.3})
    scene.add_body("box", generator={"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]},
                   material={"youngs_modulus": 1e5}, transform={"translation": [0, 0.08, 0], "rotation": [0, 0, 20]})
    scene.add_half_space()
    scene.add_probe("box", "position", body="box", region={"box": [[-1, -1, -1], [1, 1, 1]]})
    return scene


def slopes_of_x(stiffness, velocity):
    """Returns box.x at the end and its derivatives by both."""
    run = Rollout(thrown(), PATHS, ["box.x"], None, 4096.0)
    values = run.values([stiffness, velocity])
    seed = np.zeros_like(values)
    seed[-1] = 1.0
    return values[-1, 0], run.slopes([stiffness, velocity], seed)


class Rollouts(unittest.TestCase):
    def setUp(self):
        catch = warnings.catch_warnings()
        catch.__enter__()
        self.addCleanup(catch.__exit__, None, None, None)
        warnings.simplefilter("ignore", cl.ClearanceWarning)

    def test_slopes_are_those_of_forward_mode(self):
        _, (by_stiffness, by_velocity) = slopes_of_x(*VALUES)
        scene = thrown()
        scene.data["bodies"][0]["linear_velocity"] = VALUES[1].tolist()
        forward = cl.gradient(scene, [PATHS[0], *(f"{PATHS[1]}[{i}]" for i in range(3))], ["box.x"])
        expected = forward.derivatives[-1, 0]
        np.testing.assert_allclose([by_stiffness, *by_velocity], expected, rtol=1e-5, atol=1e-7 * np.abs(expected).max())

    def test_a_column_of_a_probe_is_a_seed(self):
        run = cl.record(thrown())
        self.assertEqual(sorted(run.probes), ["box.x [m]", "box.y [m]", "box.z [m]"])
        rows = run.bodies["box"]
        np.testing.assert_allclose([run.probes["box.y [m]"][k] for k in (0, STEPS)],
                                   [run.positions(k)[rows, 1].mean() for k in (0, STEPS)], atol=1e-12)
        seed = np.zeros_like(run.positions())
        seed[rows, 1] = 1.0 / len(seed[rows])
        expected = run.backward({5: 2 * seed, STEPS: seed}).start_velocities
        weights = np.zeros(STEPS + 1)
        weights[[5, -1]] = 2, 1
        found = run.backward(of={"box.y": weights}).start_velocities
        np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())
        np.testing.assert_allclose(run.backward(of="box.y", at=5).start_velocities,
                                   run.backward({5: seed}).start_velocities, atol=1e-8)
        for mistake, error in (({"of": "box.w"}, cl.SceneError), ({"of": {"box.x": [1, 2]}}, ValueError),
                               ({"of": {3: 1}}, TypeError), ({"of": "box.x", "at": 99}, IndexError)):
            with self.assertRaises(error, msg=str(mistake)):
                run.backward(**mistake)

    def test_a_small_budget_gives_the_same_bits(self):
        run = cl.record(thrown())
        self.assertEqual(run.kept_steps, STEPS)
        few = cl.record(thrown(), budget_mb=0.5 * run.peak_mb)
        self.assertLess(few.kept_steps, STEPS / 2)
        found, expected = few.backward(of="box.x"), run.backward(of="box.x")
        np.testing.assert_array_equal(found.start_velocities, expected.start_velocities)
        np.testing.assert_array_equal(few.positions(7), run.positions(7))
        self.assertLessEqual(few.peak_mb, 0.5 * run.peak_mb)
        for budget in (0, -1, "1", True):
            with self.assertRaises(ValueError):
                cl.record(thrown(), budget_mb=budget)

    def test_vertices_are_values_as_well(self):
        run = Rollout(thrown(), PATHS[1:], None, 4, 4096.0)
        places = run.values(VALUES[1:])
        self.assertEqual(places.shape, run.shape(4, thrown().check().numbers["vertices"]))
        (slope,) = run.slopes(VALUES[1:], np.ones_like(places))
        self.assertEqual(slope.shape, (3,))
        self.assertTrue(np.isfinite(slope).all())

    def test_mistakes_are_named(self):
        for inputs, of, error in (([], None, ValueError), (["bodies[7].x"], None, ValueError),
                                  (["bodies[0].linear_velocity[0]"], None, ValueError),
                                  (PATHS[:1], "box.x", TypeError), (PATHS[:1], ["box.w"], ValueError)):
            with self.assertRaises(error, msg=str(inputs)):
                Rollout(thrown(), inputs, of, 1, 4096.0).values(VALUES[:len(inputs)])

    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
    def test_torch(self):
        import torch  # pylint: disable=import-outside-toplevel
        from clearance.torch import rollout  # pylint: disable=import-outside-toplevel
        inputs = [torch.tensor(value, requires_grad=True) for value in VALUES]
        values = rollout(thrown(), dict(zip(PATHS, inputs)), of=["box.x"])
        (2 * values[-1, 0]).backward()
        end, expected = slopes_of_x(*VALUES)
        self.assertEqual(float(values[-1, 0]), end)
        for tensor, slope in zip(inputs, expected):
            np.testing.assert_allclose(tensor.grad.numpy(), 2 * slope)

    @unittest.skipUnless(importlib.util.find_spec("jax"), "JAX is not installed")
    def test_jax(self):
        import jax  # pylint: disable=import-outside-toplevel
        from clearance.jax import rollout  # pylint: disable=import-outside-toplevel
        jax.config.update("jax_enable_x64", True)
        def end(*values):
            return 2 * rollout(thrown(), dict(zip(PATHS, values)), of=["box.x"])[-1, 0]
        value, expected = slopes_of_x(*VALUES)
        found, slopes = jax.value_and_grad(end, argnums=(0, 1))(*VALUES)
        self.assertEqual(float(found), 2 * value)
        for slope, wanted in zip(slopes, expected):
            np.testing.assert_allclose(np.asarray(slope), 2 * wanted)


if __name__ == "__main__":
    unittest.main()
