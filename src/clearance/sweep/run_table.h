// The runs of a sweep as a table. Each row holds a run's values, its state, and the collected columns.
#pragma once

#include <string>
#include <vector>

#include "clearance/sweep/run_state.h"

namespace clearance::sweep {

struct RunTable {
  struct Column {
    std::string name;
    bool is_parameter = false;
  };
  std::vector<Column> columns;
  std::vector<Values> rows;      ///< null where there is no value
  std::vector<RunState> states;  ///< state of each row
  Issues warnings;               ///< columns that no run has
};

/// Builds the table. Its columns are `run`, the parameters, `state`, `steps`, `converged_steps`, `warnings`, `seconds`
/// (of the steps), the columns that the plan collects, and `reason` of a failure. Nothing of a foreign run is
/// collected.
RunTable build_run_table(const SweepFolder& folder, const Plan& plan);

/// Returns a warning for each column that the plan collects and this run does not have.
Issues find_missing_columns(const SweepFolder& folder, const Plan& plan, int run);

/// Returns the table as CSV with a header line, lines that end in \n, and doubles with as many digits as restore them.
/// Texts with commas, quotes or line ends are quoted as in RFC 4180.
std::string csv_text(const RunTable& table);

/// Returns a value as readable text: texts without quotes, nothing for null.
std::string cell_text(const Json& value);

}  // namespace clearance::sweep
