// `clearance modes`: natural frequencies and buckling loads.
#pragma once

#include <filesystem>

#include "apps/cli/run.h"

namespace clearance::cli {

struct ModesCommand {
  SceneOptions scene;
  int count = 6;
  bool is_buckling = false;
  std::filesystem::path output;  ///< folder of the shapes; empty: none
  bool is_overwriting = false;
  int threads = 0;  ///< 0: all processors
};

/// Prints the modes. Exit status: 0 done, 2 bad input, 3 there is no equilibrium or no convergence, 128 plus the number
/// of a signal that stopped it.
int run_modes(const ModesCommand& command);

}  // namespace clearance::cli
