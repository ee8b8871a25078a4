// Checks of adapting elements that need the mesh of the body.
#include "clearance/simulation/load/remesh_checks.h"

#include <gtest/gtest.h>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/generators.h"
#include "clearance/io/scene_reader.h"
#include "clearance/simulation/simulation.h"

namespace clearance {
namespace {

using Lines = std::vector<std::string>;

struct Found {
  Lines errors, warnings;
};

Found look_at(const SceneDesc& scene, const Mesh& mesh) {
  Issues issues, warnings;
  Issue where;
  where.place = "bodies[0]";
  check_remesh_of_mesh(scene, scene.bodies[0], where, mesh, issues, warnings);
  Found found;
  for (const Issue& issue : issues) found.errors.push_back(to_string(issue));
  for (const Issue& issue : warnings) found.warnings.push_back(to_string(issue));
  return found;
}

SceneDesc scene_of_a_cube() {
  SceneDesc scene;
  scene.bodies.resize(1);
  scene.bodies[0].name = "cube";
  scene.remesh.emplace();
  return scene;
}

TEST(RemeshChecks, CurvedElementsOfAFileDoNotAdapt) {
  SceneDesc scene = scene_of_a_cube();
  Mesh mesh = make_box({1, 1, 1}, {1, 1, 1});
  EXPECT_TRUE(look_at(scene, mesh).errors.empty());
  (void)change_order(mesh, 2);
  EXPECT_EQ(look_at(scene, mesh).errors,
            Lines{"bodies[0].order: the elements of the mesh of body 'cube' are of order 2, but only linear elements "
                  "can adapt (`remesh`); set `order` to 1, or give the body \"remesh\": {\"enabled\": false}"});
  scene.bodies[0].remesh.emplace().enabled = false;
  EXPECT_TRUE(look_at(scene, mesh).errors.empty());
}

TEST(RemeshChecks, LimitsThatForbidEverySplitAreTold) {
  SceneDesc scene = scene_of_a_cube();
  const Mesh mesh = make_box({1, 1, 1}, {1, 1, 1});
  const auto num_elements = static_cast<int>(mesh.tets.size());
  scene.remesh->largest_count = num_elements + 1;
  scene.remesh->smallest_edge = 0.1;
  EXPECT_TRUE(look_at(scene, mesh).warnings.empty());
  scene.remesh->largest_count = num_elements;
  EXPECT_EQ(look_at(scene, mesh).warnings.size(), 1u);
  EXPECT_TRUE(look_at(scene, mesh).warnings[0].starts_with("remesh.largest_count: warning: body 'cube' starts with "));
  scene.bodies[0].remesh.emplace().smallest_edge = 0.9;
  EXPECT_EQ(look_at(scene, mesh).warnings, Lines{"bodies[0].remesh.smallest_edge: warning: the size of body 'cube' is "
                                                 "1.73 m, so that none of its edges is ever split (got 0.9)"});
  scene.bodies[0].remesh->split = false;
  EXPECT_TRUE(look_at(scene, mesh).warnings.empty());
}

TEST(RemeshChecks, EdgesThatRoundingWouldBendAreTold) {
  SceneDesc scene = scene_of_a_cube();
  Mesh mesh = make_box({2, 2, 2}, {1, 1, 1});
  scene.remesh->smallest_edge = 1e-9;
  EXPECT_TRUE(look_at(scene, mesh).warnings.empty());
  scene.remesh->smallest_edge = 1e-12;
  EXPECT_EQ(look_at(scene, mesh).warnings,
            Lines{"remesh.smallest_edge: warning: coordinates of body 'cube' reach 1 m, so that rounding changes the "
                  "strains of elements this small; expected at least 1e-10 m (got 1e-12)"});
  // Coordinates are coarser far away.
  scene.remesh->smallest_edge = 1e-9;
  for (Vec<3>& x : mesh.vertices) x[0] += 100.0;
  EXPECT_EQ(look_at(scene, mesh).warnings.size(), 1u);
}

/// Returns the hints for a bar of ten elements in a row; its left half is at x < 0.
Lines hints(const std::string& body, double duration = 1.0) {
  const Result<LoadedScene> loaded = load_scene_text(
      R"({"dimension": 2, "time": {"step": 0.01, "duration": )" + std::to_string(duration) +
          R"(, "mass": "consistent"}, "contact": {"formulation": "convergent"}, "remesh": {"relative_gain": 1e-5}, "bodies": [{"name": "bar",
      "generator": {"kind": "rectangle", "size": [1, 0.1], "resolution": [10, 1]}, )" +
          body + "}]}",
      "scene", ".", {});
  EXPECT_TRUE(loaded) << to_string(loaded.issues().front());
  const Result<Simulation> simulation = Simulation::create(loaded->scene);
  EXPECT_TRUE(simulation) << to_string(simulation.issues().front());
  Lines lines;
  for (const Issue& issue : simulation->warnings()) lines.push_back(to_string(issue));
  return lines;
}

TEST(RemeshChecks, BodiesThatAreHeldOrStiffAsAWholeAreTold) {
  const std::string left = R"({"box": [[-1, -1, 0], [0.01, 1, 0]]})", right = R"({"box": [[0.09, -1, 0], [1, 1, 0]]})",
                    all = R"({"box": [[-1, -1, 0], [1, 1, 0]]})";
  const Lines told = {
      "remesh: warning: `remesh` has no effect on body 'bar', because stiff parts or motions hold all of it and "
      "elements adapt only where a body deforms"};
  const Lines held = {
      "bodies[0].motions: warning: motions prescribe all nodes of body 'bar' (22), so that it cannot deform; give the "
      "motion a `region`, or make the body an obstacle (`\"kind\": \"obstacle\"`)"};
  EXPECT_EQ(hints(R"("motions": [{"region": )" + all + "}]"), (Lines{held[0], told[0]}));
  EXPECT_EQ(hints(R"("stiff_parts": [{"region": )" + all + "}]"), told);
  // The two regions hold all nodes together, but the edges between them are held by neither.
  EXPECT_EQ(hints(R"("motions": [{"region": )" + left + R"(}, {"region": )" + right + "}]"), held);
  EXPECT_EQ(hints(R"("stiff_parts": [{"region": )" + left + R"(}], "motions": [{"region": )" + right + "}]"), Lines{});
  // The nodes are held for a while only, or in one direction.
  EXPECT_EQ(hints(R"("motions": [{"region": )" + all + R"(, "end": 0.5}])"), Lines{});
  EXPECT_EQ(hints(R"("motions": [{"region": )" + all + R"(, "end": 0.5}])", 0.5), told);
  EXPECT_EQ(hints(R"("motions": [{"region": )" + all + R"(, "components": [true, false]}])"), Lines{});
}

}  // namespace
}  // namespace clearance
