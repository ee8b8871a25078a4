#include "apps/cli/info_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace clearance::cli {
namespace {

using nlohmann::json;

StepStats read_step(const json& line) {
  StepStats step;
  step.step = static_cast<int>(number_or(line, "step", 0));
  step.time = number_or(line, "time", 0);
  if (line.contains("status") && line["status"].is_string()) step.status = line["status"].get<std::string>();
  step.newton_iterations = static_cast<int>(number_or(line, "newton_iterations", 0));
  step.num_contacts = static_cast<int>(number_or(line, "contacts", 0));
  // The value is null if no pair was near enough to be measured.
  step.min_distance = number_or(line, "min_distance", -1);
  const json seconds = line.value("seconds", json::object());
  for (std::size_t i = 0; i < stage_keys.size(); ++i) step.seconds[i] = number_or(seconds, stage_keys[i], 0);
  const json remesh = line.value("remesh", json::object());
  step.num_elements = static_cast<int>(number_or(remesh, "elements", -1));
  step.num_splits = static_cast<int>(number_or(remesh, "splits", 0));
  step.num_collapses = static_cast<int>(number_or(remesh, "collapses", 0));
  step.remesh_seconds = number_or(remesh, "seconds", 0);
  return step;
}

std::string distance_text(double distance) {
  return distance < 0 ? "-" : fmt::format("{:.3e}", distance);
}

bool has_converged(const StepStats& step) {
  return step.status == "converged";
}

bool any_adapts(const std::vector<StepStats>& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const StepStats& step) { return step.num_elements >= 0; });
}

std::string format_row(const StepStats& s, bool has_elements) {
  std::string row = fmt::format("{:>6} {:>10.5g}  {:<16} {:>6} {:>8} {:>11}", s.step, s.time, s.status,
                                s.newton_iterations, s.num_contacts, distance_text(s.min_distance));
  if (has_elements) {
    row += fmt::format(" {:>9} {:>7} {:>9}", s.num_elements < 0 ? "-" : fmt::format("{}", s.num_elements), s.num_splits,
                       s.num_collapses);
  }
  for (const double seconds : s.seconds) row += fmt::format(" {:>9.3f}", seconds);
  if (has_elements) row += fmt::format(" {:>9.3f}", s.remesh_seconds);
  return row + "\n";
}

/// Chooses every k-th step, the last one, and those that went wrong.
std::vector<char> choose_rows(const std::vector<StepStats>& steps, int max_rows) {
  const int num_steps = static_cast<int>(steps.size());
  const int stride = max_rows > 0 ? std::max(1, (num_steps + max_rows - 1) / max_rows) : 1;
  std::vector<char> is_chosen(steps.size(), 0);
  for (int i = 0; i < num_steps; ++i) is_chosen[i] = i % stride == 0 || i + 1 == num_steps || !has_converged(steps[i]);
  return is_chosen;
}

}  // namespace

double number_or(const json& object, const char* key, double fallback) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : fallback;
}

Result<std::vector<json>> read_stats_lines(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return Issue{path.string(), "", "", "the file cannot be read; expected the statistics of a result folder"};
  std::vector<json> lines;
  Issues issues;
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    if (text.empty()) continue;
    json line = json::parse(text, nullptr, false);
    if (line.is_object()) {
      lines.push_back(std::move(line));
    } else if (!file.eof()) {
      issues.push_back({path.string(), fmt::format("line {}", number), "", "expected a JSON object"});
    }
  }
  if (!issues.empty()) return issues;
  return lines;
}

Result<std::vector<StepStats>> read_stats(const std::filesystem::path& path) {
  const Result<std::vector<json>> lines = read_stats_lines(path);
  if (!lines) return lines.issues();
  std::vector<StepStats> steps;
  for (const json& line : *lines) steps.push_back(read_step(line));
  return steps;
}

StatsTotals add_up(const std::vector<StepStats>& steps) {
  StatsTotals totals;
  for (const StepStats& step : steps) {
    ++totals.num_steps;
    totals.num_converged += has_converged(step) ? 1 : 0;
    totals.newton_iterations += step.newton_iterations;
    totals.max_contacts = std::max(totals.max_contacts, step.num_contacts);
    const bool is_smaller = totals.min_distance < 0 || step.min_distance < totals.min_distance;
    if (step.min_distance >= 0 && is_smaller) totals.min_distance = step.min_distance;
    totals.most_elements = std::max(totals.most_elements, step.num_elements);
    totals.num_splits += step.num_splits;
    totals.num_collapses += step.num_collapses;
    totals.remesh_seconds += step.remesh_seconds;
    for (std::size_t i = 0; i < stage_keys.size(); ++i) totals.seconds[i] += step.seconds[i];
  }
  return totals;
}

std::string format_table(const std::vector<StepStats>& steps, int max_rows, const UnitSystem& units) {
  std::string table = fmt::format("{:>6} {:>10}  {:<16} {:>6} {:>8} {:>11}", "step", units.text("time [s]"), "status",
                                  "newton", "contacts", units.text("gap [m]"));
  const bool has_elements = any_adapts(steps);
  if (has_elements) table += fmt::format(" {:>9} {:>7} {:>9}", "elements", "splits", "collapses");
  for (const char* stage : {"total [s]", "assembly", "solve", "broad", "ccd", "search"})
    table += fmt::format(" {:>9}", stage);
  if (has_elements) table += fmt::format(" {:>9}", "remesh");
  table += "\n";
  const std::vector<char> is_chosen = choose_rows(steps, max_rows);
  int num_hidden = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (is_chosen[i]) table += format_row(steps[i], has_elements);
    num_hidden += is_chosen[i] ? 0 : 1;
  }
  if (num_hidden > 0) table += fmt::format("({} more steps, all converged)\n", num_hidden);
  return table;
}

}  // namespace clearance::cli
