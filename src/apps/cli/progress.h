// Progress shows the user how a run goes on: on a terminal one line rewrites itself, elsewhere every step prints one.
// Within a step, another line follows whenever nothing was printed for a few seconds, so that a long step does not look
// as if it hangs. A step of an hour prints 800 of them, 60 KB.
#pragma once

#include <string>

#include "clearance/base/profile.h"
#include "clearance/base/unit_system.h"
#include "clearance/solver/report.h"

namespace clearance::cli {

class Progress {
 public:
  /// Longest time without a line [s]. A step promises progress every five seconds and is asked for it twenty times a
  /// second.
  static constexpr double longest_silence = 4.5;

  Progress(int first_step, int num_steps, bool is_quiet, double silence = longest_silence,
           const UnitSystem& units = {});
  ~Progress();

  void show_iteration(int step, int newton_iteration, double residual);
  void show_activity(int step, int newton_iteration, Stage doing);
  void show_step(int step, double time, const StepReport& report);

 private:
  std::string bar(int step) const;
  std::string time_left(int step) const;

  int first_step_;
  int num_steps_;
  UnitSystem units_;  // of the scene
  bool is_quiet_;
  bool is_terminal_;
  bool has_line_ = false;
  double silence_;
  Stopwatch watch_;
  double last_draw_ = -1.0;
  double last_line_ = 0.0;   // [s] on `watch_`; used without a terminal
  double step_start_ = 0.0;  // [s] on `watch_`
};

}  // namespace clearance::cli
