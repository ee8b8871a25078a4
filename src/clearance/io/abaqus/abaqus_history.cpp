#include "clearance/io/abaqus/abaqus_history.h"

#include <fmt/format.h>

#include <algorithm>

namespace clearance {
namespace {

double between(const std::array<double, 2>& a, const std::array<double, 2>& b, double time) {
  return a[1] + (b[1] - a[1]) * (time - a[0]) / (b[0] - a[0]);
}

double value_of(const AmplitudePoints& amplitude, double time) {
  if (time <= amplitude.front()[0]) return amplitude.front()[1];
  const auto after = std::find_if(amplitude.begin(), amplitude.end(), [&](const auto& p) { return p[0] >= time; });
  return after == amplitude.end() ? amplitude.back()[1] : between(*std::prev(after), *after, time);
}

}  // namespace

void AbaqusHistory::add(double time, double value) {
  if (!points_.empty() && points_.back() == std::array{time, value}) return;
  points_.push_back({time, value});
}

/// Forgets what the step has had: of lines for one value, the last one counts.
void AbaqusHistory::begin(double start) {
  const auto first = std::find_if(points_.begin(), points_.end(), [&](const auto& p) { return p[0] >= start; });
  const bool has_start = first != points_.end() && (*first)[0] == start;
  points_.erase(has_start ? std::next(first) : first, points_.end());
  add(start, last());
}

void AbaqusHistory::go_to(double value, double start, double end, bool jumps) {
  begin(start);
  if (jumps) add(start, value);
  add(end, value);
}

void AbaqusHistory::follow(const AmplitudePoints& amplitude, double value, double start, double end) {
  begin(start);
  add(start, value * value_of(amplitude, 0.0));
  for (const auto& [time, factor] : amplitude) {
    if (time > 0.0 && start + time < end) add(start + time, value * factor);
  }
  add(end, value * value_of(amplitude, end - start));
}

bool AbaqusHistory::is_constant() const {
  return std::all_of(points_.begin(), points_.end(), [&](const auto& point) { return point[1] == points_[0][1]; });
}

std::string AbaqusHistory::formula() const {
  if (points_.empty()) return "0";
  // Steps see the value at their end: at a jump that before it. The last value holds from the last point on.
  std::string text;
  for (std::size_t k = 0; k + 1 < points_.size(); ++k) {
    const auto &a = points_[k], &b = points_[k + 1];
    if (a[0] == b[0]) continue;
    if (a[1] == b[1])
      text += fmt::format("t <= {} ? {} : ", b[0], a[1]);
    else
      text += fmt::format("t <= {} ? {} + {} * (t - {}) : ", b[0], a[1], (b[1] - a[1]) / (b[0] - a[0]), a[0]);
  }
  return text + fmt::format("{}", last());
}

}  // namespace clearance
