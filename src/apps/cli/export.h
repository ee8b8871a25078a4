// `clearance export DIR -o RUN.html`: a run as one file for any browser.
#pragma once

#include "clearance/page/page.h"

namespace clearance::cli {

struct ExportOptions {
  page::PageOptions page;
  bool is_overwriting = false;
  bool json = false;
};

/// Exit status: 0 done, 2 bad options or folder, or a program without the viewer.
int run_export(const ExportOptions& options);

}  // namespace clearance::cli
