// Derivatives compared with differences of whole runs.
#pragma once

#include <cmath>

#include "clearance/derivatives/forward_run.h"

namespace clearance::derivatives {

/// A derivative after the last step beside a difference of runs.
struct CheckedDerivative {
  std::size_t column = 0, parameter = 0;
  double derivative = 0.0;
  double difference = 0.0;   ///< of fourth order
  double uncertainty = 0.0;  ///< of the difference: what another length of it changes, and rounding
  double size = 0.0;         ///< largest difference of a column with the same unit
  double rounding = 0.0;     ///< what rounding of the runs alone makes of the difference
  bool is_at_kink = false;   ///< a warning tells that the derivative differs from the slope on one side of a kink

  /// False if no runs beside this one could be made.
  bool is_known() const { return !std::isnan(uncertainty) || std::isnan(derivative); }
  /// True if they differ by no more than the difference is uncertain, by a hundred-thousandth, or by a millionth of
  /// the size.
  bool agrees() const;
  /// False if they agree only because the difference is nearly as uncertain as it is large, and is not zero as far as
  /// runs have digits; and if they do not agree at a kink that is told, where differences have slopes of both sides.
  bool is_decided() const;
};

/// Values at other values of a parameter beside the tangent: v(p + e) - v(p) - e dv/dp, which falls with e^2 if the
/// derivative is right.
struct TangentRemainders {
  std::size_t parameter = 0;
  std::vector<double> changes;  ///< e, in the unit of the parameter
  MatX values;                  ///< per change (row) and column; NaN for changes that no run allows
  MatX remainders;              ///< the same shape
};

/// Runs the scene with other values of each parameter, with the contact that derivatives hold, and compares. `gradient`
/// is the result of find_gradient with the same options.
std::vector<CheckedDerivative> check_gradient(const SceneMaker& make, const GradientOptions& options,
                                              const Gradient& gradient);

/// Runs the scene with each parameter changed by `shares` of its size, with the contact that derivatives hold.
std::vector<TangentRemainders> find_remainders(const SceneMaker& make, const GradientOptions& options,
                                               const Gradient& gradient, const std::vector<double>& shares);

}  // namespace clearance::derivatives
