// SIGINT, SIGTERM and SIGHUP as a wish: the run drops the step under way within a second and ends, with the last whole
// step stored.
#pragma once

#include <array>
#include <csignal>
#include <string>

namespace clearance::cli {

/// While it lives, the first of these signals is noted; the same one again ends the process at once, which a result
/// folder survives. A SIGHUP that is ignored from the start (nohup) stays ignored.
class StopSignals {
 public:
  /// Quiet: says nothing when a signal comes.
  explicit StopSignals(bool is_quiet);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Number of the signal; 0 while none has come.
  static int received();

 private:
  static constexpr std::array<int, 3> signals_ = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals_.size()> before_;
};

/// `SIGTERM`
std::string signal_name(int signal);

}  // namespace clearance::cli
