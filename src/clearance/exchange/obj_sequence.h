// A run as Wavefront .obj, a file per frame: NAME_000000.obj, NAME_000001.obj, ... and NAME.mtl with the colours.
#pragma once

#include "clearance/exchange/export_job.h"

namespace clearance::exchange {

/// Files have the numbers of the frames in the run. Frames are read one at a time.
Result<ExportReport> write_obj_sequence(const ExportJob& job);

}  // namespace clearance::exchange
