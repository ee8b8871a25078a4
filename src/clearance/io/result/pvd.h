// The list of frames and their times that ParaView opens (.pvd).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "clearance/base/result.h"

namespace clearance {

struct PvdEntry {
  double time = 0.0;  ///< [s]
  std::string file;   ///< relative to the folder of the .pvd
};

/// Returns the line of an entry, for lists that grow.
std::string pvd_line(const PvdEntry& entry);

/// Writes a list of such lines as below.
Result<Done> write_pvd(const std::filesystem::path& path, std::string_view lines);

/// Writes the list under a temporary name and renames it, so that it is complete at every moment.
Result<Done> write_pvd(const std::filesystem::path& path, const std::vector<PvdEntry>& entries);

Result<std::vector<PvdEntry>> read_pvd(const std::filesystem::path& path);

}  // namespace clearance
