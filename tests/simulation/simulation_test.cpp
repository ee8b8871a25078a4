// The facade: scenes built in code, and the places of the bodies' numbers.
#include "clearance/simulation/simulation.h"

#include <gtest/gtest.h>

#include "simulation/running_scene.h"

namespace clearance {
namespace {

TEST(Simulation, SceneBuiltInCodeIsCheckedAsOneFromAFile) {
  SceneDesc scene;
  scene.time.step = -1.0;
  BodyDesc body;
  body.material.density = 0.0;
  body.generator.emplace();
  scene.bodies = {body};
  const Result<Simulation> simulation = Simulation::create(scene);
  ASSERT_FALSE(simulation);
  ASSERT_GE(simulation.issues().size(), 2u);
  EXPECT_EQ(simulation.issues()[0].place, "time.step");
  EXPECT_EQ(simulation.issues()[1].place, "bodies[0].material.density");
}

TEST(Simulation, UnnamedBodiesGetNames) {
  SceneDesc scene;
  BodyDesc body;
  body.generator.emplace();
  scene.bodies = {body};
  const Result<Simulation> simulation = Simulation::create(scene);
  ASSERT_TRUE(simulation) << to_string(simulation.issues().front());
  EXPECT_EQ(simulation->bodies()[0].name, "box");
}

TEST(Simulation, BodyViewsTellWhoseVerticesAndUnknownsAreWhere) {
  RunningScene scene(R"({"bodies": [
    {"name": "soft", "generator": {"kind": "box", "resolution": [1, 1, 1]}},
    {"name": "stiff", "kind": "affine", "generator": {"kind": "box", "resolution": [1, 1, 1]},
     "transform": {"translation": [3, 0, 0]}, "array": {"counts": [2, 1, 1], "spacing": [3, 1, 1]}},
    {"name": "wall", "kind": "obstacle", "generator": {"kind": "sheet", "size": [1, 1], "resolution": [1, 1]},
     "transform": {"translation": [0, -5, 0]}}]})");
  const Simulation& simulation = scene.simulation();
  const std::vector<BodyView>& bodies = simulation.bodies();
  ASSERT_EQ(bodies.size(), 4u);
  EXPECT_EQ(bodies[0].blocks.count, bodies[0].vertices.count);
  EXPECT_EQ(bodies[1].blocks.count, 4);
  EXPECT_EQ(bodies[2].entry, 1);
  EXPECT_TRUE(bodies[3].is_obstacle);
  int num_vertices = 0, num_blocks = 0;
  for (const BodyView& body : bodies) {
    EXPECT_EQ(body.vertices.first, num_vertices) << body.name;
    EXPECT_EQ(body.blocks.first, num_blocks) << body.name;
    num_vertices = body.vertices.end();
    num_blocks = body.blocks.end();
  }
  const std::vector<Vec<3>> positions = simulation.positions();
  EXPECT_EQ(static_cast<int>(positions.size()), num_vertices);
  EXPECT_EQ(simulation.unknowns().size(), 3 * num_blocks);
  // The vertices lie around the position of each body.
  const std::vector<double> centres = {0, 3, 6, 0};
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    double sum = 0.0;
    for (int v = bodies[b].vertices.first; v < bodies[b].vertices.end(); ++v) sum += positions[v][0];
    EXPECT_NEAR(sum / bodies[b].vertices.count, centres[b], 1e-12);
  }
}

/// The contact force on a block that lies still is its weight, upwards.
TEST(Simulation, ContactForcesOfABodyBalanceItsWeight) {
  RunningScene scene(R"({"time": {"step": 0.02, "integrator": "quasi_static"}, "solver": {"force_tolerance": 1e-6},
    "bodies": [{"name": "block", "generator": {"kind": "box", "resolution": [1, 1, 1]},
                "transform": {"translation": [0, 0.5005, 0]}, "material": {"youngs_modulus": 1e7}},
               {"name": "floor", "kind": "obstacle", "generator": {"kind": "sheet", "size": [4, 4]}}],
    "friction": {"coefficient": 0.5}})");
  scene.step();
  const std::vector<Vec<3>> forces = scene.simulation().contact_forces();
  std::vector<Vec<3>> sums;
  for (const BodyView& body : scene.simulation().bodies()) {
    sums.emplace_back(Vec<3>::Zero());
    for (int v = body.vertices.first; v < body.vertices.end(); ++v) sums.back() += forces[v];
  }
  // The corners of the block are nearest to edges of the sheet, whose normals tilt: friction carries the rest.
  EXPECT_NEAR(sums[0].y(), 1000 * 9.80665, 1e-3 * 9806.65);
  EXPECT_NEAR((sums[0] + sums[1]).norm(), 0.0, 1e-6);
}

}  // namespace
}  // namespace clearance
