// Values that change over the steps of an input file of Abaqus or CalculiX, as formulas of the scene's time.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace clearance {

/// Time and value of a point of an `*AMPLITUDE`.
using AmplitudePoints = std::vector<std::array<double, 2>>;

/// A value that is linear between points. Before the first point it is 0, after the last one it stays. Steps follow one
/// another; what a step says twice replaces what it has said before.
class AbaqusHistory {
 public:
  /// Goes from the present value at `start` to `value` at `end`, along a line or, if it `jumps`, at once.
  void go_to(double value, double start, double end, bool jumps);
  /// Follows `value` times an amplitude over the time since `start`, up to `end`. Before its first point and after its
  /// last one an amplitude keeps its value.
  void follow(const AmplitudePoints& amplitude, double value, double start, double end);

  /// Adds another value to this one, which acts beside it.
  AbaqusHistory& operator+=(const AbaqusHistory& other);

  double last() const { return points_.empty() ? 0.0 : points_.back()[1]; }
  bool is_constant() const;
  /// Returns the value that steps before one that begins at `start` have left.
  double before_step(double start) const { return points_.empty() ? 0.0 : around(start)[0]; }
  /// Returns a formula in t.
  std::string formula() const;

 private:
  void begin_step(double start);
  void add(double time, double value);
  /// Returns the values just before and just after a time.
  std::array<double, 2> around(double time) const;

  std::vector<std::array<double, 2>> points_;  // times ascend; equal times are a jump
  double start_ = 0.0;                         // of the last step that changes the value
  std::size_t num_before_ = 0;                 // points of the steps before that
};

}  // namespace clearance
