// `clearance optimise`: fits numbers of a scene to measurements, or minimises the objective of a plan or of a PolyFEM
// file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/cli/run.h"

namespace clearance::cli {

struct OptimiseCommand {
  std::filesystem::path plan;
  std::filesystem::path output;
  FolderUse use = FolderUse::start;
  std::vector<std::string> overrides;  ///< `path=value` for the scenes of a PolyFEM file
  double smoothing_length = 0.0;       ///< [m] over which changes of a shape are smoothed; 0: they are not
  bool is_checked = false;             ///< compares derivatives of a PolyFEM file with differences instead
  bool json = false;
  int threads = 0;  ///< 0: all processors
};

/// Fits, and prints the numbers with their standard deviations. Exit status: 0 done, 2 bad input, 3 the fit did not
/// converge or its first run has no derivatives, 128 plus the number of a signal that stopped it.
int run_optimise(const OptimiseCommand& command);

}  // namespace clearance::cli
