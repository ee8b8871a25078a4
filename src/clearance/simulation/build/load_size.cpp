#include "clearance/simulation/build/load_size.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "clearance/scene/expression.h"

namespace clearance {

namespace {

constexpr int num_times = 33;

double time_of(int i, double duration) {
  return duration * i / (num_times - 1);
}

}  // namespace

Vec<3> largest_value(const LoadDesc& load, const BodyInstance& body, double duration, const Controls& controls) {
  if (!load.expression) return load.value.cwiseAbs();
  const BoundingBox box = bounding_box(body.mesh.vertices);
  const std::array<Vec<3>, 1> middle = {Vec<3>(0.5 * (box.min + box.max))};
  Vec<3> largest = Vec<3>::Zero();
  for (int i = 0; i < num_times; ++i) {
    const auto values = evaluate(*load.expression, "", time_of(i, duration), middle, controls);
    if (values) largest = largest.cwiseMax((*values)[0].cwiseAbs());
  }
  return largest;
}

double largest_pressure(const LoadDesc& load, double duration, const Controls& controls) {
  if (load.pressure.empty()) return load.value.norm();
  double largest = 0.0;
  for (int i = 0; i < num_times; ++i) {
    const auto pressure = evaluate_time_formula(load.pressure, "", time_of(i, duration), controls);
    if (pressure) largest = std::max(largest, std::abs(*pressure));
  }
  return largest;
}

}  // namespace clearance
