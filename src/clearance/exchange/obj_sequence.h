// Export of a run as Wavefront .obj, one file per frame: NAME_000000.obj, NAME_000001.obj, ... NAME.mtl holds the
// colours.
#pragma once

#include "clearance/exchange/export_job.h"

namespace clearance::exchange {

/// Writes the files, reading one frame at a time. File names carry the frame numbers of the run.
Result<ExportReport> write_obj_sequence(const ExportJob& job);

}  // namespace clearance::exchange
