// `clearance export DIR -o RUN.html`, .glb, .obj, .pc2, .usda, .abc, .xdmf or .frd: a run as other programs show it.
#pragma once

#include <string>
#include <vector>

#include "clearance/page/page.h"

namespace clearance::cli {

struct ExportOptions {
  page::PageOptions page;  ///< folder and output are those of every format
  std::string frames;      ///< FROM:TO:STEP; empty: all
  int max_targets = 60;
  double speed = 1.0;
  std::vector<std::string> given;  ///< names of the format-specific options that the user gave
  bool is_overwriting = false;
  bool json = false;
};

/// Returns the exit status: 0 done, 2 bad options or folder, or a program without the viewer.
int run_export(const ExportOptions& options);

}  // namespace clearance::cli
