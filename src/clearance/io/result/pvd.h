// The list of frames and their times that ParaView opens (.pvd).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/base/result.h"

namespace clearance {

struct PvdEntry {
  double time = 0.0;  ///< [s]
  std::string file;   ///< relative to the folder of the .pvd
};

/// Written to a temporary name and renamed: the list is whole at every moment.
Result<Done> write_pvd(const std::filesystem::path& path, const std::vector<PvdEntry>& entries);

Result<std::vector<PvdEntry>> read_pvd(const std::filesystem::path& path);

}  // namespace clearance
