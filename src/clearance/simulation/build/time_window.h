// The time in which something that the scene limits acts: the steps that begin in [start, end).
#pragma once

#include <algorithm>
#include <cmath>

namespace clearance {

struct TimeWindow {
  double start = 0.0;  ///< [s]
  double end = 0.0;    ///< [s]; may be infinite

  bool has_started(double time_t0, double h) const { return time_t0 >= start - rounding * h; }
  bool has_ended(double time_t0, double h) const { return time_t0 >= end - rounding * h; }
  /// True if the window has started when a step ends at this time.
  bool has_started_by(double time_t1, double h) const { return time_t1 > start + rounding * h; }
  bool contains(double time_t0, double h) const { return has_started(time_t0, h) && !has_ended(time_t0, h); }

  /// Returns how many of the first `num_steps` steps are in the window.
  int count_steps(int num_steps, double h) const {
    return std::max(0, steps_until(end, h, num_steps) - steps_until(start, h, num_steps));
  }

 private:
  /// Tolerance as a share of the step: times are multiples of the step, and a billionth of it is rounding.
  static constexpr double rounding = 1e-9;
  static int steps_until(double time, double h, double most) {
    return static_cast<int>(std::clamp(std::ceil(time / h - rounding), 0.0, most));
  }
};

}  // namespace clearance
