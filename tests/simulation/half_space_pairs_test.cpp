// Bodies that pass through certain half-spaces, and whose friction on a half-space is that of the pair.
#include <gtest/gtest.h>

#include <cmath>

#include "clearance/io/scene_reader.h"
#include "clearance/simulation/simulation.h"

namespace clearance {
namespace {

constexpr double g = 9.80665;

SceneDesc load(const std::string& json) {
  const Result<LoadedScene> loaded = load_scene_text(json, "pairs", ".", {});
  if (!loaded) throw std::runtime_error(to_string(loaded.issues().front()));
  return loaded->scene;
}
Simulation start(const SceneDesc& scene) {
  Result<Simulation> simulation = Simulation::create(scene);
  if (!simulation) throw std::runtime_error(to_string(simulation.issues().front()));
  return std::move(*simulation);
}
/// Distance by which the first vertex of a body has moved [m].
Vec<3> moved(Simulation& simulation, int body, int num_steps) {
  const std::size_t v = simulation.bodies()[body].vertices.first;
  const Vec<3> before = simulation.positions()[v];
  for (int i = 0; i < num_steps; ++i) EXPECT_EQ(simulation.step().status, StepStatus::converged);
  return simulation.positions()[v] - before;
}

std::string boxes(const std::string& kind, const std::string& contact) {
  const auto box = [&](const std::string& name, const std::string& x) {
    return R"({"name": ")" + name + R"(", "kind": ")" + kind +
           R"(", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1]},
            "transform": {"translation": [)" +
           x + ", 0.1, 0]}}";
  };
  return R"({"time": {"step": 0.01, "duration": 1}, "contact": {)" + contact + R"(}, "bodies": [)" + box("a", "0") +
         "," + box("b", "1") + R"(], "half_spaces": [{"point": [0, -10, 0]}, {}]})";
}

TEST(HalfSpacePairs, BodyFallsThroughTheOneThatItIgnoresAndOthersDoNot) {
  for (const std::string kind : {"affine", "rigid", "deformable"}) {
    for (const std::string pair : {R"(["a", "half_spaces[1]"])", R"(["half_spaces[1]", "a"])"}) {
      Simulation simulation = start(load(boxes(kind, R"("ignored_pairs": [{"bodies": )" + pair + "}]")));
      EXPECT_LT(moved(simulation, 0, 40)[1], -0.7) << kind;
      Simulation other = start(load(boxes(kind, R"("ignored_pairs": [{"bodies": )" + pair + "}]")));
      EXPECT_GT(moved(other, 1, 40)[1], -0.07) << kind;
    }
  }
}

TEST(HalfSpacePairs, OtherFormulationsIgnoreThemToo) {
  for (const std::string formulation : {"ipc", "convergent", "gcp"}) {
    Simulation simulation =
        start(load(boxes("deformable", R"("formulation": ")" + formulation +
                                           R"(", "ignored_pairs": [{"bodies": ["a", "half_spaces[1]"]}])")));
    EXPECT_LT(moved(simulation, 0, 40)[1], -0.7) << formulation;
  }
}

TEST(HalfSpacePairs, IgnoredOneIsTheOneWithItsNumber) {
  Simulation simulation = start(load(boxes("affine", R"("ignored_pairs": [{"bodies": ["a", "half_spaces[0]"]}])")));
  EXPECT_GT(moved(simulation, 0, 40)[1], -0.07);
}

TEST(HalfSpacePairs, BodyMayStartBehindTheOneThatItIgnores) {
  SceneDesc scene = load(boxes("affine", R"("ignored_pairs": [{"bodies": ["a", "half_spaces[1]"]}])"));
  scene.bodies[0].transform.translation[1] = -1.0;
  EXPECT_TRUE(Simulation::create(scene));
  scene.contact.ignored_pairs.clear();
  EXPECT_FALSE(Simulation::create(scene));
}

/// Distance that a box slides on a slope of 20 degrees in 2D or 3D, with friction 1 and the friction of the pair.
double slid(const std::string& dimension, const std::string& kind, const std::string& pairs) {
  const std::string generator = dimension == "2" ? R"({"kind": "rectangle", "size": [0.2, 0.1], "resolution": [1]})"
                                                 : R"({"kind": "box", "size": [0.2, 0.1, 0.2], "resolution": [1]})";
  const double slope = 20.0 * 3.14159265358979323846 / 180.0;
  SceneDesc scene = load(R"({"dimension": )" + dimension +
                         R"(, "time": {"step": 0.005, "duration": 1, "integrator": "bdf2_restarted"},
    "friction": {"coefficient": 1, "pairs": [)" +
                         pairs + R"(]}, "bodies": [{"name": "a", "kind": ")" + kind + R"(", "generator": )" +
                         generator + R"(, "transform": {"translation": )" +
                         (dimension == "2" ? "[0, 0.0502]" : "[0, 0.0502, 0]") + R"(}}], "half_spaces": [{}]})");
  scene.gravity = g * Vec<3>(std::sin(slope), -std::cos(slope), 0);
  Simulation simulation = start(scene);
  return moved(simulation, 0, 100)[0];
}

TEST(HalfSpacePairs, FrictionOfThePairHolds) {
  const double slope = 20.0 * 3.14159265358979323846 / 180.0;
  const auto expected = [&](double mu) { return 0.5 * g * (std::sin(slope) - mu * std::cos(slope)) * 0.25; };
  for (const std::string dimension : {"2", "3"}) {
    EXPECT_LT(slid(dimension, "affine", ""), 1e-3);
    EXPECT_NEAR(slid(dimension, "affine", R"({"bodies": ["a", "half_spaces[0]"], "coefficient": 0.1})"), expected(0.1),
                0.02 * expected(0.1));
    EXPECT_NEAR(slid(dimension, "rigid", R"({"bodies": ["half_spaces[0]", "a"], "coefficient": 0.2})"), expected(0.2),
                0.02 * expected(0.2));
  }
}

TEST(HalfSpacePairs, TwoHalfSpacesOrOneThatIsNotThereAreRefused) {
  const auto told = [](const std::string& names) {
    const Result<LoadedScene> loaded =
        load_scene_text(boxes("affine", R"("ignored_pairs": [{"bodies": )" + names + "}]"), "pairs", ".", {});
    return loaded ? "" : to_string(loaded.issues().front());
  };
  EXPECT_NE(told(R"(["half_spaces[0]", "half_spaces[1]"])").find("two half-spaces never meet"), std::string::npos);
  EXPECT_NE(told(R"(["a", "half_spaces[2]"])").find("half-spaces have numbers: `half_spaces[0]`"), std::string::npos);
}

}  // namespace
}  // namespace clearance
