#include "clearance/study/quantities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "clearance/scene/probe_columns.h"

namespace clearance::study {
namespace {

/// True if both labels are components of one vector: `tip.x [m]` and `tip.y [m]`.
bool are_components(const std::string& a, const std::string& b) {
  const auto vector_of = [](const std::string& label) { return label.substr(0, label.rfind('.', label.rfind(" ["))); };
  return vector_of(a) == vector_of(b) && unit_of_column(a) == unit_of_column(b);
}

/// True if the column is a coordinate, whose distance from the origin means nothing.
bool is_position(const SceneDesc& scene, const std::string& label) {
  return std::any_of(scene.output.probes.begin(), scene.output.probes.end(), [&](const ProbeDesc& probe) {
    const std::string head = probe.name + ".";
    return probe.kind == ProbeKind::position && label.starts_with(head) && label.size() > head.size() + 1 &&
           label[head.size() + 1] == ' ';
  });
}

const std::vector<double>& numbers_of(const ProbeTable& table, const std::string& label) {
  static const std::vector<double> none;
  const auto found = std::find(table.columns.begin(), table.columns.end(), label);
  return found == table.columns.end() ? none : table.numbers[found - table.columns.begin()];
}

/// Returns the number whose distance from the reference is largest.
double largest_of(const std::vector<double>& numbers, double reference) {
  double largest = std::numeric_limits<double>::quiet_NaN();
  for (const double number : numbers) {
    if (std::isfinite(number) && !(std::abs(number - reference) <= std::abs(largest - reference))) largest = number;
  }
  return largest;
}

double start_of(const ProbeTable& table, const std::string& label) {
  const std::vector<double>& numbers = numbers_of(table, label);
  return numbers.empty() || !std::isfinite(numbers.front()) ? 0.0 : numbers.front();
}

/// Returns the largest distance of a column, or of a component beside it, from its reference on any level.
double size_of(const SceneDesc& scene, const std::vector<ProbeTable>& tables, const std::string& label) {
  double size = 0.0;
  for (const ProbeTable& table : tables) {
    for (const std::string& column : table.columns) {
      if (!are_components(column, label)) continue;
      const double reference = is_position(scene, column) ? start_of(table, column) : 0.0;
      const double largest = largest_of(numbers_of(table, column), reference);
      if (std::isfinite(largest)) size = std::max(size, std::abs(largest - reference));
    }
  }
  return size;
}

/// Share of forces that a step may leave unbalanced. The published criterion has no such share; the default stands for
/// it.
double tolerance_of(const SceneDesc& scene) {
  return scene.solver.convergence == Convergence::forces ? scene.solver.force_tolerance : SolverDesc().force_tolerance;
}

/// Warns of a point that is another one on each level, as the vertex nearest to a point of a probe may be.
void check_start(const std::vector<ProbeTable>& tables, const std::string& label, double size, Issues& warnings) {
  double least = start_of(tables.front(), label), most = least;
  for (const ProbeTable& table : tables) {
    least = std::min(least, start_of(table, label));
    most = std::max(most, start_of(table, label));
  }
  constexpr double largest_share = 1e-3;
  if (most - least <= largest_share * size) return;
  warnings.push_back({"", "output.probes", name_of_column(label),
                      fmt::format("the point starts between {:.6g} and {:.6g} m, depending on the level, so that the "
                                  "levels compare different points; expected a point that is a vertex of every mesh",
                                  least, most),
                      Severity::warning});
}

}  // namespace

Result<std::vector<std::string>> choose_columns(const std::vector<std::string>& columns,
                                                const std::vector<std::string>& wanted) {
  if (wanted.empty()) return columns;
  const Result<std::vector<std::size_t>> found = find_columns(columns, wanted, "--quantity");
  if (!found) return found.issues();
  std::vector<std::string> chosen;
  for (const std::size_t column : *found) {
    if (std::find(chosen.begin(), chosen.end(), columns[column]) == chosen.end()) chosen.push_back(columns[column]);
  }
  return chosen;
}

Comparison compare_levels(const SceneDesc& scene, const std::vector<ProbeTable>& tables,
                          const std::vector<std::string>& columns) {
  Comparison comparison;
  for (const std::string& label : columns) {
    const double size = size_of(scene, tables, label);
    const bool is_from_start = is_position(scene, label);
    if (is_from_start) check_start(tables, label, size, comparison.warnings);
    for (const bool is_largest : {false, true}) {
      Quantity quantity{label, is_largest, {}, is_from_start, {}};
      for (const ProbeTable& table : tables) {
        const std::vector<double>& numbers = numbers_of(table, label);
        const double last = numbers.empty() ? std::numeric_limits<double>::quiet_NaN() : numbers.back();
        const double reference = is_from_start ? start_of(table, label) : 0.0;
        quantity.values.push_back(is_largest ? largest_of(numbers, reference) : last);
      }
      const double reference = is_from_start ? start_of(tables.back(), label) : 0.0;
      quantity.estimate = estimate_convergence(quantity.values, {reference, size, tolerance_of(scene)});
      comparison.quantities.push_back(std::move(quantity));
    }
  }
  return comparison;
}

}  // namespace clearance::study
