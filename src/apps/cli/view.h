// `clearance view` and `clearance run --view`: the program clearance-view beside this one.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "clearance/base/result.h"

namespace clearance::cli {

struct ViewOptions {
  std::filesystem::path folder;
  int port = 0;  ///< 0: a free one
};

int run_view(const ViewOptions& options);

/// The page of a run that this process is about to begin.
class RunViewer {
 public:
  static Result<RunViewer> start(const std::filesystem::path& folder);
  RunViewer(RunViewer&& other) noexcept;
  RunViewer(const RunViewer&) = delete;
  RunViewer& operator=(const RunViewer&) = delete;
  /// Ends it.
  ~RunViewer();

  /// Until somebody ends it, or this process is asked to end by one of StopSignals: which means no more than the page.
  void wait();

 private:
  explicit RunViewer(pid_t process) : process_(process) {}
  pid_t process_ = 0;
};

}  // namespace clearance::cli
