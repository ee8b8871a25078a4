// `units`, `up`, `volume_mesh` and `collision_surface` of a body.
#include <gtest/gtest.h>

#include "clearance/scene/json_reader.h"
#include "clearance/scene/validate.h"

namespace clearance {
namespace {

std::vector<std::string> told(const std::string& body, const std::string& more = "") {
  Issues issues;
  const SceneDesc scene = scene_from_json(Json::parse("{" + more + "\"bodies\": [" + body + "]}"), issues);
  for (const Issue& issue : validate(scene)) issues.push_back(issue);
  std::vector<std::string> lines;
  for (const Issue& issue : issues) lines.push_back(to_string(issue));
  return lines;
}
using Lines = std::vector<std::string>;

TEST(MeshFile, UnitsUpAndVolumeMeshAreRead) {
  EXPECT_EQ(told(R"({"mesh": "part.stl", "units": "mm", "up": "z", "volume_mesh": {"edge_length": 0.01}})"), Lines{});
  EXPECT_EQ(told(R"({"mesh": "part.stl", "volume_mesh": {}})"), Lines{});
  EXPECT_EQ(told(R"({"mesh": "part.stl", "units": null, "volume_mesh": null})"), Lines{});
}

TEST(MeshFile, WrongValuesAreToldWithWhatWasExpected) {
  const Lines lines = told(R"({"mesh": "part.stl", "units": "inches", "up": "x", "volume_mesh": {"edge_length": 0}})");
  ASSERT_EQ(lines.size(), 3U) << testing::PrintToString(lines);
  EXPECT_NE(lines[0].find("bodies[0].units: "), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("mm"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("bodies[0].up: "), std::string::npos) << lines[1];
  EXPECT_EQ(lines[2], "bodies[0].volume_mesh.edge_length: must be above 0 [m] (got 0)");
}

TEST(MeshFile, OrdersAndTolerancesOfVolumeMeshesAreChecked) {
  const auto of = [](const std::string& options) {
    return told(R"({"mesh": "part.stl", "volume_mesh": )" + options + "}");
  };
  EXPECT_EQ(of(R"({"order": 3, "tolerance": 0.01})"), Lines{});
  EXPECT_EQ(of(R"({"order": 5})"), Lines{"bodies[0].volume_mesh.order: must be between 1 and 4 (got 5)"});
  EXPECT_EQ(of(R"({"order": 2, "tolerance": 0})"),
            Lines{"bodies[0].volume_mesh.tolerance: must be above 0 [1] (got 0)"});
}

TEST(CollisionSurface, InputIsTheSurfaceThatWasFilled) {
  const auto of = [](const std::string& more) { return told(R"({"mesh": "part.stl", )" + more + "}"); };
  EXPECT_EQ(of(R"("volume_mesh": {}, "collision_surface": "input")"), Lines{});
  EXPECT_EQ(of(R"("volume_mesh": {}, "collision_surface": {"input": true})"), Lines{});
  EXPECT_EQ(of(R"("collision_surface": "input")"),
            Lines{"bodies[0].collision_surface: `input` means the surface that `volume_mesh` fills, and the body has "
                  "none; add `\"volume_mesh\": {}`, or give the file of the surface as `mesh` (got input)"});
  EXPECT_EQ(of(R"("volume_mesh": {}, "collision_surface": {"input": true, "mesh": "skin.obj"})"),
            Lines{"bodies[0].collision_surface: `input` and `mesh` exclude each other; remove one of them"});
  const Lines wrong = of(R"("volume_mesh": {}, "collision_surface": "inputs")");
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_NE(wrong[0].find("did you mean `input`"), std::string::npos) << wrong[0];
}

TEST(MeshFile, KeysOfMeshFilesAreRefusedWithoutOne) {
  const std::string box = R"("generator": {"kind": "box"})";
  EXPECT_EQ(
      told("{" + box + R"(, "units": "m", "up": "z", "volume_mesh": {}})"),
      (Lines{"bodies[0].units: only a body with a `mesh` file has this key; other shapes are in the unit of the scene, "
             "with y up",
             "bodies[0].up: only a body with a `mesh` file has this key; other shapes are in the unit of the scene, "
             "with y up",
             "bodies[0].volume_mesh: only a body with a `mesh` file has this key; other shapes are in the unit of the "
             "scene, "
             "with y up"}));
  EXPECT_EQ(told(R"({"mesh": "part.obj", "up": "z"})", R"("dimension": 2, )"),
            Lines{"bodies[0].up: must be \"y\" in 2D, where z points at the reader (got \"z\")"});
}

TEST(CollisionSurface, WeightsAreThoseOfASurfaceAndOfTheMeshAsItIs) {
  const auto of = [](const std::string& surface, const std::string& more = "") {
    return told(R"({"mesh": "part.msh", "collision_surface": )" + surface + more + "}");
  };
  const std::string weighted = R"({"mesh": "skin.obj", "weights": "w.hdf5"})";
  const std::string place = "bodies[0].collision_surface.weights: ", got = " (got \"w.hdf5\")";
  EXPECT_EQ(of(weighted), Lines{});
  EXPECT_EQ(of(weighted, R"(, "array": {"counts": [2, 1, 1]}, "order": 2)"), Lines{});
  const std::string alone = "weights need a separate collision surface; give its file as `mesh`";
  EXPECT_EQ(of(R"({"weights": "w.hdf5"})"), Lines{place + alone + got});
  EXPECT_EQ(of(R"({"weights": "w.hdf5", "segments": 3})"), Lines{place + alone + got});
  EXPECT_EQ(
      of(weighted, R"(, "refinements": 1)"),
      Lines{place + "weights refer to the nodes of the mesh file, and `refinements` add nodes; remove one of the two" +
            got});
  EXPECT_EQ(
      of(weighted, R"(, "volume_mesh": {})"),
      Lines{place +
            "weights refer to the nodes of the mesh file, and `volume_mesh` makes other nodes; remove one of the two" +
            got});
  EXPECT_EQ(of(weighted, R"(, "split_components": true)"),
            Lines{"bodies[0].split_components: only stiff bodies and obstacles can be split into components; "
                  "parts of other bodies may lie apart (got true)"});
  EXPECT_EQ(of(weighted, R"(, "kind": "rigid")"),
            Lines{"bodies[0].collision_surface: only deformable bodies have a collision surface; stiff bodies and "
                  "obstacles collide with their meshes"});
}

TEST(CollisionSurface, ToleranceBesideWhatSaysItAllIsWarnedOf) {
  const auto of = [](const std::string& surface) {
    return told(R"({"mesh": "part.msh", "collision_surface": )" + surface + "}");
  };
  const std::string start = "bodies[0].collision_surface.tolerance: warning: the tolerance has no effect, because `",
                    end = "` already determines the surface (got 0.01)";
  EXPECT_EQ(of(R"({"tolerance": 0.01})"), Lines{});
  EXPECT_EQ(of(R"({"tolerance": 0.01, "segments": 3})"), Lines{start + "segments" + end});
  EXPECT_EQ(of(R"({"tolerance": 0.01, "mesh": "skin.obj"})"), Lines{start + "mesh" + end});
}

}  // namespace
}  // namespace clearance
