#include "clearance/simulation/held_softly.h"

#include <fmt/format.h>

namespace clearance {

namespace {

/// Share of the loads that springs may carry as if they were not there.
constexpr double harmless_share = 1e-3;

}  // namespace

std::vector<RunWarning> held_softly_warnings(const Simulation& simulation) {
  std::vector<RunWarning> warnings;
  if (simulation.num_steps_done() == 0) return warnings;
  for (const SoftHold& hold : simulation.soft_holds()) {
    const std::string& name = simulation.bodies()[hold.body].name;
    if (hold.share < harmless_share) continue;
    warnings.push_back(
        {"held_softly",
         fmt::format("the loads of '{}' do not balance: soft springs hold it with {:.3g} N and {:.3g} N m. Its "
                     "displacement of {:.3g} m depends only on the softness of the springs, and its strain is the "
                     "strain of a body that the loads accelerate",
                     name, hold.force, hold.torque, hold.motion)});
  }
  return warnings;
}

}  // namespace clearance
