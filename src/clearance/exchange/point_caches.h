// A run for Blender: a mesh (.obj) of each body in the first frame, point caches (.pc2) of those that deform, poses of
// those that do not, and a script that builds the scene of them.
#pragma once

#include "clearance/exchange/export_job.h"

namespace clearance::exchange {

struct PointCacheOptions {
  ExportJob job;
  double speed = 1.0;  ///< seconds of the run in a second of the animation
};

/// NAME.json, NAME_blender.py, NAME_poses.npy and, per body, NAME_<number>_<body>.obj and .pc2 (docs/export.md). Frames
/// are read one at a time.
Result<ExportReport> write_point_caches(const PointCacheOptions& options);

/// The script, for Blender 3.4 and later.
extern const char* const blender_script;

}  // namespace clearance::exchange
