// The positive semi-definite local Hessian of a contact as a sum of rank-one terms: few numbers, whatever the vertices
// depend on.
#pragma once

#include <array>

#include "clearance/math/lanes.h"
#include "clearance/math/types.h"

namespace clearance {

/// sum_r coefficient[r] z_r z_r^T, where z[r][i] is the part of z_r that belongs to vertex i, padded with zeros.
template <int dim>
struct RankOneSum {
  static constexpr std::size_t capacity = 4 * dim;
  int count = 0;
  std::array<double, capacity> coefficient;
  std::array<std::array<Lanes, 4>, capacity> z;

  /// Appends the term whose part at vertex i is a_i * u + b_i * v.
  void add(double factor, const std::array<double, 4>& a, const Vec<dim>& u, const std::array<double, 4>& b,
           const Vec<dim>& v) {
    const auto r = static_cast<std::size_t>(count++);
    coefficient[r] = factor;
    const Lanes padded_u = padded(u), padded_v = padded(v);
    for (std::size_t i = 0; i < 4; ++i) z[r][i] = Lanes(a[i]) * padded_u + Lanes(b[i]) * padded_v;
  }
  /// Appends the term whose part at vertex i is a_i * u.
  void add(double factor, const std::array<double, 4>& a, const Vec<dim>& u) {
    const auto r = static_cast<std::size_t>(count++);
    coefficient[r] = factor;
    const Lanes padded_u = padded(u);
    for (std::size_t i = 0; i < 4; ++i) z[r][i] = Lanes(a[i]) * padded_u;
  }
  /// Appends a term given as a whole.
  void add(double factor, const Vec<4 * dim>& whole) {
    const auto r = static_cast<std::size_t>(count++);
    coefficient[r] = factor;
    for (int i = 0; i < 4; ++i) z[r][static_cast<std::size_t>(i)] = padded(whole.template segment<dim>(dim * i));
  }

  static Lanes padded(const Vec<dim>& v) {
    Lanes lanes(0.0);
    for (int c = 0; c < dim; ++c) lanes.set(c, v[c]);
    return lanes;
  }

  Mat<4 * dim> dense() const {
    Mat<4 * dim> sum = Mat<4 * dim>::Zero();
    for (std::size_t r = 0; r < static_cast<std::size_t>(count); ++r) {
      Vec<4 * dim> whole;
      for (int i = 0; i < 4 * dim; ++i) whole[i] = z[r][static_cast<std::size_t>(i / dim)][i % dim];
      sum.noalias() += coefficient[r] * whole * whole.transpose();
    }
    return sum;
  }
};

}  // namespace clearance
