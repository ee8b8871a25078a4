// A running scene whose probes and fields are read by name.
#pragma once

#include <fmt/format.h>

#include "simulation/running_scene.h"

namespace clearance {

class ProbedScene : public RunningScene {
 public:
  using RunningScene::RunningScene;

  /// Returns the probe's value after a step.
  double probe(const std::string& column) {
    const std::vector<std::string>& columns = simulation().probe_columns();
    const auto found = std::find(columns.begin(), columns.end(), column);
    if (found == columns.end()) {
      ADD_FAILURE() << "no column " << column;
      return 0.0;
    }
    return simulation().probe_values().at(found - columns.begin());
  }
  /// Returns the vector `name.part`; in 2D z is 0, and of torques x and y.
  Vec<3> probe_vector(const std::string& name, const std::string& unit) {
    Vec<3> v = Vec<3>::Zero();
    const bool is_torque = unit == "N m";
    for (int d = dim() == 2 && is_torque ? 2 : 0; d < (is_torque ? 3 : dim()); ++d) {
      v[d] = probe(fmt::format("{}.{} [{}]", name, "xyz"[d], unit));
    }
    return v;
  }

  /// Returns the numbers of an array of the present frame; `Frame::point_arrays` or `cell_arrays`.
  static std::vector<double> values_of(const std::vector<FrameArray>& arrays, const std::string& name) {
    for (const FrameArray& array : arrays) {
      if (array.name == name) return array.values;
    }
    ADD_FAILURE() << "no array " << name;
    return {};
  }
  static Vec<3> sum_of(const std::vector<double>& vectors) {
    Vec<3> sum = Vec<3>::Zero();
    for (std::size_t i = 0; i + 2 < vectors.size(); i += 3) sum += Vec<3>(vectors[i], vectors[i + 1], vectors[i + 2]);
    return sum;
  }
};

}  // namespace clearance
