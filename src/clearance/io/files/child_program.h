// Programs of this family that run as processes, because the simulator must not contain the libraries that they are
// linked with. Files of a temporary folder carry input and output.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/base/result.h"

namespace clearance {

/// A new folder that the destructor removes.
class TemporaryFolder {
 public:
  /// Makes the folder in TMPDIR. Its name begins with that of the program.
  explicit TemporaryFolder(const std::string& program);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  /// Returns the path; empty if the folder could not be made.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

enum class ChildEnd {
  good,
  failed,       ///< the program reports the reason
  out_of_time,  ///< the program exceeded its own limit of processor time
  stopped,      ///< by SIGINT, SIGTERM or SIGHUP: the user wants no result
};

struct ChildOutcome {
  ChildEnd end = ChildEnd::failed;
  Issues issues;         ///< empty: the end was a good one
  double seconds = 0.0;  ///< [s] of processor time
};

/// Runs a program in a folder and waits for its end. `words` are the program's full path and its arguments.
ChildOutcome run_child_program(const std::vector<std::string>& words, const TemporaryFolder& folder);

}  // namespace clearance
