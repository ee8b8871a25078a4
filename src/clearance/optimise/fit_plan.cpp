#include "clearance/optimise/fit_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "clearance/io/files/text_file.h"
#include "clearance/io/json_text.h"
#include "clearance/math/elementary.h"
#include "clearance/optimise/fit.h"
#include "clearance/scene/json.h"
#include "clearance/scene/loaded_scene.h"
#include "clearance/scene/nearest_name.h"
#include "clearance/sweep/plan_object.h"

namespace clearance::optimise {
namespace {

namespace fs = std::filesystem;
using sweep::PlanObject;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::size_t from = 0;
  while (true) {
    const std::size_t comma = std::min(line.find(',', from), line.size());
    const std::string cell = line.substr(from, comma - from);
    const std::size_t begin = cell.find_first_not_of(" \t\r"), end = cell.find_last_not_of(" \t\r");
    cells.push_back(begin == std::string::npos ? "" : cell.substr(begin, end - begin + 1));
    if (comma == line.size()) return cells;
    from = comma + 1;
  }
}

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

std::optional<double> number_in(const std::string& cell) {
  const Json number = Json::parse(cell, nullptr, false);
  if (!number.is_number()) return std::nullopt;
  return number.get<double>();
}

std::string without_unit(const std::string& label) {
  return label.substr(0, label.find(" ["));
}

/// Names some lines of a table.
std::string list_of_lines(const std::vector<int>& lines) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, lines.size()); ++i)
    text += fmt::format("{}{}", i > 0 ? ", " : "", lines[i]);
  return lines.size() > most ? text + ", ..." : text;
}

/// Reads the measurements of a column from a table with a head. Empty cells are left out, with a warning. `is_named`:
/// the plan names the column, whose name is else that of the probe.
void read_table(const fs::path& file, const std::string& column, bool is_named, MeasuredColumn& measured,
                Issues& issues, Issues& warnings) {
  const Result<std::string> text = read_text_file(file);
  if (!text) {
    issues.insert(issues.end(), text.issues().begin(), text.issues().end());
    return;
  }
  constexpr const char* byte_order_mark = "\xEF\xBB\xBF";
  std::istringstream lines(text->rfind(byte_order_mark, 0) == 0 ? text->substr(3) : *text);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> head = cells_of(line);
  std::size_t of_time = head.size(), of_value = head.size();
  for (std::size_t c = 0; c < head.size(); ++c) {
    if (of_time == head.size() && (head[c].starts_with("time [") || head[c] == "time" || head[c] == "t")) of_time = c;
    if (head[c] == column || without_unit(head[c]) == without_unit(column)) of_value = c;
  }
  if (of_time == head.size()) {
    issues.push_back({file.string(), "line 1", line, "expected a head with a column `time [s]`"});
    return;
  }
  if (of_value == head.size()) {
    const std::vector<std::string_view> known(head.begin(), head.end());
    const std::string_view nearest = nearest_name(column, known);
    issues.push_back({file.string(), "line 1", line,
                      fmt::format("expected a head with a column `{}`{}", column,
                                  is_named ? (nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest))
                                           : ", the name of the probe; the key `column` names another one")});
    return;
  }
  measured.label = head[of_value];
  measured.time_label = head[of_time];
  std::vector<int> empty_lines;
  for (int number = 2; std::getline(lines, line); ++number) {
    if (is_blank(line)) continue;
    const std::vector<std::string> cells = cells_of(line);
    const std::string place = fmt::format("line {}", number);
    if (cells.size() != head.size()) {
      issues.push_back({file.string(), place, line,
                        fmt::format("expected {} cells as in the head, found {}", head.size(), cells.size())});
      continue;
    }
    const auto time = number_in(cells[of_time]), value = number_in(cells[of_value]);
    if (!time || (!value && !cells[of_value].empty())) {
      issues.push_back({file.string(), place, line, "expected a number in each cell"});
    } else if (value) {
      measured.values.push_back({*time, *value});
    } else {
      empty_lines.push_back(number);
    }
  }
  if (!empty_lines.empty()) {
    warnings.push_back({file.string(), (empty_lines.size() > 1 ? "lines " : "line ") + list_of_lines(empty_lines), "",
                        fmt::format("{} of {} rows have no number in `{}` and are left out", empty_lines.size(),
                                    empty_lines.size() + measured.values.size(), measured.label),
                        Severity::warning});
  }
  if (measured.values.empty()) issues.push_back({file.string(), "", "", "the table has no numbers"});
  std::stable_sort(measured.values.begin(), measured.values.end(),
                   [](const Measurement& a, const Measurement& b) { return a.time < b.time; });
}

/// Reads `deviation`, in the unit of the column, and `relative_deviation`, a share of each measurement: independent
/// errors, whose squares add.
void read_deviations(PlanObject& object, MeasuredColumn& measured) {
  const auto absolute = object.number("deviation"), relative = object.number("relative_deviation");
  measured.has_deviations = absolute || relative;
  if (absolute && !(*absolute > 0.0)) object.error("deviation", *absolute, "expected a number above 0");
  if (relative && !(*relative > 0.0)) object.error("relative_deviation", *relative, "expected a number above 0");
  // A number that is told to be wrong says nothing about the measurements.
  if (!measured.has_deviations || (absolute && !(*absolute > 0.0)) || (relative && !(*relative > 0.0))) return;
  for (Measurement& measurement : measured.values) {
    measurement.deviation = elementary::hypot(absolute.value_or(0.0), relative.value_or(0.0) * measurement.value);
    if (measurement.deviation > 0.0) continue;
    object.error("relative_deviation", *relative,
                 fmt::format("the measurement at {} s is 0, and a share of it is no deviation; give `deviation`, too",
                             measurement.time));
    return;
  }
}

void read_measured(PlanObject& root, FitPlan& plan, Issues& issues) {
  const Json* list = list_of(root, "fit");
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    PlanObject object((*list)[i], element_path("fit", i), issues);
    MeasuredColumn measured;
    const auto probe = object.text("probe");
    if (!probe && object.find("probe") == nullptr) object.error("probe", "is missing: a column of probes.csv");
    measured.column = probe.value_or("");
    const auto data = object.text("data"), column = object.text("column");
    const auto target = object.number("target"), at = object.number("at");
    if (data && target) object.error("give either `data` or `target`");
    if (!data && !target) object.error("expected `data`, a table of measurements, or `target`, a number");
    if (column && !data) object.error("column", "it names a column of the table `data`, which is missing");
    if (at && data) object.error("at", "the table `data` has the times");
    if (data && !target) {
      const fs::path file = plan.file.parent_path() / *data;
      read_table(file, column.value_or(measured.column), column.has_value(), measured, issues, plan.warnings);
      if (const auto table = read_text_file(file)) plan.inputs += *table;
    } else if (target) {
      measured.values = {{at.value_or(0.0), *target}};
      measured.is_at_end = !at;
    }
    read_deviations(object, measured);
    object.refuse_other_keys();
    plan.measured.push_back(std::move(measured));
  }
  // Residuals over deviations and others in units of their columns cannot be weighed against each other.
  const auto has_deviations = [](const MeasuredColumn& measured) { return measured.has_deviations; };
  if (std::none_of(plan.measured.begin(), plan.measured.end(), has_deviations)) return;
  for (std::size_t i = 0; i < plan.measured.size(); ++i) {
    if (has_deviations(plan.measured[i])) continue;
    issues.push_back({"", child_path(element_path("fit", i), "deviation"), "",
                      "is missing: other columns have one; give a deviation for each column, or for none"});
  }
}

}  // namespace

Result<FitPlan> read_fit_plan(const fs::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.issues();
  Result<Json> json = parse_json_text(*text);
  if (!json) {
    Issues issues = json.issues();
    set_file(issues, file.string());
    return issues;
  }
  FitPlan plan;
  plan.file = file;
  plan.inputs = *text;
  Issues issues;
  PlanObject root(*json, "", issues);
  read_plan_scene(root, plan, issues);
  read_measured(root, plan, issues);
  plan.max_runs = static_cast<int>(root.integer("runs", 1, 100000).value_or(plan.max_runs));
  root.refuse_other_keys();
  std::error_code error;
  set_file(issues, file.string());
  if (!issues.empty() && fs::is_regular_file(plan.scene, error)) {
    // The scene may tell why: a wrong name of a probe is the reason why a table has no such column.
    const Result<Done> checked = check_fit(plan);
    Issues of_scene = checked.issues();
    set_file(of_scene, plan.scene.string());
    issues.insert(issues.end(), of_scene.begin(), of_scene.end());
  }
  if (!issues.empty()) return issues;
  return plan;
}

}  // namespace clearance::optimise
