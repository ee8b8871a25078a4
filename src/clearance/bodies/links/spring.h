// Springs and dampers between two points, as a simulation describes them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/bodies/links/link.h"

namespace clearance {

/// A spring between two points, which are weighted sums of blocks or fixed. With their difference
/// r = sum_i weight_i x_i + offset and their distance L = |r| its tension is k (L - l) + T.
struct Spring {
  std::vector<LinkTerm> terms;             ///< by ascending block, each once
  Vec<3> offset = Vec<3>::Zero();          ///< [m]
  Vec<3> start = Vec<3>::Zero();           ///< [m] of the first point at the scene's start
  double start_length = 0.0;               ///< [m] L at the scene's start
  double stiffness = 0.0;                  ///< [N/m] k
  double length = 0.0;                     ///< [m] l, if it is constant
  double tension = 0.0;                    ///< [N] T, if it is constant
  bool is_pull_only = false;               ///< its tension is never negative
  std::optional<double> locked_from = {};  ///< [s] until then L = l; the L of that time is l from then on
  std::function<bool(double h, double time_t1)> is_active;  ///< in the step of length h that ends at time_t1
  std::function<Result<double>(double t)> length_at = {};   ///< [m] l; null: constant
  std::function<Result<double>(double t)> tension_at = {};  ///< [N] T; null: constant

  bool is_driven() const { return length_at || tension_at || locked_from; }
};

/// A damper: its tension is c dL/dt. One without a direction resists every motion of r by c dr/dt.
struct Dashpot {
  std::vector<LinkTerm> terms;     ///< by ascending block, each once
  Vec<3> offset = Vec<3>::Zero();  ///< [m]
  double damping = 0.0;            ///< [N s/m] c
  bool has_direction = true;
  std::function<bool(double h, double time_t1)> is_active;
};

}  // namespace clearance
