#include "clearance/derivatives/check_gradient.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace clearance::derivatives {

bool CheckedDerivative::agrees() const {
  if (std::isnan(derivative) && std::isnan(difference)) return true;
  constexpr double rounding = 1e-6;
  const double size = std::max(std::abs(derivative), std::abs(difference));
  return std::abs(derivative - difference) <= std::max(3.0 * uncertainty, rounding * size);
}

Result<std::vector<CheckedDerivative>> check_gradient(const SceneMaker& make, const GradientOptions& options,
                                                      const Gradient& gradient) {
  // Shares of a parameter by which runs differ. The difference of two lengths tells how far both can be trusted.
  constexpr std::array<double, 2> shares = {1e-3, 3e-4};
  std::vector<CheckedDerivative> checked;
  for (std::size_t p = 0; p < gradient.parameters.size(); ++p) {
    const Parameter& parameter = gradient.parameters[p];
    const double size = parameter.value != 0.0 ? std::abs(parameter.value) : 1.0;
    std::array<std::vector<double>, 2> differences;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const double length = shares[i] * size;
      std::array<std::vector<double>, 4> values;
      constexpr std::array<double, 4> offsets = {-2.0, -1.0, 1.0, 2.0};
      for (std::size_t k = 0; k < offsets.size(); ++k) {
        auto found = find_values(make, options, parameter, parameter.value + offsets[k] * length);
        if (!found) return found.issues();
        values[k] = std::move(*found);
      }
      for (std::size_t c = 0; c < gradient.columns.size(); ++c) {
        differences[i].push_back((8.0 * (values[2][c] - values[1][c]) - (values[3][c] - values[0][c])) /
                                 (12.0 * length));
      }
    }
    for (std::size_t c = 0; c < gradient.columns.size(); ++c) {
      checked.push_back({c, p,
                         gradient.steps.back().derivatives(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(p)),
                         differences[0][c], std::abs(differences[0][c] - differences[1][c])});
    }
  }
  return checked;
}

}  // namespace clearance::derivatives
