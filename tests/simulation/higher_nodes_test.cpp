// The nodes of curved elements beside their corners, and the iterations that build on the corners.
#include <fmt/format.h>

#include "clearance/base/parallel.h"
#include "clearance/model/local_coordinates.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// The coarse system moves as the fine one wherever that is a linear map of the positions at rest.
template <int dim>
void expect_linear_fields(const RunningScene& scene, bool has_higher_nodes) {
  const LocalCoordinates<dim> coordinates(scene.model());
  const Interpolation interpolation = coordinates.interpolation();
  ASSERT_EQ(!interpolation.is_empty(), has_higher_nodes);
  if (!has_higher_nodes) return;
  ASSERT_EQ(interpolation.num_blocks(), coordinates.num_blocks());
  ASSERT_LT(interpolation.num_coarse, coordinates.num_blocks());
  const auto origins = coordinates.origins();
  std::vector<VecX> coarse(interpolation.num_coarse, VecX::Zero(dim));
  for (int b = 0; b < coordinates.num_blocks(); ++b) {
    const auto terms = interpolation.of(b);
    if (terms.size() == 1 && terms[0].weight == 1.0) {
      coarse[terms[0].block] = block<dim>(scene.model().x_rest, origins[b].block);
    }
  }
  for (int b = 0; b < coordinates.num_blocks(); ++b) {
    VecX sum = VecX::Zero(dim);
    for (const Interpolation::Term& term : interpolation.of(b)) sum += term.weight * coarse[term.block];
    EXPECT_LT((sum - block<dim>(scene.model().x_rest, origins[b].block)).norm(), 1e-12) << b;
  }
}

std::string beam(int dim, int order, const std::string& more = "") {
  const char* shape = dim == 2 ? R"("kind": "rectangle", "size": [1, 0.2], "resolution": [5, 2])"
                               : R"("kind": "box", "size": [1, 0.2, 0.2], "resolution": [5, 2, 2])";
  return fmt::format(R"({{"dimension": {}, "bodies": [
      {{"generator": {{{}}}, "order": {}{}}},
      {{"kind": "affine", "generator": {{{}}}, "transform": {{"translation": [0, 1, 0]}}}}]}})",
                     dim, shape, order, more, shape);
}

TEST(HigherNodes, FollowTheirCorners) {
  for (const int order : {1, 2, 3, 4}) {
    SCOPED_TRACE(order);
    expect_linear_fields<2>(RunningScene(beam(2, order)), order > 1);
    expect_linear_fields<3>(RunningScene(beam(3, order)), order > 1);
  }
}

TEST(HigherNodes, FollowAStiffPartThatHasTheirCorners) {
  const std::string part = R"(, "stiff_parts": [{"region": {"frame": "body", "box": [[0.25, -1, -1], [2, 2, 2]]}}])";
  expect_linear_fields<2>(RunningScene(beam(2, 2, part)), true);
  expect_linear_fields<3>(RunningScene(beam(3, 3, part)), true);
}

/// A cantilever of quadratic elements, large enough to be iterated.
std::string cantilever(const char* linear_solver) {
  return fmt::format(R"({{"gravity": [0, 0, 0], "time": {{"integrator": "quasi_static", "step": 1, "duration": 1}},
    "solver": {{"linear_solver": "{}"}},
    "bodies": [{{"generator": {{"kind": "box", "size": [1, 0.3, 0.3], "resolution": [18, 8, 8]}}, "order": 2,
      "material": {{"youngs_modulus": 2e9, "poisson_ratio": 0.35, "density": 1000}},
      "motions": [{{"region": {{"box": [[-1, -1, -1], [-0.4999, 1, 1]]}}}}],
      "loads": [{{"kind": "force", "value": [0, -2e4, 0], "region": {{"box": [[0.4999, -1, -1], [1, 1, 1]]}}}}]}}]}})",
                     linear_solver);
}

TEST(HigherNodes, IterationsWithCornersGiveTheStateOfTheFactorization) {
  RunningScene factored(cantilever("cholmod")), iterated(cantilever("automatic"));
  const StepReport direct = factored.step(), report = iterated.step();
  EXPECT_EQ(direct.counters.linear_iterations, 0);
  EXPECT_GT(report.counters.linear_iterations, 0);
  EXPECT_LE(report.newton_iterations, direct.newton_iterations + 1);
  const VecX moved = factored.state().x - factored.model().x_rest;
  EXPECT_LT((iterated.state().x - factored.state().x).norm(), 1e-4 * moved.norm());
  const ThreadLimit limit(1);
  RunningScene alone(cantilever("automatic"));
  alone.step();
  EXPECT_EQ(alone.state().x, iterated.state().x);
}

}  // namespace
}  // namespace clearance
