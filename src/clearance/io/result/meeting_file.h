// The file with the triangles and edges that meet at the start of a refused scene.
#pragma once

#include <filesystem>

#include "clearance/base/result.h"

namespace clearance {

inline constexpr const char* meeting_file = "intersections.vtu";

/// Marks the meeting file of a folder as this program's, by a comment at its end.
Result<Done> mark_meeting_file(const std::filesystem::path& folder);

/// True if the folder holds a marked meeting file and nothing else. Such a folder may be used for a result, as one with
/// a lock.
bool holds_only_our_meeting_file(const std::filesystem::path& folder);

}  // namespace clearance
