// A run as glTF 2.0 in one binary file (.glb): nodes that move for bodies that keep their shape, morph targets for
// others.
#pragma once

#include "clearance/exchange/export_job.h"

namespace clearance::exchange {

struct GlbOptions {
  ExportJob job;
  int max_targets = 60;  ///< shapes of deforming bodies beside the first one
  double speed = 1.0;    ///< seconds of the run in a second of the animation
};

/// Frames are read one at a time. The file is there as a whole or not at all.
Result<ExportReport> write_glb(const GlbOptions& options);

}  // namespace clearance::exchange
