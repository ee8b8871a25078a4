// What the user sees while a scene runs: one line that rewrites itself on a terminal, plain lines otherwise.
#pragma once

#include <string>

#include "clearance/base/profile.h"
#include "clearance/solver/report.h"

namespace clearance::cli {

class Progress {
 public:
  Progress(int first_step, int num_steps, bool is_quiet);
  ~Progress();

  void show_iteration(int step, int newton_iteration, double residual);
  void show_step(int step, double time, const StepReport& report);

 private:
  std::string bar(int step) const;
  std::string time_left(int step) const;

  int first_step_;
  int num_steps_;
  bool is_quiet_;
  bool is_terminal_;
  bool has_line_ = false;
  Stopwatch watch_;
  double last_draw_ = -1.0;
};

}  // namespace clearance::cli
