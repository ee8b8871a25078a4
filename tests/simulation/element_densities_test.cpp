// Bodies whose elements have densities of their own.
#include <fmt/format.h>

#include <numbers>

#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// Returns a box of two cells along x, six tetrahedra each: the right half is three times as heavy.
std::string two_halves(const std::string& more) {
  return R"({"gravity": [0, -10, 0], "time": {"step": 0.01},
    "bodies": [{"name": "bar", "generator": {"kind": "box", "size": [2, 1, 1], "resolution": [2, 1, 1]},
      "material": {"density": 77}, )" +
         more + R"("element_densities": [1000, 1000, 1000, 1000, 1000, 1000, 3000, 3000, 3000, 3000, 3000, 3000]}]})";
}

/// Returns the centre of the weight.
Vec<3> weighed_center(const RunningScene& scene) {
  Vec<3> sum = Vec<3>::Zero();
  for (int i = 0; i < scene.num_nodes(); ++i) sum += scene.scene().weighing[i] * scene.rest(i);
  return sum / scene.scene().weighing.sum();
}

TEST(ElementDensities, AreInsteadOfTheMaterials) {
  const std::string part = R"("material_parts": [{"region": {}, "material": {"density": 55}}], )";
  for (const std::string& more : {std::string(), std::string(R"("order": 1, )"), std::string(R"("order": 2, )"),
                                  std::string(R"("order": 3, )"), std::string(R"("refinements": 1, )"), part,
                                  std::string(R"("array": {"counts": [1, 2, 1], "spacing": [0, 3, 0]}, )")}) {
    RunningScene scene(two_halves(more));
    const double count = static_cast<double>(scene.scene().bodies.size());
    EXPECT_NEAR(scene.total_mass(), 4000.0 * count, 1e-9) << more;
    EXPECT_NEAR(weighed_center(scene)[0], 0.25, 1e-12) << more;
    // The box falls as one body: mass and weight agree.
    scene.step();
    for (int i = 0; i < scene.num_nodes(); ++i) EXPECT_NEAR(scene.v(i)[1], -0.1, 1e-6) << more;
  }
}

TEST(ElementDensities, OfAnotherNumberThanElementsAreRefused) {
  const auto problem = [](const std::string& more) {
    std::string json = two_halves(more);
    json.replace(json.find("[1000, "), 7, "[");
    const Result<Simulation> simulation = Simulation::create(load_scene_text(json, "scene", ".")->scene);
    return simulation.issues().empty() ? "" : to_string(simulation.issues().front());
  };
  const std::string expected =
      "bodies[0].element_densities: body 'bar' has 12 tetrahedra; expected the same number of densities (got 11 "
      "numbers)";
  EXPECT_EQ(problem(""), expected);
  EXPECT_EQ(problem(R"("refinements": 1, )"), expected);
}

/// The values are the order and the allowed relative error of the mass. Boundaries are of the exact shape, not of the
/// generator's facets.
TEST(GeneratedBodies, OfHigherOrderHaveTheExactShape) {
  struct Shape {
    const char* generator;
    double volume;
    int dim = 3;
  };
  constexpr double pi = std::numbers::pi;
  for (const Shape& shape : {Shape{R"("kind": "sphere", "size": [0.5], "resolution": [3])", pi / 6.0},
                             Shape{R"("kind": "cylinder", "size": [0.5, 2], "resolution": [2, 2])", pi / 2.0},
                             Shape{R"("kind": "torus", "size": [1, 0.25], "resolution": [12, 2])", pi * pi / 8.0},
                             Shape{R"("kind": "disk", "size": [0.5], "resolution": [2])", pi / 4.0, 2}}) {
    for (const auto& [order, tolerance] : {std::pair{2, 1e-3}, std::pair{4, 2e-5}}) {
      RunningScene scene(fmt::format(
          R"({{"dimension": {}, "bodies": [{{"generator": {{{}}}, "order": {}, "material": {{"density": 1}}}}]}})",
          shape.dim, shape.generator, order));
      EXPECT_NEAR(scene.total_mass(), shape.volume, tolerance * shape.volume) << shape.generator << ", order " << order;
    }
  }
}

}  // namespace
}  // namespace clearance
