"""Environments: Gymnasium's interface, determinism, worlds of a batch, and the two tasks."""

import importlib.util
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

import clearance as cl
from clearance import gym


def swing(**keys):
    """Returns a bar on a hinge that a control turns."""
    scene = cl.Scene(time={"step": 0.01, "duration": 1.0, "integrator": "bdf2_restarted"}, gravity=[0, 0, 0])
    scene.add_control("torque")
    scene.add_body("bar", kind="rigid", mass=2, generator={"kind": "box", "size": [1, 0.1, 0.1], "resolution": [1, 1, 1]},
                   transform={"translation": [0.5, 0, 0]})
    scene.add_joint("axle", kind="hinge", bodies=["bar", ""], point=[0, 0, 0], axis=[0, 0, 1], effort="torque")
    return gym.SceneEnv(scene, {"torque": (-5, 5)}, bodies=["bar"], **keys)


def arms():
    """Returns two bars, the second of which hangs on the first, and a third that follows on a slider."""
    scene = cl.Scene(time={"step": 0.01, "duration": 1.0}, gravity=[0, 0, 0], contact={"enabled": False})
    box = {"kind": "box", "size": [0.3, 0.04, 0.04], "resolution": [1, 1, 1]}
    for number, name in enumerate(("upper", "lower")):
        scene.add_body(name, kind="affine", generator=box, transform={"translation": [0.15 + 0.3 * number, 0, 0]})
    scene.add_body("tool", kind="rigid", generator=box, transform={"translation": [0.75, 0, 0]})
    scene.add_joint("shoulder", kind="hinge", bodies=["upper", ""], point=[0, 0, 0], axis=[0, 0, 1])
    scene.add_joint("elbow", kind="hinge", bodies=["lower", "upper"], point=[0.3, 0, 0], axis=[0, 1, 0])
    scene.add_joint("rail", kind="slider", bodies=["tool", "lower"], axis=[1, 0, 0],
                    mimic={"joint": "elbow", "multiplier": 0.002})
    return cl.Simulation(scene)


class Quiet(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", cl.ClearanceWarning)


class Resets(Quiet):
    def test_the_first_observation_forgets_the_last_control(self):
        with swing() as used, swing() as fresh:
            first, _ = used.reset(seed=7)
            for _ in range(3):
                used.step([4.0])
            again, _ = used.reset(seed=7)
            np.testing.assert_array_equal(again, first)
            np.testing.assert_array_equal(fresh.reset(seed=7)[0], first)
            self.assertEqual(used.sim.controls["torque"], 0.0)

    def test_actions_out_of_bounds_are_clipped(self):
        with swing() as far, swing() as bound:
            far.reset(seed=1), bound.reset(seed=1)
            np.testing.assert_array_equal(far.step([100.0])[0], bound.step([5.0])[0])

    def test_bounds_that_are_none_are_refused_with_the_control(self):
        scene = swing().scene
        for bounds, reason in ((5, "expected the bounds"), ((1, 2, 3), "expected the bounds"), (("a", 1), "expected the"),
                               ((1, -1), r"not \(1, -1\)"), ((np.nan, 1), "largest value"), ((0, np.nan), "largest value")):
            with self.subTest(bounds=bounds), self.assertRaisesRegex(ValueError, rf"actions\['torque'\]: .*{reason}"):
                gym.SceneEnv(scene, {"torque": bounds})


class Places(Quiet):
    def test_what_is_placed_is_read_back(self):
        sim = arms()
        sim.set_joints({"shoulder": 0.7, "elbow": -0.4}, {"shoulder": 1.5, "elbow": 2.0})
        joints = sim.joints
        self.assertEqual(sim.joint_names, ["shoulder", "elbow", "rail"])
        # The rail follows by 0.002 m per degree.
        np.testing.assert_allclose(joints.positions, [0.7, -0.4, -0.4 * 180 / np.pi * 0.002], atol=1e-12)
        np.testing.assert_allclose(joints.velocities, [1.5, 2.0, 2.0 * 180 / np.pi * 0.002], atol=1e-12)
        # The elbow is where the geometry says.
        elbow = sim.pose("lower") @ [0.3, 0, 0, 1]
        np.testing.assert_allclose(elbow[:3], [0.3 * np.cos(0.7), 0.3 * np.sin(0.7), 0], atol=1e-12)
        np.testing.assert_allclose(sim.twist("upper")[1], [0, 0, 1.5], atol=1e-12)
        # Joints are not strained there: a step without forces keeps their rates.
        sim.step()
        np.testing.assert_allclose(sim.joints.positions[0], 0.7 + 0.01 * 1.5, atol=1e-3)
        self.assertNotIn("joint", [warning.name for warning in sim.warnings])

    def test_vertices_of_deformable_bodies_and_obstacles_are_placed(self):
        scene = cl.Scene(time={"step": 0.01, "duration": 1.0})
        box = {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]}
        scene.add_body("soft", generator=box, transform={"translation": [0, 0.5, 0]})
        scene.add_body("table", kind="obstacle", generator=box)
        with cl.Simulation(scene) as sim:
            x, rows = sim.positions.copy(), sim.body("soft").vertices
            sim.place({"soft": {"positions": x[rows] + [0, 1, 0], "velocities": np.tile([0, -1.0, 0], (rows.stop, 1))},
                       "table": {"positions": x[sim.body("table").vertices] + [0.2, 0, 0]}})
            np.testing.assert_allclose(sim.positions[rows], x[rows] + [0, 1, 0], atol=1e-15)
            sim.step()
            np.testing.assert_allclose(sim.positions[sim.body("table").vertices], x[rows.stop:] + [0.2, 0, 0], atol=1e-12)
            self.assertLess(sim.velocities[rows, 1].max(), -0.9)

    def test_places_that_tear_joints_are_refused_and_change_nothing(self):
        sim = arms()
        before, pose = sim.state_hash, np.eye(4)
        pose[:3, 3] = [5, 0, 0]
        with self.assertRaisesRegex(cl.SceneError, "joint 'shoulder' would be torn"):
            sim.place({"upper": {"pose": pose}})
        self.assertEqual(sim.state_hash, before)

    def test_places_that_are_none_are_refused_and_change_nothing(self):
        scene = cl.Scene(time={"step": 0.01, "duration": 1.0}, gravity=[0, 0, 0])
        box = {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]}
        scene.add_body("a", kind="rigid", generator=box)
        scene.add_body("b", kind="rigid", generator=box, transform={"translation": [0.2, 0, 0]})
        with cl.Simulation(scene) as sim:
            before = sim.state_hash
            inside = np.eye(4)
            inside[0, 3] = 0.15
            stretched = np.diag([2.0, 1, 1, 1])
            for bodies, error in (({"a": {"pose": inside}}, cl.SceneError), ({"a": {"pose": stretched}}, ValueError),
                                  ({"a": {"pose": np.eye(3)}}, ValueError), ({"c": {}}, KeyError),
                                  ({"a": {"speed": 1}}, KeyError), ({"a": {"linear": [np.nan, 0, 0]}}, ValueError),
                                  ({"a": {"positions": sim.positions}}, KeyError), ({"a": 3}, TypeError)):
                with self.subTest(bodies=list(bodies)), self.assertRaises(error):
                    sim.place(bodies)
            self.assertEqual(sim.state_hash, before)
            with self.assertRaisesRegex(cl.SceneError, "cannot be placed there"):
                sim.place({"a": {"pose": inside}})
            with self.assertRaises(KeyError):
                sim.set_joints({"elbow": 1.0})

    def test_contact_force_carries_the_weight(self):
        scene = cl.Scene(time={"step": 0.01, "duration": 2.0})
        scene.add_half_space()
        scene.add_body("cube", kind="rigid", mass=2, generator={"kind": "box", "size": [0.1] * 3, "resolution": [1, 1, 1]},
                       transform={"translation": [0, 0.0501, 0]})
        with cl.Simulation(scene) as sim:
            for _ in range(60):
                sim.step()
            for force in (sim.contact_force("cube"), sim.contact_force("cube", "half_spaces[0]")):
                np.testing.assert_allclose(force, [0, 2 * 9.80665, 0], atol=0.02)


class Interface(Quiet):
    def test_a_scene_becomes_an_environment(self):
        with swing(max_steps=30) as env:
            observed, info = env.reset(seed=1)
            self.assertEqual(observed.shape, env.observation_space.shape)
            self.assertEqual(info, {})
            total = 0
            for _ in range(30):
                observed, _, terminated, truncated, _ = env.step([2.0])
                total += truncated
            self.assertFalse(terminated)
            self.assertEqual(total, 1)
            # Torque over inertia: q = M t^2 / 2 I, and the body turns with the joint.
            angle = 0.5 * 2.0 / (2 * (1 + 0.01) / 12 + 2 * 0.25) * 0.3**2
            self.assertAlmostEqual(observed[0], angle, delta=0.02 * angle)
            self.assertAlmostEqual(observed[2], 2.0, delta=1e-6)
            self.assertAlmostEqual(observed[3 + 12], observed[1], delta=1e-9)

    def test_actions_are_checked_and_limited(self):
        with swing() as env:
            env.reset(seed=0)
            for action in ([1.0, 2.0], [np.nan], 3.0):
                with self.assertRaises(ValueError):
                    env.step(action)
            env.step([100.0])
            self.assertEqual(env.sim.controls["torque"], 5.0)
            self.assertTrue(env.action_space.contains(env.action_space.sample()))

    def test_seeds_decide_everything(self):
        actions = np.random.default_rng(5).uniform(-1, 1, (6, 2))

        def rollout(seed):
            with gym.Push(max_steps=20) as env:
                rows = [env.reset(seed=seed)[0]] + [env.step(action)[0] for action in actions]
                return np.array(rows), env.sim.state_hash

        (first, hash_1), (second, hash_2), (other, _) = rollout(3), rollout(3), rollout(4)
        np.testing.assert_array_equal(first, second)
        self.assertEqual(hash_1, hash_2)
        self.assertFalse(np.array_equal(first, other))

    def test_an_episode_begins_where_no_other_has_left_traces(self):
        with gym.Push(max_steps=20) as env:
            start = env.reset(seed=7)[0]
            env.step([1.0, 0.2])
            np.testing.assert_array_equal(env.reset(seed=7)[0], start)

    def test_environments_and_spaces_are_those_of_gymnasium_where_it_is_installed(self):
        program = """if True:
            import sys, types
            fake = types.ModuleType("gymnasium")
            class Env: pass
            class Box:
                def __init__(self, low, high, dtype): self.low, self.high, self.shape = low, high, low.shape
            fake.Env, fake.spaces = Env, types.SimpleNamespace(Box=Box)
            sys.modules["gymnasium"] = fake
            from clearance import gym
            env = gym.PegInHole(max_steps=2)
            assert isinstance(env, Env) and isinstance(env.action_space, Box) and env.observation_space.shape == (15,)
        """
        process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(process.returncode, 0, process.stderr)

    @unittest.skipUnless(importlib.util.find_spec("gymnasium"), "gymnasium is not installed")
    def test_gymnasium_accepts_it(self):
        from gymnasium.utils.env_checker import check_env
        with gym.Push(max_steps=5) as env, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check_env(env, skip_render_check=True)


class Vector(Quiet):
    def test_worlds_have_the_bits_of_environments_of_their_own(self):
        actions = np.random.default_rng(2).uniform(-1, 1, (5, 3, 3))
        with gym.VectorEnv(gym.PegInHole, 3, threads=2, max_steps=4) as envs:
            starts, _ = envs.reset(seed=10)
            together = [envs.step(row) for row in actions]
        for k in range(3):
            with gym.PegInHole(max_steps=4) as env:
                np.testing.assert_array_equal(env.reset(seed=10 + k)[0], starts[k])
                for step in range(4):
                    observed, reward, _, truncated, _ = env.step(actions[step][k])
                    self.assertEqual(reward, together[step][1][k])
                    if step < 3:
                        np.testing.assert_array_equal(observed, together[step][0][k])
                # The episode is over: the batch has begun the next one, and tells how the last one ended.
                self.assertTrue(truncated and together[3][3][k])
                np.testing.assert_array_equal(observed, together[3][4]["final_obs"][k])
                np.testing.assert_array_equal(env.reset()[0], together[3][0][k])

    def test_episodes_are_those_of_one_environment(self):
        with gym.Push(max_steps=15) as env, gym.VectorEnv(gym.Push, 2, max_steps=15) as envs:
            alone = gym.evaluate(env, gym.push_from_behind, range(3))
            together = gym.evaluate(envs, gym.push_from_behind, range(3))
        self.assertEqual([(one.seed, one.total, one.steps) for one in alone],
                         [(one.seed, one.total, one.steps) for one in together])


class Tasks(Quiet):
    def test_the_peg_finds_its_hole(self):
        with gym.PegInHole() as env:
            episodes = gym.evaluate(env, gym.search_for_hole, range(4))
        self.assertEqual(gym.success_rate(episodes), 1.0)

    def test_a_peg_without_a_search_stays_outside(self):
        # The place is wrong by more than the chamfers forgive in most starts, or nothing would have to be learnt.
        with gym.PegInHole(max_steps=60) as env:
            episodes = gym.evaluate(env, lambda: lambda observed: [0, -1, 0], range(8))
        self.assertLess(gym.success_rate(episodes), 0.7)

    def test_the_cube_is_pushed_to_its_goal(self):
        with gym.Push() as env:
            episodes = gym.evaluate(env, gym.push_from_behind, range(2))
        self.assertEqual(gym.success_rate(episodes), 1.0)

    def test_a_stored_episode_is_the_same_and_penetrates_nothing(self):
        for task, policy in ((gym.PegInHole, gym.search_for_hole), (gym.Push, gym.push_from_behind)):
            with self.subTest(task.__name__), tempfile.TemporaryDirectory() as folder:
                with task(max_steps=40) as env:
                    expected = gym.evaluate(env, policy, [3])[0]
                with task(max_steps=40, output=folder + "/run", seed=3) as env:
                    stored = gym.evaluate(env, policy, [3])[0]
                self.assertEqual(stored.steps, expected.steps)
                self.assertAlmostEqual(stored.total, expected.total, delta=1e-4)
                verdict = cl.verify(folder + "/run")
                self.assertTrue(verdict.ok)
                self.assertEqual(verdict.intersections, 0)

    def test_cross_entropy_finds_a_maximum(self):
        wanted = np.array([0.3, -2.0])
        found = gym.cross_entropy(lambda p, _: -np.sum((p - wanted)**2), [0, 0], [1, 1], generations=25, population=20)
        np.testing.assert_allclose(found.parameters, wanted, atol=0.1)
        again = gym.cross_entropy(lambda p, _: -np.sum((p - wanted)**2), [0, 0], [1, 1], generations=25, population=20)
        np.testing.assert_array_equal(found.parameters, again.parameters)


if __name__ == "__main__":
    unittest.main()
