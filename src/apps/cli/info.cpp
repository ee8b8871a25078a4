#include "apps/cli/info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/cli/console.h"
#include "apps/cli/info_slow.h"
#include "apps/cli/info_stats.h"
#include "clearance/io/result/result_check.h"
#include "clearance/io/result/result_units.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Reads summary.json; nothing while the run goes on, or if it was killed.
std::optional<Json> read_summary(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  Json summary = Json::parse(file, nullptr, false);
  if (!summary.is_object()) return std::nullopt;
  return summary;
}

void print_json(const StatsTotals& totals, const std::optional<Json>& summary) {
  Json out;
  out["steps"] = totals.num_steps;
  out["converged_steps"] = totals.num_converged;
  out["newton_iterations"] = totals.newton_iterations;
  out["max_contacts"] = totals.max_contacts;
  out["min_distance"] = totals.min_distance < 0 ? Json() : Json(totals.min_distance);
  if (totals.most_elements >= 0) {
    out["remesh"] = {{"most_elements", totals.most_elements},
                     {"splits", totals.num_splits},
                     {"collapses", totals.num_collapses},
                     {"seconds", totals.remesh_seconds}};
  }
  for (std::size_t i = 0; i < stage_keys.size(); ++i) out["seconds"][stage_keys[i]] = totals.seconds[i];
  out["summary"] = summary ? *summary : Json();
  fmt::print("{}\n", out.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_totals(const StatsTotals& totals, const std::optional<Json>& summary, const UnitSystem& units) {
  const double steps = std::max(1, totals.num_steps);
  fmt::print("\n{} steps, {} converged, {} Newton iterations ({:.1f} a step), at most {} contacts\n", totals.num_steps,
             totals.num_converged, totals.newton_iterations, totals.newton_iterations / steps, totals.max_contacts);
  if (totals.min_distance >= 0) fmt::print("smallest distance {:.6g} {}\n", totals.min_distance, units.length_name);
  if (totals.most_elements >= 0) {
    fmt::print("at most {} elements, {} splits, {} collapses\n", totals.most_elements, totals.num_splits,
               totals.num_collapses);
  }
  fmt::print("{:.3f} s, {:.4f} s a step:", totals.seconds[0], totals.seconds[0] / steps);
  const auto percent = [&](double seconds) { return totals.seconds[0] > 0 ? 100 * seconds / totals.seconds[0] : 0; };
  for (std::size_t i = 1; i < stage_keys.size(); ++i) {
    fmt::print("{} {} {:.0f} %", i == 1 ? "" : ",", stage_keys[i], percent(totals.seconds[i]));
  }
  if (totals.most_elements >= 0) fmt::print(", remesh {:.0f} %", percent(totals.remesh_seconds));
  fmt::print("\n");
  if (!summary) {
    fmt::print("no summary.json: the run has not ended, or was killed\n");
    return;
  }
  fmt::print("summary.json:");
  for (const auto& [key, value] : summary->items()) {
    if (value.is_primitive()) fmt::print(" {} {}", key, value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  fmt::print("\n");
}

}  // namespace

int run_info(const InfoOptions& options) {
  const std::filesystem::path stats = options.folder / "stats.jsonl";
  if (const auto checked = check_result_folder(options.folder, "stats.jsonl"); !checked)
    return refuse(checked.issues());
  if (options.num_slow > 0) {
    const Result<std::string> text = describe_slow_steps(stats, options.num_slow);
    if (!text) return refuse(text.issues());
    fmt::print("{}", *text);
    return 0;
  }
  const auto steps = read_stats(stats);
  if (!steps) return refuse(steps.issues());
  const StatsTotals totals = add_up(*steps);
  const std::optional<Json> summary = read_summary(options.folder / "summary.json");
  if (options.json) {
    print_json(totals, summary);
  } else {
    const UnitSystem units = read_units(options.folder);
    fmt::print("{}", format_table(*steps, options.max_rows, units));
    print_totals(totals, summary, units);
  }
  return 0;
}

}  // namespace clearance::cli
