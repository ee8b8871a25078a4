// Values that change over the steps of an input file of Abaqus or CalculiX, as formulas of the scene's time.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace clearance {

/// Time and value of a point of an `*AMPLITUDE`.
using AmplitudePoints = std::vector<std::array<double, 2>>;

/// A value that is linear between points. Before the first point it is 0, after the last one it stays.
class AbaqusHistory {
 public:
  /// Goes from the present value at `start` to `value` at `end`, along a line or, if it `jumps`, at once.
  void go_to(double value, double start, double end, bool jumps);
  /// Follows `value` times an amplitude over the time since `start`, up to `end`. Before its first point and after its
  /// last one an amplitude keeps its value.
  void follow(const AmplitudePoints& amplitude, double value, double start, double end);

  double last() const { return points_.empty() ? 0.0 : points_.back()[1]; }
  bool is_constant() const;
  /// Returns a formula in t.
  std::string formula() const;

 private:
  void begin(double start);
  void add(double time, double value);
  std::vector<std::array<double, 2>> points_;  // times ascend; equal times are a jump
};

}  // namespace clearance
