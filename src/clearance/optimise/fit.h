// Fits numbers of a scene to measurements, run by run. Every run is stored, so that a fit goes on where it was stopped.
#pragma once

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
};

/// A parameter at the end.
struct FittedNumber {
  std::string name, path;
  double value = 0.0;
  double deviation = 0.0;  ///< standard deviation; NaN if the data do not tell it
  bool is_at_bound = false;
};

struct Fit {
  LeastSquaresEnd end = LeastSquaresEnd::limit;
  std::vector<FittedNumber> parameters;
  MatX covariance;
  VecX untold;  ///< Uncertainty::untold
  int num_measurements = 0;
  double cost_at_start = 0.0;  ///< 1/2 of the sum of squares
  double cost = 0.0;
  /// Scatter of the measurements about the fit: the root of the mean square, over the deviations if all columns have
  /// one. It is near one if they are right.
  double scatter = 0.0;
  bool has_deviations = false;
  int num_runs = 0;
  Issues warnings;
  Issues errors;  ///< why the run at the start has no derivatives
};

/// Issues: problems of the plan and its scene that are known before a run.
Result<Done> check_fit(const FitPlan& plan);

/// Fits. Issues, with nothing run: problems of the plan and its scene.
Result<Fit> fit(const FitPlan& plan, const FitOptions& options);

}  // namespace clearance::optimise
