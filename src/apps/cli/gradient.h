// `clearance gradient`: derivatives of the numbers of probes by numbers of the scene.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/cli/run.h"
#include "clearance/derivatives/scene_variant.h"

namespace clearance::cli {

struct GradientCommand {
  SceneOptions scene;
  std::vector<std::string> parameters;  ///< paths
  std::vector<std::string> columns;     ///< of probes.csv; empty: all
  int num_steps = 0;                    ///< 0: those of the scene
  bool is_checked = false;              ///< true: compare with differences of whole runs
  bool has_remainders = false;          ///< true: also run with changes of three decades
  bool is_reverse = false;              ///< true: reverse mode, with fields
  double budget_mb = 4096.0;            ///< of its states
  std::filesystem::path output;         ///< folder of the tables; empty: none
  bool is_overwriting = false;
  int threads = 0;  ///< 0: all processors
};

/// Reports issues of the scene and returns `status`.
int refuse(Issues issues, const GradientCommand& command, int status = exit_bad_input);
/// Returns what loads the scene of a command, with more overrides; the command must outlive it.
derivatives::SceneMaker scene_maker(const GradientCommand& command);

/// Prints the derivatives after the last step. Exit status: 0 done, 2 bad input, 3 a step has no derivative, 4 the
/// derivatives differ from differences of runs, 128 plus the number of a signal that stopped it.
int run_gradient(const GradientCommand& command);

/// Differentiates the numbers of the probes after the last step in reverse mode, also by fields of vertices and
/// elements.
int run_reverse_gradient(const GradientCommand& command);

}  // namespace clearance::cli
