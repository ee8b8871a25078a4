// Detection of bodies that are about to be hit, for restarted BDF2.
#include "clearance/solver/impacts.h"

#include <set>
#include <tuple>

#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// Returns a `box` of 0.2 m, `gap` above a floor, with a velocity, and a bystander that flies freely.
std::string scene_of(const std::string& kind, double gap, const std::string& velocity, int dimension) {
  const std::string size = dimension == 2 ? "[0.2, 0.2]" : "[0.2, 0.2, 0.2]";
  const std::string box = R"("kind": ")" + kind + R"(", "generator": {"kind": ")" +
                          (dimension == 2 ? "rectangle" : "box") + R"(", "size": )" + size + R"(, "resolution": )" +
                          (dimension == 2 ? "[2, 2]" : "[2, 2, 2]") + "}";
  const std::string end = dimension == 2 ? "]" : ", 0]";
  return R"({"dimension": )" + std::to_string(dimension) + R"(, "bodies": [
    {"name": "box", )" +
         box + R"(, "transform": {"translation": [0, )" + std::to_string(0.1 + gap) + end +
         R"(}, "linear_velocity": )" + velocity + R"(},
    {"name": "bystander", )" +
         box + R"(, "transform": {"translation": [0, 30)" + end + R"(}, "linear_velocity": )" + velocity + R"(}],
    "half_spaces": [{"point": [0, 0)" +
         end + R"(, "normal": [0, 1)" + end + R"(}]})";
}

/// Returns the names of the bodies that are hit in a step of 10 ms.
std::set<std::string> hit_bodies(const std::string& json, TimeIntegrator integrator = TimeIntegrator::bdf2_restarted) {
  RunningScene scene(json);
  const Model& model = scene.model();
  SolverOptions options = scene.scene().options;
  options.integrator.method = integrator;
  const auto broad_phase = make_broad_phase(scene.dim(), model.surface);
  const VecX x_t1 = scene.state().x + 0.01 * scene.state().v;
  const auto find = scene.dim() == 2 ? find_impacts<2> : find_impacts<3>;
  const std::vector<char> flags = find(model, options, *broad_phase, scene.state().x, x_t1).is_hit;
  std::set<std::string> names;
  for (std::size_t b = 0; b < flags.size(); ++b) {
    if (flags[b] != 0) names.insert(model.surface.body_names[model.body_of_block[b]]);
  }
  return names;
}

class Impacts : public testing::TestWithParam<std::tuple<std::string, int>> {
 public:
  std::string scene(double gap, const std::string& velocity) const {
    return scene_of(std::get<0>(GetParam()), gap, std::get<1>(GetParam()) == 2 ? velocity + "]" : velocity + ", 0]",
                    std::get<1>(GetParam()));
  }
};

TEST_P(Impacts, AreOfTheBodyThatFallsOnTheFloorAlone) {
  EXPECT_EQ(hit_bodies(scene(1e-3, "[0, -1")), std::set<std::string>{"box"});
  // The box is slower than its gap, moves away from the floor or along it, or is at rest.
  EXPECT_TRUE(hit_bodies(scene(0.1, "[0, -1")).empty());
  EXPECT_TRUE(hit_bodies(scene(1e-4, "[0, 1")).empty());
  EXPECT_TRUE(hit_bodies(scene(1e-4, "[3, 0")).empty());
  EXPECT_TRUE(hit_bodies(scene(1e-4, "[0, 0")).empty());
  // The box glides over a surface that is hardly rough: it comes nearer by less than the activation distance.
  EXPECT_TRUE(hit_bodies(scene(1e-4, "[3, -0.008")).empty());
}

TEST_P(Impacts, AreThoseOfABodyThatGlidesHoweverFast) {
  for (const char* velocity : {"[3, -1", "[12, -1", "[100, -1", "[-100, -0.2"}) {
    EXPECT_EQ(hit_bodies(scene(1e-3, velocity)), std::set<std::string>{"box"}) << velocity;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Impacts,
                         testing::Values(std::tuple{"deformable", 2}, std::tuple{"deformable", 3},
                                         std::tuple{"affine", 2}, std::tuple{"affine", 3}, std::tuple{"rigid", 3}),
                         [](const auto& p) { return std::get<0>(p.param) + std::to_string(std::get<1>(p.param)); });

TEST(Impacts, OfTwoBodiesAreOfBoth) {
  const std::string text = R"({"gravity": [0, 0, 0], "bodies": [
    {"name": "a", "kind": "rigid", "generator": {"kind": "box", "size": [1, 1, 1]}, "linear_velocity": [1, 0, 0]},
    {"name": "b", "kind": "deformable", "generator": {"kind": "box", "size": [1, 1, 1]},
     "transform": {"translation": [1.005, 0.1, 0]}}]})";
  EXPECT_EQ(hit_bodies(text), (std::set<std::string>{"a", "b"}));
}

// A block that slides on the floor hits nothing, and yet takes steps of implicit Euler if it is deformable.
TEST_P(Impacts, AndContactsOfDeformableBodiesCountInFlight) {
  const bool is_deformable = std::get<0>(GetParam()) == "deformable";
  const auto in_flight = [&](double gap, const std::string& velocity) {
    return hit_bodies(scene(gap, velocity), TimeIntegrator::bdf2_in_flight);
  };
  EXPECT_EQ(in_flight(1e-4, "[3, -0.002").count("box"), is_deformable ? 1U : 0U);
  EXPECT_EQ(in_flight(1e-4, "[3, -0.002").count("bystander"), 0U);
  EXPECT_TRUE(in_flight(0.05, "[3, -0.002").empty());
}

// A wheel of 64 sides does not slide where it meets the floor, and its sides are no impacts.
TEST(Impacts, AreNoneOfAPolygonThatRolls) {
  const auto wheel = [](double velocity, double turn) {
    return hit_bodies(
        R"({"bodies": [{"kind": "rigid", "generator": {"kind": "cylinder", "size": [0.1, 0.05], "resolution": [64, 1]},
      "transform": {"rotation": [0, 0, 1], "translation": [0, 0.1001, 0]},
      "linear_velocity": [)" +
        std::to_string(velocity) + R"(, 0, 0], "angular_velocity": [0, 0, )" + std::to_string(turn) +
        R"(]}], "half_spaces": [{"normal": [0, 1, 0]}]})");
  };
  EXPECT_TRUE(wheel(1.0, -10.0).empty());
}

/// Largest share of their energy that two rigid boxes of 0.2 m have after they met at 1 m/s.
double energy_after_collision(const std::string& integrator) {
  RunningScene scene(R"({"gravity": [0, 0, 0], "time": {"step": 0.01, "integrator": ")" + integrator +
                     R"("}, "bodies": [
    {"name": "a", "kind": "rigid", "generator": {"kind": "box", "size": [0.2, 0.2, 0.2]}, "linear_velocity": [1, 0, 0]},
    {"name": "b", "kind": "rigid", "generator": {"kind": "box", "size": [0.2, 0.2, 0.2]},
     "transform": {"translation": [0.233, 0.05, 0.02]}}]})");
  double most = 0.0;
  for (int n = 0; n < 60; ++n) most = std::max(most, scene.step().energy.front().second);
  return most / (0.5 * 8.0);
}

/// Returns the velocity away from a floor after a body with the velocity (12, -3) has met it, without restitution.
double rebound_of_glider(const std::string& kind, bool is_obstacle) {
  const std::string floor = is_obstacle ? R"(, {"kind": "obstacle", "generator": {"kind": "box", "size": [20, 0.2, 2]},
                       "transform": {"translation": [0, -0.1, 0]}}])"
                                        : R"(], "half_spaces": [{}])";
  RunningScene scene(R"({"format": "clearance/3", "gravity": [0, 0, 0], "bodies": [{"kind": ")" + kind +
                     R"(", "generator": {"kind": "sphere", "size": [0.1]}, "transform": {"translation": [0, 0.3, 0]},
    "linear_velocity": [12, -3, 0]})" +
                     floor + "}");
  for (int n = 0; n < 20; ++n) scene.step();
  return scene.state().v[1];
}

TEST(Impacts, DoNotThrowBackWhatGlidesAlongAFloor) {
  for (const char* kind : {"rigid", "affine"}) {
    for (const bool is_obstacle : {false, true}) {
      EXPECT_NEAR(rebound_of_glider(kind, is_obstacle), 0.0, 0.1) << kind << is_obstacle;
    }
  }
}

TEST(Impacts, MakeNoEnergyWithRestartedBdf2) {
  EXPECT_LE(energy_after_collision("bdf2_restarted"), 1.0 + 1e-9);
}

}  // namespace
}  // namespace clearance
