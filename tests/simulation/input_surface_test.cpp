// Bodies of coarse elements that collide with the surface that these fill.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/surface.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "clearance/io/scene_reader.h"
#include "clearance/meshing/mesh_program.h"
#include "clearance/simulation/build/boundary_follower.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

Vec<3> moved_by(const std::vector<NodeWeight>& weights, const Mesh& mesh, const Mat<3>& linear) {
  Vec<3> x = Vec<3>::Zero();
  for (const auto& [node, weight] : weights) x += weight * (linear * mesh.vertices[node]);
  return x;
}

TEST(BoundaryFollower, AffineMotionsMovePointsOutsideExactly) {
  const Mesh linear = make_sphere(1.0, 2);
  const BoundaryFollower follower(linear);
  const Mat<3> motion = (Mat<3>() << 0.0, -1.0, 0.2, 1.0, 0.3, 0.0, 0.1, 0.0, 1.1).finished();
  double largest_weight = 0.0;
  for (const Vec<3>& direction : {Vec<3>(1, 2, 3), Vec<3>(-1, 0.5, 0.1), Vec<3>(0.3, -2, 1)}) {
    const Vec<3> x = 1.02 * direction.normalized();
    const BoundaryFollower::Followed followed = follower.follow(x);
    double sum = 0.0;
    for (const auto& [node, weight] : followed.weights) {
      sum += weight;
      largest_weight = std::max(largest_weight, std::abs(weight));
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
    EXPECT_LT((moved_by(followed.weights, linear, Mat<3>::Identity()) - x).norm(), 1e-12);
    EXPECT_LT((moved_by(followed.weights, linear, motion) - motion * x).norm(), 1e-12);
  }
  EXPECT_LT(largest_weight, 2.0);
}

class InputSurface : public testing::Test {
 protected:
  void SetUp() override {
    if (find_mesh_program().empty()) GTEST_SKIP() << "clearance-mesh is not built: CGAL is missing";
    folder_ = fs::temp_directory_path() / ("clearance_input_surface_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "cache");
    ::setenv("CLEARANCE_CACHE", (folder_ / "cache").c_str(), 1);
    surface_ = surface_of(make_sphere(0.1, 8));
    ASSERT_TRUE(write_mesh(folder_ / "ball.obj", surface_));
  }
  void TearDown() override {
    ::unsetenv("CLEARANCE_CACHE");
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Result<LoadedScene> scene_with(const std::string& options) const {
    return load_scene_text(R"({"time": {"step": 0.01, "duration": 0.1}, "half_spaces": [{"point": [0, 0, 0]}],
            "bodies": [{"mesh": "ball.obj", "units": "m", "material": {"density": 1000, "youngs_modulus": 1e5},
                        "transform": {"translation": [0, 0.101, 0]}, )" +
                               options + "}]}",
                           "scene", folder_);
  }

  fs::path folder_;
  Mesh surface_;
};

TEST_F(InputSurface, BallOfCoarseElementsCollidesWithItsFineSurface) {
  RunningScene scene(scene_with(R"("volume_mesh": {"order": 2, "edge_length": 0.1}, "collision_surface": "input")"));
  const SurfaceTopology& surface = scene.model().surface;
  ASSERT_EQ(surface.triangles.size(), surface_.triangles.size());
  // At rest, the surface is where the file has it.
  const VecX x = scene.model().surface_map.apply(scene.state().x);
  for (int v = 0; v < surface.num_vertices; ++v) {
    EXPECT_LT((block<3>(x, v) - Vec<3>(0.0, 0.101, 0.0) - surface_.vertices[v]).norm(), 1e-9);
  }
  scene.steps(10);
}

TEST_F(InputSurface, OfElementsFarInsideIsRefused) {
  // Pyramids that stick out of the elements.
  Mesh spiky = make_sphere(0.1, 1);
  const BoundaryFollower follower(spiky);
  EXPECT_GT(follower.follow({0.5, 0.0, 0.0}).outside, 1.5);
  EXPECT_LT(follower.follow({0.101, 0.0, 0.0}).outside, 0.25);
}

}  // namespace
}  // namespace clearance
