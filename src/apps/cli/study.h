// `clearance study`: runs of a scene on finer meshes or with shorter steps, and what their probes converge to.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/cli/run.h"
#include "clearance/study/levels.h"

namespace clearance::cli {

struct StudyOptions {
  SceneOptions scene;
  int num_levels = 3;
  int refinement = static_cast<int>(study::Refinement::mesh);  ///< study::Refinement
  std::vector<std::string> quantities;                         ///< names of columns of probes.csv; empty: all
  std::filesystem::path output;  ///< folder of the runs; empty: a temporary one, which is removed
  FolderUse use = FolderUse::start;
  int threads = 0;  ///< 0: all processors
};

/// Runs the study. Exit status: 0 all levels are complete, 2 bad input, with nothing run, 3 a level has failed, 128
/// plus the number of a signal that stopped it.
int run_study(const StudyOptions& options);

}  // namespace clearance::cli
