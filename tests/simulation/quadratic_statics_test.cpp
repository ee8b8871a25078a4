// Linear meshes of quasi-static scenes that get quadratic elements.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// A cantilever of one cell through its height under a load across its end. `scene` and `body` hold further keys.
std::string cantilever(const std::string& scene = "", const std::string& body = "",
                       const std::string& integrator = "quasi_static",
                       const std::string& held = R"("box": [[-1, -1, -1], [0.001, 2, 2]], "frame": "body")") {
  return fmt::format(R"({{{}"gravity": [0, 0, 0],
    "time": {{"step": 1, "duration": 1, "integrator": "{}"}},
    "bodies": [{{{}"generator": {{"kind": "box", "size": [1, 0.1, 0.1], "resolution": [10, 1, 1]}},
      "transform": {{"translation": [0.5, 0, 0]}}, "material": {{"density": 1000, "youngs_modulus": 1e7,
      "poisson_ratio": 0}}, "motions": [{{"region": {{{}}}}}],
      "loads": [{{"kind": "force", "value": [0, -1, 0],
                 "region": {{"box": [[0.999, -1, -1], [1.001, 2, 2]], "frame": "body"}}}}]}}]}})",
                     scene, integrator, body, held);
}

/// Deflection of the end over that of a beam with shear (Timoshenko).
double bending(const std::string& json) {
  RunningScene scene(json);
  scene.steps(1);
  double sum = 0.0;
  int count = 0;
  for (int node = 0; node < scene.num_nodes(); ++node) {
    if (scene.rest(node)[0] < 1.0 - 1e-9) continue;
    sum += scene.rest(node)[1] - scene.x(node)[1];
    ++count;
  }
  constexpr double e = 1e7, second = 1e-4 / 12.0;
  return sum / count / (1.0 / (3.0 * e * second) + 1.2 * 2.0 / (e * 0.01));
}

TEST(QuadraticStatics, OneCellThroughTheHeightBendsRight) {
  EXPECT_NEAR(bending(cantilever()), 1.0, 0.01);
  EXPECT_LT(bending(cantilever("", R"("order": 1, )")), 0.4);
}

TEST(QuadraticStatics, ListsOfNodesReachTheNodesBetween) {
  const std::string json = cantilever();
  RunningScene linear(cantilever("", R"("order": 1, )"));
  std::vector<int> held;
  for (int node = 0; node < linear.num_nodes(); ++node) {
    if (linear.rest(node)[0] < 1e-9) held.push_back(node);
  }
  ASSERT_EQ(held.size(), 4U);
  const std::string listed = cantilever("", "", "quasi_static", fmt::format(R"("nodes": [{}])", fmt::join(held, ", ")));
  EXPECT_EQ(bending(listed), bending(json));
  // The numbers of nodes that the program has added are not those of the mesh.
  const Result<LoadedScene> beyond =
      load_scene_text(cantilever("", "", "quasi_static", R"("nodes": [0, 44])"), "scene", ".", {});
  EXPECT_FALSE(Simulation::create(beyond->scene).has_value());
}

TEST(QuadraticStatics, AreForSmallMeshesOfStaticsWithoutAnOrder) {
  const auto num_nodes = [](const std::string& json) { return RunningScene(json).num_nodes(); };
  const int linear = num_nodes(cantilever("", R"("order": 1, )"));
  EXPECT_EQ(linear, 44);
  EXPECT_EQ(num_nodes(cantilever()), 21 * 9);
  EXPECT_EQ(num_nodes(cantilever("", "", "implicit_euler")), linear);
  EXPECT_EQ(num_nodes(cantilever(R"("format": "clearance/2", )")), linear);
  EXPECT_EQ(num_nodes(cantilever(R"("static": {"quadratic_elements": 59}, )")), linear);
  EXPECT_EQ(num_nodes(cantilever(R"("static": {"quadratic_elements": 60}, )")), 21 * 9);
  EXPECT_EQ(num_nodes(cantilever(R"("start": {"overlaps": "separate"}, )")), linear);
}

}  // namespace
}  // namespace clearance
