"""Warnings reach whoever runs a program: in `warnings`, and once each through the module warnings of Python."""

import json
import os
import pickle
import unittest
import warnings

import numpy as np

import clearance as cl
from support import InFolder, drop, run_program


def heard(action):
    """Returns what the action returns, and the warnings of this package that it has issued."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = action()
    return result, [w for w in caught if issubclass(w.category, cl.ClearanceWarning)]


def names(caught):
    return [w.message.problem.name for w in caught]


def spinning(**keys):
    """Returns a rigid box that turns too far in a step."""
    scene = cl.Scene(gravity=[0, 0, 0], time={"step": 0.02, "duration": 0.1}, **keys)
    scene.add_body("top", kind="rigid", generator={"kind": "box", "size": [0.1, 0.12, 0.14], "resolution": [1, 1, 1]},
                   angular_velocity=[0, 2000, 0])
    return scene


def pellet():
    """Returns a rigid box that falls on a floor, whose force a probe has."""
    scene = cl.Scene(time={"step": 0.02, "duration": 0.6})
    scene.add_body("pellet", kind="rigid", generator={"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]},
                   transform={"translation": [0, 0.5, 0]})
    scene.add_half_space(point=[0, 0, 0], normal=[0, 1, 0])
    scene.add_probe("floor", "contact", bodies=["pellet", "half_spaces[0]"])
    return scene


class OfScenes(InFolder):
    def scene(self):
        scene = drop()
        scene.data["bodies"][0]["material"] = {"youngs_modulus": 210.0, "density": 7.8}
        return scene

    def test_they_are_issued_once_at_the_line_of_the_caller(self):
        sim, caught = heard(lambda: cl.Simulation(self.scene()))
        self.assertEqual(names(caught), ["doubtful_units"])
        self.assertEqual([w.filename for w in caught], [__file__])
        self.assertIn("7800 kg/m^3", str(caught[0].message))
        self.assertIn("[doubtful_units]", str(caught[0].message))
        self.assertEqual(sim.warnings, [w.message.problem for w in caught])
        self.assertEqual(self.scene().check().warnings, sim.warnings)
        self.assertEqual(pickle.loads(pickle.dumps(caught[0].message)).problem, sim.warnings[0])

    def test_a_scene_file_tells_each_once(self):
        path = self.folder / "scene.json"
        self.scene().save(path)
        sim, caught = heard(lambda: cl.Simulation(path))
        self.assertEqual(names(caught), ["doubtful_units"])
        self.assertEqual(len(sim.warnings), 1)

    def test_the_program_gives_the_same_names(self):
        path = self.folder / "scene.json"
        path.write_text(json.dumps({"bodies": [
            {"generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]}, "kind": "rigid",
             "material": {"youngs_modulus": 1e6, "density": 7.8}, "linear_velocity": [0, 500, 0]}],
            "friction": {"coefficient": 30}}))
        told = json.loads(run_program("check", path, "--json").stdout)["warnings"]
        self.assertTrue(all(w["name"] for w in told), told)
        sim, caught = heard(lambda: cl.Simulation(path))
        self.assertEqual(names(caught), [w["name"] for w in told])
        self.assertEqual([(w.place, w.message, w.severity) for w in sim.warnings],
                         [(w["place"], w["message"], "warning") for w in told])

    def test_imported_scenes_keep_theirs(self):
        (self.folder / "cube.json").write_text(json.dumps({
            "scene_type": "distance_barrier_rb_problem", "solver": "ipc_solver", "timestep": 0.01, "max_time": 0.1,
            "colour": 3,
            "rigid_body_problem": {"gravity": [0, -9.8, 0], "rigid_bodies": [
                {"mesh": "cube.obj", "position": [0, 1, 0]}]}}))
        cl.generate("box", [1, 1, 1], [1, 1, 1]).surface().save(self.folder / "cube.obj")
        scene, loaded = heard(lambda: cl.Scene.load(self.folder / "cube.json", format="rigid-ipc"))
        self.assertTrue(loaded)
        self.assertTrue(all(names(loaded)))
        for imported in (scene, scene.copy()):
            sim, caught = heard(lambda imported=imported: cl.Simulation(imported, steps=1))
            places = [w.place for w in sim.warnings]
            self.assertEqual(len({(w.place, w.message) for w in sim.warnings}), len(sim.warnings))
            self.assertTrue({w.message.problem.place for w in loaded} <= set(places), places)
            # Scene.load has issued these; the simulation does not issue them again.
            self.assertFalse({str(w.message) for w in loaded} & {str(w.message) for w in caught})

    def test_a_mended_scene_has_no_warning(self):
        path = self.folder / "scene.json"
        box = {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]}
        body = {"kind": "affine", "generator": box, "material": {"youngs_modulus": 3e6}}
        path.write_text(json.dumps({"bodies": [body]}))
        loaded, caught = heard(lambda: cl.Scene.load(path))
        self.assertEqual(names(caught), ["doubtful_material"])
        self.assertEqual(loaded.check().warnings[0].message, loaded.warnings[0].message)
        self.assertEqual(len(loaded.check().warnings), 1)
        loaded.data["bodies"][0]["material"] = {}
        self.assertEqual(loaded.check().warnings, [])


class OfRuns(InFolder):
    def run_it(self, scene, output=None, ends=True):
        def go():
            with cl.Simulation(scene, output, threads=1) as sim:
                if ends:
                    sim.run()
                else:
                    sim.step()
            return sim

        return heard(go)

    def test_the_end_tells_the_same_with_and_without_a_folder(self):
        for scene, name in ((spinning(), "coarse_turn"), (pellet(), "impact_unresolved")):
            free, without_folder = self.run_it(scene)
            stored, with_folder = self.run_it(scene, self.folder / name)
            self.assertEqual(names(without_folder).count(name), 1, names(without_folder))
            self.assertEqual([str(w.message) for w in without_folder], [str(w.message) for w in with_folder])
            self.assertEqual(free.warnings, stored.warnings)
            self.assertEqual([w.filename for w in without_folder], [__file__] * len(without_folder))
            summary = cl.Results(self.folder / name).summary["warnings"]
            told = {(w.name, w.message) for w in free.warnings}
            self.assertTrue({(w["name"], w["message"]) for w in summary if w["name"] == name} <= told)

    def test_a_run_that_ends_early_tells_when_it_is_closed(self):
        sim, caught = self.run_it(spinning(), ends=False)
        self.assertIn("coarse_turn", names(caught))
        self.assertEqual([w.name for w in sim.warnings], names(caught))

    def test_a_pendulum_tells_of_lost_energy(self):
        scene = cl.Scene(time={"step": 0.05, "duration": 2.0})
        box = {"kind": "box", "size": [0.5, 0.05, 0.05], "resolution": [1, 1, 1]}
        scene.add_body("arm", kind="rigid", generator=box)
        scene.add_joint("axle", kind="hinge", bodies=["arm", ""], axis=[0, 0, 1], point=[-0.25, 0, 0])
        self.assertIn("energy_lost", names(self.run_it(scene)[1]))

    def test_a_step_that_cannot_be_taken_is_told(self):
        scene = drop(time={"step": 0.02, "duration": 0.1, "integrator": "quasi_static"})
        del scene.data["half_spaces"]

        def go():
            sim = cl.Simulation(scene)
            with self.assertRaises(cl.StepError) as raised:
                sim.run()
            return sim, raised.exception.report.status

        (sim, status), caught = heard(go)
        self.assertEqual(names(caught)[-1], status)
        self.assertIn("no_equilibrium", names(caught))
        self.assertEqual([w.name for w in sim.warnings], names(caught))

    def test_a_restored_state_begins_another_run(self):
        sim = cl.Simulation(spinning())
        state = sim.save_state()
        sim.step()
        self.assertTrue(sim.warnings)
        sim.restore(state)
        self.assertEqual(sim.warnings, [])

    def test_a_sound_run_is_silent(self):
        scene = drop(gravity=[0, 0, 0])
        sim, caught = self.run_it(scene, self.folder / "out")
        self.assertEqual((caught, sim.warnings), ([], []))

    def test_the_summary_has_the_threads_of_the_steps(self):
        processors = len(os.sched_getaffinity(0))
        for threads, expected in ((1, 1), (0, processors), (processors + 3, processors)):
            out = self.folder / str(threads)
            with cl.Simulation(spinning(), out, threads=threads, steps=1) as sim:
                sim.run()
            self.assertEqual(cl.Results(out).summary["threads"], expected)


class Reports(InFolder):
    def first_steps(self, scene, output):
        with cl.Simulation(scene, output) as sim:
            return [sim.step() for _ in range(5)]

    def test_reports_have_the_columns_of_the_statistics(self):
        scenes = {"spinning": spinning(output={"iterations": True}), "drop": drop(), "pellet": pellet()}
        scenes["spinning"].add_control("speed", 2.0)
        for name, scene in scenes.items():
            reports, _ = heard(lambda scene=scene, name=name: self.first_steps(scene, self.folder / name))
            steps = cl.Results(self.folder / name).steps
            for report, step in zip(reports, steps):
                self.assertEqual(report.columns, step)
                for column, value in step.items():
                    stored = getattr(report, column)
                    if column == "momentum":
                        stored = {key: list(vector) for key, vector in stored.items()}
                    self.assertEqual(np.inf if column == "min_distance" and value is None else value, stored, column)
        (free, *_), _ = heard(lambda: self.first_steps(scenes["spinning"], None))
        self.assertEqual(free.columns.keys(), cl.Results(self.folder / "spinning").steps[0].keys())
        self.assertEqual((free.frame, free.curved, free.remesh, free.parts), (None, None, {}, 1))
        self.assertEqual(free.turned["body"], "top")


class Attributes(InFolder):
    def refuses(self, thing, name, message, value=1):
        with self.assertRaisesRegex(AttributeError, message):
            setattr(thing, name, value)

    def test_what_has_no_effect_is_refused(self):
        scene = drop()
        self.refuses(scene, "friction", r'scene\.data\[.friction.\].*"coefficient": 0\.3', 0.3)
        self.refuses(scene, "warnings", "cannot be set")
        self.refuses(scene, "add_body", "is a method")
        sim = cl.Simulation(scene)
        self.refuses(sim, "gravity", r"Scene\(gravity=.*acceleration", [0, 0, 0])
        self.refuses(sim, "friction", r"scene\.data\[.friction.\]")
        for name in ("time", "positions", "warnings", "separation", "last_report", "steps_by_status"):
            self.refuses(sim, name, "Simulation." + name)
        for name in ("foo", "vertices", "kind"):
            self.refuses(sim.body("box"), name, "cannot be changed")
        self.refuses(sim.controls, "pull", r"sim\.controls\[.pull.\]")
        self.refuses(sim.mesh, "vertices", "does not change")
        self.refuses(sim.step(), "status", "")
        with cl.Simulation(scene, self.folder / "out", steps=1) as stored:
            stored.run()
        run = cl.Results(self.folder / "out")
        self.refuses(run, "folder", "cannot be set")
        self.refuses(run[0], "positions", "cannot be set")
        self.refuses(run[0], "foo", "no such attribute")

    def test_what_has_an_effect_is_allowed(self):
        class Mine(cl.Simulation):
            note = ""

        scene = drop()
        scene.data = {**scene.data, "gravity": [0, -1, 0]}
        scene.base_directory = str(self.folder)
        sim = Mine(scene)
        sim.note = sim.other = "of a user"
        self.assertEqual(sim.note, sim.other)


if __name__ == "__main__":
    unittest.main()
