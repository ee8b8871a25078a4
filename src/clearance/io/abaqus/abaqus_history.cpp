#include "clearance/io/abaqus/abaqus_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

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

void AbaqusHistory::begin_step(double start) {
  if (start != start_) num_before_ = points_.size();
  start_ = start;
  points_.resize(num_before_);
  add(start, last());
}

void AbaqusHistory::go_to(double value, double start, double end, bool jumps) {
  begin_step(start);
  if (jumps) add(start, value);
  add(end, value);
}

void AbaqusHistory::follow(const AmplitudePoints& amplitude, double value, double start, double end) {
  begin_step(start);
  add(start, value * value_of(amplitude, 0.0));
  for (const auto& [time, factor] : amplitude) {
    if (time > 0.0 && start + time < end) add(start + time, value * factor);
  }
  add(end, value * value_of(amplitude, end - start));
}

std::array<double, 2> AbaqusHistory::around(double time) const {
  const auto is_before = [](const std::array<double, 2>& point, double t) { return point[0] < t; };
  const auto is_after = [](double t, const std::array<double, 2>& point) { return t < point[0]; };
  const auto first = std::lower_bound(points_.begin(), points_.end(), time, is_before);
  const auto end = std::upper_bound(points_.begin(), points_.end(), time, is_after);
  const bool is_point = first != end;
  double before = 0.0;
  if (first != points_.begin())
    before = is_point ? (*first)[1] : first == points_.end() ? last() : between(*std::prev(first), *first, time);
  return {before, is_point ? (*std::prev(end))[1] : before};
}

AbaqusHistory& AbaqusHistory::operator+=(const AbaqusHistory& other) {
  std::set<double> times;
  for (const AbaqusHistory* of : std::array<const AbaqusHistory*, 2>{this, &other}) {
    for (const auto& point : of->points_) times.insert(point[0]);
  }
  AbaqusHistory sum;
  for (const double time : times) {
    const auto a = around(time), b = other.around(time);
    sum.add(time, a[0] + b[0]);
    sum.add(time, a[1] + b[1]);
  }
  points_ = std::move(sum.points_);
  start_ = std::max(start_, other.start_);
  return *this;
}

bool AbaqusHistory::is_constant() const {
  return std::all_of(points_.begin(), points_.end(), [&](const auto& point) { return point[1] == points_[0][1]; });
}

std::string AbaqusHistory::formula() const {
  if (points_.empty()) return "0";
  // Steps see the value at their end: at a jump that before it. The last value holds from the last point on.
  std::string text;
  if (points_[0][0] > 0.0) text = fmt::format("t <= {} ? 0 : ", points_[0][0]);
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
