// The steps of a run as stored in stats.jsonl, and their totals.
#pragma once

#include <array>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/base/unit_system.h"

namespace clearance::cli {

/// Columns of the table in their order; the names are keys of `seconds` in stats.jsonl.
inline constexpr std::array stage_keys = {"total", "assembly", "linear_solve", "broad_phase", "ccd", "line_search"};

struct StepStats {
  int step = 0;
  double time = 0;  ///< [s]
  std::string status;
  int newton_iterations = 0;
  int num_contacts = 0;
  double min_distance = -1;  ///< [m]; negative if no pair was near
  std::array<double, stage_keys.size()> seconds{};
  int num_elements = -1;  ///< adapting bodies and all others together; negative if no body adapts
  int num_splits = 0, num_collapses = 0;
  double remesh_seconds = 0;
};

struct StatsTotals {
  int num_steps = 0;
  int num_converged = 0;
  int newton_iterations = 0;
  int max_contacts = 0;
  double min_distance = -1;  ///< [m]; negative if no pair was near in any step
  std::array<double, stage_keys.size()> seconds{};
  int most_elements = -1;  ///< negative if no body adapts
  int num_splits = 0, num_collapses = 0;
  double remesh_seconds = 0;
};

/// Returns the number at `key`, or `fallback` if there is none.
double number_or(const nlohmann::json& object, const char* key, double fallback);

/// Reads the objects of stats.jsonl, without a last line that a killed run cut off.
Result<std::vector<nlohmann::json>> read_stats_lines(const std::filesystem::path& path);
/// Reads the same objects as columns of the table.
Result<std::vector<StepStats>> read_stats(const std::filesystem::path& path);
StatsTotals add_up(const std::vector<StepStats>& steps);

/// Formats the table as text: at most `max_rows` steps (0: all), evenly spaced, and always the first, the last and
/// every step that did not converge. Adds columns for elements if some adapt.
std::string format_table(const std::vector<StepStats>& steps, int max_rows, const UnitSystem& units = {});

}  // namespace clearance::cli
