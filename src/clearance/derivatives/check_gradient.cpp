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
/// Errors of runs, as a share of the largest number of a unit and in the unit, that rounding may make.
constexpr double most_rounding = 1e-6, least_number = 1e-12;

}  // namespace

bool CheckedDerivative::is_decided() const {
  if (!agrees()) return !is_at_kink;
  if (!is_known() || std::isnan(derivative)) return true;
  constexpr double most_uncertain = 0.1;
  const double largest = std::max(std::abs(derivative), std::abs(difference));
  if (largest <= 3.0 * rounding) return true;
  return uncertainty <= std::max(most_uncertain * largest, of_size * size);
}

bool CheckedDerivative::agrees() const {
  if (!is_known() || (std::isnan(derivative) && std::isnan(difference))) return true;
  const double largest = std::max(std::abs(derivative), std::abs(difference));
  return std::abs(derivative - difference) <= std::max({3.0 * uncertainty, of_itself * largest, of_size * size});
}

namespace {

/// Differences of runs, per column.
struct Differences {
  std::vector<double> slopes;     // of fourth order
  std::vector<double> roundings;  // what rounding makes of them
};

/// Returns differences over `length`; nothing if a run at one of the values fails. `middle` are the numbers of the run
/// itself.
std::optional<Differences> differences_of(const SceneMaker& make, const GradientOptions& options,
                                          const Parameter& parameter, double length, const HeldContact& held,
                                          const std::vector<double>& middle) {
  constexpr std::array<double, 4> offsets = {-2.0, -1.0, 1.0, 2.0};
  std::array<std::vector<double>, 4> values;
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    auto found = find_values(make, options, parameter, parameter.value + offsets[k] * length, held);
    if (!found) return std::nullopt;
    values[k] = std::move(*found);
  }
  Differences differences;
  for (std::size_t c = 0; c < values[0].size(); ++c) {
    const double low = values[0][c], below = values[1][c], above = values[2][c], high = values[3][c];
    differences.slopes.push_back((8.0 * (above - below) - (high - low)) / (12.0 * length));
    // Errors e of five values make e sqrt(70) of their fourth difference, to which smooth functions add the fourth
    // power of the change, and e sqrt(130) / 12 of the slope times the length. No value has an error of less than half
    // of its last digit.
    const double fourth = std::abs(low - 4.0 * below + 6.0 * middle[c] - 4.0 * above + high) / std::sqrt(70.0);
    const double last_digit = 0.5 * std::numeric_limits<double>::epsilon() * std::abs(middle[c]);
    differences.roundings.push_back(std::sqrt(130.0) / 12.0 * std::max(fourth, last_digit) / length);
  }
  return differences;
}

/// True if the warnings of a run tell that it ends at a kink where the parameter changes.
bool is_at_kink(const Issues& warnings, const std::string& path) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const Issue& warning) { return warning.place == "at_kink" && warning.value == path; });
}

/// Returns options with the activation distances of a run.
GradientOptions with_narrowing(GradientOptions options, const Gradient& gradient) {
  for (std::size_t s = 1; s < gradient.steps.size(); ++s) options.narrowing.push_back(gradient.steps[s].narrowing);
  return options;
}

}  // namespace

namespace {

/// Compares the derivatives by parameter `p` with differences over two lengths. `difference(length)` returns those of
/// runs.
template <class Difference>
std::vector<CheckedDerivative> checks_over(const Gradient& gradient, std::size_t p, double length,
                                           const Difference& difference) {
  // The difference of two lengths tells how far both can be trusted.
  constexpr double ratio = 0.3;
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const std::optional<Differences> wide = difference(length), narrow = wide ? difference(ratio * length) : std::nullopt;
  const auto unit_of = [&](std::size_t c) { return unit_of_column(gradient.columns[c]); };
  const auto size_of = [&](std::size_t c) {
    double size = 0.0;
    for (std::size_t other = 0; other < gradient.columns.size(); ++other) {
      if (unit_of(other) == unit_of(c)) size = std::max(size, std::abs(gradient.steps.back().values[other]));
    }
    return size;
  };
  std::vector<CheckedDerivative> checked;
  for (std::size_t c = 0; c < gradient.columns.size(); ++c) {
    CheckedDerivative check{c, p};
    check.derivative = gradient.steps.back().derivatives(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(p));
    check.is_at_kink = is_at_kink(gradient.warnings, gradient.parameters[p].path);
    check.difference = check.uncertainty = unknown;
    if (wide && narrow) {
      for (std::size_t other = 0; other < gradient.columns.size(); ++other) {
        if (unit_of(other) == unit_of(c)) check.size = std::max(check.size, std::abs(wide->slopes[other]));
      }
      check.difference = wide->slopes[c];
      check.rounding = std::max(wide->roundings[c], ratio * narrow->roundings[c]);
      check.uncertainty = std::max(std::abs(wide->slopes[c] - narrow->slopes[c]), check.rounding);
      // Rough runs, as those over the edges of a flat floor, have fourth differences that no rounding makes.
      if (check.rounding * length > std::max(most_rounding * size_of(c), least_number)) check.rounding = 0.0;
    }
    checked.push_back(check);
  }
  return checked;
}

}  // namespace

std::vector<CheckedDerivative> check_gradient(const SceneMaker& make, const GradientOptions& options,
                                              const Gradient& gradient) {
  // Bodies that rest on others may be moved little. Lengths shorter by `shorter` tell a wrong derivative, which differs
  // over all of them, from a kink beside the run, as where an element begins to flow, and decide where runs are rough.
  constexpr double first_share = 1e-3, least_share = 1e-8, shorter = 0.1;
  constexpr int most_lengths = 3;
  const Result<HeldContact> held = find_held_contact(make, options);
  const GradientOptions with_same_gaps = with_narrowing(options, gradient);
  std::vector<CheckedDerivative> all;
  for (std::size_t p = 0; p < gradient.parameters.size(); ++p) {
    const Parameter& parameter = gradient.parameters[p];
    const auto difference = [&](double length) -> std::optional<Differences> {
      if (!held) return std::nullopt;
      return differences_of(make, with_same_gaps, parameter, length, *held, gradient.steps.back().values);
    };
    std::vector<CheckedDerivative> checked;
    int num_lengths = 0;
    for (double share = first_share; share > least_share && num_lengths < most_lengths; share *= shorter) {
      const std::vector<CheckedDerivative> found = checks_over(gradient, p, share * parameter.size(), difference);
      if (num_lengths == 0) checked = found;
      if (std::any_of(found.begin(), found.end(), [](const auto& check) { return !check.is_known(); })) continue;
      ++num_lengths;
      bool is_done = true;
      for (std::size_t c = 0; c < checked.size(); ++c) {
        const bool is_settled = checked[c].agrees() && checked[c].is_decided();
        if (!is_settled && found[c].agrees() && found[c].is_decided()) checked[c] = found[c];
        is_done = is_done && checked[c].agrees() && checked[c].is_decided();
      }
      if (is_done) break;
    }
    all.insert(all.end(), checked.begin(), checked.end());
  }
  return all;
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
