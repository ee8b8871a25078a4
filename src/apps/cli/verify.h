// `clearance verify DIR`: re-checks the stored frames of a result folder (verify/folder) and prints what it finds.
#pragma once

#include <filesystem>

namespace clearance::cli {

struct VerifyOptions {
  std::filesystem::path folder;
  bool json = false;  ///< print one JSON object instead of text
};

/// Prints the report. Returns the exit status: 0 fine, 4 verification failed, 2 folder unusable.
int run_verify(const VerifyOptions& options);

}  // namespace clearance::cli
