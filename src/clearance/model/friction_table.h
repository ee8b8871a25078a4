// Friction coefficients of pairs of bodies and of half-spaces.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

namespace clearance {

/// Coulomb coefficients of a pair in contact.
struct FrictionCoefficients {
  double sticking = 0.0;  ///< static: the largest force without sliding, per normal force
  double sliding = 0.0;   ///< kinetic

  bool is_zero() const { return sticking == 0.0 && sliding == 0.0; }
};

/// Bodies are grouped in classes that share their coefficients: the copies of one body are a class.
struct FrictionTable {
  std::vector<int> class_of_body;              ///< per entry of SurfaceTopology::vertex_body
  std::vector<FrictionCoefficients> of_class;  ///< per class
  std::vector<std::optional<FrictionCoefficients>>
      of_half_space;                                           ///< per half-space; empty: those of the body in contact
  std::map<std::array<int, 2>, FrictionCoefficients> of_pair;  ///< exceptions, by ascending classes

  /// Returns the geometric mean of the coefficients of two bodies, unless the pair has its own. A frictionless body
  /// stays frictionless.
  FrictionCoefficients between(int body_a, int body_b) const {
    const int a = class_of_body[body_a], b = class_of_body[body_b];
    const auto found = of_pair.find({std::min(a, b), std::max(a, b)});
    if (found != of_pair.end()) return found->second;
    const FrictionCoefficients &of_a = of_class[a], &of_b = of_class[b];
    return {std::sqrt(of_a.sticking * of_b.sticking), std::sqrt(of_a.sliding * of_b.sliding)};
  }
  FrictionCoefficients with_half_space(int body, int half_space) const {
    const auto& own = of_half_space[half_space];
    return own ? *own : of_class[class_of_body[body]];
  }

  /// True if no pair has friction, so that none needs to be computed.
  bool is_frictionless() const {
    const auto is_zero = [](const FrictionCoefficients& mu) { return mu.is_zero(); };
    return std::all_of(of_class.begin(), of_class.end(), is_zero) &&
           std::all_of(of_half_space.begin(), of_half_space.end(),
                       [](const auto& mu) { return !mu || mu->is_zero(); }) &&
           std::all_of(of_pair.begin(), of_pair.end(), [](const auto& pair) { return pair.second.is_zero(); });
  }
};

}  // namespace clearance
