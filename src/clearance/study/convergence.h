// Convergence of a number over levels of which each has half the mesh size or time step of the one before.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace clearance::study {

enum class Verdict {
  converges,   ///< the differences shrink in the same direction: order, limit and errors are known
  settled,     ///< the values agree up to the solver's tolerance
  slow,        ///< the differences shrink, but so little, or so far from any limit, that none follows from them
  alternates,  ///< the last two differences have opposite signs
  diverges,    ///< the last difference is not smaller than the one before
  unknown      ///< a level has no value
};

/// Name in tables and JSON.
std::string to_string(Verdict verdict);

/// Sizes that differences are compared with, in the unit of the values.
struct Scale {
  double reference = 0.0;   ///< value that stands for nothing having happened: the start of a position
  double size = 0.0;        ///< largest distance from the references, of the value and of other components with it
  double tolerance = 1e-3;  ///< share of `size` below which differences are those of the solver
};

struct Estimate {
  Verdict verdict = Verdict::unknown;
  std::vector<double> differences;     ///< from each level to the next
  std::optional<double> order;         ///< p = log2 |d1 / d2| of the last two differences
  std::optional<double> extrapolated;  ///< value at an infinitely fine level, by Richardson
  /// Estimated errors of the first and the finest level, as shares of the distance of the limit from the reference, or
  /// of a hundredth of the size if that is more. Values that have settled: the difference of the first level from the
  /// finest, and that of the last two, as shares of the size.
  std::optional<double> error_of_first, error_of_finest;
};

/// Least order from which a limit is extrapolated. Below it, the error of the finest level would exceed 2.4 times the
/// last difference and hang on the third digit of the order.
inline constexpr double least_order = 0.5;

/// Judges the values of three or more levels. Values that are not finite are missing.
Estimate estimate_convergence(const std::vector<double>& values, const Scale& scale);

}  // namespace clearance::study
