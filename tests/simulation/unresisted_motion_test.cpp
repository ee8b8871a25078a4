// Statics tell where nothing resists a motion along which a body has moved.
#include <fmt/format.h>

#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// A bar along x that is pulled along it by the upper half of its end, so that it bends.
RunningScene pulled(const std::string& kind, const std::string& held) {
  return RunningScene(fmt::format(
      R"({{"gravity": [0, 0, 0], "time": {{"step": 1, "duration": 1, "integrator": "quasi_static"}},
          "contact": {{"enabled": false}},
          "bodies": [{{"name": "bar", {}, "material": {{"density": 1000, "youngs_modulus": 1e6, "poisson_ratio": 0.3}},
            "motions": [{{"region": {{"frame": "body", "box": [[-1, -1, -1], [1e-6, 2, 2]]}}, "components": {}}}],
            "loads": [{{"kind": "force", "value": [50, 0, 0],
                        "region": {{"frame": "body", "box": [[0.999, 0.499, -1], [2, 2, 2]]}}}}]}}]}})",
      kind, held));
}

const std::string solid = R"("generator": {"kind": "box", "size": [1, 0.1, 0.1], "resolution": [8, 2, 2]})";
TEST(UnresistedMotion, OfABarThatIsHeldAlongOneDirectionOnlyIsTold) {
  RunningScene scene = pulled(solid, "[true, false, false]");
  const Vec<3> before = scene.center_of_mass();
  const StepReport report = scene.step();
  ASSERT_TRUE(report.free_motion);
  EXPECT_EQ(report.free_motion->body, 0);
  // The bar goes sideways by as much as it bends.
  const double sideways = (scene.center_of_mass() - before).tail<2>().norm();
  EXPECT_GT(report.free_motion->distance, 0.1 * sideways);
  EXPECT_LT(report.free_motion->distance, 10.0 * sideways);
}

TEST(UnresistedMotion, IsNotToldOfABarThatIsHeld) {
  EXPECT_FALSE(pulled(solid, "[true, true, true]").step().free_motion);
}

}  // namespace
}  // namespace clearance
