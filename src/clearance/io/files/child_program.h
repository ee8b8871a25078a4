// Programs of this one's family that are called as processes, because what they are linked with is not to be part of
// the simulator: files of a temporary folder in and out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/base/result.h"

namespace clearance {

/// A new folder that is gone in the end.
class TemporaryFolder {
 public:
  /// In TMPDIR, its name begins with that of the program.
  explicit TemporaryFolder(const std::string& program);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  /// Empty: none could be made.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

enum class ChildEnd {
  good,
  failed,       ///< it says why
  out_of_time,  ///< of the processor time that it allowed itself
  stopped,      ///< by SIGINT, SIGTERM or SIGHUP: somebody wants no result
};

struct ChildOutcome {
  ChildEnd end = ChildEnd::failed;
  Issues issues;         ///< empty: the end was a good one
  double seconds = 0.0;  ///< [s] of processor time
};

/// Waits for the end of a process in a folder. `words`: the program's full path and its arguments.
ChildOutcome run_child_program(const std::vector<std::string>& words, const TemporaryFolder& folder);

}  // namespace clearance
