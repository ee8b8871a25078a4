// Export of a run as a stage of Universal Scene Description, in its text form (.usda).
#pragma once

#include "clearance/exchange/export_job.h"

namespace clearance::exchange {

/// Writes one file (docs/export.md). Bodies are children of a prim with the name of the scene: stiff ones have a matrix
/// for each frame, others points. Reads one frame at a time.
Result<ExportReport> write_usd_stage(const AnimationJob& options);

}  // namespace clearance::exchange
