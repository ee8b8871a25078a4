// The time of a step by stage: seconds per named stage, added up by scoped timers on the main thread. Stage names are
// those of the result folder contract (ARCHITECTURE.md).
#pragma once

#include <array>
#include <chrono>
#include <string_view>

namespace clearance {

enum class Stage { assembly, linear_solve, broad_phase, ccd, line_search, other };
inline constexpr int num_stages = 6;
std::string_view stage_name(Stage stage);

class Profile {
 public:
  double& operator[](Stage stage) { return seconds_[static_cast<std::size_t>(stage)]; }
  double operator[](Stage stage) const { return seconds_[static_cast<std::size_t>(stage)]; }

 private:
  std::array<double, num_stages> seconds_{};
};

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Returns the stage of the innermost timer on this thread.
Stage running_stage();
/// Sets the running stage and returns the previous one.
Stage set_running_stage(Stage stage);

/// A timer that adds its lifetime to a stage.
class StageTimer {
 public:
  StageTimer(Profile& profile, Stage stage)
      : profile_(profile), stage_(stage), stage_before_(set_running_stage(stage)) {}
  ~StageTimer() {
    profile_[stage_] += watch_.seconds();
    set_running_stage(stage_before_);
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  Profile& profile_;
  Stage stage_;
  Stage stage_before_;
  Stopwatch watch_;
};

}  // namespace clearance
