// Vectors whose directions decide whether a contact counts: along an edge, across an edge in a triangle, normal to a
// triangle, along the gap of a contact. Each is a polynomial of one or two differences of positions, so that its first
// and second derivatives are short.
#pragma once

#include <array>
#include <cstddef>

#include "clearance/math/rotation.h"

namespace clearance {

/// Position at place `to` less that at place `from` of a stencil.
template <int dim>
struct PlaceDifference {
  std::size_t to = 0, from = 0;
  Vec<dim> value = Vec<dim>::Zero();
};

template <int dim>
class DirectionVector {
 public:
  using Difference = PlaceDifference<dim>;

  /// Does not depend on positions.
  static DirectionVector fixed(const Vec<dim>& value) { return DirectionVector(Kind::fixed, 0, {}, value); }
  static DirectionVector along(const Difference& p) { return DirectionVector(Kind::along, 1, {p, {}}, p.value); }
  /// Turned to the right by a right angle.
  static DirectionVector turned(const Difference& p) requires(dim == 2) {
    return DirectionVector(Kind::turned, 1, {p, {}}, Vec<2>(p.value[1], -p.value[0]));
  }
  /// Part of p across q, times the square of the length of q.
  static DirectionVector across(const Difference& p, const Difference& q) {
    return DirectionVector(Kind::across, 2, {p, q}, q.value.squaredNorm() * p.value - p.value.dot(q.value) * q.value);
  }
  /// Cross product.
  static DirectionVector product(const Difference& p, const Difference& q) requires(dim == 3) {
    return DirectionVector(Kind::product, 2, {p, q}, cross_product(p.value, q.value));
  }

  const Vec<dim>& value() const { return value_; }
  int num_differences() const { return num_differences_; }
  const Difference& difference(std::size_t i) const { return differences_[i]; }
  /// Points the other way from now on.
  void reverse() {
    sign_ = -sign_;
    value_ = -value_;
  }

  /// Derivative by difference i.
  Mat<dim> slope(std::size_t i) const;
  /// Second derivative of y . value by differences i and j.
  Mat<dim> curvature(std::size_t i, std::size_t j, const Vec<dim>& y) const;

 private:
  enum class Kind { fixed, along, turned, across, product };

  DirectionVector(Kind kind, int num_differences, const std::array<Difference, 2>& differences, const Vec<dim>& value)
      : kind_(kind), num_differences_(num_differences), differences_(differences), value_(value) {}

  /// Matrix of v x.
  static Mat<dim> product_matrix(const Vec<dim>& v) {
    Mat<dim> matrix = Mat<dim>::Zero();
    if constexpr (dim == 3) matrix = cross_matrix(v);
    return matrix;
  }

  Kind kind_;
  int num_differences_;
  std::array<Difference, 2> differences_;
  double sign_ = 1.0;
  Vec<dim> value_;
};

template <int dim>
Mat<dim> DirectionVector<dim>::slope(std::size_t i) const {
  const Vec<dim>&p = differences_[0].value, &q = differences_[1].value;
  switch (kind_) {
    case Kind::fixed:
      break;
    case Kind::along:
      return sign_ * Mat<dim>::Identity();
    case Kind::turned: {
      Mat<dim> matrix = Mat<dim>::Zero();
      matrix(0, 1) = sign_;
      matrix(1, 0) = -sign_;
      return matrix;
    }
    case Kind::across:
      if (i == 0) return sign_ * (q.squaredNorm() * Mat<dim>::Identity() - q * q.transpose());
      return sign_ * (2.0 * p * q.transpose() - q * p.transpose() - p.dot(q) * Mat<dim>::Identity());
    case Kind::product:
      return i == 0 ? product_matrix(-sign_ * q) : product_matrix(sign_ * p);
  }
  return Mat<dim>::Zero();
}

template <int dim>
Mat<dim> DirectionVector<dim>::curvature(std::size_t i, std::size_t j, const Vec<dim>& y) const {
  const Vec<dim>&p = differences_[0].value, &q = differences_[1].value;
  if (kind_ == Kind::across) {
    // The function is (q . q) (y . p) - (p . q) (y . q).
    const Mat<dim> mixed = 2.0 * y * q.transpose() - q * y.transpose() - y.dot(q) * Mat<dim>::Identity();
    if (i == 0 && j == 1) return sign_ * mixed;
    if (i == 1 && j == 0) return sign_ * mixed.transpose();
    if (i == 1) {
      return sign_ * (2.0 * y.dot(p) * Mat<dim>::Identity() - p * y.transpose() - y * p.transpose());
    }
  }
  // The function y . (p x q) has the derivative q x y by p, and y x p by q.
  if (kind_ == Kind::product && i != j) return product_matrix((i == 0 ? -sign_ : sign_) * y);
  return Mat<dim>::Zero();
}

}  // namespace clearance
