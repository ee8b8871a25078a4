// The local Hessian of a contact as a sum of rank-one terms: few numbers, whatever the vertices depend on.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "clearance/math/lanes.h"
#include "clearance/math/types.h"

namespace clearance {

/// sum_r coefficient(r) z_r z_r^T, where row(r)[i] is the part of z_r that belongs to place i of the stencil, padded
/// with zeros.
template <int dim>
class RankOneSum {
 public:
  /// Forgets all terms; from here on they have `width` places.
  void clear(std::size_t width = 4) {
    width_ = width;
    coefficient_.clear();
  }
  std::size_t width() const { return width_; }
  std::size_t count() const { return coefficient_.size(); }
  double coefficient(std::size_t r) const { return coefficient_[r]; }
  const double* coefficients() const { return coefficient_.data(); }
  const Lanes* row(std::size_t r) const { return z_.data() + r * width_; }

  /// Appends the term whose part at place i is a_i * u + b_i * v.
  void add(double factor, const std::array<double, 4>& a, const Vec<dim>& u, const std::array<double, 4>& b,
           const Vec<dim>& v) {
    Lanes* z = append(factor);
    const Lanes padded_u = padded(u), padded_v = padded(v);
    for (std::size_t i = 0; i < 4; ++i) z[i] = Lanes(a[i]) * padded_u + Lanes(b[i]) * padded_v;
  }
  /// Appends the term whose part at place i is a_i * u.
  void add(double factor, const std::array<double, 4>& a, const Vec<dim>& u) {
    Lanes* z = append(factor);
    const Lanes padded_u = padded(u);
    for (std::size_t i = 0; i < 4; ++i) z[i] = Lanes(a[i]) * padded_u;
  }
  /// Appends the term whose part at place i is a_i * u, for all places.
  void add(double factor, std::span<const double> a, const Vec<dim>& u) {
    Lanes* z = append(factor);
    const Lanes padded_u = padded(u);
    for (std::size_t i = 0; i < a.size(); ++i) z[i] = Lanes(a[i]) * padded_u;
  }
  /// Appends a term given as a whole: dim numbers per place, of the first places or of all.
  void add(double factor, std::span<const double> whole) {
    Lanes* z = append(factor);
    for (std::size_t i = 0; i * dim < whole.size(); ++i) z[i] = padded(Eigen::Map<const Vec<dim>>(&whole[i * dim]));
  }
  void add(double factor, const Vec<4 * dim>& whole) { add(factor, std::span<const double>(whole.data(), 4 * dim)); }

  /// Sets the part at a place of the term that was appended last.
  void set_part(std::size_t place, const Vec<dim>& part) {
    z_[width_ * (coefficient_.size() - 1) + place] = padded(part);
  }

  static Lanes padded(const Vec<dim>& v) {
    Lanes lanes(0.0);
    for (int c = 0; c < dim; ++c) lanes.set(c, v[c]);
    return lanes;
  }

  /// Returns the matrix, dim numbers per place.
  MatX dense() const {
    const auto size = static_cast<Eigen::Index>(width_) * dim;
    MatX sum = MatX::Zero(size, size);
    for (std::size_t r = 0; r < count(); ++r) {
      VecX whole(size);
      for (Eigen::Index i = 0; i < size; ++i) whole[i] = row(r)[i / dim][static_cast<int>(i % dim)];
      sum.noalias() += coefficient_[r] * whole * whole.transpose();
    }
    return sum;
  }

 private:
  /// Returns the places of a new term; those from the fifth on are zero.
  Lanes* append(double factor) {
    const std::size_t begin = width_ * coefficient_.size();
    coefficient_.push_back(factor);
    if (z_.size() < begin + width_) z_.resize(begin + width_);
    for (std::size_t i = 4; i < width_; ++i) z_[begin + i] = Lanes(0.0);
    return z_.data() + begin;
  }

  std::size_t width_ = 4;
  std::vector<double> coefficient_;
  std::vector<Lanes> z_;
};

}  // namespace clearance
