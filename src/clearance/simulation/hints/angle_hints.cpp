#include "clearance/simulation/hints/angle_hints.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "clearance/math/rotation.h"

namespace clearance {
namespace {

/// An angle that people write in radians.
struct CommonAngle {
  const char* name;
  double degrees;
};
constexpr std::array<CommonAngle, 9> common_angles = {{{"pi / 6", 30.0},
                                                       {"pi / 4", 45.0},
                                                       {"pi / 3", 60.0},
                                                       {"pi / 2", 90.0},
                                                       {"2 pi / 3", 120.0},
                                                       {"3 pi / 4", 135.0},
                                                       {"pi", 180.0},
                                                       {"3 pi / 2", 270.0},
                                                       {"2 pi", 360.0}}};

/// Returns the angle that the value is in radians; null if it is none. People write 1.57 and 3.14, too.
const CommonAngle* find_angle(double value) {
  constexpr double tolerance = 0.002;
  for (const CommonAngle& angle : common_angles) {
    const double radians = angle.degrees * radians_per_degree;
    if (std::abs(std::abs(value) - radians) < tolerance) return &angle;
  }
  return nullptr;
}

/// Adds a warning if the value looks like radians, and returns whether it does.
bool warn_if_radians(double value, const std::string& place, NamedHints& hints) {
  const CommonAngle* angle = find_angle(value);
  if (angle == nullptr) return false;
  add_hint(hints, "doubtful_angle", place,
           fmt::format("{:g} looks like {}{} in radians. Angles are in degrees: write {:g}", value,
                       value < 0.0 ? "-" : "", angle->name, std::copysign(angle->degrees, value)));
  return true;
}

}  // namespace

void warn_of_radians(const SceneDesc& desc, NamedHints& hints) {
  // The first one tells it all.
  for (std::size_t d = 0; d < desc.bodies.size(); ++d) {
    for (const double value : desc.bodies[d].transform.rotation) {
      if (warn_if_radians(value, fmt::format("bodies[{}].transform.rotation", d), hints)) return;
    }
  }
  for (std::size_t j = 0; j < desc.joints.size(); ++j) {
    const JointDesc& joint = desc.joints[j];
    if (joint.kind != JointKind::hinge) continue;
    if (joint.lower && warn_if_radians(*joint.lower, fmt::format("joints[{}].lower", j), hints)) return;
    if (joint.upper && warn_if_radians(*joint.upper, fmt::format("joints[{}].upper", j), hints)) return;
  }
}

}  // namespace clearance
