// The runs of a sweep as a table: a row for each, with its values, what has become of it, and what is collected.
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
  std::vector<Values> rows;      ///< null: nothing there
  std::vector<RunState> states;  ///< of the rows
  Issues warnings;               ///< columns that no run has
};

/// `run`, the parameters, `state`, `steps`, `converged_steps`, `warnings`, `seconds` (of the steps), what the plan
/// collects, and `reason` of a failure. Nothing of a foreign run is collected.
RunTable build_run_table(const SweepFolder& folder, const Plan& plan);

/// Columns that the plan wants and this run does not have.
Issues find_missing_columns(const SweepFolder& folder, const Plan& plan, int run);

/// With a head, lines that end in \n, and doubles with as many digits as bring them back. Texts with commas, quotes or
/// line ends are quoted as RFC 4180 has it.
std::string csv_text(const RunTable& table);

/// A value as people read it: texts without quotes, nothing for null.
std::string cell_text(const Json& value);

}  // namespace clearance::sweep
