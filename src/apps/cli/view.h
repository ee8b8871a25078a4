// `clearance view` and `clearance run --view`: the program clearance-view beside this one.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "clearance/base/result.h"

namespace clearance::cli {

struct ViewOptions {
  std::filesystem::path folder;
  int port = 0;  ///< 0: any free port
};

int run_view(const ViewOptions& options);

/// The viewer process that shows a run which this process is about to begin.
class RunViewer {
 public:
  static Result<RunViewer> start(const std::filesystem::path& folder);
  RunViewer(RunViewer&& other) noexcept;
  RunViewer(const RunViewer&) = delete;
  RunViewer& operator=(const RunViewer&) = delete;
  /// Ends the viewer.
  ~RunViewer();

  /// Waits until somebody ends the viewer, or until a signal of StopSignals asks this process to end; the signal ends
  /// the page only.
  void wait();

 private:
  explicit RunViewer(pid_t process) : process_(process) {}
  pid_t process_ = 0;
};

}  // namespace clearance::cli
