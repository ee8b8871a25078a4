#include "apps/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "apps/cli/console.h"

namespace clearance::cli {

namespace {

std::string_view stage_text(Stage stage) {
  switch (stage) {
    case Stage::assembly:
      return "assembling forces";
    case Stage::linear_solve:
      return "solving for a direction";
    case Stage::broad_phase:
      return "finding candidate pairs";
    case Stage::ccd:
      return "detecting collisions";
    case Stage::line_search:
      return "line search";
    case Stage::other:
      return "at work";
  }
  return "at work";
}

}  // namespace

Progress::Progress(int first_step, int num_steps, bool is_quiet, double silence, const UnitSystem& units)
    : first_step_(first_step),
      num_steps_(num_steps),
      units_(units),
      is_quiet_(is_quiet),
      is_terminal_(isatty(STDOUT_FILENO) == 1),
      silence_(silence) {}

Progress::~Progress() {
  if (has_line_) std::fputc('\n', stdout);
}

std::string Progress::bar(int step) const {
  constexpr int width = 24;
  const int filled = num_steps_ > 0 ? width * step / num_steps_ : width;
  return "[" + std::string(filled, '#') + std::string(width - filled, '.') + "]";
}

std::string Progress::time_left(int step) const {
  if (step <= first_step_) return "?";
  const double seconds = watch_.seconds() / (step - first_step_) * (num_steps_ - step);
  if (seconds < 100.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

void Progress::show_iteration(int step, int newton_iteration, double residual) {
  if (is_quiet_ || !is_terminal_ || watch_.seconds() - last_draw_ < 0.1) return;
  last_draw_ = watch_.seconds();
  say(stdout, "\r\033[K{} step {}/{}  Newton {} (|dx|/h {:.2g} {})", bar(step - 1), step, num_steps_, newton_iteration,
      residual, units_.text("m/s"));
  has_line_ = true;
}

void Progress::show_activity(int step, int newton_iteration, Stage doing) {
  if (is_quiet_) return;
  const double now = watch_.seconds(), last = is_terminal_ ? last_draw_ : last_line_;
  // On a terminal the line of the last iteration stays for a second.
  if (now - last < (is_terminal_ ? std::min(1.0, silence_) : silence_)) return;
  (is_terminal_ ? last_draw_ : last_line_) = now;
  const std::string line = fmt::format("step {}/{}  Newton {}  {}  {:.0f} s", step, num_steps_, newton_iteration,
                                       stage_text(doing), now - step_start_);
  if (!is_terminal_) return say(stdout, "{}\n", line);
  say(stdout, "\r\033[K{} {}", bar(step - 1), line);
  has_line_ = true;
}

void Progress::show_step(int step, double time, const StepReport& report) {
  step_start_ = last_line_ = watch_.seconds();
  if (is_quiet_) return;
  const std::string gap =
      std::isfinite(report.min_distance) ? fmt::format("{:.3g} {}", report.min_distance, units_.length_name) : "none";
  const std::string status = report.status == StepStatus::converged ? "" : "  " + to_string(report.status);
  const std::string line =
      fmt::format("step {}/{}  t {:.4g} {}  Newton {}  contacts {}  smallest gap {}  {:.3f} s", step, num_steps_, time,
                  units_.time_name, report.newton_iterations, report.num_contacts, gap, report.total_seconds) +
      status;
  if (!is_terminal_) {
    say(stdout, "{}\n", line);
    return;
  }
  if (!status.empty()) say(stdout, "\r\033[K{}\n", line);
  if (watch_.seconds() - last_draw_ < 0.05 && step < num_steps_) return;
  last_draw_ = watch_.seconds();
  say(stdout, "\r\033[K{} {}  left {}", bar(step), line, time_left(step));
  has_line_ = true;
}

}  // namespace clearance::cli
