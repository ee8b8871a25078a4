// `clearance info DIR`: what a run did, step by step, from stats.jsonl and summary.json.
#pragma once

#include <filesystem>

namespace clearance::cli {

struct InfoOptions {
  std::filesystem::path folder;
  bool json = false;  ///< one JSON object: the summary as stored and totals over the steps
  int num_slow = 0;   ///< above 0: explain so many of the slowest steps instead of printing the table
  int max_rows = 40;  ///< longer runs show every k-th step; 0: all
};

/// Returns the exit status: 0 done, 2 folder unusable.
int run_info(const InfoOptions& options);

}  // namespace clearance::cli
