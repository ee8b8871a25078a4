// The file from which --resume continues.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "clearance/base/result.h"

namespace clearance {

/// Everything a restart needs, as named arrays of doubles.
struct Checkpoint {
  int step = 0;
  double time = 0.0;
  std::map<std::string, std::vector<double>> arrays;
};

/// Writes one binary file: magic, step, time, then name, count and numbers of each array, then a hash of everything
/// before it.
Result<Done> write_checkpoint_file(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Reads a checkpoint. A truncated, changed or foreign file is an issue.
Result<Checkpoint> read_checkpoint_file(const std::filesystem::path& path);

}  // namespace clearance
