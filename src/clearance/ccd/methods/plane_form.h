// The univariate formulation [Fer23, sec. 3.3] for both kinds of pairs and any number type.
//
// The primitives meet where q(t) = u a(t) + v b(t) with (u, v) in the triangle u, v >= 0, u + v <= 1 or in the unit
// square. So they are coplanar, f = n . q = 0 with n = a x b [Fer23, eq. 3.3], and
//   u n.n = (q x b) . n,   v n.n = (a x q) . n.
// All polynomials are Bernstein coefficients over t in [0, 1].
#pragma once

#include <array>

#include "clearance/ccd/query.h"

namespace clearance {

template <class T>
using Triple = std::array<T, 3>;

template <class T>
Triple<T> cross(const Triple<T>& a, const Triple<T>& b) {
  return {T(a[1] * b[2] - a[2] * b[1]), T(a[2] * b[0] - a[0] * b[2]), T(a[0] * b[1] - a[1] * b[0])};
}
template <class T>
T dot(const Triple<T>& a, const Triple<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class T>
Triple<T> sum(const Triple<T>& a, const Triple<T>& b) {
  return {T(a[0] + b[0]), T(a[1] + b[1]), T(a[2] + b[2])};
}

/// A vector polynomial in t; coefficient i belongs to the Bernstein polynomial i.
template <class T, std::size_t count>
using VectorPolynomial = std::array<Triple<T>, count>;
template <class T, std::size_t count>
using BernsteinPolynomial = std::array<T, count>;

template <class T>
struct PlaneForm {
  VectorPolynomial<T, 2> a, b, q;
  bool is_triangle = false;
};

/// Vertices x[i][k] of type T or a type that converts to it.
template <class T, class Vertices>
PlaneForm<T> plane_form(QueryKind kind, const Vertices& t0, const Vertices& t1) {
  PlaneForm<T> form;
  form.is_triangle = kind == QueryKind::point_triangle;
  const std::array<const Vertices*, 2> ends{&t0, &t1};
  for (int e = 0; e < 2; ++e) {
    const Vertices& x = *ends[e];
    const auto difference = [&x](int to, int from) {
      Triple<T> d;
      for (int k = 0; k < 3; ++k) d[k] = T(x[to][k]) - T(x[from][k]);
      return d;
    };
    form.a[e] = form.is_triangle ? difference(2, 1) : difference(1, 0);
    form.b[e] = form.is_triangle ? difference(3, 1) : difference(2, 3);
    form.q[e] = form.is_triangle ? difference(0, 1) : difference(2, 0);
  }
  return form;
}

/// Twice the cross product (so that integers stay integers).
template <class T>
VectorPolynomial<T, 3> twice_cross(const VectorPolynomial<T, 2>& a, const VectorPolynomial<T, 2>& b) {
  const Triple<T> first = cross(a[0], b[0]), last = cross(a[1], b[1]);
  return {sum(first, first), sum(cross(a[0], b[1]), cross(a[1], b[0])), sum(last, last)};
}

/// Returns three times the product.
template <class T>
BernsteinPolynomial<T, 4> thrice_dot(const VectorPolynomial<T, 3>& x, const VectorPolynomial<T, 2>& y) {
  const T two(2);
  return {T(T(3) * dot(x[0], y[0])), T(dot(x[0], y[1]) + two * dot(x[1], y[0])),
          T(two * dot(x[1], y[1]) + dot(x[2], y[0])), T(T(3) * dot(x[2], y[1]))};
}

/// Returns six times the product.
template <class T>
BernsteinPolynomial<T, 5> six_dot(const VectorPolynomial<T, 3>& x, const VectorPolynomial<T, 3>& y) {
  const T three(3), four(4), six(6);
  return {T(six * dot(x[0], y[0])), T(three * (dot(x[0], y[1]) + dot(x[1], y[0]))),
          T(dot(x[0], y[2]) + four * dot(x[1], y[1]) + dot(x[2], y[0])), T(three * (dot(x[1], y[2]) + dot(x[2], y[1]))),
          T(six * dot(x[2], y[2]))};
}

/// Returns 6 f.
template <class T>
BernsteinPolynomial<T, 4> coplanarity(const PlaneForm<T>& form) {
  return thrice_dot(twice_cross(form.a, form.b), form.q);
}

/// 24 times (u, v, the slack of the last one or two conditions) times n.n: the pair meets at a coplanar time only if
/// none is negative, and if n is not zero, meets if none is. Triangle: three conditions; square: four.
template <class T>
struct InsideConditions {
  std::array<BernsteinPolynomial<T, 5>, 4> conditions;
  int count;
};

template <class T>
InsideConditions<T> inside_conditions(const PlaneForm<T>& form) {
  const VectorPolynomial<T, 3> n = twice_cross(form.a, form.b);
  InsideConditions<T> result;
  auto& [u, v, third, fourth] = result.conditions;
  u = six_dot(twice_cross(form.q, form.b), n);
  v = six_dot(twice_cross(form.a, form.q), n);
  const BernsteinPolynomial<T, 5> nn = six_dot(n, n);
  for (int i = 0; i < 5; ++i) {
    third[i] = form.is_triangle ? T(nn[i] - T(u[i] + v[i])) : T(nn[i] - u[i]);
    fourth[i] = T(nn[i] - v[i]);
  }
  result.count = form.is_triangle ? 3 : 4;
  return result;
}

}  // namespace clearance
