// Warnings of probable mistakes: for each, one scene gets it and another, little different, does not.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "clearance/io/scene_reader.h"
#include "clearance/simulation/simulation.h"

namespace clearance {
namespace {

/// Returns the warnings and errors about a scene, one line each.
std::vector<std::string> told(const std::string& json, const std::string& folder = ".") {
  const Result<LoadedScene> loaded = load_scene_text(json, "scene", folder, {});
  std::vector<std::string> lines;
  for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
  if (!loaded) return lines;
  const Result<Simulation> simulation = Simulation::create(loaded->scene);
  for (const Issue& issue : simulation.issues()) lines.push_back(to_string(issue));
  if (simulation) {
    for (const Issue& issue : simulation->warnings()) {
      EXPECT_EQ(issue.severity, Severity::warning);
      lines.push_back(to_string(issue));
    }
  }
  return lines;
}

std::string bodies(const std::string& list, const std::string& more = "") {
  return "{" + more + "\"bodies\": [" + list + "]}";
}
std::string box(const std::string& size, const std::string& more, const std::string& resolution = "[2, 2, 2]") {
  return R"({"generator": {"kind": "box", "size": )" + size + R"(, "resolution": )" + resolution + "}" + more + "}";
}

/// Expects one line, with the place and all phrases.
void expect_told(const std::vector<std::string>& lines, const std::string& place,
                 const std::vector<std::string>& phrases) {
  ASSERT_EQ(lines.size(), 1u) << testing::PrintToString(lines);
  EXPECT_NE(lines[0].find(place + ": warning: "), std::string::npos) << lines[0];
  for (const std::string& phrase : phrases) EXPECT_NE(lines[0].find(phrase), std::string::npos) << phrase << lines[0];
}
void expect_nothing(const std::vector<std::string>& lines) {
  EXPECT_EQ(lines, std::vector<std::string>{});
}

/// A probe at a point 15 m away followed the nearest vertex in silence.
TEST(ProbeHints, TellOfAPointFarFromItsBody) {
  const auto probed = [](const std::string& point) {
    return told(bodies(box("[0.1, 0.1, 0.1]", R"(, "name": "b")"), R"("output": {"probes": [
      {"name": "q", "body": "b", "point": )" + point + "}]}, "));
  };
  expect_told(probed("[9, 9, 9]"), "output.probes[0].point", {"[9, 9, 9]", "15.5 m away, at (0.05, 0.05, 0.05)"});
  expect_nothing(probed("[0.05, 0.04, 0.06]"));
}

/// A folder with mesh files.
class MeshHints : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("clearance_hints_" + std::to_string(getpid()) + "_" +
                                                        testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  /// Writes a file in the format of Gmsh 2.2; nodes and elements are numbered from 1.
  void write_tets(const std::vector<std::string>& nodes, const std::vector<std::string>& tets) const {
    std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string(nodes.size()) + "\n";
    for (std::size_t i = 0; i < nodes.size(); ++i) text += std::to_string(i + 1) + " " + nodes[i] + "\n";
    text += "$EndNodes\n$Elements\n" + std::to_string(tets.size()) + "\n";
    for (std::size_t i = 0; i < tets.size(); ++i) text += std::to_string(i + 1) + " 4 2 0 1 " + tets[i] + "\n";
    write("mesh.msh", text + "$EndElements\n");
  }
  std::vector<std::string> told_of(const std::string& body) const { return told(bodies(body), folder_.string()); }

  std::filesystem::path folder_;
  // Two tetrahedra with one face.
  const std::vector<std::string> nodes_ = {"0 0 0", "1 0 0", "0 1 0", "0 0 1", "0 0 -1"};
  const std::vector<std::string> tets_ = {"1 2 3 4", "1 3 2 5"};
  const std::string body_ = R"({"name": "pair", "mesh": "mesh.msh", "self_contact": false})";
};

// --- bodies inside of other ones ---

const std::string small_inside = box("[0.2, 0.2, 0.2]", R"(, "name": "pip")");

TEST(Speed, BodyThatMovesByItsSizeInAStepIsToldWithAStepThatWouldDo) {
  const auto scene = [](double speed) {
    return bodies(box("[0.1, 0.1, 0.1]", R"(, "name": "ball", "transform": {"translation": [-1, 0, 0]},
                      "linear_velocity": [)" +
                                             std::to_string(speed) + ", 0, 0]") +
                      ", " + box("[0.1, 0.1, 0.1]", ""),
                  R"("time": {"step": 0.01}, "gravity": [0, 0, 0], )");
  };
  expect_told(told(scene(20.0)), "bodies[0].linear_velocity", {"'ball' moves 0.2 m", "1.2 times", "at most 0.00087"});
  expect_nothing(told(scene(8.0)));
}

TEST(Masses, ThatDoNotFitTheShapeAreTold) {
  const auto given = [](const std::string& more) {
    return told(bodies(box("[0.1, 0.1, 0.1]", R"(, "name": "cube", "kind": "rigid", "mass": 1, )" + more, "[1]")));
  };
  expect_told(given(R"("center_of_mass": [3, 0, 0])"), "bodies[0].center_of_mass", {"'cube'", "2.95 m outside"});
  expect_nothing(given(R"("center_of_mass": [0.1, 0, 0])"));
  expect_told(given(R"("inertia": {"moments": [1000, 1000, 1000]})"), "bodies[0].inertia", {"1 kg", "38.7 m"});
  expect_told(given(R"("inertia": {"moments": [1e-9, 1e-9, 1e-9]})"), "bodies[0].inertia", {"3.87e-05 m"});
  expect_nothing(given(R"("inertia": {"moments": [0.001, 0.001, 0.001]})"));
}

/// A force of half a step acted for none or a whole one, in silence.
TEST(Loads, OfLessThanAFewStepsAreTold) {
  const auto pushed = [](const std::string& time) {
    return told(
        bodies(box("[0.1, 0.1, 0.1]",
                   R"(, "kind": "rigid", "loads": [{"kind": "force", "value": [1, 0, 0], )" + time + "}]", "[1]"),
               R"("time": {"step": 0.01, "duration": 1}, )"));
  };
  const std::string place = "bodies[0].loads[0]";
  expect_told(pushed(R"("start": 0.001, "end": 0.005)"), place, {"0 steps of 0.01 s", "is 0 times"});
  expect_told(pushed(R"("end": 0.005)"), place, {"1 step of 0.01 s", "is 2 times", "step of 0.00025 s"});
  expect_told(pushed(R"("end": 0.045)"), place, {"5 steps", "is 1.1 times"});
  expect_nothing(pushed(R"("end": 0.04)"));
  expect_nothing(pushed(R"("start": 0.2, "end": 0.515)"));
  expect_nothing(pushed(R"("start": 0.5)"));
}

TEST(FastTurns, OfDrivesAndMotionsAreTold) {
  // A drive of a whole turn a step moves nothing, and an obstacle that turns by 180 degrees passes through a post.
  const auto driven = [](const std::string& drive, const std::string& time) {
    return told(fmt::format(R"({{"gravity": [0, 0, 0], "time": {}, "bodies": [{{"kind": "rigid", "name": "arm",
      "generator": {{"kind": "box"}}}}], "joints": [{{"kind": "hinge", "bodies": ["arm", ""], "axis": [0, 0, 1],
      "drive": "{}"}}]}})",
                            time, drive));
  };
  const std::string dynamic = R"({"step": 0.01, "duration": 0.1})";
  expect_told(driven("36000 * t", dynamic), "joints[0].drive", {"by 360 degrees", "at most 0.00016 s"});
  expect_nothing(driven("2000 * t", dynamic));
  const std::string statics = R"({"step": 1, "duration": 4, "integrator": "quasi_static"})";
  expect_told(driven("270 * t", statics), "joints[0].drive", {"by 270 degrees"});
  const auto turned = [](double rate) {
    return told(fmt::format(R"({{"time": {{"step": 0.01}}, "bodies": [{{"kind": "obstacle", "name": "blade",
      "generator": {{"kind": "box"}}, "motions": [{{"angular_velocity": [0, {}, 0]}}]}},
      {{"kind": "rigid", "generator": {{"kind": "box"}}, "transform": {{"translation": [0, 5, 0]}}}}]}})",
                            rate));
  };
  expect_told(turned(18000), "bodies[0].motions[0].angular_velocity", {"'blade'", "by 180 degrees"});
  expect_nothing(turned(720));
}

TEST(Enclosure, BodyInsideOfASolidIsToldWithItsPlace) {
  expect_told(told(bodies(small_inside + "," + box("[1, 1, 1]", R"(, "name": "apple")"))), "bodies[0].transform",
              {"'pip'", "entirely inside body 'apple'", "near (-0.1, -0.1, -0.1)", "collision_group"});
}

TEST(Enclosure, BodyBesideASolidOrOfItsGroupIsNot) {
  expect_nothing(told(bodies(small_inside + "," + box("[1, 1, 1]", R"(, "transform": {"translation": [1, 0, 0]})"))));
  const std::string group = R"(, "collision_group": 1)";
  expect_nothing(told(bodies(box("[0.2, 0.2, 0.2]", group) + "," + box("[1, 1, 1]", group))));
}

TEST(Enclosure, BodyInTheHoleOfARingIsNot) {
  const std::string ring = R"({"generator": {"kind": "torus", "size": [0.5, 0.1], "resolution": [12, 2]}})";
  expect_nothing(told(bodies(box("[0.1, 0.1, 0.1]", "") + "," + ring)));
}

TEST(Enclosure, BodyInsideOfAClosedObstacleIsToldAndInAnOpenOneNot) {
  const std::string closed = box("[1, 1, 1]", R"(, "kind": "obstacle", "name": "block")");
  expect_told(told(bodies(small_inside + "," + closed)), "bodies[0].transform", {"'pip'", "'block'"});
  const std::string bowl = R"({"kind": "obstacle", "generator": {"kind": "bowl", "size": [1, 1], "resolution": [6]}})";
  const std::string sunk = box("[0.2, 0.2, 0.2]", R"(, "transform": {"translation": [0, -0.4, 0]})");
  expect_nothing(told(bodies(sunk + "," + bowl)));
}

TEST_F(MeshHints, BodyInsideOfAnObstacleThatPointsInwardsIsNot) {
  const std::string vertices = "v -1 -1 -1\nv 3 -1 -1\nv -1 3 -1\nv -1 -1 3\n";
  const std::string inside = "," + box("[0.2, 0.2, 0.2]", "");
  const std::string wall = R"({"kind": "obstacle", "mesh": "wall.obj"})";
  write("wall.obj", vertices + "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n");
  expect_nothing(told_of(wall + inside));
  write("wall.obj", vertices + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  expect_told(told_of(wall + inside), "bodies[1].transform", {"entirely inside"});
}

TEST(Enclosure, CopiesInOneBodyAreOneWarning) {
  const std::string three = box("[0.1, 0.1, 0.1]", R"(, "array": {"counts": [3, 1, 1], "spacing": [0.2, 1, 1]})");
  expect_told(told(bodies(three + "," + box("[2, 1, 1]", ""))), "bodies[0].transform", {"(and 2 more bodies)"});
}

TEST(Enclosure, DiskInAnAreaOfThePlaneIsTold) {
  const std::string disk = R"({"name": "disk", "generator": {"kind": "disk", "size": [0.1], "resolution": [2]}})";
  const auto plate = [](const std::string& more) {
    return R"({"generator": {"kind": "rectangle", "size": [1, 1], "resolution": [2, 2]})" + more + "}";
  };
  expect_told(told(bodies(disk + "," + plate(""), R"("dimension": 2, )")), "bodies[0].transform", {"'disk'", "inside"});
  expect_nothing(
      told(bodies(disk + "," + plate(R"(, "transform": {"translation": [1, 0, 0]})"), R"("dimension": 2, )")));
}

// --- meshes ---

TEST_F(MeshHints, VertexWithoutElementIsToldWithItsNumber) {
  write_tets({"0 0 0", "1 0 0", "0 1 0", "0 0 1", "7 8 9"}, {"1 2 3 4"});
  expect_told(told_of(body_), "bodies[0].mesh",
              {"'pair'", "vertex 4 (counted from 0)", "belongs to no element", "(7, 8, 9)"});
}

TEST_F(MeshHints, PointsBesideTrianglesAreToldAndLeftOut) {
  const std::string tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const std::string stone = R"({"name": "stone", "kind": "affine", "mesh": "stone.obj"})";
  write("stone.obj", tetrahedron + "v 2 3 4\nv 5 5 5\n");
  expect_told(told_of(stone), "bodies[0].mesh",
              {"'stone'", "2 of the 6 vertices of its mesh", "number 4", "(2, 3, 4)"});
  write("stone.obj", tetrahedron);
  expect_nothing(told_of(stone));
  // Points beside edges are a part of the body.
  write("stone.obj", "v 0 0 0\nv 1 0 0\nl 1 2\nv 2 3 4\n");
  expect_told(told_of(stone), "bodies[0].mesh", {"'stone'", "1 lone point beside its edges", "number 2", "(2, 3, 4)"});
}

TEST_F(MeshHints, ConformingMeshHasNoSeam) {
  write_tets(nodes_, tets_);
  expect_nothing(told_of(body_));
}

TEST_F(MeshHints, VerticesInOnePlaceAreToldAsASeam) {
  // The second tetrahedron has vertices of its own for the face that both should share; one of them is off by 1e-10.
  write_tets({"0 0 0", "1 0 0", "0 1 0", "0 0 1", "0 0 -1", "0 0 0", "1.0000000001 0 0", "0 1 0"},
             {"1 2 3 4", "6 8 7 5"});
  expect_told(told_of(body_), "bodies[0].mesh", {"3 vertices", "0 and 5", "(0, 0, 0)", "merge"});
}

TEST_F(MeshHints, SeamIsToldBesideTheErrorThatItCauses) {
  write_tets({"0 0 0", "1 0 0", "0 1 0", "0 0 1", "0 0 -1", "0 0 0", "1 0 0", "0 1 0"}, {"1 2 3 4", "6 8 7 5"});
  const std::vector<std::string> lines = told_of(R"({"mesh": "mesh.msh"})");
  ASSERT_EQ(lines.size(), 2u) << testing::PrintToString(lines);
  EXPECT_NE(lines[0].find("intersects itself"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("in the same place as another one"), std::string::npos) << lines[1];
}

TEST_F(MeshHints, HangingNodeInAnEdgeIsTold) {
  // The lower half is cut in two at the middle of the edge from (0, 0, 0) to (1, 0, 0), the upper one is not.
  write_tets({"0 0 0", "1 0 0", "0 1 0", "0 0 1", "0 0 -1", "0.5 0 0"}, {"1 2 3 4", "1 3 6 5", "6 3 2 5"});
  expect_told({told_of(body_).back()}, "bodies[0].mesh",
              {"1 hanging node", "vertex 5 (counted from 0)", "(0.5, 0, 0)", "conforming"});
}

TEST_F(MeshHints, HangingNodeInAFaceIsTold) {
  write_tets({"0 0 0", "3 0 0", "0 3 0", "0 0 1", "0 0 -1", "1 1 0"}, {"1 2 3 4", "1 3 6 5", "6 3 2 5", "1 6 2 5"});

  expect_told({told_of(body_).back()}, "bodies[0].mesh", {"1 hanging node", "vertex 5 (counted from 0)", "(1, 1, 0)"});
}

TEST_F(MeshHints, JunctionInTheSurfaceOfAStiffBodyIsClosedAndTold) {
  // A tetrahedron with a vertex in the middle of an edge that only one of its two triangles uses.
  const std::string vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.5 0 0\n";
  for (const char* kind : {"rigid", "affine"}) {
    const std::string stone = std::string(R"({"name": "stone", "kind": ")") + kind + R"(", "mesh": "stone.obj"})";
    write("stone.obj", vertices + "f 1 3 5\nf 5 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    // (The stone weighs as a solid, so that no message mentions sheets.)
    expect_told(told_of(stone), "bodies[0].mesh", {"'stone'", "1 edge of its surface was split", "hanging nodes"});
    write("stone.obj", vertices + "f 1 3 5\nf 5 3 2\nf 1 5 4\nf 5 2 4\nf 1 4 3\nf 2 3 4\n");
    expect_nothing(told_of(stone));
  }
}

TEST_F(MeshHints, NodeBesideAnEdgeOfAStiffBodyLeavesItOpen) {
  const std::string stone = R"({"name": "stone", "kind": "rigid", "mesh": "stone.obj"})";
  write("stone.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.5 -0.001 0\nf 1 3 5\nf 5 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  expect_told(told_of(stone), "bodies[0].mesh", {"3 edges are not closed", "that of a sheet"});
}

TEST_F(MeshHints, CornersThatTrianglesDoNotShareAreNoSeamOfAStiffBody) {
  write("stone.obj",
        "v 0 0 0\nv 0 1 0\nv 1 0 0\nv 0 0 0\nv 1 0 0\nv 0 0 1\nv 0 0 0\nv 0 0 1\nv 0 1 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
        "f 1 2 3\nf 4 5 6\nf 7 8 9\nf 10 11 12\n");
  expect_nothing(told_of(R"({"kind": "affine", "mesh": "stone.obj"})"));
}

// --- activation distances ---

TEST(ActivationDistance, LostInRoundingIsTold) {
  const auto cube = [](const std::string& dhat, const std::string& more = "") {
    return bodies(box("[1, 1, 1]", more, "[4, 4, 4]"),
                  R"("contact": {"dhat_is_absolute": true, "formulation": "gcp", "dhat": )" + dhat + "}, ");
  };
  expect_told(told(cube("1e-15")), "contact.dhat", {"coordinates of up to 0.5 m", "1e-15 m", "at least 5e-11 m"});
  expect_nothing(told(cube("0.2")));
  expect_nothing(told(cube("1e-9")));
}

TEST(ActivationDistance, OfSeveralEdgesIsToldWhereItRepelsAtRest) {
  const auto cube = [](const std::string& formulation, const std::string& more = "") {
    return bodies(box("[1, 1, 1]", more, "[20, 20, 20]"),
                  R"("contact": {"dhat_is_absolute": true, "dhat": 0.25, "formulation": ")" + formulation + "\"}, ");
  };
  for (const std::string formulation : {"ipc", "convergent"}) {
    expect_told(told(cube(formulation)), "contact.dhat",
                {"edges of 0.05 m, which is less than a third of dhat = 0.25 m", "'" + formulation + "'", "'gcp'"});
  }
  expect_nothing(told(cube("gcp")));
  expect_nothing(told(cube("ipc", R"(, "kind": "rigid")")));
}

TEST(ActivationDistance, WhatRepelsAtRestIsNamed) {
  const auto cubes = [](const std::string& height) {
    return bodies(box("[1, 1, 1]", R"(, "name": "low")") + "," +
                      box("[1, 1, 1]", R"(, "name": "high", "transform": {"translation": [0, )" + height + "]}"),
                  R"("contact": {"dhat_is_absolute": true, "dhat": 0.01, "formulation": "gcp"}, )");
  };
  expect_told(told(cubes("1.000001, 0")), "contact.dhat", {"'high' and 'low' are 1e-06 m apart at rest"});
  expect_nothing(told(cubes("1.001, 0")));
}

// --- units ---

TEST(Units, KilometresAndMicrometresAreTold) {
  const auto cube = [](const std::string& size) { return bodies(box("[" + size + "," + size + "," + size + "]", "")); };
  expect_told(told(cube("2000")), "bodies[0].generator", {"with a size of 2000 m", "millimetres", "transform.scale"});
  const std::string small = box("[1e-6, 1e-6, 1e-6]", "");
  expect_told(told(bodies(small, R"("gravity": [0, 0, 0], )")), "bodies[0].generator",
              {"with a size of 1e-06 m", "hundredth of a millimetre"});
  expect_nothing(told(cube("2")));
  expect_nothing(told(cube("2e-3")));
}

TEST(Units, LargeObstaclesAreFloors) {
  expect_nothing(told(bodies(box("[1, 1, 1]", R"(, "transform": {"translation": [0, 2, 0]})") + "," +
                             box("[5000, 1, 5000]", R"(, "kind": "obstacle")"))));
}

TEST(Units, MassOfAPartInMillimetresIsTold) {
  const std::string part = box("[100, 80, 60]", "");
  expect_told(told(bodies(part)), "bodies[0].material.density", {"4.8e+08 kg", "millimetres"});
  expect_nothing(told(bodies(part, R"("gravity": [0, 0, 0], )")));
  expect_nothing(told(bodies(box("[100, 80, 60]", R"(, "transform": {"scale": 0.001})"))));
}

TEST(Units, AnglesInRadiansAreTold) {
  const auto turned = [](const std::string& y) {
    return bodies(box("[1, 1, 1]", R"(, "transform": {"rotation": [0, )" + y + ", 0]}"));
  };
  expect_told(told(turned("1.5708")), "bodies[0].transform.rotation",
              {"1.5708 looks like pi / 2", "degrees", "write 90"});
  expect_told(told(turned("-0.785")), "bodies[0].transform.rotation", {"-0.785 looks like -pi / 4", "write -45"});
  for (const char* angle : {"0", "1.5", "3", "30", "1.6", "90"}) expect_nothing(told(turned(angle)));
}

TEST(Units, BodyBesideOneAThousandTimesAsLargeIsTold) {
  const std::string small = box("[0.01, 0.01, 0.01]", R"(, "transform": {"translation": [0, 5.01, 0]})");
  const std::string large = box("[10, 10, 10]", R"(, "name": "hall")");
  expect_told(told(bodies(small + "," + large)), "bodies[0].generator",
              {"'hall'", "10 m", "both meshes are in metres"});
  const std::string far = box("[0.01, 0.01, 0.01]", R"(, "transform": {"translation": [0, 9, 0]})");
  expect_nothing(told(bodies(far + "," + large)));
}

TEST(Units, DensityInGramsPerCubicCentimetreIsTold) {
  const auto cube = [](const std::string& density, const std::string& modulus, const std::string& more = "") {
    return bodies(box("[0.1, 0.1, 0.1]",
                      R"(, "material": {"density": )" + density + R"(, "youngs_modulus": )" + modulus + "}" + more));
  };
  const std::string place = "bodies[0].material.density";
  expect_told(
      told(cube("7.8", "2.1e11")), place,
      {"a density of 7.8 kg/m^3", "look like 2.1e+11 Pa and 7.8 g/cm^3", "which are 2.1e+11 Pa and 7800 kg/m^3"});
  expect_told(told(cube("1.2", "1e6")), place, {"lighter than foam", "1.2 kg/m^3", "(1.2 g/cm^3 is 1200)", "m/s"});
  expect_told(told(cube("7.8", "1e5", R"(, "kind": "affine")")), place, {"lighter than foam", "`mass`"});
  // Sound is slow in foam and silica aerogel; a hollow body follows.
  expect_nothing(told(cube("15", "5e6")));
  expect_nothing(told(cube("3", "2e4")));
  expect_nothing(told(cube("7.8", "1e5", R"(, "kind": "affine", "mass": 0.01)")));
}

/// A wire of 1 m and ten segments, or a sheet.
std::string wire(const std::string& more, const std::string& thickness = "0.001") {
  return bodies(R"({"name": "wire", "kind": "rod", "thickness": )" + thickness +
                R"(, "generator": {"kind": "line", "size": [1], "resolution": [10]})" + more + "}");
}
std::string sheet(const std::string& more, const std::string& thickness = "0.001") {
  return bodies(R"({"name": "sheet", "kind": "shell", "thickness": )" + thickness +
                R"(, "generator": {"kind": "sheet", "size": [1, 1], "resolution": [4, 4]})" + more + "}");
}

TEST(Units, OfShellsAndRodsAreTold) {
  for (const auto& body : {wire, sheet}) {
    const auto told_of = [&](const char* density, const char* modulus) {
      return told(
          body(fmt::format(R"(, "material": {{"density": {}, "youngs_modulus": {}}})", density, modulus), "0.001"));
    };
    expect_told(told_of("7.85", "200"), "bodies[0].material", {"look like 200 GPa and 7.85 g/cm^3"});
    expect_told(told_of("7850", "2.1e5"), "bodies[0].material.youngs_modulus", {"metal or stone", "2.1e+11"});
    expect_nothing(told_of("470", "8e5"));
  }
  // A chain has no modulus.
  expect_nothing(told(wire(R"(, "material": {"density": 7850, "youngs_modulus": 2.1e5},
    "rod": {"stretching_stiffness": 100, "bending_stiffness": [1e-3, 1e-3], "twisting_stiffness": 1e-3})")));
}

TEST(Units, OfThicknessesAreTold) {
  expect_told(told(wire("", "1e-9")), "bodies[0].thickness", {"'wire' is 1 m long", "another unit", "got 1e-09"});
  expect_told(told(wire("", "0.8")), "bodies[0].thickness", {"another unit"});
  expect_nothing(told(wire("", "1e-5")));
}

TEST(Units, OfCurvaturesAndLimitsOfStrainAreTold) {
  expect_told(told(wire(R"(, "rod": {"natural_curvature": [3000, 4000], "up": [0, 1, 0]})")),
              "bodies[0].rod.natural_curvature",
              {"bends at rest by 500 rad from one segment of 0.1 m to the next", "0.0002 m"});
  expect_told(told(wire(R"(, "rod": {"natural_twist": 1e5})")), "bodies[0].rod.natural_twist",
              {"twisted at rest by 175 rad"});
  expect_told(told(sheet(R"(, "shell": {"strain_limit": 1e-9})")), "bodies[0].shell.strain_limit", {"(0.05 is 5 %)"});
  expect_nothing(told(wire(R"(, "rod": {"natural_curvature": [10, 0], "natural_twist": 360, "up": [0, 1, 0]})")));
  expect_nothing(told(sheet(R"(, "shell": {"strain_limit": 0.01})")));
}

TEST(Units, MaterialsInOtherSystemsOfUnitsAreTold) {
  const auto cube = [](const std::string& density, const std::string& modulus, const std::string& more = "") {
    return bodies(box("[0.1, 0.1, 0.1]",
                      R"(, "material": {"density": )" + density + R"(, "youngs_modulus": )" + modulus + "}" + more));
  };
  expect_told(told(cube("7.8", "210")), "bodies[0].material",
              {"look like 210 GPa and 7.8 g/cm^3", "which are 2.1e+11 Pa and 7800 kg/m^3"});
  expect_told(told(cube("2.7", "70")), "bodies[0].material", {"70 GPa and 2.7 g/cm^3"});
  expect_told(told(cube("1.2", "3.2")), "bodies[0].material", {"3.2e+09 Pa and 1200 kg/m^3"});
  expect_told(
      told(cube("7.85e-9", "210000")), "bodies[0].material",
      {"look like 210000 MPa and 7.85e-09 t/mm^3", "which are 2.1e+11 Pa and 7850 kg/m^3", "lengths are in mm"});
  expect_told(told(cube("7.85e-6", "210")), "bodies[0].material",
              {"look like 210 GPa and 7.85e-06 kg/mm^3", "which are 2.1e+11 Pa and 7850 kg/m^3", "lengths are in mm"});
  expect_told(told(cube("7850", "210")), "bodies[0].material.youngs_modulus",
              {"look like 210 GPa and 7850 kg/m^3", "which are 2.1e+11 Pa and 7850 kg/m^3"});
  // Foams, gels and soft tissue; stiff bodies, whose modulus does not count.
  for (const auto& [density, modulus] :
       {std::pair("20", "1e5"), std::pair("9", "1e5"), std::pair("10", "2e3"), std::pair("1000", "100"),
        std::pair("1000", "1e4"), std::pair("1100", "1e6")}) {
    expect_nothing(told(cube(density, modulus)));
  }
  expect_told(told(cube("7850", "210", R"(, "kind": "affine")")), "bodies[0].material.youngs_modulus", {"no effect"});
}

TEST(Units, ModulusOfAMetalInMegapascalsIsTold) {
  const auto cube = [](const std::string& density, const std::string& modulus) {
    return bodies(
        box("[0.1, 0.1, 0.1]", R"(, "material": {"density": )" + density + R"(, "youngs_modulus": )" + modulus + "}"));
  };
  const std::string place = "bodies[0].material.youngs_modulus";
  expect_told(told(cube("7800", "210000")), place, {"7800 kg/m^3", "210000 Pa", "5.2 m/s", "210000 MPa is 2.1e+11"});
  expect_told(told(cube("2700", "70000")), place, {"5.1 m/s"});
  expect_told(told(cube("2400", "30000")), place, {"3.5 m/s"});
  expect_nothing(told(cube("7800", "2.1e11")));
  expect_nothing(told(cube("1000", "30000")));
  expect_nothing(told(cube("10000", "50000")));
}
TEST(Units, ModulusInMegapascalsIsTold) {
  const auto cube = [](const std::string& more, const std::string& modulus) {
    return bodies(box("[1, 1, 1]", R"(, "material": {"youngs_modulus": )" + modulus + "}"), more);
  };
  expect_told(told(cube("", "200")), "bodies[0].material.youngs_modulus",
              {"crushed by its own weight", "9.81e+03 Pa", "200 Pa", "1 MPa is 1e+06"});
  expect_nothing(told(cube("", "1e4")));
  expect_nothing(told(cube(R"("gravity": [0, 0, 0], )", "200")));
}

// --- quasi-static runs ---

const std::string quasi_static = R"("time": {"integrator": "quasi_static"}, )";
const std::string held = R"(, "motions": [{"region": {"box": [[-1, -1, -1], [1, -0.4, 1]]}}])";

TEST(Units, BodyAHundredMillionTimesLighterThanItsNeighbourIsTold) {
  const auto scene = [](const std::string& density) {
    return bodies(box("[1, 1, 1]", R"(, "name": "anvil", "kind": "rigid", "material": {"density": 1e4})") + "," +
                      box("[0.1, 0.1, 0.1]",
                          R"(, "kind": "rigid", "transform": {"translation": [0, 0.6, 0]}, "material": {"density": )" +
                              density + "}"),
                  "");
  };
  expect_told(told(scene("3")), "bodies[1].material.density", {"lighter than foam"});
  const auto lines = told(scene("3e-2"));
  ASSERT_EQ(lines.size(), 2U) << testing::PrintToString(lines);
  EXPECT_NE(lines[1].find("beside body 'anvil' of 1e+04 kg"), std::string::npos) << lines[1];
}

TEST(Units, BodyThatPassesFarInAStepIsTold) {
  const auto scene = [](const std::string& velocity) {
    return bodies(box("[1, 1, 1]", R"(, "kind": "rigid", "linear_velocity": [0, 0, )" + velocity + "]"),
                  R"("time": {"step": 0.01}, )");
  };
  expect_told(told(scene("5000")), "bodies[0].linear_velocity",
              {"50 m in every step", "50 times its size", "0.0002 s"});
  expect_nothing(told(scene("2000")));
}

TEST(Units, AbsoluteReachOfTheBarrierBeyondABodyIsTold) {
  const auto scene = [](const std::string& contact) {
    return bodies(box("[0.2, 0.2, 0.2]", R"(, "kind": "rigid", "name": "cube")"), R"("contact": {)" + contact + "}, ");
  };
  expect_told(told(scene(R"("dhat": 0.5, "dhat_is_absolute": true)")), "contact.dhat",
              {"below 0.5 m", "size of body 'cube' is only 0.2 m"});
  expect_nothing(told(scene(R"("dhat": 5e-4, "dhat_is_absolute": true)")));
}

/// Returns a square without one of its edges, or with all.
std::string outline(const std::string& edges, const std::string& more = "") {
  return R"({"dimension": 2, "bodies": [{"kind": "rigid", "geometry": {"vertices": [[0, 0], [1, 0], [1, 1], [0, 1]],
             "edges": [[0, 1], [1, 2], [2, 3])" +
         edges + "]}" + more + "}]}";
}

TEST(StiffMasses, OutlineThatIsOpenIsTold) {
  expect_told(told(outline("")), "bodies[0].geometry", {"2 vertices are not", "(0, 0, 0)", "that of a wire, 42.4 kg"});
  expect_nothing(told(outline(", [3, 0]")));
  expect_nothing(told(outline("", R"(, "thickness": 0.01)")));
  expect_nothing(told(outline("", R"(, "mass": 2)")));
}

TEST(StiffMasses, ThicknessOfASolidIsTold) {
  expect_told(told(outline(", [3, 0]", R"(, "thickness": 0.01)")), "bodies[0].thickness", {"is solid"});
}

TEST(Supports, FreeBodyInAQuasiStaticRunIsTold) {
  expect_told(told(bodies(box("[1, 1, 1]", R"(, "name": "raft")"), quasi_static)), "bodies[0].motions",
              {"'raft'", "undetermined", "dhat"});
  expect_nothing(told(bodies(box("[1, 1, 1]", ""))));
  expect_nothing(told(bodies(box("[1, 1, 1]", held), quasi_static)));
}

TEST(Supports, BodyOnAHeldBodyIsNotFree) {
  const auto upper = [](const std::string& y) {
    return "," + box("[1, 1, 1]", R"(, "name": "lid", "transform": {"translation": [0, )" + y + ", 0]}");
  };
  expect_nothing(told(bodies(box("[1, 1, 1]", held) + upper("1.001"), quasi_static)));
  expect_told(told(bodies(box("[1, 1, 1]", held) + upper("1.1"), quasi_static)), "bodies[1].motions", {"'lid'"});
}

TEST(Supports, BodyOnAJointIsNotFree) {
  const std::string arm = box("[1, 0.2, 0.2]", R"(, "name": "arm", "kind": "affine")");
  const std::string joint = R"("joints": [{"kind": "hinge", "bodies": ["arm", ""], "axis": [0, 0, 1]}], )";
  expect_told(told(bodies(arm, quasi_static)), "bodies[0].motions", {"'arm'"});
  expect_nothing(told(bodies(arm, quasi_static + joint)));
}

TEST(Supports, GravityThatDrawsBodiesTowardsNoHalfSpaceIsTold) {
  const std::string raised = R"(, "name": "crate", "transform": {"translation": [0, 2, 0]})";
  const std::string ball = box("[1, 1, 1]", raised);
  const std::string along = R"("gravity": [0, 0, -9.81], "half_spaces": [{}], )";
  expect_told(told(bodies(ball, along)), "gravity",
              {"'crate' falls for ever", "[0, 0, -9.81]", "half_spaces[0]", "a gravity of [0, -9.81, 0]",
               "the normal [0, 0, 1]"});
  // A ceiling holds nothing either.
  expect_told(told(bodies(ball, R"("half_spaces": [{"point": [0, 9, 0], "normal": [0, -1, 0]}], )")), "gravity",
              {"falls for ever"});
  expect_nothing(told(bodies(ball, R"("half_spaces": [{}], )")));
  expect_nothing(told(bodies(ball, R"("half_spaces": [{"normal": [1, 3, 0]}], )")));
  // A box with side walls and a floor; free flight; a body that is held, and one that is thrown at a wall.
  expect_nothing(told(bodies(ball, R"("half_spaces": [{}, {"point": [-9, 0, 0], "normal": [1, 0, 0]}], )")));
  expect_nothing(told(bodies(ball, R"("gravity": [0, 0, -9.81], )")));
  expect_nothing(told(
      bodies(box("[1, 1, 1]", raised + R"(, "motions": [{"region": {"box": [[-1, 1, -1], [1, 1.6, 1]]}}])"), along)));
  expect_nothing(told(
      bodies(box("[1, 1, 1]", R"(, "linear_velocity": [0, -3, 0], "transform": {"translation": [0, 2, 0]})"), along)));
}

TEST(Joints, PointFarFromBothBodiesIsTold) {
  const auto pair = [](const std::string& kind, const std::string& point, const std::string& axis = "[0, 1, 0]") {
    const std::string stiff = R"(, "kind": "rigid", "name": )";
    return told(bodies(box("[0.1, 0.1, 0.1]", stiff + "\"a\"") + "," +
                           box("[0.1, 0.1, 0.1]", stiff + R"("b", "transform": {"translation": [5, 0, 0]})"),
                       R"("gravity": [0, 0, 0], "joints": [{"name": "pin", "kind": ")" + kind +
                           R"(", "bodies": ["a", "b"], "point": )" + point + R"(, "axis": )" + axis + "}], "));
  };
  expect_told(pair("hinge", "[250, 0, 0]"), "joints[0].point", {"'pin'", "245 m away", "'a' and 'b'"});
  expect_told(pair("ball", "[0, 250, 0]"), "joints[0].point", {"'pin'"});
  expect_told(pair("hinge", "[45, 0, 0]"), "joints[0].point", {"'pin'"});
  // A point between two bodies, a long arm, any point of a hinge's axis, and sliders.
  expect_nothing(pair("hinge", "[2.5, 0, 0]"));
  expect_nothing(pair("hinge", "[25, 0, 0]"));
  expect_nothing(pair("hinge", "[2.5, 250, 0]"));
  expect_nothing(pair("slider", "[250, 0, 0]"));
}

// --- locking ---

TEST(Locking, BeamOfOneElementIsTold) {
  const std::string size = "[1, 0.1, 0.1]";
  expect_told(told(bodies(box(size, R"(, "name": "beam")", "[10, 1, 1]"))), "bodies[0].generator",
              {"'beam'", "1 m long", "0.1 m thin", "single linear element", "four to nine"});
  expect_nothing(told(bodies(box(size, "", "[10, 2, 2]"))));
  expect_nothing(told(bodies(box("[0.3, 0.1, 0.1]", "", "[3, 1, 1]"))));
  expect_nothing(told(bodies(box(size, R"(, "kind": "affine")", "[10, 1, 1]"))));
}

TEST(Locking, BeamOfLongElementsIsTold) {
  const std::string beam = R"({"name": "beam", "generator": {"kind": "box", "size": [1, 0.1, 0.1]}})";
  expect_told(told(bodies(beam)), "bodies[0].generator",
              {"'beam'", "0.1 m thin", "0.25 m long along it", "about 8.4 times too stiff", "about 1.4 times"});
  expect_nothing(told(bodies(box("[1, 0.1, 0.1]", "", "[20, 2, 2]"))));
}

TEST(Locking, LinearElementsThatMayYieldAreTold) {
  const auto block = [](const std::string& more) {
    return bodies(box("[1, 1, 1]", more + R"(, "material": {"yield_stress": 1e4})", "[3, 3, 3]"));
  };
  expect_told(told(block(R"(, "name": "lump")")), "bodies[0].generator",
              {"'lump'", "may yield", "linear elements", "`\"order\": 2`"});
  expect_nothing(told(block(R"(, "order": 2)")));
}

TEST(Locking, TurnedBeamIsToldToo) {
  const std::string turned = R"(, "transform": {"rotation": [20, 30, 40]})";
  expect_told(told(bodies(box("[1, 0.1, 0.16]", turned, "[10, 1, 1]"))), "bodies[0].generator", {"0.1 m thin"});
}

TEST(Locking, ElementsThatAreSplitWhereTheyBendAreToldWithWhatIsLeft) {
  const auto beam = [](const std::string& remesh) {
    return bodies(box("[1, 0.1, 0.1]", R"(, "remesh": )" + remesh, "[10, 1, 1]"),
                  R"("time": {"step": 0.01, "mass": "consistent"}, "contact": {"formulation": "convergent"}, )");
  };
  expect_told(told(beam("{}")), "bodies[0].generator",
              {"elements adapt", "relative_gain of 0.0001", "a tenth too little"});
  expect_nothing(told(beam(R"({"relative_gain": 1e-5})")));
  expect_nothing(told(beam(R"({"gain": 1e-5})")));
  expect_told(told(beam(R"({"split": false})")), "bodies[0].generator", {"single linear element"});
  expect_told(told(beam(R"({"enabled": false})")), "bodies[0].generator", {"single linear element"});
}

/// `check` estimated the error of the elements at the start, and advised an order that `remesh` refuses.
TEST(Locking, ElementsThatAdaptAreNotJudgedByThoseOfTheStart) {
  for (const char* length : {"10", "20"}) {
    const std::string scene =
        bodies(box(fmt::format("[{}, 1, 1]", length), R"(, "remesh": {}, "material": {"youngs_modulus": 1e7},
          "motions": [{"region": {"frame": "body", "box": [[0, 0, 0], [0, 1, 1]]}}],
          "loads": [{"kind": "force", "value": [0, -1, 0], "region": {"frame": "body", "box": [[1, 0, 0], [1, 1, 1]]}}])",
                   fmt::format("[{}, 1, 1]", length)),
               R"("gravity": [0, 0, 0], "time": {"step": 1, "integrator": "quasi_static", "mass": "consistent"},
           "contact": {"formulation": "convergent"}, )");
    expect_told(told(scene), "bodies[0].generator", {"elements adapt", "a tenth of that gain"});
  }
}

TEST(Locking, ThinRingIsTold) {
  const auto ring = [](const std::string& tube) {
    return bodies(R"({"generator": {"kind": "link", "size": [1, 0.6, 0.03], "resolution": [8, )" + tube + "]}}");
  };
  // A link's wire has a vertex in its middle from one ring of segments on: never a single element.
  expect_nothing(told(ring("1")));
  const std::string ribbon = R"({"generator": {"kind": "blocks", "size": [0.1, 0.05, 0.1], "blocks": [
    [[0, 0, 0], [1, 0.05, 0.1]], [[0, 0, 0.1], [0.05, 0.05, 1]], [[0.05, 0, 0.9], [1, 0.05, 1]],
    [[0.95, 0, 0.1], [1, 0.05, 0.9]]]}})";
  expect_told(told(bodies(ribbon)), "bodies[0].generator", {"single linear element"});
}

TEST(Locking, ClothThatHangsAnywayIsNotTold) {
  const auto mat = [](const std::string& stiffness) {
    return bodies(R"({"generator": {"kind": "mat", "size": [1, 0.01, 1], "resolution": [10, 1, 10]}, "material":
      {"youngs_modulus": )" +
                  stiffness + "}}");
  };
  expect_nothing(told(mat("1e4")));
  expect_told(told(mat("1e9")), "bodies[0].generator", {"single linear element"});
}

TEST(Locking, PoissonRatioNearOneHalfIsTold) {
  const auto cube = [](const std::string& ratio) {
    return bodies(box("[1, 1, 1]", R"(, "material": {"poisson_ratio": )" + ratio + "}"));
  };
  expect_told(told(cube("0.49")), "bodies[0].material.poisson_ratio", {"0.49", "lock", "3.1 times", "0.45"});
  expect_nothing(told(cube("0.45")));
}

// --- bending of bodies that are held and loaded: what it shows is how stiff their elements are ---

/// Returns a beam of 0.1 m, held at its left end, with 2 x 2 cells across.
std::string held_beam(
    const std::string& more, const std::string& resolution = "[20, 2, 2]",
    const std::string& scene =
        R"("gravity": [0, 0, 0], "time": {"integrator": "quasi_static"}, "static": {"quadratic_elements": 0}, )") {
  return bodies(box("[0.1, 0.01, 0.01]",
                    R"(, "name": "beam", "material": {"youngs_modulus": 1e6, "poisson_ratio": 0.3},
      "motions": [{"region": {"frame": "body", "box": [[-1, -1, -1], [0.001, 2, 2]]}}])" +
                        more,
                    resolution),
                scene);
}
std::string load(const std::string& kind, const std::string& value) {
  return R"(, "loads": [{"kind": ")" + kind +
         R"(", "region": {"frame": "body", "box": [[0.999, -1, -1], [2, 2, 2]]}, )" + value + "}]";
}
const char* const pressed_below = R"~(, "loads": [{"kind": "pressure", "pressure": "50 * min(1, t)",
    "region": {"frame": "body", "box": [[-1, -1, -1], [2, 0.001, 2]]}}])~";

TEST(CoarseElements, BeamThatIsHeldAndLoadedIsToldWithItsErrorAndOrderTwo) {
  for (const std::string& how :
       {std::string(pressed_below), load("force", R"("value": [0, -1e-3, 0])"),
        load("force", R"("expression": ["0", "-1e-3 * t", "0"])"), load("traction", R"("value": [0, 0, 10])"),
        std::string(R"(, "loads": [{"kind": "acceleration", "value": [0, 0, 1]}])")}) {
    expect_told(told(held_beam(how)), "bodies[0].generator",
                {"'beam'", "too coarse elements", "% too small", "one linear solve", "order"});
  }
}

TEST(CoarseElements, BeamThatSagsUnderItsWeightIsTold) {
  expect_told(told(held_beam("", "[20, 2, 2]", "")), "bodies[0].generator", {"about 2 times"});
}

TEST(CoarseElements, ColumnThatIsAboutToBuckleIsTold) {
  // Euler's load is 0.206 N.
  expect_told(told(held_beam(load("force", R"("value": [-0.1, 0, 0])"))), "bodies[0].generator", {"about 2 times"});
  expect_nothing(told(held_beam(load("force", R"("value": [-0.01, 0, 0])"))));
}

TEST(CoarseElements, BeamBetweenEndsThatMoveApartSidewaysIsTold) {
  const auto moved = [](const std::string& displacement) {
    return bodies(
        box("[0.1, 0.01, 0.01]",
            R"(, "motions": [
        {"region": {"frame": "body", "box": [[-1, -1, -1], [0.001, 2, 2]]}},
        {"region": {"frame": "body", "box": [[0.999, -1, -1], [2, 2, 2]]}, "displacement": )" +
                displacement + "}]",
            "[20, 2, 2]"),
        R"("gravity": [0, 0, 0], "time": {"integrator": "quasi_static"}, "static": {"quadratic_elements": 0}, )");
  };
  expect_told(told(moved(R"(["0", "0.01 * t", "0"])")), "bodies[0].generator", {"times too stiff"});
  expect_nothing(told(moved(R"(["0.01 * t", "0", "0"])")));
}

TEST(CoarseElements, StripInThePlaneIsTold) {
  const std::string strip =
      R"({"dimension": 2, "gravity": [0, 0], "time": {"integrator": "quasi_static"}, "static": {"quadratic_elements": 0}, "bodies": [
      {"generator": {"kind": "rectangle", "size": [1, 0.1], "resolution": [20, 2]},
       "motions": [{"region": {"frame": "body", "box": [[-1, -1], [0.001, 2]]}}],
       "loads": [{"kind": "force", "value": [0, -1], "region": {"frame": "body", "box": [[0.999, -1], [2, 2]]}}]}]})";
  expect_told(told(strip), "bodies[0].generator", {"% too small", "order"});
}

TEST(CoarseElements, WhatDoesNotBendIsNotTold) {
  expect_nothing(told(held_beam("")));                                      // nothing acts on it
  expect_nothing(told(held_beam(load("force", R"("value": [1, 0, 0])"))));  // pulled
  expect_nothing(told(held_beam(R"(, "order": 2)" + std::string(pressed_below))));
  expect_nothing(told(held_beam(pressed_below, "[60, 12, 12]")));
  // A cube, and a pad that is held on its whole side, cannot buckle.
  expect_nothing(told(bodies(box("[1, 1, 1]", R"(, "motions": [{"region": {"frame": "body", "box": [[-1, -1, -1],
      [2, 0.001, 2]]}}], "loads": [{"kind": "force", "value": [1, 0, 0]}])"))));
  expect_nothing(told(bodies(box("[1, 0.1, 1]", R"(, "motions": [{"region": {"frame": "body", "box": [[-1, -1, -1],
      [2, 0.001, 2]]}}], "loads": [{"kind": "force", "value": [0, 1, 0]}])",
                                 "[10, 2, 10]"),
                             R"("gravity": [0, 0, 0], )")));
  // A tube is under pressure from all sides.
  expect_nothing(told(held_beam(R"(, "loads": [{"kind": "pressure", "pressure": "50"}])")));
}

TEST(CoarseElements, AreNamedForTheEndOfTheRun) {
  const Result<LoadedScene> loaded = load_scene_text(held_beam(pressed_below), "scene", ".", {});
  const Result<Simulation> simulation = Simulation::create(loaded->scene);
  ASSERT_EQ(simulation->named_warnings().size(), 1u);
  EXPECT_EQ(simulation->named_warnings()[0].name, "coarse_elements");
  EXPECT_EQ(to_string(simulation->named_warnings()[0].issue), to_string(simulation->warnings()[0]));
}

TEST(Names, EveryWarningHasOneInSnakeCase) {
  const std::string scene = bodies(
      box("[0.1, 0.1, 0.1]", R"(, "material": {"density": 7.8, "youngs_modulus": 210}, "linear_velocity": [0, 1e4, 0],
        "loads": [{"kind": "force", "value": [0, 1, 0], "region": {"box": [[5, 5, 5], [6, 6, 6]]}}])") +
          "," + box("[0.1, 0.1, 0.1]", R"(, "kind": "affine", "material": {"model": "st_venant_kirchhoff"},
        "transform": {"translation": [0, 1, 0]})"),
      R"("friction": {"coefficient": 30}, )");
  const Result<LoadedScene> loaded = load_scene_text(scene, "scene", ".", {});
  const Result<Simulation> simulation = Simulation::create(loaded->scene);
  ASSERT_TRUE(simulation.has_value());
  const NamedHints merged = merge_warnings(loaded->warnings, simulation->named_warnings());
  EXPECT_EQ(merged.size(), simulation->warnings().size());  // the checks of the file come again
  std::set<std::string> names;
  for (const NamedHint& hint : merged) {
    EXPECT_FALSE(hint.name.empty()) << to_string(hint.issue);
    EXPECT_EQ(hint.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string::npos) << hint.name;
    names.insert(hint.name);
  }
  for (const char* name :
       {"doubtful_units", "doubtful_speed", "doubtful_friction", "empty_region", "doubtful_material"}) {
    EXPECT_TRUE(names.contains(name)) << name << " is not among " << testing::PrintToString(names);
  }
}

// --- gaps that contact keeps ---

/// Returns a soft block of 0.1 m above the floor whose top is pressed down.
std::string pressed_block(const std::string& gap, const std::string& way, const std::string& formulation) {
  return R"({"gravity": [0, 0, 0], "time": {"integrator": "quasi_static", "step": 0.25, "duration": 1},
      "contact": {"gap_tolerance": 0, "formulation": ")" +
         formulation + R"("}, "half_spaces": [{"point": [0, -)" + gap +
         R"(, 0]}], "bodies": [{"name": "block", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [4, 4, 4]},
      "transform": {"translation": [0, 0.05, 0]}, "motions": [{"region": {"frame": "body", "box": [[-1, 0.999, -1], [2, 2, 2]]},
      "displacement": ["0", "-)" +
         way + R"( * t", "0"]}]}]})";
}

// A gasket squeezed by 10 % was 18 % too stiff: dhat is 9 % of its thickness, and a gap is kept above and below.
TEST(ContactGap, WhatIsSqueezedBetweenTwoKeepsTwoGaps) {
  const auto gasket = [](const std::string& dhat, const std::string& floor) {
    return told(
        R"({"dimension": 2, "gravity": [0, 0], "time": {"step": 0.25, "duration": 1, "integrator": "quasi_static"},
      "contact": {"gap_tolerance": 0, "dhat": )" +
        dhat + R"(}, "bodies": [{"name": "gasket", "generator": {"kind": "rectangle", "size": [0.02, 0.002],
        "resolution": [40, 4]}, "material": {"youngs_modulus": 3e6, "poisson_ratio": 0.4}},
      {"name": "top", "kind": "obstacle", "generator": {"kind": "rectangle", "size": [0.03, 0.002], "resolution": [1]},
        "transform": {"translation": [0, 0.00202]}, "motions": [{"displacement": ["0", "-0.00024 * t"]}]}],
      "half_spaces": [{"point": [0, )" +
        floor + "]}]}");
  };
  expect_told(gasket("1e-3", "-0.00102"), "contact.dhat", {"'top' and 'gasket'", "a gap of up to 4e-05 m", "18 %"});
  for (const std::vector<std::string>& lines : {gasket("1e-4", "-0.00102"), gasket("1e-3", "-0.01")}) {
    for (const std::string& line : lines) EXPECT_EQ(line.find("are pressed together"), std::string::npos) << line;
  }
}

TEST(ContactGap, BodiesThatStartWithinDhatUnderConvergentAreToldWithTheirPush) {
  const std::vector<std::string> lines = told(pressed_block("1e-6", "0.01", "convergent"));
  expect_told(lines, "contact.dhat",
              {"'block' and half_spaces[0]", "1e-06 m apart", "0.000173 m", "push", "N from the first"});
  expect_nothing(told(pressed_block("1e-6", "0.01", "ipc")));
  expect_nothing(told(pressed_block("1e-3", "0.01", "convergent")));
}

TEST(ContactGap, BodiesOfEveryKindOrderAndDimensionThatStartWithinDhatUnderConvergentAreTold) {
  const auto body = [](const std::string& name, const std::string& kind, const std::string& y, int dim,
                       const std::string& more = "") {
    return R"({"name": ")" + name + R"(", "kind": ")" + kind + R"(", "generator": )" +
           (dim == 3 ? R"({"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]})"
                     : R"({"kind": "rectangle", "size": [0.1, 0.1], "resolution": [2, 2]})") +
           R"(, "transform": {"translation": [0, )" + y + ", 0]}" + more + "}";
  };
  const auto pair = [&](const std::string& below, const std::string& above, const std::string& gap, int dim = 3,
                        const std::string& more = "", const std::string& contact = "") {
    return told(R"({"dimension": )" + std::to_string(dim) +
                R"(, "gravity": [0, 0, 0], "contact": {"formulation": "convergent")" + contact + R"(}, "bodies": [)" +
                body("below", below, "0.05", dim, more) + ", " + body("above", above, "0.15" + gap, dim, more) + "]}");
  };
  for (const auto& [below, above] : {std::pair("affine", "affine"), std::pair("rigid", "rigid"),
                                     std::pair("rigid", "obstacle"), std::pair("deformable", "deformable"),
                                     std::pair("deformable", "affine"), std::pair("obstacle", "deformable")}) {
    for (const int dim : {2, 3}) {
      expect_told(pair(below, above, "0001", dim), "contact.dhat", {"1e-06 m apart", "push"});
      expect_nothing(pair(below, above, "1", dim));  // ten times dhat apart
    }
  }
  expect_told(pair("deformable", "deformable", "0001", 3, R"(, "order": 2)"), "contact.dhat", {"push"});
  expect_nothing(pair("affine", "affine", "0001", 3, "", R"(, "dhat": 1e-6)"));
  // A stack of three has two such pairs.
  expect_told(told(R"({"gravity": [0, 0, 0], "contact": {"formulation": "convergent"}, "bodies": [)" +
                   body("a", "affine", "0.05", 3) + ", " + body("b", "affine", "0.150001", 3) + ", " +
                   body("c", "affine", "0.250002", 3) + "]}"),
              "contact.dhat", {"push", "and 1 more pairs"});
}

TEST(ContactGap, ApproachThatIsNotLargeBesideDhatIsTold) {
  expect_told(told(pressed_block("1e-3", "0.0013", "ipc")), "contact.dhat",
              {"pressed together by 0.0003 m", "% too large", "contact.dhat"});
  expect_told(told(pressed_block("1e-3", "0.0013", "gcp")), "contact.dhat", {"pressed together by 0.0003 m"});
  expect_nothing(told(pressed_block("1e-3", "0.01", "ipc")));
  expect_nothing(told(pressed_block("1e-3", "0.0005", "ipc")));  // never meets
}

TEST(ContactGap, BodiesThatRestOnEachOtherUnderConvergentAreNotTold) {
  // At the gap that carries the weight, by trial: 10 N on 0.01 m^2 of 1e5 Pa.
  const auto block = [](const std::string& gap, const std::string& step = "0.01") {
    return R"({"contact": {"formulation": "convergent"}, "time": {"step": )" + step +
           R"(}, "half_spaces": [{"point": [0, -)" + gap +
           R"(, 0]}], "bodies": [{"generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [4, 4, 4]},
        "transform": {"translation": [0, 0.05, 0]}}]})";
  };
  expect_nothing(told(block("0.000165")));
  // A push throws no farther in a step than dhat. With 10 ms that is a hop of 8 um, with 0.1 ms one of 80 mm.
  expect_nothing(told(block("0.00005")));
  expect_told(told(block("0.00005", "1e-4")), "contact.dhat", {"push each other"});
}

TEST(ContactGap, PressFitOfTheSizeOfDhatIsTold) {
  const auto fit = [](const std::string& radius) {
    return R"({"dimension": 2, "gravity": [0, 0], "time": {"integrator": "quasi_static"}, "start": {"overlaps": "separate"},
        "contact": {"gap_tolerance": 0}, "bodies": [{"name": "left", "generator": {"kind": "rectangle", "size": [0.1, 0.1], "resolution": [4, 4]},
                    "transform": {"translation": [-0.05, 0]},
                    "motions": [{"region": {"frame": "body", "box": [[-1, -1], [0.001, 2]]}}]},
                   {"name": "right", "generator": {"kind": "rectangle", "size": [0.1, 0.1], "resolution": [4, 4]},
                    "transform": {"translation": [)" +
           radius + R"(, 0]}, "motions": [{"region": {"frame": "body", "box": [[0.999, -1], [2, 2]]}}]}]})";
  };
  expect_told(told(fit("0.0498")), "contact.dhat", {"their interference is 0.0002 m"});
  expect_nothing(told(fit("0.045")));
}

// --- entries that change nothing ---

TEST(UnusedEntry, OfStaticsAndOfTimesAfterTheEndAreTold) {
  const auto scene = [](const std::string& time, const std::string& more, const std::string& of_scene = "") {
    return bodies(box("[0.1, 0.1, 0.1]", R"(, "motions": [{"region": {"frame": "body", "box": [[-1, -1, -1],
        [2, 0.001, 2]]}}])" + more,
                      "[2, 2, 2]"),
                  R"("time": {)" + time + "}, " + of_scene);
  };
  const std::string is_static = R"("step": 1, "duration": 1, "integrator": "quasi_static")";
  const std::string in_motion = R"("step": 0.01, "duration": 1)";
  expect_nothing(told(scene(is_static, "")));
  expect_told(told(scene(is_static, R"(, "linear_velocity": [1, 0, 0])")), "bodies[0].linear_velocity",
              {"quasi-static"});
  expect_told(told(scene(is_static, "", R"("static": {"hold_free": true}, )")), "static.hold_free",
              {"holds every body"});
  expect_told(told(scene(in_motion, "", R"("static": {"hold_free": true}, )")), "static.hold_free",
              {"not quasi_static"});
  expect_told(told(scene(in_motion, R"(, "loads": [{"kind": "acceleration", "value": [0, 1, 0], "start": 5}])")),
              "bodies[0].loads[0].start", {"5 s", "ended (1 s)"});
  expect_told(told(scene(in_motion, "", R"("contact": {"enabled": false}, "friction": {"coefficient": 0.3}, )")),
              "friction.coefficient", {"no effect"});
}

// --- loads, motions, steps, friction and masses that nobody means ---

TEST(Loads, ForceThatThrowsABodyAwayIsTold) {
  const auto thrown = [](const std::string& force, const std::string& more = "") {
    return bodies(box("[0.1, 0.1, 0.1]",
                      R"(, "name": "b", "loads": [{"kind": "force", "value": [)" + force + ", 0, 0]}]" + more));
  };
  expect_told(told(thrown("1e5")), "bodies[0].loads[0]", {"has a mass of 1 kg", "1e+04 times its weight", "ten steps"});
  expect_told(told(thrown("1e5", R"(, "kind": "affine")")), "bodies[0].loads[0]", {"times its weight"});
  expect_told(told(bodies(box("[0.1, 0.1, 0.1]", R"(, "loads": [{"kind": "acceleration", "value": [0, 0, 1e5]}])"))),
              "bodies[0].loads[0]", {"an acceleration"});
  expect_nothing(told(thrown("100")));
  // A motion that finds no node holds nothing.
  const auto unheld = told(thrown("1e5", R"(, "motions": [{"region": {"box": [[90, 90, 90], [91, 91, 91]]}}])"));
  ASSERT_EQ(unheld.size(), 2u);
  EXPECT_NE(unheld[1].find("times its weight"), std::string::npos) << unheld[1];
  expect_nothing(
      told(thrown("1e5", R"(, "motions": [{"region": {"frame": "body", "box": [[-1, -1, -1], [0.01, 2, 2]]}}])")));
}

TEST(Motions, DeformableBodyThatIsHeldAsAWholeIsTold) {
  expect_told(told(bodies(box("[1, 1, 1]", R"(, "name": "b", "motions": [{"linear_velocity": [1, 0, 0]}])"))),
              "bodies[0].motions", {"all nodes of body", "obstacle", "region"});
  expect_nothing(told(bodies(box("[1, 1, 1]", R"(, "motions": [{"linear_velocity": [1, 0, 0], "end": 0.1}])"))));
  expect_nothing(told(bodies(box("[1, 1, 1]", R"(, "motions": [{"components": [true, false, true]}])"))));
  expect_nothing(told(bodies(box("[1, 1, 1]", R"(, "kind": "affine", "motions": [{"linear_velocity": [1, 0, 0]}])"))));
}

TEST(Steps, InWhichGravityMovesABodyByItsSizeAreTold) {
  const std::string ball = box("[0.1, 0.1, 0.1]", R"(, "name": "b")");
  expect_told(told(bodies(ball, R"("time": {"step": 1}, )")), "time.step", {"'b'", "9.81 m", "at most 0.0"});
  expect_nothing(told(bodies(ball, R"("time": {"step": 0.02}, )")));
  expect_nothing(told(bodies(ball, R"("time": {"step": 1}, "gravity": [0, 0, 0], )")));
}

TEST(Friction, CoefficientThatNoMaterialsHaveIsTold) {
  const std::string cube = box("[1, 1, 1]", "");
  expect_told(told(bodies(cube, R"("friction": {"coefficient": 30}, )")), "friction.coefficient", {"is 30"});
  expect_told(told(bodies(cube, R"("friction": {"coefficient": 0.3, "static_coefficient": 20}, )")),
              "friction.static_coefficient", {"is 20"});
  expect_told(told(bodies(box("[1, 1, 1]", R"(, "friction": 45)"))), "bodies[0].friction", {"is 45"});
  expect_told(
      told(bodies(box("[1, 1, 1]", R"(, "name": "b")"), R"("half_spaces": [{"point": [0, -9, 0], "friction": 11}], )")),
      "half_spaces[0].friction", {"is 11"});
  expect_nothing(told(bodies(cube, R"("friction": {"coefficient": 10}, )")));
}

TEST(Units, GivenMassThatNoMaterialHasIsTold) {
  const auto cube = [](const std::string& mass) {
    return bodies(box("[1, 1, 1]", R"(, "name": "b", "kind": "affine", "mass": )" + mass));
  };
  expect_told(told(cube("1e7")), "bodies[0].mass", {"1e+07 kg", "osmium"});
  expect_told(told(cube("1e-6")), "bodies[0].mass", {"density of air"});
  expect_nothing(told(cube("1e5")));
  expect_nothing(told(cube("1")));
}

/// A scene in a system of units with one body of steel, of about 100 mm.
std::string in_system(const std::string& units, const std::string& size, const std::string& material,
                      const std::string& more = "") {
  return bodies(box(size, R"(, "name": "b", "material": )" + material), R"("units": ")" + units + "\", " + more);
}

TEST(Units, NumbersOfSiInAnotherSystemAreTold) {
  const std::string size = "[100, 100, 100]", steel = R"({"density": 7.85e-9, "youngs_modulus": 210000})";
  expect_nothing(told(in_system("mm-N-MPa", size, steel)));
  expect_told(told(in_system("mm-N-MPa", size, R"({"density": 7850, "youngs_modulus": 210000})")),
              "bodies[0].material.density",
              {"7850 t/mm^3", "7.85e+15 kg/m^3", "osmium", "7850 kg/m^3 is 7.85e-09", "mm-N-MPa", "size of 100 mm"});
  expect_told(told(in_system("mm-N-MPa", size, R"({"density": 7.85e-9, "youngs_modulus": 2.1e11})")),
              "bodies[0].material.youngs_modulus", {"2.1e+11 MPa", "2.1e+11 Pa is 210000", "diamond"});
  expect_told(told(in_system("mm-N-MPa", size, steel, R"("gravity": [0, -9.81, 0], )")), "gravity",
              {"9.81 mm/s^2", "number of the earth in m-N-Pa", "mm-N-MPa it is 9806.65"});
  expect_nothing(told(in_system("mm-N-MPa", size, steel, R"("gravity": [0, -9810, 0], )")));
  // The number of another system than SI, and those of units that are in none.
  expect_told(told(in_system("in-lbf-psi", "[4, 4, 4]", R"({"density": 7.35e-4, "youngs_modulus": 3e7})",
                             R"("gravity": [0, -32.174, 0], )")),
              "gravity", {"ft-lbf-psf", "386.089"});
  expect_told(told(in_system("in-lbf-psi", "[4, 4, 4]", R"({"density": 0.2836, "youngs_modulus": 3e7})")),
              "bodies[0].material.density", {"0.2836 lb/in^3 is 0.0007345"});
  expect_nothing(told(in_system("in-lbf-psi", "[4, 4, 4]", R"({"density": 7.35e-4, "youngs_modulus": 3e7})")));
  expect_nothing(told(in_system("m-kN-kPa", "[1, 1, 1]", R"({"density": 7.85, "youngs_modulus": 2.1e8})")));
}

TEST(Units, NumbersOfMillimetresInSiNameTheSystem) {
  expect_told(told(bodies(box("[100, 100, 90]",
                              R"(, "name": "b", "material": {"density": 7.85e-9, "youngs_modulus": 210000})"))),
              "bodies[0].material", {R"("units": "mm-N-MPa")"});
}

TEST(Units, HintsOfOtherKindsNameTheUnitsOfTheScene) {
  const std::string ball =
      R"({"name": "b", "generator": {"kind": "box", "size": [100, 100, 100], "resolution": [2, 2, 2]}})";
  expect_told(told(bodies(ball, R"("units": "mm-N-MPa", "time": {"step": 1}, )")), "time.step", {"9.81e+03 mm"});
  expect_told(
      told(bodies(R"({"name": "b", "generator": {"kind": "box", "size": [1e-4, 1e-4, 1e-4], "resolution": [2]}})",
                  R"("units": "mm-N-MPa", "time": {"step": 1e-6}, )")),
      "bodies[0].generator",
      {"with a size of 0.0001 mm", "smaller than a hundredth of a millimetre", "unit of length is mm"});
}

}  // namespace
}  // namespace clearance
