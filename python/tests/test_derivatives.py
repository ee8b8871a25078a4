import unittest
import warnings

import numpy as np

import clearance as cl
STEPS = 12


def thrown(velocity, **keys):
    """Returns a soft box that hits the floor and slides."""
    scene = cl.Scene(time={"step": 0.02, "duration": 0.02 * STEPS, "integrator": "implicit_euler"},
                     friction={"coefficient": 0.3}, **keys)
    scene.add_body("box", generator={"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]},
                   material={"youngs_modulus": 1e5}, transform={"translation": [0, 0.08, 0], "rotation": [0, 0, 20]},
                   linear_velocity=list(velocity))
    scene.add_half_space(point=[0, 0, 0], normal=[0, 1, 0])
    return scene


def quiet(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.ClearanceWarning)
        return call()


class Reverse(unittest.TestCase):
    def test_agrees_with_forward_mode_and_with_differences(self):
        velocity = np.array([0.5, -1.0, 0.2])
        run = cl.record(thrown(velocity))
        self.assertEqual(run.steps, STEPS)
        self.assertEqual(len(run.times), STEPS + 1)
        seed = np.random.default_rng(1).standard_normal(run.positions().shape)
        paths = ["friction.coefficient", "bodies[0].linear_velocity[0]"]
        found = quiet(lambda: run.backward(seed, by=paths))
        forward = run.forward(paths)
        self.assertEqual(forward.positions.shape, (2, STEPS + 1, *seed.shape))
        expected = (forward.positions[:, -1] * seed).sum(axis=(1, 2))
        size = np.sqrt(((forward.positions[:, -1] * seed)**2).sum(axis=(1, 2)))
        self.assertLess((np.abs(found.parameters - expected) / size).max(), 1e-5)
        # All vertices start with the velocity of the body.
        self.assertAlmostEqual(found.start_velocities[:, 0].sum() / found.parameters[1], 1.0, places=8)
        change = 1e-6 * np.array([1.0, -0.5, 0.7])
        ends = [(cl.record(thrown(velocity + sign * change)).positions() * seed).sum() for sign in (-1, 1)]
        slope = (found.start_velocities.sum(axis=0) * change).sum()
        self.assertLess(abs((ends[1] - ends[0]) / 2 - slope), 1e-4 * abs(slope) + 1e-12)
        self.assertLess(found.error, 1e-5)

    def test_controls_that_move_surfaces(self):
        scene = cl.Scene(time={"step": 0.02, "duration": 0.4}, friction={"coefficient": 0.4})
        scene.add_control("a", 2.0)
        scene.add_body("box", generator={"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]},
                       material={"youngs_modulus": 2e5}, transform={"translation": [0, 0.0505, 0]})
        scene.add_body("plate", kind="rigid", generator={"kind": "box", "size": [0.02, 0.08, 0.14]},
                       transform={"translation": [-0.0602, 0.05, 0]}, motions=[{"displacement": ["t^2*a", "0", "0"]}])
        scene.add_half_space()
        scene.add_probe("box", "position", body="box")
        forward = quiet(lambda: cl.gradient(scene, ["controls[0].value"], ["box.x"]))
        found = quiet(lambda: cl.record(scene).backward(of="box.x"))
        self.assertAlmostEqual(found.controls.sum() / forward.derivatives[-1, 0, 0], 1.0, places=5)

    def test_bodies_have_the_derivatives_of_their_motion(self):
        scene = cl.Scene(time={"step": 0.01, "duration": 0.1, "integrator": "implicit_euler"})
        scene.add_body("box", kind="rigid", generator={"kind": "box", "size": [0.1, 0.1, 0.1]},
                       linear_velocity=[1, 2, 3])
        run = cl.record(scene)
        seed = np.zeros_like(run.positions())
        seed[run.bodies["box"], 1] = 1.0 / len(seed)
        found = run.backward({-1: seed}, {10: seed})
        # The place is y + 0.1 v, the velocity v.
        np.testing.assert_allclose(found.bodies["box"].velocity, [0, 0.1 + 1.0, 0], atol=1e-9)
        np.testing.assert_allclose(found.bodies["box"].place, [0, 1, 0], atol=1e-9)
        self.assertEqual(np.abs(found.start_velocities).max(), 0.0)

    def test_turns_hold_the_spin(self):
        def ends(angle):
            scene = cl.Scene(time={"step": 0.01, "duration": 0.1, "integrator": "implicit_euler"}, gravity=[0, 0, 0])
            scene.add_body("box", kind="rigid", generator={"kind": "box", "size": [0.1, 0.2, 0.3]},
                           transform={"rotation": [0, 0, 20 + np.degrees(angle)]}, angular_velocity=[300, 100, 200])
            return cl.record(scene)
        run = ends(0.0)
        seed = np.random.default_rng(2).standard_normal(run.positions().shape)
        found = run.backward(seed)
        change = 1e-5
        slope = ((ends(change).positions() - ends(-change).positions()) * seed).sum() / (2 * change)
        self.assertAlmostEqual(found.bodies["box"].turn[2] / slope, 1.0, places=6)

    def test_prescribed_bodies_have_the_derivatives_of_their_places(self):
        scene = cl.Scene(time={"step": 0.01, "duration": 0.1})
        scene.add_body("box", kind="rigid", generator={"kind": "box", "size": [0.1, 0.1, 0.1]},
                       motions=[{"linear_velocity": [1, 0, 0], "angular_velocity": [0, 0, 90]}])
        run = cl.record(scene)
        seed = np.zeros_like(run.positions())
        seed[run.bodies["box"], 0] = 1.0 / len(seed)
        seed[run.bodies["box"].start, 1] = 1.0
        found = run.backward(seed)
        moved = found.prescribed_bodies["box"]
        self.assertEqual(moved.place.shape, (10, 3))
        np.testing.assert_allclose(moved.place[-1], [1, 1, 0], atol=1e-9)
        np.testing.assert_allclose(moved.place[:-1], 0, atol=1e-9)
        # A turn about z moves the vertex by its arm.
        at = run.positions()
        arm = at[run.bodies["box"].start] - at[run.bodies["box"]].mean(axis=0)
        self.assertAlmostEqual(moved.turn[-1, 2], arm[0], places=9)

    def test_controls_of_paths_in_metres(self):
        # Two jaws close on a ball and lift it: a change of a control by a millimetre would move them through it.
        def held(closing, lift):
            scene = cl.Scene(time={"step": 0.02, "duration": 0.2, "integrator": "implicit_euler"},
                             friction={"coefficient": 0.8})
            scene.add_control("closing", value=closing)
            scene.add_control("lift", value=lift)
            scene.add_body("ball", generator={"kind": "sphere", "size": [0.03], "resolution": [2]},
                           material={"youngs_modulus": 5e4, "density": 500}, transform={"translation": [0, 0.0305, 0]})
            for sign in (-1, 1):
                scene.add_body(f"jaw {sign}", kind="obstacle",
                               generator={"kind": "box", "size": [0.01, 0.04, 0.04], "resolution": [1, 1, 1]},
                               transform={"translation": [sign * 0.037, 0.035, 0]},
                               motions=[{"displacement": [f"{-sign} * closing * min(1, 10 * t)",
                                                          "lift * max(0, 10 * t - 1)", "0"]}])
            scene.add_half_space()
            return quiet(lambda: cl.record(scene))

        run = held(0.005, 0.01)
        seed = np.zeros_like(run.positions())
        seed[run.bodies["ball"], 1] = 1.0 / run.bodies["ball"].stop
        found = quiet(lambda: run.backward(seed)).controls.sum(axis=0)
        for k, change in enumerate(([1e-5, 0], [0, 1e-5])):
            ends = [(held(0.005 + sign * change[0], 0.01 + sign * change[1]).positions() * seed).sum()
                    for sign in (-1, 1)]
            self.assertAlmostEqual(found[k], (ends[1] - ends[0]) / 2e-5, delta=0.02)
        self.assertGreater(found[1], 0.8)

    def test_mistakes_are_named(self):
        run = cl.record(thrown([0, 0, 0]), steps=2)
        self.assertEqual(run.steps, 2)
        seed = np.zeros(run.positions().shape)
        for wrong, error, part in [({7: seed}, IndexError, "steps 0 to 2"),
                                   (seed[1:], ValueError, "one row per vertex"),
                                   ({"end": seed}, TypeError, "numbers of steps"),
                                   (seed * np.nan, ValueError, "finite")]:
            with self.assertRaisesRegex(error, part):
                run.backward(wrong)
        with self.assertRaisesRegex(TypeError, "list of paths"):
            run.backward(seed, by="gravity[1]")
        with self.assertRaisesRegex(cl.ClearanceError, "nothing"):
            run.backward(seed, by=["nothing"])
        with self.assertRaises(IndexError):
            run.positions(3)
        with self.assertRaisesRegex(cl.SceneError, "time.accuracy"):
            scene = cl.Scene(time={"step": 0.02, "duration": 0.1, "accuracy": 1e-3})
            scene.add_body("box", kind="rigid", generator={"kind": "box", "size": [0.1, 0.1, 0.1]})
            cl.record(scene)


if __name__ == "__main__":
    unittest.main()
