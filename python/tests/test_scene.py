import os
import unittest
from pathlib import Path

import numpy as np

import clearance as cl
from support import InFolder, bar, drop


def problems_of(scene):
    try:
        scene.check()
    except cl.SceneError as error:
        return {p.place: p for p in error.problems if p.severity == "error"}
    return {}


class Problems(InFolder):
    def test_all_at_once_with_their_places(self):
        scene = cl.Scene(time={"stepp": 0.01}, gravity=[0, float("nan"), 0])
        scene.add_body("a", vertices=[[0, 0, 0]], tets=[[0, 1, 2, 3]], material={"density": -1})
        places = problems_of(scene)
        self.assertEqual(set(places), {"gravity[1]"})  # a value that is no scene at all is reported first
        scene.data["gravity"] = [0, -9.8, 0]
        places = problems_of(scene)
        self.assertLessEqual({"time.stepp", "bodies[0].material.density"}, set(places))
        self.assertIn("step", places["time.stepp"].message)
        del scene.data["time"], scene.data["bodies"][0]["material"]
        self.assertEqual(set(problems_of(scene)), {"bodies[0].geometry.tets[0][1]"})

    def test_arrays_of_wrong_shape_or_type(self):
        vertices, tets = bar()
        cases = {
            "vertices": [vertices.tolist()[:3] + [[0, 0]], vertices[:, :1], vertices.ravel(), "abc", None and 0,
                         np.full_like(vertices, np.inf), vertices.astype(complex), [object()]],
            "tets": [tets.astype(float), tets[:, :3], tets.ravel(), tets - 1, tets.astype(np.int64) + 2**40,
                     [["a", "b", "c", "d"]]],
        }
        for key, values in cases.items():
            for value in values:
                if value is None:
                    continue
                scene = cl.Scene()
                scene.add_body("bar", **{"vertices": vertices, "tets": tets, key: value})
                places = problems_of(scene)
                self.assertTrue(places, (key, value))
                self.assertTrue(all(p.startswith(f"bodies[0].geometry.{key}") for p in places), places)
        scene = cl.Scene()
        scene.add_body("sheet", kind="rigid", vertices=[[0, 0], [1, 0], [0, 1]], triangles=[[0, 1, 2]])
        self.assertIn("dimension=2", problems_of(scene)["bodies[0].geometry.vertices"].message)
        with self.assertRaisesRegex(TypeError, "Scene"):
            cl.Simulation({"bodies": []})
        with self.assertRaises(TypeError):
            cl.Scene().add_body("bar", tets=tets)
        with self.assertRaises(TypeError):
            cl.Scene().add_body("bar", mesh=cl.Mesh(vertices, tets=tets), vertices=vertices)

    def test_values_that_no_scene_holds(self):
        scene = cl.Scene(time={"step": lambda: 0}, friction={3: 4})
        loop = []
        loop.append(loop)
        scene.data["gravity"] = loop
        places = problems_of(scene)
        self.assertIn("function", places["time.step"].value)
        self.assertIn("friction", places)
        self.assertTrue(any("nested" in p.message for p in places.values()))

    def test_inverted_tets_are_named(self):
        vertices, tets = bar()
        scene = cl.Scene()
        scene.add_body("bar", vertices=vertices, tets=np.vstack([tets[:1, [1, 0, 2, 3]], tets[1:]]))
        with self.assertRaisesRegex(cl.SceneError, "bar"):
            scene.check()

    def test_a_mesh_that_is_not_there(self):
        scene = cl.Scene(base_directory=self.folder)
        scene.add_body("a", mesh="none.msh")
        self.assertIn("bodies[0].mesh", problems_of(scene))

    def test_bodies_that_meet(self):
        scene = drop()
        scene.add_body("other", generator={"kind": "sphere", "size": [0.05]}, transform={"translation": [0, 0.1, 0]})
        with self.assertRaises(cl.SceneError):
            cl.Simulation(scene)

    def test_problems_have_text(self):
        problem = cl.Problem("a.json", "time.step", "-1", "expected above 0")
        self.assertEqual(str(problem), "a.json: time.step: expected above 0 (got -1)")


class Building(InFolder):
    def test_numpy_values_are_values(self):
        scene = drop(time={"step": np.float32(0.5), "duration": np.int64(1)}, gravity=np.array([0.0, -1.0, 0.0]))
        scene.data["contact"] = {"enabled": np.bool_(True)}
        self.assertEqual(scene.check().numbers["steps"], 2)

    def test_a_scene_saved_and_loaded_is_the_same(self):
        vertices, tets = bar()
        scene = drop()
        scene.add_body("bar", vertices=vertices, tets=tets, transform={"translation": [0, 1, 0]})
        scene.save(self.folder / "scene.json")
        loaded = cl.Scene.load(self.folder / "scene.json", set=["time.duration=0.1"])
        self.assertEqual(loaded.data["time"]["duration"], 0.1)
        hashes = {cl.Simulation(s, steps=3).run().state_hash for s in (scene, loaded, scene.copy())}
        self.assertEqual(len(hashes), 1)
        self.assertEqual(cl.Simulation(self.folder / "scene.json", steps=3).run().state_hash, hashes.pop())

    def test_what_is_given_is_not_kept(self):
        material = {"density": 500}
        scene = cl.Scene()
        body = scene.add_body("a", generator={"kind": "box"}, material=material)
        material["density"] = -1
        self.assertEqual(body["material"]["density"], 500)
        body["material"]["density"] = 700
        self.assertEqual(scene.data["bodies"][0]["material"]["density"], 700)

    def test_bare_surfaces_are_filled(self):
        if "CLEARANCE_MESH" not in os.environ:
            self.skipTest("built without CGAL")
        cl.generate("sphere", 0.1, 3).surface().save(self.folder / "ball.stl")
        scene = cl.Scene(time={"step": 0.01, "duration": 0.02})
        scene.add_body("ball", mesh=self.folder / "ball.stl", volume_mesh={"edge_length": 0.03})
        sim = cl.Simulation(scene).run()
        self.assertGreater(len(sim.mesh.tets), 50)

    def test_probes_and_attachments_have_the_defaults_of_scene_files(self):
        scene = cl.Scene(time={"step": 0.01, "duration": 0.02})
        scene.add_body("cube", generator={"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]})
        scene.add_probe("top", body="cube", point=[0, 0.05, 0])
        scene.add_attachment("pin", body="cube", region={"box": [[-1, 0.049, -1], [1, 1, 1]]})
        sim = cl.Simulation(scene).run()
        self.assertIn("top.y [m]", sim.probes)
        self.assertLess(abs(sim.probes["top.y [m]"] - 0.05), 1e-4)

    def test_overlaps_are_separated(self):
        scene = cl.Scene(start={"overlaps": "separate"}, gravity=[0, 0, 0])
        box = {"kind": "box", "size": [1, 1, 1], "resolution": [1]}
        scene.add_body("a", kind="rigid", generator=box)
        scene.add_body("b", generator=box, transform={"translation": [0.9, 0, 0]})
        sim = cl.Simulation(scene)
        self.assertEqual([o["bodies"] for o in sim.separation["overlaps"]], [("a", "b")])
        self.assertAlmostEqual(sim.separation["overlaps"][0]["depth"], 0.1, places=3)
        gap = sim.positions[sim.body("b").vertices, 0].min() - sim.positions[sim.body("a").vertices, 0].max()
        self.assertGreater(gap, 0.0)
        self.assertLess(gap, 0.003)

    def test_warnings(self):
        scene = drop()
        scene.data["bodies"][0]["material"] = {"youngs_modulus": 2.1e5, "density": 7850, "poisson_ratio": 0.49999}
        self.assertTrue(scene.check().warnings)
        self.assertTrue(cl.Simulation(scene).warnings)

    def test_bodies(self):
        scene = drop()
        scene.add_body("post", kind="obstacle", generator={"kind": "box", "size": [0.1, 0.1, 0.1], "is_surface": True},
                       transform={"translation": [3, 1, 0]}, array={"counts": [2, 1, 1], "spacing": [1, 1, 1]})
        sim = cl.Simulation(scene)
        self.assertEqual([b.name for b in sim.bodies], ["box", "post[0]", "post[1]"])
        self.assertEqual([b.kind for b in sim.bodies], ["deformable", "obstacle", "obstacle"])
        self.assertEqual(sum(len(sim.positions[b.vertices]) for b in sim.bodies), len(sim.positions))
        with self.assertRaisesRegex(KeyError, "there are box"):
            sim.body("post")

    def test_rods_and_shells_from_arrays(self):
        scene = cl.Scene(time={"step": 0.01, "duration": 0.01})
        scene.add_body("wire", kind="rod", thickness=0.01, material={"youngs_modulus": 1e7},
                       geometry={"vertices": [[0, 0, 0], [0.1, 0, 0], [0.2, 0.1, 0]], "edges": [[0, 1], [1, 2]]})
        scene.add_body("sheet", kind="shell", thickness=0.01, material={"youngs_modulus": 1e7},
                       geometry={"vertices": [[0, 1, 0], [0.1, 1, 0], [0, 1, 0.1]], "triangles": [[0, 1, 2]]})
        scene.check()

    def test_wrong_arguments(self):
        for call in (lambda: cl.Simulation(3), lambda: cl.Simulation(drop(), threads=-1),
                     lambda: cl.Simulation(drop(), threads=1.5), lambda: cl.Simulation(drop(), steps="3"),
                     lambda: cl.Simulation(drop(), resume=True), lambda: cl.Scene.load(self.folder, set="a=b"),
                     lambda: cl.Scene.load("a.json", format="obj"), lambda: cl.Simulation(drop()).step(3)):
            with self.assertRaises((TypeError, ValueError)):
                call()
        with self.assertRaises(cl.SceneError):
            cl.Simulation(Path(self.folder) / "none.json")


class Meshes(InFolder):
    def test_round_trip(self):
        mesh = cl.generate("sphere", 0.5, 3)
        mesh.save(self.folder / "ball.msh")
        again = cl.read_mesh(self.folder / "ball.msh")
        self.assertTrue(np.array_equal(mesh.vertices, again.vertices))
        self.assertTrue(np.array_equal(mesh.tets, again.tets))
        surface = mesh.surface()
        self.assertEqual(len(surface.tets), 0)
        a, b, c = np.moveaxis(surface.vertices[surface.triangles], 1, 0)
        volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
        p = mesh.vertices[mesh.tets]
        of_tets = np.linalg.det(p[:, 1:] - p[:, :1]).sum() / 6
        self.assertAlmostEqual(volume, of_tets, places=12)

    def test_problems(self):
        with self.assertRaises(cl.MeshError):
            cl.read_mesh(self.folder / "none.msh")
        (self.folder / "bad.obj").write_text("v 0 0\nf 1 2 3\n")
        with self.assertRaises(cl.MeshError) as raised:
            cl.read_mesh(self.folder / "bad.obj")
        self.assertIn("line 2", raised.exception.problems[0].place)
        with self.assertRaises(cl.MeshError):
            cl.Mesh([[0, 0, 0]], triangles=[[0, 1, 2]])
        with self.assertRaises(cl.MeshError):
            cl.Mesh([[0, 0, 0]], points=[3])
        with self.assertRaises(cl.SceneError):
            cl.generate("box", [-1, 1, 1])
        with self.assertRaises(cl.SceneError):
            cl.generate("cube", [1, 1, 1])


if __name__ == "__main__":
    unittest.main()
