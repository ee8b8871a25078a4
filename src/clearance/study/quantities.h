// The numbers of a study: columns of probes at the end of the run and where they are largest, level by level.
#pragma once

#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"
#include "clearance/study/convergence.h"
#include "clearance/study/probe_table.h"

namespace clearance::study {

struct Quantity {
  std::string column;          ///< label `name.part [unit]`
  bool is_largest = false;     ///< true: value with the largest distance from the reference; false: value at the end
  std::vector<double> values;  ///< per level; NaN where a level has none
  bool is_from_start = false;  ///< true if errors are shares of the way from the start, as positions have them
  Estimate estimate;
};

struct Comparison {
  std::vector<Quantity> quantities;  ///< at the end and largest, column by column
  Issues warnings;                   ///< points that start elsewhere on other levels
};

/// Returns the labels that `wanted` means, `tip.y` or `tip.y [m]`; all if nothing is wanted. Issues: names that no
/// column has, with the nearest one.
Result<std::vector<std::string>> choose_columns(const std::vector<std::string>& columns,
                                                const std::vector<std::string>& wanted);

/// Compares the levels. `tables` has the same columns on every level.
Comparison compare_levels(const SceneDesc& scene, const std::vector<ProbeTable>& tables,
                          const std::vector<std::string>& columns);

}  // namespace clearance::study
