// The ways between the frames of a result folder, for `clearance verify --paths`: every move of the certificate is
// proved, and the chain of moves is compared with the frames and the statistics.
#pragma once

#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/verify/folder/verify_folder.h"
#include "clearance/verify/paths/move_check.h"

namespace clearance::verify {

struct PathReport {
  int num_steps = 0;   ///< that the chain reaches
  long num_moves = 0;  ///< of these steps
  int num_frames = 0;  ///< stored frames that are where the chain leads
  PathCounts counts;
  std::vector<std::string> offenses;     ///< lines of the first moves that are not proved
  std::vector<std::string> problems;     ///< where the chain breaks, or does not fit the frames
  std::vector<std::string> notes;        ///< harmless: what a killed run leaves
  std::vector<std::string> not_covered;  ///< what is not proved between the ends of moves, by name

  bool is_clean() const { return counts.num_violated + counts.num_undecided == 0 && problems.empty(); }
};

/// Issues mean that the folder has no certificate, or no frame to compare it with.
Result<PathReport> verify_paths(const std::filesystem::path& path, const VerifyFolder& folder);

}  // namespace clearance::verify
