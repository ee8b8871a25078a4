#include "apps/cli/study_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "apps/cli/console.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;
using study::Quantity;
using study::Verdict;

std::string number_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "-";
}

std::string difference_text(double value) {
  return fmt::format("{:+.3g}", value);
}

std::string percent_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.2g} %", 100.0 * *share) : "-";
}

/// Returns the cells of one row of the table.
std::vector<std::string> row_of(const Quantity& quantity, const std::string& at, std::size_t num_levels) {
  const study::Estimate& estimate = quantity.estimate;
  std::vector<std::string> row = {quantity.column, at};
  for (const double value : quantity.values) row.push_back(number_text(value));
  for (std::size_t i = 0; i + 1 < num_levels; ++i) {
    row.push_back(i < estimate.differences.size() ? difference_text(estimate.differences[i]) : "-");
  }
  const bool has_order = estimate.verdict == Verdict::converges;
  row.push_back(has_order && estimate.order ? fmt::format("{:.2f}", *estimate.order) : "-");
  row.push_back(estimate.extrapolated ? number_text(*estimate.extrapolated) : "-");
  row.push_back(percent_text(estimate.error_of_first));
  row.push_back(percent_text(estimate.error_of_finest));
  row.push_back(to_string(estimate.verdict));
  return row;
}

std::vector<std::string> head_of(std::size_t num_levels) {
  std::vector<std::string> head = {"quantity", "at"};
  for (std::size_t i = 0; i < num_levels; ++i) head.push_back(fmt::format("level {}", i));
  for (std::size_t i = 1; i < num_levels; ++i) head.push_back(fmt::format("d{}", i));
  head.insert(head.end(), {"order", "limit", "error 0", fmt::format("error {}", num_levels - 1), "verdict"});
  return head;
}

/// Returns rows of aligned cells; the first two columns and the last one are words.
std::string text_of_rows(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_word = i < 2 || i + 1 == row.size();
      const std::string cell = i + 1 == row.size() ? row[i] : fmt::format("{:{}}", row[i], widths[i]);
      text += (i == 0 ? "" : "  ") + (is_word ? cell : fmt::format("{:>{}}", row[i], widths[i]));
    }
    text += '\n';
  }
  return text;
}

/// Returns advice about a verdict other than convergence; empty if there is none to give.
std::string_view advice_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::converges:
    case Verdict::settled:
      return "";
    case Verdict::slow:
      return "converges too slowly for an estimate of its limit; try more levels";
    case Verdict::alternates:
      return "does not converge from one side, so that its error is unknown; try more levels, or a finer scene";
    case Verdict::diverges:
      return "does not converge: its last difference is not smaller than the one before; it has no limit (as a force "
             "at "
             "a sharp edge), or the levels are too coarse";
    case Verdict::unknown:
      return "has no value on some level";
  }
  return "";
}

std::string text_of_trouble(const std::vector<Quantity>& quantities) {
  std::string text;
  for (const Verdict verdict : {Verdict::slow, Verdict::alternates, Verdict::diverges, Verdict::unknown}) {
    std::string names;
    for (const Quantity& quantity : quantities) {
      if (quantity.estimate.verdict != verdict) continue;
      names +=
          fmt::format("{}{} ({})", names.empty() ? "" : ", ", quantity.column, quantity.is_largest ? "largest" : "end");
    }
    if (!names.empty()) text += fmt::format("{}: {}\n", names, advice_of(verdict));
  }
  return text;
}

template <class T>
Json json_or_null(const std::optional<T>& value, double factor = 1.0) {
  return value ? Json(factor * *value) : Json(nullptr);
}

Json json_of(const Quantity& quantity) {
  const study::Estimate& estimate = quantity.estimate;
  Json values = Json::array();
  for (const double value : quantity.values) values.push_back(number_or_null(value));
  return {{"column", quantity.column},
          {"at", quantity.is_largest ? "largest" : "end"},
          {"values", values},
          {"differences", estimate.differences},
          {"verdict", to_string(estimate.verdict)},
          {"order", json_or_null(estimate.order)},
          {"extrapolated", json_or_null(estimate.extrapolated)},
          {"error_of_first_percent", json_or_null(estimate.error_of_first, 100.0)},
          {"error_of_finest_percent", json_or_null(estimate.error_of_finest, 100.0)},
          {"is_from_start", quantity.is_from_start}};
}

Json json_of(const StudiedLevel& level) {
  Json warnings = Json::array();
  for (const RunWarning& warning : level.warnings) {
    warnings.push_back({{"name", warning.name}, {"message", warning.message}});
  }
  return {{"folder", level.folder.empty() ? Json(nullptr) : Json(level.folder.string())},
          {"elements", level.summary.num_elements},
          {"vertices", level.summary.num_vertices},
          {"steps", level.summary.num_steps},
          {"time_step", level.step},
          {"unconverged_steps", level.num_unconverged},
          {"seconds", level.seconds},
          {"warnings", warnings}};
}

}  // namespace

std::string text_of_level(std::size_t number, const StudiedLevel& level) {
  std::string text = fmt::format("level {}: {} elements, {} vertices, {} steps of {:g} s, {:.1f} s", number,
                                 level.summary.num_elements, level.summary.num_vertices, level.summary.num_steps,
                                 level.step, level.seconds);
  if (!level.folder.empty()) text += fmt::format(", {}", level.folder.string());
  text += '\n';
  if (level.num_unconverged > 0) {
    text += fmt::format("  {} of {} steps did not converge\n", level.num_unconverged, level.summary.num_steps);
  }
  for (const RunWarning& warning : level.warnings) {
    text += fmt::format("  warning {}: {}\n", warning.name, warning.message);
  }
  return text;
}

std::string text_of_quantities(const StudyResult& result) {
  // Quantities come in pairs: at the end, and where they are largest. Pairs of the same values share a row.
  const std::vector<Quantity>& all = result.comparison.quantities;
  const std::size_t num_levels = result.levels.size();
  std::vector<std::vector<std::string>> rows = {head_of(num_levels)};
  std::vector<Quantity> shown;
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
    const bool are_same = all[i].values == all[i + 1].values;
    rows.push_back(row_of(all[i], are_same ? "both" : "end", num_levels));
    shown.push_back(all[i]);
    if (are_same) continue;
    rows.push_back(row_of(all[i + 1], "largest", num_levels));
    shown.push_back(all[i + 1]);
  }
  std::string text = text_of_rows(rows) + text_of_trouble(shown);
  text += fmt::format("error 0, error {}: estimated errors of the first and the finest level, as shares of the limit\n",
                      num_levels - 1);
  const bool has_positions =
      std::any_of(all.begin(), all.end(), [](const Quantity& quantity) { return quantity.is_from_start; });
  if (has_positions) text += "positions: as shares of the way from the start\n";
  return text;
}

Json json_of_study(const StudyResult& result, const Issues& warnings) {
  constexpr std::array names = {"mesh", "step", "both"};
  Json levels = Json::array(), quantities = Json::array();
  for (const StudiedLevel& level : result.levels) levels.push_back(json_of(level));
  for (const Quantity& quantity : result.comparison.quantities) quantities.push_back(json_of(quantity));
  return {{"refine", names.at(static_cast<std::size_t>(result.refinement))},
          {"levels", levels},
          {"quantities", quantities},
          {"warnings", json_of(warnings)}};
}

}  // namespace clearance::cli
