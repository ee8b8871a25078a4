// The file that --resume goes on from.
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

/// One binary file: magic, step, time, then name, count and numbers of each array, then a hash of all before it.
Result<Done> write_checkpoint_file(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Whatever is cut off, changed or not ours is an issue.
Result<Checkpoint> read_checkpoint_file(const std::filesystem::path& path);

}  // namespace clearance
