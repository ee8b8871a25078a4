// Fits numbers of a scene to measurements, run by run. Every run is stored, so that a fit goes on where it was stopped.
#pragma once

#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "clearance/optimise/fit_plan.h"
#include "clearance/optimise/least_squares.h"
#include "clearance/scene/json.h"

namespace clearance::optimise {

struct FitOptions {
  std::filesystem::path output;  ///< folder of the fit
  /// Called after each run with its number, parameters and cost, which is infinite if the run has no derivatives.
  std::function<void(int run, const std::vector<double>& parameters, double cost)> on_run;
  std::function<bool()> is_stop_wanted;
  /// Called before `on_run` with the reason why the run has no result.
  std::function<void(int run, const std::string& problem)> on_failure;
};

/// A parameter at the end.
struct FittedNumber {
  std::string name, path;
  double value = 0.0;
  double deviation = 0.0;  ///< standard deviation; NaN if the data do not tell it
  /// Bounds of the interval that holds the true number with 95 %: of the normal distribution if the deviations of the
  /// measurements are given, else of Student's.
  double low = 0.0, high = 0.0;
  bool is_at_bound = false;
};

struct Fit {
  LeastSquaresEnd end = LeastSquaresEnd::limit;
  std::vector<FittedNumber> parameters;
  MatX covariance;
  std::vector<VecX> untold;  ///< Uncertainty::untold
  int num_measurements = 0;
  double cost_at_start = 0.0;  ///< 1/2 of the sum of squares
  double cost = 0.0;
  /// Scatter of the measurements about the fit: the root of the mean square, over the deviations if all columns have
  /// one. It is near one if they are right.
  double scatter = 0.0;
  int num_left = 0;  ///< measurements beyond the number of combinations that they tell
  /// The residual that is largest, over the deviation if all columns have one, and its place: `box.x at 0.5 s`.
  double largest_residual = 0.0;
  std::string place_of_largest;
  bool has_deviations = false;
  /// Three standard deviations of the scatter of measurements whose deviations are right.
  double chance_of_scatter() const { return 3.0 / std::sqrt(2.0 * num_left); }
  int num_runs = 0;
  int num_failed = 0;        ///< runs without a result
  std::string last_failure;  ///< the last of them and its reason: `run 7: step 3: ...`
  Issues warnings;
  Issues errors;  ///< why the run at the start has no derivatives
};

/// Issues: problems of the plan and its scene that are known before a run.
Result<Done> check_fit(const FitPlan& plan);

/// Fits. Issues, with nothing run: problems of the plan and its scene.
Result<Fit> fit(const FitPlan& plan, const FitOptions& options);

}  // namespace clearance::optimise
