// Bodies of several materials, finer meshes, and formulas for the velocity at the start.
#include "clearance/simulation/load/region.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// Returns two halves along x, the right one given by `part`, pulled by 1e-3 between slides.
std::string composite_bar(const std::string& part, const std::string& more = "") {
  return R"({"gravity": [0, 0, 0], "time": {"step": 1, "integrator": "quasi_static"}, "solver": {"force_tolerance": 1e-9},
    "bodies": [{"generator": {"kind": "box", "size": [1, 0.1, 0.1], "resolution": [2, 1, 1]}, )" +
         more + R"(
      "material": {"model": "linear_elasticity", "youngs_modulus": 1e5, "poisson_ratio": 0, "density": 1000},
      "material_parts": [{)" +
         part +
         R"(, "material": {"model": "linear_elasticity", "youngs_modulus": 3e5, "poisson_ratio": 0, "density": 500}}],
      "motions": [{"region": {"frame": "body", "box": [[0, 0, 0], [0, 1, 1]]}},
                  {"region": {"frame": "body", "box": [[1, 0, 0], [1, 1, 1]]}, "linear_velocity": [1e-3, 0, 0]}]}]})";
}

void expect_springs_in_series(const std::string& json) {
  RunningScene bar(json);
  const StepReport report = bar.step();
  // 1 / k = L / 2 (1 / (E1 A) + 1 / (E2 A)); the middle moves by the share of the softer half.
  const double k = 0.01 / (0.5 / 1e5 + 0.5 / 3e5);
  EXPECT_NEAR(energy_term(report, "elastic"), 0.5 * k * 1e-6, 1e-9 * k * 1e-6);
  for (int i = 0; i < bar.num_nodes(); ++i) {
    if (std::abs(bar.rest(i)[0]) > 1e-9) continue;
    EXPECT_NEAR(bar.x(i)[0], 0.75e-3, 1e-12);
  }
  EXPECT_NEAR(bar.total_mass(), 0.01 * 750, 1e-12);
}

TEST(MaterialParts, HalvesOfABarAreSpringsInSeries) {
  expect_springs_in_series(composite_bar(R"("region": {"frame": "body", "box": [[0.5, 0, 0], [1, 1, 1]]})"));
}

TEST(MaterialParts, ElementsOfARefinedMeshAreThoseOfTheMeshBefore) {
  // The box of two cells has its elements cell by cell.
  const SceneDesc scene = load_scene_text(composite_bar(R"("elements": [0])"), "scene", ".")->scene;
  const std::size_t num_elements = load_bodies(scene)->instances[0].mesh.tets.size();
  std::string elements;
  for (std::size_t e = num_elements / 2; e < num_elements; ++e)
    elements += (elements.empty() ? "" : ", ") + std::to_string(e);
  const std::string part = R"("elements": [)" + elements + "]";
  const auto right_is_listed = [&] {
    const Mesh mesh = load_bodies(scene)->instances[0].mesh;
    for (std::size_t e = num_elements / 2; e < num_elements; ++e) {
      for (const int v : mesh.tets[e]) {
        if (mesh.vertices[v][0] < -1e-9) return false;
      }
    }
    return true;
  };
  ASSERT_TRUE(right_is_listed());
  expect_springs_in_series(composite_bar(part));
  expect_springs_in_series(composite_bar(part, R"("refinements": 1,)"));
}

TEST(MaterialParts, NumbersThatTheMeshDoesNotHaveAreNamed) {
  const auto problems = [](const std::string& json) {
    const Result<Simulation> simulation = Simulation::create(load_scene_text(json, "scene", ".")->scene);
    return simulation.issues().empty() ? "" : to_string(simulation.issues().front());
  };
  EXPECT_EQ(problems(composite_bar(R"("elements": [3, 12])")),
            "bodies[0].material_parts[0].elements: the mesh has 12 tetrahedra, counted from 0 (got 12)");
  EXPECT_EQ(problems(composite_bar(R"("region": {"nodes": [1, 12]})")),
            "bodies[0].material_parts[0].region.nodes: the mesh has 12 vertices, counted from 0 (got 12)");
  EXPECT_EQ(problems(composite_bar(R"("region": {"nodes": [12, 1, 400]})")),
            "bodies[0].material_parts[0].region.nodes: the mesh has 12 vertices, counted from 0 (got 12, 400)");
}

TEST(Refinements, KeepTheShapeAndSplitEveryElement) {
  for (const int times : {0, 1, 2}) {
    SceneDesc scene;
    scene.bodies.resize(1);
    scene.bodies[0].generator = GeneratorDesc{.kind = GeneratorKind::box, .resolution = {1, 1, 1}};
    scene.bodies[0].refinements = times;
    const Mesh mesh = load_bodies(scene)->instances[0].mesh;
    EXPECT_EQ(mesh.tets.size(), 6u << (3 * times));
    const auto n = static_cast<std::size_t>(1 << times) + 1;
    EXPECT_EQ(mesh.vertices.size(), n * n * n);
  }
}

TEST(Velocity, OfFormulasIsAddedToTheOthers) {
  RunningScene scene(R"({"gravity": [0, 0, 0], "bodies": [{"generator": {"kind": "box", "resolution": [1, 1, 1]},
    "linear_velocity": [1, 0, 0], "velocity": ["2 * y", "0", "x + 3"]}]})");
  for (int i = 0; i < scene.num_nodes(); ++i) {
    EXPECT_LT((scene.v(i) - Vec<3>(1 + 2 * scene.rest(i)[1], 0, scene.rest(i)[0] + 3)).norm(), 1e-15);
  }
}

TEST(Region, OfNodesHoldsThoseThatAreListedAndInTheBox) {
  SceneDesc scene;
  scene.bodies.resize(1);
  scene.bodies[0].generator = GeneratorDesc{.kind = GeneratorKind::box, .resolution = {1, 1, 1}};
  const auto loaded = load_bodies(scene);
  const RegionDesc listed{.box = {}, .nodes = {1, 2, 5}};
  EXPECT_EQ(select_nodes(loaded->instances[0], {}, listed, 3), (std::vector<int>{1, 2, 5}));
  const Vec<3> x = loaded->instances[0].mesh.vertices[2];
  const RegionDesc both{.box = Corners{x, x}, .nodes = {1, 2, 5}};
  EXPECT_EQ(select_nodes(loaded->instances[0], {}, both, 3), (std::vector<int>{2}));
}

}  // namespace
}  // namespace clearance
