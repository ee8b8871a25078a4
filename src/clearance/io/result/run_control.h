// Requests to a run from a program that watches it, passed through the run's folder. The watcher may be any process,
// and either side may die at any time.
#pragma once

#include <chrono>
#include <filesystem>

#include "clearance/base/result.h"

namespace clearance {

/// File that holds the request. The request is valid as long as its author holds a lock on the file, so that the
/// request of a killed watcher ends with it.
inline constexpr const char* control_file = "clearance.control";

enum class RunRequest { none, pause, stop };

/// Sends the requests of a watcher.
class RunControl {
 public:
  explicit RunControl(const std::filesystem::path& folder) : file_(folder / control_file) {}
  ~RunControl();
  RunControl(const RunControl&) = delete;
  RunControl& operator=(const RunControl&) = delete;

  /// Sets the request. Returns an issue if another watcher has a request already, or if the folder cannot be written.
  Result<Done> set(RunRequest request);
  RunRequest request() const { return request_; }

 private:
  void release();

  std::filesystem::path file_;
  RunRequest request_ = RunRequest::none;
  int descriptor_ = -1;
};

/// Reads the requests in the run. Most calls cost only a look at the clock.
class RunRequestReader {
 public:
  explicit RunRequestReader(const std::filesystem::path& folder) : file_(folder / control_file) {}
  RunRequest read();

 private:
  std::filesystem::path file_;
  RunRequest request_ = RunRequest::none;
  std::chrono::steady_clock::time_point next_look_;
};

/// Returns the current request of any watcher; none without a locked file.
RunRequest read_request(const std::filesystem::path& folder);

}  // namespace clearance
