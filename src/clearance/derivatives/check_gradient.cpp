#include "clearance/derivatives/check_gradient.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "clearance/scene/probe_columns.h"

namespace clearance::derivatives {

namespace {

/// Differences that count as none, as shares of the derivative and of the column's size.
constexpr double of_itself = 1e-5, of_size = 1e-6;

}  // namespace

bool CheckedDerivative::is_decided() const {
  if (!agrees() || !is_known() || std::isnan(derivative)) return true;
  constexpr double most_uncertain = 0.1;
  const double largest = std::max(std::abs(derivative), std::abs(difference));
  return uncertainty <= std::max(most_uncertain * largest, of_size * size);
}

bool CheckedDerivative::agrees() const {
  if (!is_known() || (std::isnan(derivative) && std::isnan(difference))) return true;
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

/// Returns options with the activation distances of a run.
GradientOptions with_narrowing(GradientOptions options, const Gradient& gradient) {
  for (std::size_t s = 1; s < gradient.steps.size(); ++s) options.narrowing.push_back(gradient.steps[s].narrowing);
  return options;
}

}  // namespace

std::vector<CheckedDerivative> check_gradient(const SceneMaker& make, const GradientOptions& options,
                                              const Gradient& gradient) {
  // The difference of two lengths tells how far both can be trusted. What rests on something may be moved little.
  constexpr double first_share = 1e-3, least_share = 1e-8, ratio = 0.3;
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const Result<HeldContact> held = find_held_contact(make, options);
  const GradientOptions with_same_gaps = with_narrowing(options, gradient);
  std::vector<CheckedDerivative> checked;
  for (std::size_t p = 0; p < gradient.parameters.size(); ++p) {
    const Parameter& parameter = gradient.parameters[p];
    const double size = parameter.size();
    std::optional<std::vector<double>> wide, narrow;
    for (double share = first_share; held && share > least_share && !(wide && narrow); share *= 0.1) {
      wide = differences_of(make, with_same_gaps, parameter, share * size, *held);
      if (wide) narrow = differences_of(make, with_same_gaps, parameter, ratio * share * size, *held);
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

std::vector<TangentRemainders> find_remainders(const SceneMaker& make, const GradientOptions& options,
                                               const Gradient& gradient, const std::vector<double>& shares) {
  const Result<HeldContact> held = find_held_contact(make, options);
  const GradientOptions with_same_gaps = with_narrowing(options, gradient);
  const StepGradient& last = gradient.steps.back();
  const auto num_columns = static_cast<Eigen::Index>(gradient.columns.size());
  const VecX at = Eigen::Map<const VecX>(last.values.data(), num_columns);
  std::vector<TangentRemainders> all;
  for (std::size_t p = 0; p < gradient.parameters.size(); ++p) {
    const Parameter& parameter = gradient.parameters[p];
    const VecX slope = last.derivatives.col(static_cast<Eigen::Index>(p));
    TangentRemainders found{p, {}, {}, {}};
    found.values.setConstant(static_cast<Eigen::Index>(shares.size()), num_columns,
                             std::numeric_limits<double>::quiet_NaN());
    found.remainders = found.values;
    for (std::size_t k = 0; held && k < shares.size(); ++k) {
      const double change = shares[k] * parameter.size();
      found.changes.push_back(change);
      const auto values = find_values(make, with_same_gaps, parameter, parameter.value + change, *held);
      if (!values) continue;
      const auto row = static_cast<Eigen::Index>(k);
      found.values.row(row) = Eigen::Map<const VecX>(values->data(), num_columns).transpose();
      found.remainders.row(row) = found.values.row(row) - (at + change * slope).transpose();
    }
    all.push_back(std::move(found));
  }
  return all;
}

}  // namespace clearance::derivatives
