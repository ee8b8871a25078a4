#include "clearance/derivatives/first_touches.h"

#include <fmt/format.h>

#include <algorithm>

#include "clearance/contact/contact.h"

namespace clearance::derivatives {

void FirstTouches::note(const SurfaceTopology& surface, const ContactSet& contacts, int step, TimeIntegrator method) {
  std::set<std::array<int, 2>> touching;
  for (const Contact& contact : contacts.contacts) touching.insert(bodies_of(surface, contact));
  if (step > 1 && method != TimeIntegrator::quasi_static) {
    for (const auto& pair : touching) {
      if (touching_.count(pair) == 0) steps_.push_back(step);
    }
  }
  touching_ = std::move(touching);
}

std::optional<Issue> FirstTouches::warning(int last) const {
  const auto count = std::upper_bound(steps_.begin(), steps_.end(), last) - steps_.begin();
  if (count == 0) return std::nullopt;
  return Issue{"", "impact_time_not_differentiated", fmt::format("{} from step {} on", count, steps_.front()),
               "bodies meet in the run. Where a speed jumps at the end of a step, the derivatives are those of the "
               "scheme, which do not see that the time of the impact changes; soft bodies whose impact takes many "
               "steps have little of this error",
               Severity::warning};
}

}  // namespace clearance::derivatives
