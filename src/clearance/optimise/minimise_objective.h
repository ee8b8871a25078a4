// Minimises the formula of a plan, run by run. Every run is stored, so that a search goes on where it was stopped.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "clearance/optimise/minimise.h"
#include "clearance/optimise/objective_plan.h"

namespace clearance::optimise {

struct ObjectiveOptions {
  std::filesystem::path output;  ///< folder of the search
  /// Called with each iterate; `x` are the parameters in the units of the scene.
  std::function<void(const Iterate&)> on_iterate = {};
  std::function<bool()> is_stop_wanted = {};
  /// Called with the number of a run that has no result, and with its reason.
  std::function<void(int run, const std::string& problem)> on_failure = {};
};

/// A parameter at the end.
struct FoundNumber {
  std::string name, path;
  double value = 0.0;
  bool is_at_bound = false;
};

/// A constraint at the end.
struct FoundConstraint {
  std::string name;
  double at_start = 0.0, value = 0.0;  ///< of the formula
  double bound = 0.0;
  bool is_upper = true;
  bool is_active = false;  ///< the formula is at its bound
};

struct ObjectiveSearch {
  Minimum minimum;  ///< its `x` are the parameters in the units of the scene
  double value_at_start = 0.0;
  std::vector<FoundNumber> parameters;
  std::vector<FoundConstraint> constraints;
  std::vector<Iterate> iterates;
  SceneDesc scene;  ///< with the best parameters
  Issues warnings;
  Issues errors;             ///< why the run at the start has no derivatives
  int num_failed = 0;        ///< runs without a result
  std::string last_failure;  ///< the last of them and its reason
};

/// Issues: problems of the plan and its scene that are known before a run.
Result<Done> check_objective(const ObjectivePlan& plan);

/// Minimises. Issues, with nothing run: problems of the plan and its scene.
Result<ObjectiveSearch> minimise_objective(const ObjectivePlan& plan, const ObjectiveOptions& options);

}  // namespace clearance::optimise
