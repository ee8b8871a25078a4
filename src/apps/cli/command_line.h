// The command line of the program `clearance`.
#pragma once

namespace clearance::cli {

/// Parses the command line and calls one function per subcommand; returns the exit status.
int run_command_line(int argc, char** argv);

}  // namespace clearance::cli
