// Fixed-size and dynamic algebra types used everywhere.
#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>

namespace clearance {

template <int size>
using Vec = Eigen::Matrix<double, size, 1>;
template <int rows, int cols = rows>
using Mat = Eigen::Matrix<double, rows, cols>;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Returns block b of a flat vector of blocks of size dim.
template <int dim, class Vector>
auto block(Vector& x, int b) {
  return x.template segment<dim>(dim * static_cast<Eigen::Index>(b));
}

}  // namespace clearance
