// The options of `clearance sweep` and of its commands.
#pragma once

#include <CLI/CLI.hpp>

#include "apps/cli/sweep.h"

namespace clearance::cli {

struct SweepCommands {
  SweepOptions sweep;
  SweepTaskOptions task;
  SweepReportOptions status, collect, table;
};

/// Adds the commands; `options` and `exit_status` must outlive the parsing.
void add_sweep_commands(CLI::App& app, SweepCommands& options, int& exit_status);

}  // namespace clearance::cli
