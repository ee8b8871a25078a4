#include "clearance/sweep/run_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "clearance/base/parallel.h"
#include "clearance/io/result/probe_cells.h"
#include "clearance/io/result/result_files.h"
#include "clearance/scene/nearest_name.h"

namespace clearance::sweep {
namespace {

namespace fs = std::filesystem;

/// The numbers of a column over the steps; other values are left out.
struct Column {
  std::vector<double> numbers;
  bool is_whole = true;  ///< true if all numbers are written as whole numbers
};
using Columns = std::map<std::string, Column>;

void add_number(const Json& value, Column& column) {
  column.numbers.push_back(value.get<double>());
  column.is_whole = column.is_whole && value.is_number_integer();
}

void add_flat(const Json& value, const std::string& name, Columns& columns) {
  if (value.is_number()) {
    add_number(value, columns[name]);
  } else if (value.is_boolean()) {
    columns[name].numbers.push_back(value.get<bool>() ? 1.0 : 0.0);
  } else if (value.is_object()) {
    for (const auto& [key, entry] : value.items()) add_flat(entry, name.empty() ? key : name + "." + key, columns);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) add_flat(value[i], fmt::format("{}[{}]", name, i), columns);
  } else if (value.is_null()) {
    // The column exists, but has no value in this step.
    columns[name];
  }
}

Columns read_stats(const fs::path& folder) {
  Columns columns;
  for (const StatsLine& line : read_stats_lines(folder)) add_flat(Json::parse(line.text, nullptr, false), "", columns);
  return columns;
}

/// Reads the probes. Each column is listed under `name [unit]` and under its name alone.
Columns read_probes(const fs::path& folder) {
  std::ifstream file(folder / "probes.csv");
  std::vector<std::string> names;
  Columns columns;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string_view> cells = probe_cells(line);
    if (names.empty()) {
      names.assign(cells.begin(), cells.end());
      for (const std::string& name : names) columns[name];
      continue;
    }
    for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i) {
      const Json number = Json::parse(cells[i], nullptr, false);
      if (number.is_number()) add_number(number, columns[names[i]]);
    }
  }
  for (const std::string& name : names) {
    const std::size_t unit = name.rfind(" [");
    if (unit != std::string::npos && columns.count(name.substr(0, unit)) == 0)
      columns[name.substr(0, unit)] = columns[name];
  }
  return columns;
}

double reduce(const std::vector<double>& numbers, Reduction reduction) {
  switch (reduction) {
    case Reduction::first:
      return numbers.front();
    case Reduction::last:
      return numbers.back();
    case Reduction::min:
      return *std::min_element(numbers.begin(), numbers.end());
    case Reduction::max:
      return *std::max_element(numbers.begin(), numbers.end());
    case Reduction::mean:
    case Reduction::sum: {
      double sum = 0.0;
      for (const double number : numbers) sum += number;
      return reduction == Reduction::sum ? sum : sum / static_cast<double>(numbers.size());
    }
  }
  return 0.0;
}

/// Returns the value of a column, or null if it has no numbers. Whole numbers stay whole, except a mean.
Json collected_value(const Column& column, Reduction reduction) {
  if (column.numbers.empty()) return nullptr;
  const double value = reduce(column.numbers, reduction);
  constexpr double largest = 9e15;
  const bool is_whole = column.is_whole && reduction != Reduction::mean && std::abs(value) < largest;
  return is_whole ? Json(static_cast<long long>(value)) : Json(value);
}

/// The collected values of one run, and the columns that it has.
struct CollectedRun {
  Values values;
  std::vector<char> is_there;
  Columns stats, probes;  ///< names of the columns, without numbers
};

CollectedRun collect_run(const fs::path& folder, const std::vector<Collected>& wanted) {
  CollectedRun run;
  const auto has = [&](bool is_probe) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const Collected& one) { return one.is_probe == is_probe; });
  };
  if (has(false)) run.stats = read_stats(folder);
  if (has(true)) run.probes = read_probes(folder);
  for (const Collected& one : wanted) {
    const Columns& columns = one.is_probe ? run.probes : run.stats;
    const auto found = columns.find(one.column);
    run.is_there.push_back(found != columns.end() ? 1 : 0);
    run.values.push_back(found != columns.end() ? collected_value(found->second, one.reduction) : Json(nullptr));
  }
  for (Columns* columns : {&run.stats, &run.probes}) {
    for (auto& [name, column] : *columns) column.numbers = {};
  }
  return run;
}

/// Returns a warning for each wanted column that no run has although runs have other columns.
Issues find_unknown(const std::vector<Collected>& wanted, const std::vector<CollectedRun>& runs,
                    const std::string& who = "no run has") {
  Issues issues;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::set<std::string> known;
    bool is_known = false;
    for (const CollectedRun& run : runs) {
      is_known = is_known || run.is_there[i] != 0;
      for (const auto& [name, column] : wanted[i].is_probe ? run.probes : run.stats) known.insert(name);
    }
    if (is_known || known.empty()) continue;
    const std::vector<std::string_view> names(known.begin(), known.end());
    const std::string_view nearest = nearest_name(wanted[i].column, names);
    issues.push_back(
        {"", element_path("collect", i), wanted[i].column,
         fmt::format("{} this column in its {}; {}", who, wanted[i].is_probe ? "probes.csv" : "stats.jsonl",
                     nearest.empty() ? "known: " + quoted_list(names) : fmt::format("did you mean `{}`?", nearest)),
         Severity::warning});
  }
  return issues;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

}  // namespace

std::string cell_text(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Issues find_missing_columns(const SweepFolder& folder, const Plan& plan, int run) {
  return find_unknown(plan.collected, {collect_run(folder.run_folder(run), plan.collected)},
                      fmt::format("run {} has not", run_name(run)));
}

RunTable build_run_table(const SweepFolder& folder, const Plan& plan) {
  RunTable table;
  table.columns = {{"run"}};
  for (const Manifest::Column& parameter : folder.manifest().parameters)
    table.columns.push_back({parameter.name, true});
  for (const char* name : {"state", "steps", "converged_steps", "warnings", "seconds"}) table.columns.push_back({name});
  for (const Collected& one : plan.collected) table.columns.push_back({one.name});
  table.columns.push_back({"reason"});

  const std::size_t num_runs = folder.num_runs();
  std::vector<CollectedRun> runs(num_runs);
  table.states.resize(num_runs);
  parallel_for(folder.num_runs(), 1, [&](int i) {
    const std::size_t slot = i;
    table.states[slot] = state_of(folder, i);
    // Numbers of another run would be wrong beside the values of this one.
    if (table.states[slot].phase == RunPhase::foreign) {
      runs[slot].values.resize(plan.collected.size());
      runs[slot].is_there.resize(plan.collected.size());
    } else {
      runs[slot] = collect_run(folder.run_folder(i), plan.collected);
    }
  });
  for (std::size_t i = 0; i < num_runs; ++i) {
    const RunState& state = table.states[i];
    const bool has_ended = state.phase == RunPhase::complete || state.phase == RunPhase::failed;
    Values row = {static_cast<int>(i)};
    const Values& values = folder.manifest().runs[i];
    row.insert(row.end(), values.begin(), values.end());
    row.emplace_back(to_string(state.phase));
    row.emplace_back(state.steps);
    row.push_back(has_ended ? Json(state.converged_steps) : Json(nullptr));
    row.push_back(has_ended ? Json(state.num_warnings) : Json(nullptr));
    row.push_back(state.seconds && state.phase != RunPhase::foreign ? Json(*state.seconds) : Json(nullptr));
    row.insert(row.end(), runs[i].values.begin(), runs[i].values.end());
    row.push_back(state.reason.empty() ? Json(nullptr) : Json(state.reason));
    table.rows.push_back(std::move(row));
  }
  table.warnings = find_unknown(plan.collected, runs);
  return table;
}

std::string csv_text(const RunTable& table) {
  std::string text;
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += (i == 0 ? "" : ",") + quoted(table.columns[i].name);
  text += '\n';
  for (const Values& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : ",") + quoted(cell_text(row[i]));
    text += '\n';
  }
  return text;
}

}  // namespace clearance::sweep
