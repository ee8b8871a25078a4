// SIGINT, SIGTERM and SIGHUP as requests to stop: the run drops the step under way within a second and ends, with the
// last whole step stored.
#pragma once

#include <array>
#include <csignal>
#include <string>

namespace clearance::cli {

/// Notes the first of these signals while the object lives. The same signal again ends the process at once, which a
/// result folder survives. A SIGHUP that is ignored from the start (nohup) stays ignored.
class StopSignals {
 public:
  /// If `is_quiet` is set, nothing is printed when a signal comes.
  explicit StopSignals(bool is_quiet);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Returns the number of the signal; 0 if none has come.
  static int received();

 private:
  static constexpr std::array<int, 3> signals_ = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals_.size()> before_;
};

/// Returns a name such as `SIGTERM`.
std::string signal_name(int signal);

}  // namespace clearance::cli
