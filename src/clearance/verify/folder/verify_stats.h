// The part of stats.jsonl that `clearance verify` reads.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace clearance::verify {

struct VerifyStats {
  bool exists = false;
  std::optional<int> last_step;
  std::vector<std::string> frames;    ///< that the run says to have stored, relative to the folder
  std::vector<std::string> problems;  ///< lines that cannot be or are missing
  std::vector<std::string> notes;     ///< harmless: what a killed run leaves
};

/// `frame_interval` of the scene, 0 if unknown: programs that did not name a step's frame stored one in such steps.
VerifyStats read_verify_stats(const std::filesystem::path& folder, int frame_interval);

}  // namespace clearance::verify
