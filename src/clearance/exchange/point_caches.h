// Export of a run for Blender: a mesh (.obj) of each body in the first frame, point caches (.pc2) of bodies that
// deform, poses of rigid bodies, and a script that builds the scene from them.
#pragma once

#include "clearance/exchange/export_job.h"

namespace clearance::exchange {

/// Writes NAME.json, NAME_blender.py, NAME_poses.npy and, per body, NAME_<number>_<body>.obj and .pc2 (docs/export.md).
/// Reads one frame at a time.
Result<ExportReport> write_point_caches(const AnimationJob& options);

/// The script that builds the scene, for Blender 3.4 and later.
extern const char* const blender_script;

}  // namespace clearance::exchange
