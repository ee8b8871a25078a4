// Coefficients of restitution for impacts of stiff bodies.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

namespace clearance {

/// Newton's coefficient of restitution, from 0 to 1. Classes are those of FrictionTable.
struct RestitutionTable {
  double of_scene = 0.0;
  std::vector<int> class_of_body;  ///< per entry of SurfaceTopology::vertex_body
  std::vector<std::optional<double>> of_half_space;
  std::map<std::array<int, 2>, double> of_pair;  ///< by ascending classes

  double between(int body_a, int body_b) const {
    if (of_pair.empty()) return of_scene;
    const int a = class_of_body[body_a], b = class_of_body[body_b];
    const auto found = of_pair.find({std::min(a, b), std::max(a, b)});
    return found != of_pair.end() ? found->second : of_scene;
  }
  double with_half_space(int half_space) const {
    return of_half_space.empty() ? of_scene : of_half_space[half_space].value_or(of_scene);
  }

  /// True if nothing rebounds.
  bool is_zero() const {
    return of_scene == 0.0 &&
           std::all_of(of_half_space.begin(), of_half_space.end(),
                       [](const auto& e) { return e.value_or(0.0) == 0.0; }) &&
           std::all_of(of_pair.begin(), of_pair.end(), [](const auto& pair) { return pair.second == 0.0; });
  }
};

}  // namespace clearance
