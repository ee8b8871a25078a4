// The plan of a fit: numbers of a scene that are free, and what the probes of its runs should be (docs/derivatives.md).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "clearance/base/result.h"

namespace clearance::optimise {

/// A number of the scene that is free.
struct FreeNumber {
  std::string name;
  std::string path;             ///< as in `--set`
  double from = 0.0, to = 0.0;  ///< bounds, in the unit of the scene
  std::optional<double> start;  ///< default: the number in the scene
};

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
  std::string label;  ///< head of the column in the table, with its unit if it has one
};

struct FitPlan {
  std::filesystem::path file;   ///< for messages
  std::filesystem::path scene;  ///< absolute
  std::vector<FreeNumber> parameters;
  std::vector<MeasuredColumn> measured;
  std::vector<std::string> set;  ///< `path=value`, for all runs
  int num_steps = 0;             ///< 0: those of the scene
  int max_runs = 50;
  Issues warnings;     ///< rows of tables without a number
  std::string inputs;  ///< text of the plan and of all files that it names
};

/// Reads a plan, and the tables that it names. Issues: all problems of the plan.
Result<FitPlan> read_fit_plan(const std::filesystem::path& file);

}  // namespace clearance::optimise
