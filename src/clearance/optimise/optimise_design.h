// Minimises the objective of a PolyFEM plan, run by run. Every run is stored, so that a search goes on where it was
// stopped.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "clearance/optimise/minimise.h"
#include "clearance/optimise/polyfem_plan.h"

namespace clearance::optimise {

struct DesignOptions {
  std::filesystem::path output;  ///< folder of the search
  /// Called after each run with its number and the objective, which is infinite if the run has no derivatives.
  std::function<void(int run, double value)> on_run = {};
  std::function<void(const Iterate&)> on_iterate = {};
  std::function<bool()> is_stop_wanted = {};
};

/// The value of a form of the objective, of a condition or of a constraint.
struct FormValue {
  std::string label;
  double at_start = 0.0, value = 0.0;
};

struct DesignSearch {
  Minimum minimum;
  double value_at_start = 0.0;
  std::vector<FormValue> forms, conditions, constraints;
  std::vector<Iterate> iterates;
  SceneDesc scene;  ///< the varied state with the best parameters
  Issues warnings;
  Issues errors;  ///< why the run at the start has no derivatives, or the last one that had none
};

/// A derivative of the objective at the start beside a difference of runs.
struct CheckedSlope {
  std::string direction;  ///< `x[2]`, or a direction of all parameters
  double derivative = 0.0;
  double difference = 0.0;   ///< of fourth order; NaN if a run beside the start has failed
  double uncertainty = 0.0;  ///< of the difference: what another length of it changes
  double length = 0.0;       ///< of the change of the parameters, over which the difference was taken
  double largest = 0.0;      ///< derivative of all directions

  /// True if they differ by no more than a hundred-thousandth of the largest.
  bool agrees() const;
  /// False if the difference is too uncertain to tell.
  bool is_decided() const;
};

/// Issues: parts of the plan that cannot be optimised, known before a run.
Result<Done> check_plan(const PolyfemPlan& plan);

/// Minimises. Issues, with nothing minimised: problems of the plan and of its targets.
Result<DesignSearch> optimise_design(const PolyfemPlan& plan, const DesignOptions& options);

/// Compares the derivatives at the start with differences of runs: by each parameter, or, if there are more than
/// `most`, along the gradient and along random directions.
Result<std::vector<CheckedSlope>> check_slopes(const PolyfemPlan& plan, Eigen::Index most,
                                               const std::function<bool()>& is_stop_wanted);

}  // namespace clearance::optimise
