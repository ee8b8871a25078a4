// Export of a run as glTF 2.0 in one binary file (.glb). Bodies that keep their shape are nodes that move; other bodies
// have morph targets.
#pragma once

#include "clearance/exchange/export_job.h"

namespace clearance::exchange {

struct GlbOptions {
  ExportJob job;
  int max_targets = 60;  ///< most shapes of deforming bodies, besides the first one
  double speed = 1.0;    ///< seconds of the run in a second of the animation
};

/// Writes the file, reading one frame at a time. The file appears as a whole or not at all.
Result<ExportReport> write_glb(const GlbOptions& options);

}  // namespace clearance::exchange
