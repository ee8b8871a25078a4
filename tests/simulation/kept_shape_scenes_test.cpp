// Bodies in scenes whose displacements have a lower order than their shape (`keep_shape`).
#include <fmt/format.h>

#include <filesystem>

#include "clearance/base/parallel.h"
#include "clearance/bodies/fem/element_moments.h"
#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/curved_generators.h"
#include "clearance/geometry/generators.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

constexpr double gravity = 9.80665;

/// A ball or, in the plane, a disk of radius 1 and elements of order 4, in a file.
class KeptShapeScene : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    ball_ = dim() == 2 ? make_disk(1.0, 1) : make_sphere(1.0, 1);
    change_order(ball_, 4);
    dim() == 2 ? curve_disk(ball_, 1.0) : curve_sphere(ball_, 1.0);
    file_ = std::filesystem::temp_directory_path() /
            fmt::format("clearance_kept_shape_{}_{}.msh", dim(),
                        testing::UnitTest::GetInstance()->current_test_info()->line());
    ASSERT_TRUE(write_mesh(file_, ball_));
  }
  void TearDown() override { std::filesystem::remove(file_); }

  static int dim() { return GetParam(); }
  std::string body(int order, const std::string& more = "") const {
    return fmt::format(R"({{"name": "ball", "mesh": "{}", "units": "m", "order": {}, "keep_shape": true,
      "material": {{"youngs_modulus": 1e6, "poisson_ratio": 0.4, "density": 1000}}{}}})",
                       file_.string(), order, more);
  }
  std::string scene(const std::string& integrator, double step, const std::string& bodies,
                    const std::string& more = "") const {
    return fmt::format(R"({{"dimension": {}, "time": {{"step": {}, "integrator": "{}"}}, "bodies": [{}]{}}})", dim(),
                       step, integrator, bodies, more);
  }
  Mesh ball_;

 private:
  std::filesystem::path file_;
};

INSTANTIATE_TEST_SUITE_P(InThePlaneAndInSpace, KeptShapeScene, testing::Values(2, 3),
                         [](const auto& dim) { return fmt::format("{}D", dim.param); });

TEST_P(KeptShapeScene, HasTheNodesOfItsDisplacements) {
  for (const int order : {1, 2}) {
    RunningScene run(scene("implicit_euler", 0.01, body(order)));
    Mesh plain = ball_;
    change_order(plain, order);
    EXPECT_EQ(run.num_nodes(), static_cast<int>(plain.vertices.size()));
    EXPECT_LT(run.num_nodes(), static_cast<int>(ball_.vertices.size()));
  }
}

TEST_P(KeptShapeScene, FallsAsAWholeInEveryIntegrator) {
  for (const char* integrator : {"implicit_euler", "implicit_newmark", "bdf2_restarted"}) {
    RunningScene run(scene(integrator, 0.01, body(2, R"(, "linear_velocity": [1, 2, 0])"),
                           R"(, "solver": {"force_tolerance": 1e-9})"));
    run.steps(5);
    for (int i = 0; i < run.num_nodes(); ++i) {
      EXPECT_NEAR(run.v(i)[0], 1.0, 1e-7) << integrator;
      EXPECT_NEAR(run.v(i)[1], 2.0 - 0.05 * gravity, 1e-7) << integrator;
    }
  }
}

/// The contact force is the weight of the shape of order 4, not of the shape that order 1 or 2 would make of it.
TEST_P(KeptShapeScene, RestsOnAPlaneWithTheWeightOfItsShape) {
  double volume = 0.0;
  for (const MassProperties& element : element_mass_properties(ball_)) volume += element.measure;
  for (const int order : {1, 2}) {
    RunningScene run(scene("quasi_static", 1.0, body(order),
                           R"(, "half_spaces": [{"point": [0, -1.0005, 0]}], "friction": {"coefficient": 0.5})"));
    run.steps(2);
    Vec<3> sum = Vec<3>::Zero();
    for (const Vec<3>& force : run.simulation().contact_forces()) sum += force;
    EXPECT_NEAR(sum[1], 1000.0 * gravity * volume, 1e-3 * 1000.0 * gravity * volume) << order;
  }
}

TEST_P(KeptShapeScene, BouncesWithTheSameBitsForThreadsAndAfterARestart) {
  const std::string text = scene("implicit_newmark", 0.01, body(2, R"(, "linear_velocity": [1, -4, 0])"),
                                 R"(, "half_spaces": [{"point": [0, -1.05, 0]}], "friction": {"coefficient": 0.3})");
  std::vector<std::vector<std::string>> runs;
  State saved;
  double highest = 0.0;
  for (const int threads : {1, 3}) {
    const ThreadLimit limit(threads);
    RunningScene run(text);
    runs.emplace_back();
    for (int n = 0; n < 24; ++n) {
      if (n == 10) saved = run.state();
      const StepReport report = run.step();
      EXPECT_TRUE(report.num_contacts == 0 || report.min_distance > 0.0);
      runs.back().push_back(run.simulation().state_hash());
    }
    highest = run.momentum()[1];
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_GT(highest, 0.0);
  RunningScene resumed(text);
  ASSERT_TRUE(resumed.simulation().restore(saved));
  for (std::size_t n = 10; n < runs[0].size(); ++n) {
    resumed.step();
    ASSERT_EQ(resumed.simulation().state_hash(), runs[0][n]) << n;
  }
}

TEST_P(KeptShapeScene, RefusesWhatItCannotDo) {
  const auto first_issue = [&](const std::string& bodies) {
    const Result<LoadedScene> loaded = load_scene_text(scene("implicit_euler", 0.01, bodies), "scene", ".", {});
    if (!loaded) return to_string(loaded.issues().front());
    const Result<LoadedBodies> built = load_bodies(loaded->scene);
    return built ? std::string() : to_string(built.issues().front());
  };
  EXPECT_EQ(first_issue(body(2)), "");
  EXPECT_NE(first_issue(body(3)).find("expected an `order` that divides"), std::string::npos) << first_issue(body(3));
  EXPECT_NE(first_issue(body(0)).find("needs an `order`"), std::string::npos) << first_issue(body(0));
  const std::string pressed = first_issue(body(2, R"(, "loads": [{"kind": "pressure", "pressure": 1}])"));
  EXPECT_NE(pressed.find("remove `keep_shape`"), std::string::npos) << pressed;
}

}  // namespace
}  // namespace clearance
