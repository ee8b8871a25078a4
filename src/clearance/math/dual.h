// Numbers and vectors that carry their derivatives by a few arguments: automatic differentiation in forward mode.
#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "clearance/math/types.h"

namespace clearance {

/// Most arguments of a dual number: they are on the stack.
inline constexpr int max_dual_arguments = 112;

struct Dual {
  using Slopes = Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, max_dual_arguments>;

  double value = 0.0;
  Slopes slopes;  ///< one for each argument

  static Dual constant(double value, Eigen::Index num_arguments) { return {value, Slopes::Zero(num_arguments)}; }
};

inline Dual operator+(const Dual& a, const Dual& b) {
  return {a.value + b.value, a.slopes + b.slopes};
}
inline Dual operator-(const Dual& a, const Dual& b) {
  return {a.value - b.value, a.slopes - b.slopes};
}
inline Dual operator*(double a, const Dual& b) {
  return {a * b.value, a * b.slopes};
}
inline Dual operator*(const Dual& a, const Dual& b) {
  return {a.value * b.value, a.value * b.slopes + b.value * a.slopes};
}
inline Dual operator/(const Dual& a, const Dual& b) {
  const double value = a.value / b.value;
  return {value, (a.slopes - value * b.slopes) / b.value};
}
inline Dual abs(const Dual& a) {
  return a.value < 0.0 ? -1.0 * a : a;
}

template <int dim>
struct DualVec {
  using Slopes = Eigen::Matrix<double, dim, Eigen::Dynamic, Eigen::ColMajor, dim, max_dual_arguments>;

  Vec<dim> value = Vec<dim>::Zero();
  Slopes slopes;

  static DualVec constant(const Vec<dim>& value, Eigen::Index num_arguments) {
    return {value, Slopes::Zero(dim, num_arguments)};
  }
  Dual operator[](int i) const { return {value[i], slopes.row(i)}; }
};

template <int dim>
DualVec<dim> operator+(const DualVec<dim>& a, const DualVec<dim>& b) {
  return {a.value + b.value, a.slopes + b.slopes};
}
template <int dim>
DualVec<dim> operator-(const DualVec<dim>& a, const DualVec<dim>& b) {
  return {a.value - b.value, a.slopes - b.slopes};
}
template <int dim>
DualVec<dim> operator*(double a, const DualVec<dim>& b) {
  return {a * b.value, a * b.slopes};
}
template <int dim>
DualVec<dim> operator*(const Dual& a, const DualVec<dim>& b) {
  return {a.value * b.value, a.value * b.slopes + b.value * a.slopes};
}
template <int dim>
Dual dot(const DualVec<dim>& a, const DualVec<dim>& b) {
  return {a.value.dot(b.value), a.value.transpose() * b.slopes + b.value.transpose() * a.slopes};
}
/// Returns the length. That of the zero vector counts as constant.
template <int dim>
Dual norm(const DualVec<dim>& a) {
  const double length = a.value.norm();
  if (!(length > 0.0)) return Dual::constant(0.0, a.slopes.cols());
  return {length, (a.value / length).transpose() * a.slopes};
}
template <int dim>
DualVec<dim> normalized(const DualVec<dim>& a) {
  return Dual(Dual::constant(1.0, a.slopes.cols()) / norm(a)) * a;
}
inline DualVec<3> cross(const DualVec<3>& a, const DualVec<3>& b) {
  DualVec<3> result{a.value.cross(b.value), {}};
  result.slopes.resize(3, a.slopes.cols());
  for (Eigen::Index k = 0; k < a.slopes.cols(); ++k) {
    const Vec<3> of_a = a.slopes.col(k), of_b = b.slopes.col(k);
    result.slopes.col(k) = of_a.cross(b.value) + a.value.cross(of_b);
  }
  return result;
}
/// Returns the part of `a` across the unit vector `n`.
template <int dim>
DualVec<dim> across(const DualVec<dim>& a, const DualVec<dim>& n) {
  return a - dot(a, n) * n;
}

}  // namespace clearance
