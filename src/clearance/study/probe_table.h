// The numbers of probes.csv, column by column.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/base/result.h"

namespace clearance::study {

struct ProbeTable {
  std::vector<std::string> columns;          ///< labels `name.part [unit]`, without `step` and `time [s]`
  std::vector<std::vector<double>> numbers;  ///< of each column, per line; NaN where a line has none
};

/// Reads the probes.csv of a result folder.
Result<ProbeTable> read_probe_table(const std::filesystem::path& folder);

}  // namespace clearance::study
