// Composition of PolyFEM scenes from files, and the messages for scenes that are refused.
#include <cmath>

#include "io/polyfem_support.h"

namespace clearance {
namespace {

using namespace polyfem_test;

class PolyfemFiles : public testing::Test {
 protected:
  Folder folder_;
};
using PolyfemMessages = PolyfemFiles;

TEST_F(PolyfemFiles, AreMergedIntoTheOneThatTheyName) {
  folder_.file("base/first.json", R"({"time": {"tend": 3, "dt": 0.5}, "contact": {"enabled": true, "dhat": 0.01}})");
  folder_.file("base/second.json", R"({"common": "first.json", "contact": {"dhat": 0.02}, "geometry": [)" +
                                       entry("cube.msh") + R"(], "time": {"tend": null, "time_steps": 4}})");
  const SceneDesc scene = folder_.good(std::string(R"({"common": "base/second.json", )") + material + "}");
  EXPECT_EQ(scene.time.duration, 2.0) << "null deletes";
  EXPECT_EQ(scene.contact.dhat, 0.02);
  EXPECT_TRUE(scene.contact.enabled);
  EXPECT_EQ(scene.bodies[0].mesh, "cube.msh") << "beside the scene, not beside the file that names it";
}

TEST_F(PolyfemFiles, ListsAreReplacedAndPatched) {
  folder_.file("base.json", scene_of(entry("cube.msh") + "," + entry("plate.msh")));
  const SceneDesc replaced = folder_.good(R"({"common": "base.json", "geometry": [)" + entry("plate.msh") + "]}");
  EXPECT_EQ(replaced.bodies.size(), 1u);
  const SceneDesc patched = folder_.good(R"({"common": "base.json", "patch": [
    {"op": "replace", "path": "/geometry/1/mesh", "value": "cube.msh"},
    {"op": "add", "path": "/geometry/0/n_refs", "value": 2}]})");
  EXPECT_EQ(patched.bodies[1].mesh, "cube.msh");
  EXPECT_EQ(patched.bodies[0].refinements, 2);
}

TEST_F(PolyfemFiles, OfAnotherMachineAreInTheFolderOfTheSameName) {
  const std::string name = folder_.path().filename().string();
  folder_.file("base.json", scene_of(entry("cube.msh")));
  const fs::path path =
      folder_.file("deep/er/scene.json", R"({"root_path": "/elsewhere/of/)" + name + R"(", "common": "base.json"})");
  const Result<LoadedScene> loaded = load_scene(path, SceneFormat::polyfem);
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues().front());
  EXPECT_EQ(loaded->scene.bodies.at(0).mesh, "../../cube.msh");
  // A file beside the scene goes first, and a folder that does not exist counts as none.
  folder_.file("deep/er/base.json", scene_of(entry("../../plate.msh")));
  EXPECT_EQ(load_scene(path, SceneFormat::polyfem)->scene.bodies.at(0).mesh, "../../plate.msh");
  folder_.file("deep/er/scene.json", R"({"root_path": "/elsewhere/of/nowhere/", "common": "none.json"})");
  EXPECT_FALSE(load_scene(path, SceneFormat::polyfem).has_value());
}

TEST_F(PolyfemFiles, ThatCannotBeComposedSayWhy) {
  EXPECT_EQ(folder_.problems(R"({"common": "none.json"})"),
            Lines{"common: the file does not exist; looked for none.json (got \"none.json\")"});
  EXPECT_EQ(folder_.problems(R"({"common": 3})"), Lines{"common: expected the path of a file, not a number (got 3)"});
  EXPECT_EQ(folder_.problems(R"({"common": "scene.json"})"),
            Lines{"common: there are more than 16 files, each of which names the next; check whether one names itself "
                  "(got \"scene.json\")"});
  folder_.file("base.json", scene_of(entry("cube.msh")));
  const Lines lines =
      folder_.problems(R"({"common": "base.json", "patch": [{"op": "replace", "path": "/a/b", "value": 1}]})");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("patch: the patch cannot be applied: ")) << lines[0];
}

TEST_F(PolyfemMessages, EverythingUnsupportedIsRefusedByNameAtOnce) {
  EXPECT_EQ(folder_.problems(scene_of(
                entry("cube.msh", R"("advanced": {"normalize_mesh": true}, "extract": "edges", "unit": "mm")") +
                    R"(, {"type": "mesh_sequence", "mesh_sequence": "frames", "fps": 24})",
                R"("space": {"discr_order": 5, "basis_type": "Spline", "use_p_ref": true},
      "contact": {"enabled": true, "periodic": true, "collision_mesh": {"mesh": "a.obj", "linear_map": "b.hdf5"},
                  "adhesion": {"adhesion_enabled": true}},
      "boundary_conditions": {"pressure_cavity": [{"id": 1, "value": 1}],
        "normal_aligned_neumann_boundary": [{"id": 1, "value": 1}], "periodic_boundary": {"enabled": true}},
      "initial_conditions": {"solution": [{"id": 1, "value": [1, 0, 0]}], "acceleration": [{"id": 1, "value": [1, 0, 0]}]},
      "constraints": {"hard": ["a.hdf5"], "soft": [{"weight": 1, "data": "a.hdf5"}]}, "units": {"length": "mm"},
      "solver": {"rayleigh_damping": [{"form": "elasticity"}]}, "input": {"data": {"state": "a.hdf5"}})")),
            (Lines{
                "space.discr_order: expected an order from 1 to 4 (got 5)",
                "space.basis_type: only Lagrange elements are supported (got \"Spline\")",
                "space.use_p_ref: refinement of the order is not supported yet (got true)",
                "contact.adhesion: adhesion is not supported yet (got {...})",
                "contact.periodic: periodic contact is not supported yet (got true)",
                "boundary_conditions.normal_aligned_neumann_boundary: traction along normals is not supported yet (got "
                "[... 1 entries])",
                "boundary_conditions.pressure_cavity: pressure of cavities is not supported yet (got "
                "[... 1 entries])",
                "boundary_conditions.periodic_boundary: periodic boundaries are not supported yet (got "
                "{...})",
                "initial_conditions.solution: a displacement at the start is not supported yet (got "
                "[... 1 entries])",
                "initial_conditions.acceleration: an acceleration at the start is not supported yet (got "
                "[... 1 entries])",
                "constraints.hard: linear constraints are not supported yet (got [\"a.hdf5\"])",
                "constraints.soft: soft constraints are not supported yet (got "
                "[... 1 entries])",
                "units.length: only m is supported yet (got \"mm\")",
                "solver.rayleigh_damping: Rayleigh damping is not supported yet (got [... 1 entries])",
                "input.data.state: starting from a stored state is not supported yet (got \"a.hdf5\")",
                "geometry[0].advanced: normalize_mesh is not supported yet (got {...})",
                "geometry[0].extract: only surfaces are supported yet (got \"edges\")",
                "geometry[0].unit: units of meshes are not supported yet; use `scale` (got \"mm\")",
                "geometry[1].type: only obstacles can follow a sequence of meshes (got \"mesh_sequence\")",
                "contact.collision_mesh.mesh: the mesh file does not exist (got \"a.obj\")",
            }));
}

TEST_F(PolyfemMessages, OfSequencesOfMeshes) {
  const auto of = [&](const std::string& more) {
    return folder_.problems(
        scene_of(entry("cube.msh") + R"(, {"type": "mesh_sequence", "is_obstacle": true, )" + more + "}"));
  };
  const std::string expected =
      "geometry[1].mesh_sequence: expected a folder of mesh files, a pattern such as "
      "`frames/*.obj`, or a list of files";
  EXPECT_EQ(of(R"("fps": 24)"), Lines{expected});
  EXPECT_EQ(of(R"("mesh_sequence": "none", "fps": 24)"), Lines{expected + " (got \"none\")"});
  EXPECT_EQ(of(R"("mesh_sequence": ["flat.obj", "none.obj"], "fps": 24)"),
            Lines{"geometry[1].mesh_sequence: entry 1: the mesh file does not exist (got \"none.obj\") (got "
                  "[\"flat.obj\",\"none.obj\"])"});
  EXPECT_EQ(of(R"("mesh_sequence": ["flat.obj"])"),
            Lines{"geometry[1].fps: expected the number of files of the sequence per second"});
}

TEST_F(PolyfemMessages, WhatIsSwitchedOffRuns) {
  folder_.good(scene_of(entry("cube.msh") + R"(, {"mesh": "none.msh", "enabled": false})",
                        R"("space": {"discr_order": 1, "remesh": {"enabled": false, "split": {"culling_threshold": 1}}},
      "contact": {"enabled": false, "collision_mesh": {"mesh": "a.obj"}, "adhesion": {"adhesion_enabled": true}},
      "boundary_conditions": {"rhs": [], "pressure_boundary": [], "periodic_boundary": {"enabled": false}})"));
}

TEST_F(PolyfemMessages, StiffnessOfGcpHasAnotherUnit) {
  const std::string scene = scene_of(entry("cube.msh"), R"("contact": {"enabled": true, "use_gcp_formulation": true},
      "solver": {"contact": {"barrier_stiffness": 1e4}})");
  EXPECT_EQ(
      folder_.problems(scene),
      (Lines{
          "solver.contact.barrier_stiffness: warning: PolyFEM's stiffness multiplies products of two areas, and ours "
          "the area of one, so that it cannot be converted; kappa is a tenth of Young's modulus (got 10000.0)"}));
  EXPECT_EQ(folder_.good(scene, 1).contact.kappa, 0.0);
}

TEST_F(PolyfemMessages, OptimisationsAreNoRuns) {
  EXPECT_EQ(folder_.problems(R"({"variable_to_simulation": [], "functionals": []})"),
            Lines{"the file describes an optimisation, not a simulation; `clearance optimise` reads it"});
}

TEST_F(PolyfemFiles, OfTheOldestFormAreReadAsTodaysForm) {
  folder_.file("base.json", R"({"contact": {"enabled": true}})");
  const SceneDesc scene = folder_.good(R"({"default_params": "base.json", "discr_order": 1, "tend": 2, "time_steps": 4,
    "dhat": 0.01, "mu": 0.5, "epsv": 1e-4, "friction_iterations": 3, "solver_params": {"gradNorm": 1},
    "meshes": [{"mesh": "cube.msh", "position": [1, 2, 3], "rotation": [90, 0, 0], "scale": 2, "body_id": 1}],
    "obstacles": [{"mesh": "flat.obj", "dimensions": [4, 0, 4], "displacement": ["t", 0, 0]}, {"mesh": "flat.obj"}],
    "body_params": [{"id": 1, "E": 1e6, "nu": 0.25, "rho": 12}], "boundary_sidesets": [{"id": 3, "axis": 1, "position": 1.9}],
    "problem_params": {"rhs": [0, 9.81, 0], "dirichlet_boundary": [{"id": 3, "value": [0, 0, 0]}],
                       "initial_velocity": [{"id": 1, "value": [1, 0, 0]}]}})",
                                       1);
  EXPECT_EQ(scene.time.step, 0.5);
  EXPECT_TRUE(scene.contact.enabled);
  EXPECT_EQ(scene.contact.dhat, 0.01);
  EXPECT_EQ(scene.friction.coefficient, 0.5);
  EXPECT_EQ(scene.friction.iterations, 3);
  EXPECT_EQ(scene.gravity, Vec<3>(0, -9.81, 0));
  ASSERT_EQ(scene.bodies.size(), 3u);
  EXPECT_EQ(scene.bodies[0].transform.translation, Vec<3>(1, 2, 3));
  EXPECT_EQ(scene.bodies[0].material.youngs_modulus, 1e6);
  EXPECT_EQ(scene.bodies[0].linear_velocity, Vec<3>(1, 0, 0));
  EXPECT_EQ(scene.bodies[0].motions.at(0).region.nodes.size(), 9u);
  EXPECT_EQ(scene.bodies[1].motions.at(0).displacement.value()[0], "t");
  EXPECT_TRUE(scene.bodies[2].motions.empty());
}

TEST_F(PolyfemMessages, UnknownKeysAreWarnings) {
  EXPECT_EQ(folder_.problems(scene_of(
                entry("cube.msh", R"("n_ref": 1, "#n_refs": 2, "transformation": {"translate": [0, 0, 0]})"),
                R"("contct": {}, "contact": {"enabled": true, "mu": 1}, "solver": {"contact": {"stiffness": 1}},
      "boundary_conditions": {"dirichlet_boundary": [{"id": "all", "value": [0, 0, 0], "time": 1, "dimension": [true, true, false]}]})")),
            (Lines{"contct: warning: this key is not known and has no effect; did you mean `contact`?",
                   "contact.mu: warning: this key is not known and has no effect",
                   "solver.contact.stiffness: warning: this key is not known and has no effect; did you mean "
                   "`barrier_stiffness`?",
                   "geometry[0].n_ref: warning: this key is not known and has no effect; did you mean `n_refs`?",
                   "boundary_conditions.dirichlet_boundary[0].time: warning: this key is not known and has no effect; "
                   "did you mean `time_reference`?",
                   "geometry[0].transformation.translate: warning: this key is not known and has no effect; did you "
                   "mean `translation`?"}));
}

TEST_F(PolyfemMessages, OfGeometryNamePlaceValueAndWhatWasExpected) {
  EXPECT_EQ(
      folder_.problems(scene_of(entry("cube.msh") + "," + entry("none.msh") + R"(, {"volume_selection": 1})" + "," +
                                entry("cube.msh", R"("n_refs": -1)") + "," +
                                entry("cube.msh", R"("transformation": {"rotation": [1, 2]})") + "," +
                                entry("cube.msh", R"("transformation": {"scale": [1, 2]})") + "," +
                                entry("cube.msh", R"("transformation": {"translation": "up"})") + "," +
                                entry("cube.msh", R"("type": "mesh_array", "array": {"size": [2, 0, 1]})") + "," +
                                entry("cube.msh", R"("transformation": {"rotation": [0, 0, 0, 0],
                                                            "rotation_mode": "quaternion"})") +
                                "," + entry("flat.obj", R"("is_obstacle": true, "surface_selection": [1])"))),
      (Lines{"geometry[1].mesh: the mesh file does not exist; looked for none.msh (got \"none.msh\")",
             "geometry[2].mesh: expected the path of a mesh", "geometry[3].n_refs: must be between 0 and 8 (got -1)",
             "geometry[4].transformation.rotation: expected 3 numbers for rotation_mode xyz, not 2 (got [1,2])",
             "geometry[5].transformation.scale: this transformation flattens the mesh (got [1,2])",
             "geometry[6].transformation.translation: expected up to 3 numbers (got \"up\")",
             "geometry[7].array.size: expected 3 numbers of copies, each at least 1 (got [2,0,1])",
             "geometry[8].transformation.rotation: must not be zero (got [0,0,0,0])",
             "geometry[9].surface_selection: expected one number, for the whole surface of the obstacle (got [1])"}));
}

TEST_F(PolyfemMessages, OfSelections) {
  const auto of = [&](const std::string& selection) {
    return folder_.problems(scene_of(entry("cube.msh", R"("surface_selection": )" + selection)));
  };
  EXPECT_EQ(of(R"("ids.txt")"),
            Lines{"geometry[0].surface_selection: selections from files are not supported yet (got \"ids.txt\")"});
  EXPECT_EQ(
      of(R"([{"id": 1, "file": "ids.txt"}])"),
      Lines{"geometry[0].surface_selection[0].file: selections from files are not supported yet (got \"ids.txt\")"});
  EXPECT_EQ(
      of(R"([{"id": 1, "axis": 4}])"),
      Lines{"geometry[0].surface_selection[0].axis: expected an axis, 1 to 3 or -1 to -3, or a name such as `x` or "
            "`-x` (got 4)"});
  EXPECT_EQ(
      of(R"([{"id": 1, "box": [[0, 0], [1, 1, 1]]}])"),
      Lines{"geometry[0].surface_selection[0].box: expected two corners of 3 numbers each (got [[0,0],[1,1,1]])"});
  EXPECT_EQ(of(R"([{"axis": 1, "position": 0}, {"id": 2}])"),
            (Lines{"geometry[0].surface_selection[0].id: expected the number to give to the selection",
                   "geometry[0].surface_selection[1]: expected a selection: box, axis, center, p1 and p2, or normal"}));
}

TEST_F(PolyfemMessages, OfConditions) {
  const auto of = [&](const std::string& condition) {
    return folder_.problems(
        scene_of(entry("cube.msh", sides), R"("boundary_conditions": {"dirichlet_boundary": )" + condition + "}"));
  };
  const std::string at = "boundary_conditions.dirichlet_boundary[0].";
  EXPECT_EQ(of(R"([{"id": 4, "value": [0, "foo(t) + 1", 0]}])"),
            Lines{at + "value[1]: this is not a formula: unknown name `foo` at character 1 (got \"foo(t) + 1\")"});
  EXPECT_EQ(of(R"([{"id": 4, "value": 0}])"), Lines{at + "value: expected 3 numbers or formulas (got 0)"});
  EXPECT_EQ(of(R"([{"id": 4, "value": [0, 0]}])"),
            Lines{at + "value: warning: the list has 2 of 3 values; the others are set to 0 (got [0,0])"});
  EXPECT_EQ(
      of(R"([{"id": 4, "value": [[0, 1], 0, 0]}])"),
      Lines{at + "value[0]: lists of values need `time_reference`, the times of their entries; values per element "
                 "are not supported (got [0,1])"});
  EXPECT_EQ(
      of(R"([{"id": 4, "value": [{"file_name": "a.py", "function_name": "f"}, true, {"value": 1, "unit": "mile"}]}])"),
      (Lines{at + "value[0]: the value calls a Python function, which is not supported (got "
                  "{...})",
             at + "value[1]: expected a number, a formula or {value, unit} (got true)",
             at + "value[2].unit: the unit `mile` is not known (got {...})"}));
  EXPECT_EQ(of(R"([{"id": 4, "value": [[0, 1, 2], 0, 0], "time_reference": [0, 1]}])"),
            Lines{at + "value[0]: expected as many numbers as `time_reference` has times (2) (got [0,1,2])"});
  EXPECT_EQ(of(R"([{"id": 4, "value": [[0, 1], 0, 0], "time_reference": [1, 0]}])"),
            Lines{at + "time_reference: expected times, each later than the one before (got [1,0])"});
  EXPECT_EQ(of(R"([{"id": "top", "value": [0, 0, 0], "dimension": [true, 1, false]}])"),
            (Lines{at + "id: expected a number or a list of numbers (got \"top\")",
                   at + "dimension: expected 3 times true or false (got [true,1,false])"}));
  EXPECT_EQ(of(R"([{"id": 99, "value": [0, 0, 0]}])"),
            Lines{at + "id: warning: this entry has no effect, because no face or node has this number"});
  EXPECT_EQ(of("3"), Lines{"boundary_conditions.dirichlet_boundary: expected a list of objects, not a number (got 3)"});
}

TEST_F(PolyfemMessages, OfTimeContactAndMaterials) {
  const auto of = [&](const std::string& time, const std::string& materials) {
    return folder_.problems(R"({"geometry": )" + entry("cube.msh") + R"(, "time": )" + time + R"(, "materials": )" +
                            materials + R"(, "contact": {"enabled": true, "dhat": -1, "epsv": "x"},
      "solver": {"contact": {"barrier_stiffness": "stiff"}, "nonlinear": {"max_iterations": 0}},
      "output": {"paraview": {"skip_frame": 0}}})");
  };
  EXPECT_EQ(
      of(R"({"tend": 1})", R"([{"id": 1, "type": "NeoHookean", "E": 1e5, "nu": 0.5, "phi": 1}])"),
      (Lines{"time: expected two of `tend`, `dt` and `time_steps`",
             "materials[0].phi: viscous damping is not supported yet (got 1)",
             "materials[0].nu: must be between -1 and 0.5, both excluded (got 0.5)",
             "geometry.volume_selection: no material has the number 0, which the body has",
             "contact.dhat: must be above 0 (got -1)",
             "solver.contact.barrier_stiffness: expected a number or `adaptive` (got \"stiff\")",
             "contact.epsv: must be a number; values that vary in space or time are not supported yet (got \"x\")",
             "solver.nonlinear.max_iterations: must be at least 1 (got 0)",
             "output.paraview.skip_frame: must be at least 1 (got 0)"}));
  const Lines lines = of(R"({"tend": 1, "dt": 0.1, "integrator": "BDF3"})", R"({"type": "MooneyRivlin"})");
  EXPECT_EQ(lines[0], "time.integrator: the integrator BDF3 is not supported yet (got \"BDF3\")");
  EXPECT_EQ(lines[1], "materials.type: the material MooneyRivlin is not supported yet (got \"MooneyRivlin\")");
}

}  // namespace
}  // namespace clearance
