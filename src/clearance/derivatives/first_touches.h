// Pairs of bodies that come to touch in a run, whose derivatives do not see that the time of the impact changes.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/contact/contact_set.h"
#include "clearance/solver/options.h"

namespace clearance::derivatives {

class FirstTouches {
 public:
  /// Notes the contacts at the end of a step; a step follows the one noted before. Bodies that touch in the first step
  /// have not met, and those in statics have no speed that jumps.
  void note(const SurfaceTopology& surface, const ContactSet& contacts, int step, TimeIntegrator method);
  /// Returns a warning if bodies meet up to the step `last`.
  std::optional<Issue> warning(int last) const;

 private:
  std::set<std::array<int, 2>> touching_;
  std::vector<int> steps_;  // in which a pair of bodies begins to touch, in ascending order
};

}  // namespace clearance::derivatives
