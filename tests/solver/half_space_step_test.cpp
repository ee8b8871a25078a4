// Steps towards a half-space: rounding must not carry a vertex through it, and min_separation counts.
#include <gtest/gtest.h>

#include "clearance/solver/feasible_step.h"
#include "contact/contact_models.h"

namespace clearance {
namespace {

/// One point above an inclined plane that lies `offset` from the origin.
struct Drop {
  explicit Drop(double offset) : builder(3) {
    builder.add_body({{0.3 * offset, 2.0 * offset, -0.1 * offset}}, {});
    normal = Vec<3>(0.15, 1.0, -0.02).normalized();
    builder.add_half_space(normal, offset);
    model = builder.build();
    x = builder.x();
  }
  double gap() const { return normal.dot(Vec<3>(x)) - model.half_spaces[0].offset; }
  double step_along(const Vec<3>& dx, const SolverOptions& options) {
    SurfacePath path;
    path.x_t0 = x;
    path.x_t1 = x + dx;
    const double alpha = find_feasible_step<3>(model, path, {}, options).alpha;
    x += alpha * dx;
    return alpha;
  }

  test::ModelBuilder builder;
  Vec<3> normal;
  Model model;
  VecX x;
};

// Each step keeps a fifth of the gap, so that the gap falls to the rounding of the coordinates after some tens of
// steps.
TEST(HalfSpaceStep, ThousandStepsAgainstThePlaneStayInFrontOfIt) {
  for (const double offset : {0.01, 1.0, 123.456, 1e6}) {
    Drop drop(offset);
    for (int i = 0; i < 1000; ++i) {
      drop.step_along(Vec<3>(0.7, -30.0, 0.3) * offset, {});
      ASSERT_GT(drop.gap(), 0.0) << "offset " << offset << ", step " << i;
    }
    EXPECT_LT(drop.gap(), 1e-12 * offset) << "never came near";
  }
}

TEST(HalfSpaceStep, KeepsMinSeparation) {
  Drop drop(1.0);
  SolverOptions options;
  options.barrier.min_separation = 1e-3;
  const double room = drop.gap() - 1e-3;
  EXPECT_LT(drop.step_along(-10.0 * drop.normal, options), 1.0);
  EXPECT_NEAR(drop.gap() - 1e-3, options.gap_fraction * room, 1e-12);
}

TEST(HalfSpaceStep, AwayFromThePlaneIsFree) {
  Drop drop(1.0);
  for (int i = 0; i < 100; ++i) drop.step_along(-drop.normal, {});
  EXPECT_EQ(drop.step_along(drop.normal, {}), 1.0);
}

}  // namespace
}  // namespace clearance
