// The plan of a fit: numbers of a scene that are free, and what the probes of its runs should be (docs/derivatives.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/optimise/plan_scene.h"

namespace clearance::optimise {

/// The value that a column of probes.csv should have at one time.
struct Measurement {
  double time = 0.0;  ///< [s]
  double value = 0.0;
  double deviation = 1.0;  ///< standard deviation, in the unit of the column; 1 for a column without deviations
};

/// Measurements of one column.
struct MeasuredColumn {
  std::string column;               ///< with or without its unit
  std::vector<Measurement> values;  ///< by time; if `is_at_end`, a single one
  bool is_at_end = false;           ///< the measurement is that of the last step
  /// True if the plan gives deviations. Without them all measurements count alike, and their scatter is estimated.
  bool has_deviations = false;
  std::string label;       ///< head of the column in the table, with its unit if it has one
  std::string time_label;  ///< the same of the column of times
};

struct FitPlan : PlanScene {
  std::vector<MeasuredColumn> measured;
  int max_runs = 50;
  Issues warnings;  ///< rows of tables without a number
};

/// Reads a plan, and the tables that it names. Issues: all problems of the plan.
Result<FitPlan> read_fit_plan(const std::filesystem::path& file);

}  // namespace clearance::optimise
