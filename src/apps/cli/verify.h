// `clearance verify DIR [--paths]`: re-checks the stored frames of a result folder, and the ways between them
// (verify/folder), and prints what it finds.
#pragma once

#include <filesystem>

namespace clearance::cli {

struct VerifyOptions {
  std::filesystem::path folder;
  bool json = false;   ///< print one JSON object instead of text
  bool paths = false;  ///< prove the moves between frames too, of a run with a certificate
};

/// Prints the report. Returns the exit status: 0 fine, 4 verification failed, 2 folder unusable.
int run_verify(const VerifyOptions& options);

}  // namespace clearance::cli
