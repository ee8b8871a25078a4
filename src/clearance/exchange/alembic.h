// Export of a run as an Alembic archive (.abc), in Alembic's own container format Ogawa.
#pragma once

#include "clearance/exchange/export_job.h"

namespace clearance::exchange {

/// Writes one file (docs/export.md), in metres and with y upwards. Bodies are children of an object with the name of
/// the scene: stiff ones have a matrix for each frame, others points. Reads one frame at a time. Elements may change
/// from frame to frame.
Result<ExportReport> write_alembic(const AnimationJob& options);

}  // namespace clearance::exchange
