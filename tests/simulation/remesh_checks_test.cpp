// What only the mesh of a body tells about elements that are to adapt.
#include "clearance/simulation/remesh_checks.h"

#include <gtest/gtest.h>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/generators.h"

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
            Lines{"bodies[0].order: the elements of the mesh of body 'cube' are of order 2, and only linear ones adapt "
                  "(`remesh`): set `order` to 1, or give the body \"remesh\": {\"enabled\": false}"});
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
  EXPECT_TRUE(look_at(scene, mesh).warnings[0].starts_with("remesh.largest_count: warning: body 'cube' has "));
  scene.bodies[0].remesh.emplace().smallest_edge = 0.9;
  EXPECT_EQ(
      look_at(scene, mesh).warnings,
      Lines{"bodies[0].remesh.smallest_edge: warning: body 'cube' is 1.73 m large: none of its edges is ever split "
            "(got 0.9)"});
  scene.bodies[0].remesh->split = false;
  EXPECT_TRUE(look_at(scene, mesh).warnings.empty());
}

}  // namespace
}  // namespace clearance
