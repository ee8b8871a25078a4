#include "clearance/geometry/mean_ratio.h"

#include <Eigen/Geometry>
#include <cmath>

#include "clearance/math/elementary.h"

namespace clearance {
namespace {

/// Returns the sum of the squared lengths of all edges, which is |J|_F^2 up to a constant factor.
template <int dim>
double sum_of_edges_sq(const std::array<Vec<dim>, dim + 1>& x) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = i + 1; j < x.size(); ++j) sum += (x[j] - x[i]).squaredNorm();
  }
  return sum;
}

}  // namespace

template <int dim>
double mean_ratio_power(const std::array<Vec<dim>, dim + 1>& x) {
  const double edges_sq = sum_of_edges_sq<dim>(x);
  if constexpr (dim == 2) {
    const Vec<2> u = x[1] - x[0], v = x[2] - x[0];
    const double det = u[0] * v[1] - u[1] * v[0];
    return det > 0.0 ? 2.0 * std::sqrt(3.0) * det / edges_sq : 0.0;
  } else {
    const Vec<3> u = x[1] - x[0], v = x[2] - x[0], w = x[3] - x[0];
    const double det = u.cross(v).dot(w);
    return det > 0.0 ? 432.0 * (det / edges_sq) * (det / edges_sq) / edges_sq : 0.0;
  }
}

template <int dim>
double mean_ratio(const std::array<Vec<dim>, dim + 1>& x) {
  const double power = mean_ratio_power<dim>(x);
  return dim == 2 || power == 0.0 ? power : elementary::pow(power, 1.0 / 3.0);
}

template double mean_ratio<2>(const std::array<Vec<2>, 3>& x);
template double mean_ratio<3>(const std::array<Vec<3>, 4>& x);
template double mean_ratio_power<2>(const std::array<Vec<2>, 3>& x);
template double mean_ratio_power<3>(const std::array<Vec<3>, 4>& x);

}  // namespace clearance
