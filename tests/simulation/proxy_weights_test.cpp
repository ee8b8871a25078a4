// Collision surfaces that follow given weights: affine motion, agreement of runs with those of the elements around the
// surface, files with unused vertices, and files that are refused.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/generators.h"
#include "clearance/geometry/surface.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "clearance/simulation/build/collision_surface.h"
#include "io/mesh_test_support.h"
#include "io/weights_file.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

/// A folder with box.msh (8 cells) and ball.obj, a surface in it; both have vertices that nothing uses.
class ProxyWeights : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("clearance_proxy_weights_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    box_ = make_box({1, 1, 1}, {2, 2, 2});
    box_.vertices.insert(box_.vertices.begin(), Vec<3>(5, 5, 5));
    for (auto& tet : box_.tets) {
      for (int& v : tet) ++v;
    }
    ball_ = surface_of(make_sphere(0.55, 4));
    weights_ = test::barycentric_weights(box_, ball_);
    // A row that nothing uses, of a node that nothing uses, is in the middle of the surface's vertices.
    unused_ = ball_.vertices.size() / 2;
    const auto at = static_cast<std::ptrdiff_t>(unused_);
    ball_.vertices.insert(ball_.vertices.begin() + at, Vec<3>(5, 5, 5));
    weights_.insert(weights_.begin() + at, std::vector<NodeWeight>{{0, 1.0}});
    for (auto& triangle : ball_.triangles) {
      for (int& v : triangle) v += v >= static_cast<int>(unused_) ? 1 : 0;
    }
    write("box.msh", box_);
    write("ball.ply", ball_);
    write_weights(weights_, box_.vertices.size());
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  void write(const std::string& name, const Mesh& mesh) const {
    for (const Issue& issue : write_mesh(folder_ / name, mesh).issues()) ADD_FAILURE() << to_string(issue);
  }
  void write_weights(const NodeWeights& weights, std::size_t num_nodes) const {
    test::write_weights(folder_ / "w.hdf5", weights, num_nodes);
  }
  SceneDesc scene_of(const std::string& more = "") const {
    const std::string text =
        R"({"bodies": [{"name": "box", "mesh": "box.msh", "units": "m", "collision_surface": {"mesh": "ball.ply",
            "weights": "w.hdf5"}, "self_contact": false)" +
        more + "}]}";
    const Result<LoadedScene> loaded = load_scene_text(text, "scene", folder_);
    for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
    return loaded ? loaded->scene : SceneDesc{};
  }
  /// Returns the warnings or errors about weights, without the folder.
  Lines told(const std::string& more = "") const {
    const Result<LoadedBodies> loaded = load_bodies(scene_of(more));
    Lines lines;
    for (Issue issue : loaded ? loaded->warnings : loaded.issues()) {
      if (!issue.place.ends_with(".weights")) continue;
      issue.file = fs::path(issue.file).filename();
      lines.push_back(to_string(issue));
    }
    return lines;
  }
  const std::string place_ =
      "w.hdf5: bodies[0].collision_surface.weights: weights of the collision surface of body 'box': ";
  fs::path folder_;
  Mesh box_, ball_;
  NodeWeights weights_;
  std::size_t unused_ = 0;
};

TEST_F(ProxyWeights, FollowAffineMotionsWhereverTheBodyIs) {
  Mat<3> map;
  map << 1.1, 0.2, -0.3, 0.1, 0.9, 0.2, -0.1, 0.3, 1.2;
  for (const char* more : {"", R"(, "order": 3)",
                           R"(, "array": {"counts": [2, 1, 1], "spacing": [7, 7, 7]},
                             "transform": {"scale": [1, 2, 3], "rotation": [10, 20, 30], "translation": [1, 2, 3]})"}) {
    SCOPED_TRACE(more);
    const SceneDesc scene = scene_of(more);
    const Result<LoadedBodies> loaded = load_bodies(scene);
    ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues().at(0));
    EXPECT_EQ(told(more), Lines{});
    for (const BodyInstance& body : loaded->instances) {
      Issues issues;
      const CollisionSurface surface = make_collision_surface(scene.bodies[0], body, "bodies[0]", issues);
      EXPECT_TRUE(issues.empty());
      EXPECT_EQ(surface.triangles.size(), ball_.triangles.size());
      ASSERT_EQ(surface.vertices.size(), ball_.vertices.size() - 1);
      for (std::size_t v = 0; v < surface.vertices.size(); ++v) {
        const CollisionSurface::Vertex& vertex = surface.vertices[v];
        EXPECT_LE(vertex.weights.size(), 4u);
        Vec<3> moved = vertex.rest;
        for (const auto& [node, weight] : vertex.weights) {
          const Vec<3>& x = body.mesh.vertices.at(node);
          moved += weight * (map * x - x);
        }
        EXPECT_LT((moved - map * vertex.rest).norm(), 1e-12);
      }
    }
  }
}

/// The rows count, not the positions of the elements: all follow one node.
TEST_F(ProxyWeights, AreThoseOfTheFile) {
  for (auto& row : weights_) row = {{7, 1.0}};
  write_weights(weights_, box_.vertices.size());
  const SceneDesc scene = scene_of();
  const Result<LoadedBodies> loaded = load_bodies(scene);
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues().at(0));
  Issues issues;
  for (const CollisionSurface::Vertex& vertex :
       make_collision_surface(scene.bodies[0], loaded->instances.at(0), "", issues).vertices) {
    ASSERT_EQ(vertex.weights.size(), 1u);
    EXPECT_EQ(vertex.weights[0].node, 6) << "the first node of the file is none of the body";
  }
}

// Barycentric weights are those of the elements up to rounding; the end of Newton's method must not depend on it.
TEST_F(ProxyWeights, RunAsTheElementsAroundTheSurface) {
  const auto run = [&](const std::string& surface) {
    RunningScene scene(load_scene_text(
        fmt::format(
            R"({{"time": {{"step": 0.02}}, "half_spaces": [{{"point": [0, -0.56, 0], "normal": [0.2, 1, 0]}}],
              "friction": {{"coefficient": 0.3}}, "solver": {{"force_tolerance": 1e-8}},
              "bodies": [{{"mesh": "box.msh", "units": "m", "collision_surface": {},
              "linear_velocity": [0, -2, 0], "material": {{"youngs_modulus": 1e5}}}}]}})",
            surface),
        "scene", folder_));
    scene.steps(8);
    double force = 0.0;
    for (const Vec<3>& f : scene.simulation().contact_forces()) force += f.norm();
    EXPECT_GT(force, 1.0) << "it touches";
    return scene.simulation().frame().mesh;
  };
  const Mesh given = run(R"({"mesh": "ball.ply", "weights": "w.hdf5"})"), found = run(R"({"mesh": "ball.ply"})");
  EXPECT_EQ(given.triangles, found.triangles);
  ASSERT_EQ(given.vertices.size(), found.vertices.size());
  EXPECT_EQ(given.vertices.size(), box_.vertices.size() + ball_.vertices.size() - 2);
  for (std::size_t v = 0; v < given.vertices.size(); ++v) {
    EXPECT_LT((given.vertices[v] - found.vertices[v]).norm(), 1e-12) << v;
  }
}

TEST_F(ProxyWeights, OfOtherFilesAreRefused) {
  NodeWeights fewer = weights_;
  fewer.pop_back();
  write_weights(fewer, box_.vertices.size() + 1);
  EXPECT_EQ(told(), (Lines{place_ + fmt::format("expected a row for each of the {} vertices of the surface, not {}",
                                                weights_.size(), fewer.size()),
                           place_ + "expected a column for each of the 28 nodes of the mesh, not 29"}));
  test::WeightsWriter(folder_ / "w.hdf5", "other");
  EXPECT_EQ(told(), Lines{place_ + "the file has no group `weight_triplets`; expected this group with the datasets "
                                   "`values`, `rows` and `cols` and the attribute `shape`"});
  test::WeightsWriter(folder_ / "w.hdf5")
      .add("values", std::vector<double>{1})
      .add("rows", std::vector<int>{3})
      .add("cols", std::vector<int>{0})
      .shape(std::vector<int>{2, 1});
  EXPECT_EQ(told(), Lines{place_ + "weight_triplets/rows[0]: expected a number from 0 to 1, as `shape` says (got 3)"});
  fs::remove(folder_ / "w.hdf5");
  EXPECT_EQ(told(), Lines{place_ + "the file does not exist"});
}

TEST_F(ProxyWeights, OfNodesThatTheBodyDoesNotHaveAreRefused) {
  weights_[3] = {{0, 1.0}};
  write_weights(weights_, box_.vertices.size());
  EXPECT_EQ(told(), Lines{place_ + "row 3 refers to node 0 of the mesh, which is not a node of any element"});
  // Middles of edges are nodes of order 2, not of order 1.
  change_order(box_, 2);
  write("box.msh", box_);
  weights_[3] = {{1, 0.5}, {40, 0.5}};
  write_weights(weights_, box_.vertices.size());
  const std::string distorted = "they place a vertex up to ";
  Lines lines = told();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find(distorted), std::string::npos) << lines[0];
  lines = told(R"(, "order": 1)");
  EXPECT_EQ(lines.back(), place_ +
                              "row 3 refers to node 40 of the mesh, which is not a node of any element of order 1; "
                              "`order` 0 keeps the nodes of the mesh");
}

TEST_F(ProxyWeights, InAnotherOrderAreWarnedOf) {
  EXPECT_EQ(told(), Lines{});
  std::swap(weights_.front(), weights_.back());
  write_weights(weights_, box_.vertices.size());
  const double distance = (ball_.vertices.front() - ball_.vertices.back()).norm();
  EXPECT_EQ(told(),
            Lines{fmt::format(
                "w.hdf5: bodies[0].collision_surface.weights: warning: weights of the collision surface of body 'box': "
                "they place a vertex up to {:.3g} m from where it is, {:.2g} of the body's size, so that rotations of "
                "the body distort the surface; check that rows and columns are in the order of the files",
                distance, distance / std::sqrt(3.0))});
}

/// Some vertices of these surfaces are unused.
TEST(PublishedScenes, HaveTheWeightsOfTheirFiles) {
  const fs::path folder = peer_data() / "high-order-ipc";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no published scenes in " << folder;
  for (const char* name : {"baseline/coarse_fem+fine_collision", "baseline/fine_fem+coarse_collision",
                           "bounce/bounce-P1", "stress-tests/trash-compactor-octocat"}) {
    SCOPED_TRACE(name);
    const Result<LoadedScene> scene = load_scene(folder / "scripts" / fmt::format("{}.json", name));
    ASSERT_TRUE(scene.has_value()) << to_string(scene.issues().at(0));
    const Result<LoadedBodies> loaded = load_bodies(scene->scene);
    ASSERT_TRUE(loaded.has_value()) << to_string(loaded.issues().at(0));
    for (const Issue& issue : loaded->warnings) EXPECT_EQ(issue.place.find("collision_surface"), std::string::npos);
    const BodyInstance& body = loaded->instances.at(0);
    ASSERT_TRUE(body.proxy_weights);
    ASSERT_EQ(body.proxy_weights->size(), body.proxy->vertices.size());
    EXPECT_LT(distance_of_weights(*body.proxy_weights, body.proxy->vertices, body.mesh.vertices),
              1e-12 * bounding_box(body.mesh.vertices).diagonal());
  }
}

}  // namespace
}  // namespace clearance
