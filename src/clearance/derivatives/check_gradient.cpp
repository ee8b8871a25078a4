#include "clearance/derivatives/check_gradient.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "clearance/scene/probe_columns.h"

namespace clearance::derivatives {

bool CheckedDerivative::agrees() const {
  if (!is_known() || (std::isnan(derivative) && std::isnan(difference))) return true;
  constexpr double of_itself = 1e-5, of_size = 1e-6;
  const double largest = std::max(std::abs(derivative), std::abs(difference));
  return std::abs(derivative - difference) <= std::max({3.0 * uncertainty, of_itself * largest, of_size * size});
}

namespace {

/// Returns differences of fourth order over `length` for all columns; nothing if a run at one of the values fails.
std::optional<std::vector<double>> differences_of(const SceneMaker& make, const GradientOptions& options,
                                                  const Parameter& parameter, double length, const HeldContact& held) {
  constexpr std::array<double, 4> offsets = {-2.0, -1.0, 1.0, 2.0};
  std::array<std::vector<double>, 4> values;
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    auto found = find_values(make, options, parameter, parameter.value + offsets[k] * length, held);
    if (!found) return std::nullopt;
    values[k] = std::move(*found);
  }
  std::vector<double> differences;
  for (std::size_t c = 0; c < values[0].size(); ++c) {
    differences.push_back((8.0 * (values[2][c] - values[1][c]) - (values[3][c] - values[0][c])) / (12.0 * length));
  }
  return differences;
}

}  // namespace

std::vector<CheckedDerivative> check_gradient(const SceneMaker& make, const GradientOptions& options,
                                              const Gradient& gradient) {
  // The difference of two lengths tells how far both can be trusted. What rests on something may be moved little.
  constexpr double first_share = 1e-3, least_share = 1e-8, ratio = 0.3;
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const Result<HeldContact> held = find_held_contact(make, options);
  std::vector<CheckedDerivative> checked;
  for (std::size_t p = 0; p < gradient.parameters.size(); ++p) {
    const Parameter& parameter = gradient.parameters[p];
    const double size = parameter.size();
    std::optional<std::vector<double>> wide, narrow;
    for (double share = first_share; held && share > least_share && !(wide && narrow); share *= 0.1) {
      wide = differences_of(make, options, parameter, share * size, *held);
      if (wide) narrow = differences_of(make, options, parameter, ratio * share * size, *held);
    }
    const auto unit_of = [&](std::size_t c) { return unit_of_column(gradient.columns[c]); };
    for (std::size_t c = 0; c < gradient.columns.size(); ++c) {
      CheckedDerivative check{c, p};
      for (std::size_t other = 0; wide && other < gradient.columns.size(); ++other) {
        if (unit_of(other) == unit_of(c)) check.size = std::max(check.size, std::abs((*wide)[other]));
      }
      check.derivative = gradient.steps.back().derivatives(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(p));
      check.difference = wide && narrow ? (*wide)[c] : unknown;
      check.uncertainty = wide && narrow ? std::abs((*wide)[c] - (*narrow)[c]) : unknown;
      checked.push_back(check);
    }
  }
  return checked;
}

}  // namespace clearance::derivatives
