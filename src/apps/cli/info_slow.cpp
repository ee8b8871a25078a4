#include "apps/cli/info_slow.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/cli/info_stats.h"
#include "clearance/io/result/result_units.h"

namespace clearance::cli {
namespace {

using nlohmann::json;

std::string text_or(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

double seconds_of(const json& step) {
  return number_or(step.value("seconds", json::object()), "total", 0.0);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Describes the stages of a step by their share, largest first, with the counts that explain them.
std::string describe_stages(const json& step) {
  const json seconds = step.value("seconds", json::object());
  const json counters = step.value("counters", json::object());
  std::vector<std::pair<double, std::string>> stages;
  for (const char* key : {"assembly", "linear_solve", "broad_phase", "ccd", "line_search"}) {
    stages.emplace_back(number_or(seconds, key, 0.0), key);
  }
  const double remesh = number_or(step.value("remesh", json::object()), "seconds", 0.0);
  stages.emplace_back(remesh, "remesh");
  stages.emplace_back(number_or(seconds, "other", 0.0) - remesh, "other");
  std::sort(stages.rbegin(), stages.rend());
  std::string text = "  time:";
  for (const auto& [value, key] : stages) {
    const double share = 100.0 * value / std::max(seconds_of(step), 1e-300);
    if (share >= 1.0) text += fmt::format(" {} {:.0f} %,", key, share);
  }
  const auto count = [&](const char* key) { return static_cast<long>(number_or(counters, key, 0.0)); };
  text += fmt::format(" {} factorisations, {} analyses, {} energies, {} candidates\n", count("factorizations"),
                      count("analyses"), count("energy_evaluations"), count("candidates"));
  if (count("linear_iterations") > 0) {
    text += fmt::format("  {} iterations of the linear solver\n", count("linear_iterations"));
  }
  if (count("friction_iterations") > 1)
    text += fmt::format("  {} lagged solves of friction\n", count("friction_iterations"));
  return text;
}

/// Returns the pair without its distance, which differs from iteration to iteration.
std::string without_distance(const std::string& pair) {
  return pair.substr(0, pair.rfind(", "));
}

std::string most_frequent(const std::map<std::string, int>& counts, const char* what) {
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [name, count] : counts) sorted.emplace_back(count, name);
  std::sort(sorted.rbegin(), sorted.rend());
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, sorted.size()); ++i) {
    text += fmt::format("  {} {} times by {}\n", what, sorted[i].first, sorted[i].second);
  }
  if (sorted.size() > 3) text += fmt::format("  {} by {} others\n", what, sorted.size() - 3);
  return text;
}

/// Describes how the residual fell. For a long step, shows the first, every k-th and the last iteration, and those with
/// an event.
std::string describe_iterations(const json& iterations, const UnitSystem& units) {
  std::map<std::string, int> limits;
  for (const json& it : iterations) {
    const std::string pair = text_or(it, "limited_by");
    if (!pair.empty()) ++limits[without_distance(pair)];
  }
  std::string text = most_frequent(limits, "limited");
  text += fmt::format("  {:>6} {:>8} {:>12} {:>10} {:>8} {:>6} {:>6} {:>8} {:>8} {:>10}\n", "newton", "moving",
                      units.text("|dx|/h [m/s]"), "fraction", "contacts", "new", "gone", "met", "foretold",
                      units.text("gap [m]"));
  const int num = static_cast<int>(iterations.size()), stride = std::max(1, num / 20);
  for (int i = 0; i < num; ++i) {
    const json& it = iterations[i];
    const std::string event = text_or(it, "event");
    if (event.empty() && i % stride != 0 && i + 3 < num) continue;
    const auto count = [&](const char* key) { return static_cast<int>(number_or(it, key, 0.0)); };
    const std::string moving = count("moving") > 0 ? std::to_string(count("moving")) : "all";
    text += fmt::format("  {:>6} {:>8} {:>12.3g} {:>10.3g} {:>8} {:>6} {:>6} {:>8} {:>8} {:>10.3g}  {}\n", i + 1,
                        moving, number_or(it, "residual", 0.0), number_or(it, "alpha", 0.0), count("contacts"),
                        count("entered"), count("left"), count("met"), count("foretold"),
                        number_or(it, "min_distance", std::numeric_limits<double>::infinity()), event);
  }
  return text;
}

std::string describe_step(const json& step, double median_seconds, double median_iterations, const UnitSystem& units) {
  const double iterations = number_or(step, "newton_iterations", 0.0);
  std::string text = fmt::format(
      "step {} (t {:.5g} {}), {}: {:.3f} s, {:.1f} times the median; {:.0f} Newton iterations, median {:.0f}, and "
      "{:.0f} "
      "of the part that still moved\n",
      number_or(step, "step", 0.0), number_or(step, "time", 0.0), units.time_name, text_or(step, "status"),
      seconds_of(step), seconds_of(step) / std::max(median_seconds, 1e-300), iterations, median_iterations,
      number_or(step, "partial_iterations", 0.0));
  text += describe_stages(step);
  const std::string limit = text_or(step, "limited_by");
  if (!limit.empty()) {
    text += fmt::format("  shortest feasible fraction of a direction {:.3g}, because of {}\n",
                        number_or(step, "smallest_alpha", 1.0), limit);
  }
  if (step.contains("iterations")) {
    text += describe_iterations(step["iterations"], units);
  } else {
    text += "  (run with --set output.iterations=true to store what every iteration did)\n";
  }
  return text;
}

}  // namespace

Result<std::string> describe_slow_steps(const std::filesystem::path& stats, int count) {
  const Result<std::vector<json>> lines = read_stats_lines(stats);
  if (!lines) return lines.issues();
  std::vector<json> steps = *lines;
  if (steps.empty()) return std::string("no steps yet\n");
  std::vector<double> seconds, iterations;
  for (const json& step : steps) {
    seconds.push_back(seconds_of(step));
    iterations.push_back(number_or(step, "newton_iterations", 0.0));
  }
  const double median_seconds = median(seconds), median_iterations = median(iterations);
  std::stable_sort(steps.begin(), steps.end(),
                   [](const json& a, const json& b) { return seconds_of(a) > seconds_of(b); });
  const UnitSystem units = read_units(stats.parent_path());
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(count, steps.size()); ++i) {
    text += describe_step(steps[i], median_seconds, median_iterations, units);
  }
  return text;
}

}  // namespace clearance::cli
