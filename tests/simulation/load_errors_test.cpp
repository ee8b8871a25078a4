// Errors that elements make in the displacements under loads, before and after a quasi-static step.
#include "clearance/simulation/stiffness/load_errors.h"

#include <fmt/format.h>

#include "clearance/io/scene_reader.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// A bar of 1 m along x whose left end is held. `more` loads or moves it.
std::string bar(const std::string& more, const char* cells = "8, 2, 2", int order = 1) {
  return fmt::format(R"({{"gravity": [0, 0, 0], "time": {{"step": 1, "duration": 1, "integrator": "quasi_static"}},
    "bodies": [{{"name": "bar", "order": {}, "generator": {{"kind": "box", "size": [1, 0.1, 0.1], "resolution": [{}]}},
      "material": {{"density": 1000, "youngs_modulus": 1e9, "poisson_ratio": 0.3}}, {}}}]}})",
                     order, cells, more);
}
const std::string held = R"({"region": {"box": [[-1, -1, -1], [-0.499, 1, 1]]}})";
const std::string right_end = R"("region": {"box": [[0.499, -1, -1], [1, 1, 1]]})";

struct Shares {
  double foreseen, found;
};

/// Returns the error of the only body; -1 before the run if none is foreseen.
Shares shares_of(const std::string& json) {
  const Result<LoadedScene> loaded = load_scene_text(json, "scene", ".", {});
  RunningScene scene(loaded);
  const auto before = foresee_discretisation_errors(loaded->scene, scene.scene());
  const double foreseen = before.empty() ? -1.0 : before[0].displacement;
  scene.step();
  return {foreseen, scene.simulation().discretisation_errors().at(0).displacement};
}

TEST(LoadErrors, ForeseenAreThoseOfASmallLoad) {
  for (const int order : {1, 2}) {
    const std::string load = R"("loads": [{"kind": "force", "value": [0, 1, 0], )" + right_end + "}]";
    const Shares shares = shares_of(bar(R"("motions": [)" + held + "], " + load, "8, 2, 2", order));
    EXPECT_GT(shares.found, 1e-4) << order;
    EXPECT_NEAR(shares.foreseen, shares.found, 0.02 * shares.found) << order;
  }
}

TEST(LoadErrors, TurnsOfMovedNodesDoNotStrainTheBody) {
  // A face that turns by 40 degrees: to first order in the angle its nodes go along tangents.
  const std::string turned = fmt::format(R"({{{}, "center": [0, 0, 0], "angular_velocity": [40, 0, 0]}})", right_end);
  const Shares shares = shares_of(bar(R"("motions": [)" + held + ", " + turned + "]", "8, 2, 2", 2));
  EXPECT_NEAR(shares.foreseen, shares.found, 0.3 * shares.found);
}

TEST(LoadErrors, OfBodiesThatContactsAloneHoldAreNotForeseen) {
  const Result<LoadedScene> loaded =
      load_scene_text(bar(R"("loads": [{"kind": "force", "value": [0, 1, 0], )" + right_end + "}]"), "scene", ".", {});
  RunningScene scene(loaded);
  EXPECT_TRUE(foresee_discretisation_errors(loaded->scene, scene.scene()).empty());
}

TEST(LoadErrors, OfBendingDoNotHideBehindCompression) {
  // A column under half of its critical load, and a thousandth of that across, of linear elements that are seven times
  // too stiff in bending and right in compression.
  const double across = 2e-3, critical = 2056.0;
  const Shares pressed = shares_of(bar(fmt::format(R"("motions": [{}], "loads": [{{"kind": "force",
      "value": [{}, {}, 0], {}}}])",
                                                   held, -0.5 * critical, across * critical, right_end),
                                       "8, 2, 2"));
  EXPECT_GT(pressed.found, 0.5);
}

TEST(LoadErrors, OfBodiesThatMayBuckleAreNotForeseen) {
  const Result<LoadedScene> loaded = load_scene_text(
      bar(R"("motions": [)" + held + R"(], "loads": [{"kind": "force", "value": [-1, 0, 0], )" + right_end + "}]"),
      "scene", ".", {});
  RunningScene scene(loaded);
  EXPECT_TRUE(foresee_discretisation_errors(loaded->scene, scene.scene()).empty());
}

TEST(LoadErrors, TakeThePlaceOfWhatShapesForetell) {
  // One linear element through the thickness is too stiff in bending, and right in tension.
  const auto warns = [](const std::string& value) {
    RunningScene scene(
        bar(R"("motions": [)" + held + R"(], "loads": [{"kind": "force", "value": )" + value + ", " + right_end + "}]",
            "8, 1, 1"));
    for (const NamedHint& hint : scene.simulation().named_warnings()) {
      if (hint.name == "coarse_elements") return true;
    }
    return false;
  };
  EXPECT_TRUE(warns("[0, 1, 0]"));
  EXPECT_FALSE(warns("[1, 0, 0]"));
}

}  // namespace
}  // namespace clearance
