#include "clearance/io/robot/robot_model.h"

#include <fmt/format.h>

#include <algorithm>

namespace clearance {

namespace {

/// Returns the contribution of a point mass to a tensor about a point at the distance `arm`.
Mat<3> parallel_axes(double mass, const Vec<3>& arm) {
  return mass * (arm.squaredNorm() * Mat<3>::Identity() - arm * arm.transpose());
}

}  // namespace

RobotInertia combine(const RobotInertia& a, const RobotInertia& b) {
  RobotInertia sum;
  sum.mass = a.mass + b.mass;
  sum.center = sum.mass > 0.0 ? Vec<3>((a.mass * a.center + b.mass * b.center) / sum.mass) : a.center;
  sum.tensor =
      a.tensor + parallel_axes(a.mass, a.center - sum.center) + b.tensor + parallel_axes(b.mass, b.center - sum.center);
  return sum;
}

RobotInertia transformed(const RobotInertia& inertia, const RobotPose& pose) {
  return {inertia.mass, pose.apply(inertia.center), pose.rotation * inertia.tensor * pose.rotation.transpose()};
}

void RobotOmissions::add(const std::string& what, const std::string& name) {
  auto kind = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& k) { return k.what == what; });
  if (kind == kinds_.end()) kind = kinds_.insert(kinds_.end(), {what, {}});
  kind->names.push_back(name);
}

Issues RobotOmissions::warnings() const {
  constexpr std::size_t max_names = 8;
  Issues warnings;
  for (const Kind& kind : kinds_) {
    std::string names;
    for (std::size_t i = 0; i < std::min(max_names, kind.names.size()); ++i) {
      if (!kind.names[i].empty()) names += (names.empty() ? "" : ", ") + kind.names[i];
    }
    if (kind.names.size() > max_names && !names.empty()) names += ", ...";
    warnings.push_back({"", "", "",
                        fmt::format("not carried over: {} {}{}", kind.names.size(), kind.what,
                                    names.empty() ? "" : " (" + names + ")"),
                        Severity::warning});
  }
  return warnings;
}

}  // namespace clearance
