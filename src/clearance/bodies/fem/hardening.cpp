#include "clearance/bodies/fem/hardening.h"

#include <algorithm>
#include <utility>

namespace clearance {

namespace {

/// Strain below which an excess over the yield stress is rounding. At the end of a step the stress is on the yield
/// surface; the next step begins there and must not flow by rounding, whose share in a strain is a few units of 1e-16.
constexpr double strain_rounding = 1e-14;

}  // namespace

Hardening::Hardening(std::vector<std::array<double, 2>> points, double slope) : points_(std::move(points)) {
  for (std::size_t k = 0; k + 1 < points_.size(); ++k) {
    slopes_.push_back((points_[k + 1][1] - points_[k][1]) / (points_[k + 1][0] - points_[k][0]));
  }
  slopes_.push_back(slope);
}

std::size_t Hardening::segment(double strain) const {
  const auto after =
      std::upper_bound(points_.begin() + 1, points_.end(), strain,
                       [](double value, const std::array<double, 2>& point) { return value < point[0]; });
  return static_cast<std::size_t>(after - points_.begin()) - 1;
}

double Hardening::yield_stress(double strain) const {
  return on_segment(segment(strain), strain);
}

double Hardening::work(double from, double to) const {
  double sum = 0.0;
  for (std::size_t k = segment(from); from < to; ++k) {
    const double end = k + 1 < points_.size() ? std::min(to, points_[k + 1][0]) : to;
    sum += 0.5 * (on_segment(k, from) + on_segment(k, end)) * (end - from);
    from = end;
  }
  return sum;
}

PlasticFlow Hardening::flow(double trial, double stiffness, double strain) const {
  return flow_on(branch(trial, stiffness, strain), trial, stiffness, strain);
}

int Hardening::branch(double trial, double stiffness, double strain) const {
  std::size_t k = segment(strain);
  if (!(trial - on_segment(k, strain) > strain_rounding * stiffness)) return elastic;
  // Go on to the segment in which the falling stress meets the yield stress.
  while (k + 1 < points_.size() && trial - stiffness * (points_[k + 1][0] - strain) > points_[k + 1][1]) ++k;
  return static_cast<int>(k);
}

PlasticFlow Hardening::flow_on(int branch, double trial, double stiffness, double strain) const {
  if (branch == elastic) return {};
  const auto k = static_cast<std::size_t>(branch);
  return {(trial - on_segment(k, strain)) / (stiffness + slopes_[k]), slopes_[k]};
}

}  // namespace clearance
