#include "clearance/simulation/held_softly.h"

#include <fmt/format.h>

namespace clearance {

namespace {

/// Motion of a body, in its size, up to which the springs give way to its deformation alone.
constexpr double harmless_stretch = 1e-2;

}  // namespace

std::vector<RunWarning> held_softly_warnings(const Simulation& simulation) {
  std::vector<RunWarning> warnings;
  if (simulation.num_steps_done() == 0) return warnings;
  for (const SoftHold& hold : simulation.soft_holds()) {
    const char* carried = hold.stretch < harmless_stretch
                              ? "its loads balance without them"
                              : "its loads do not balance without them: its place says how soft they are, and its "
                                "strain is that of a body that the loads accelerate";
    warnings.push_back(
        {"held_softly", fmt::format("soft springs hold '{}' with {:.3g} N, and it has moved {:.3g} m; {}",
                                    simulation.bodies()[hold.body].name, hold.force, hold.motion, carried)});
  }
  return warnings;
}

}  // namespace clearance
