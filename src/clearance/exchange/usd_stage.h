// Export of a run as a stage of Universal Scene Description, in its text form (.usda).
#pragma once

#include "clearance/exchange/export_job.h"

namespace clearance::exchange {

struct UsdOptions {
  ExportJob job;
  double speed = 1.0;  ///< seconds of the run in a second of the animation
};

/// Writes one file (docs/export.md). Bodies are children of a prim with the name of the scene: stiff ones have a matrix
/// for each frame, others points. Reads one frame at a time.
Result<ExportReport> write_usd_stage(const UsdOptions& options);

}  // namespace clearance::exchange
