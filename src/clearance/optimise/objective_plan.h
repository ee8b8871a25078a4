// Plans that minimise a formula of numbers of a scene and of the probes of its runs, under inequalities
// (docs/derivatives.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/optimise/formula.h"
#include "clearance/optimise/minimise.h"
#include "clearance/optimise/plan_scene.h"

namespace clearance::optimise {

/// The way in which a column becomes one number. Reductions over steps take the ends of steps.
enum class Taken { at_end, at_time, min, max, mean };

/// A number of a run, from a column of probes.csv.
struct Quantity {
  std::string name;    ///< in formulas
  std::string column;  ///< with or without its unit
  Taken taken = Taken::at_end;
  double time = 0.0;  ///< [s] if taken at a time; between steps, results are linear in time
};

/// A formula that may not be above a bound, or not below it.
struct BoundedFormula {
  std::string name;
  Formula formula;
  double bound = 0.0;
  bool is_upper = true;  ///< false: the formula may not be below the bound
};

struct ObjectivePlan : PlanScene {
  std::vector<Quantity> quantities;  ///< of the plan, and one for each column that a formula names
  Formula objective;                 ///< of names of parameters and quantities; it is minimised
  std::vector<BoundedFormula> constraints;
  MinimiseMethod method = MinimiseMethod::lbfgs;
  int max_iterations = 100;
  /// Slope by relative changes of the parameters at which the search ends, as a share of the objective or its slope at
  /// the start, whichever is larger.
  double tolerance = 1e-6;
};

/// True if the file is such a plan, by its keys.
bool is_objective_plan(const std::filesystem::path& file);

/// Reads a plan. Issues: all problems of the plan and, if it has any, of its scene.
Result<ObjectivePlan> read_objective_plan(const std::filesystem::path& file);

}  // namespace clearance::optimise
