#include "clearance/verify/paths/path_volume.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace clearance::verify {
namespace {

constexpr int max_halvings = 60;
constexpr int max_parts = 4096;

/// Three edges of an element at one time; in the plane the third is the normal.
template <class Vector>
using Edges = std::array<Vector, 3>;

struct Bounded {
  double value, error;
};

/// The rounding of a determinant is below 8 roundoffs of that of absolute values [She97, sec. 4.3].
Bounded determinant(const Vec<3>& u, const Vec<3>& v, const Vec<3>& w) {
  const Vec<3> a = u.cwiseAbs(), b = v.cwiseAbs(), c = w.cwiseAbs();
  const double permanent =
      a[0] * (b[1] * c[2] + b[2] * c[1]) + a[1] * (b[0] * c[2] + b[2] * c[0]) + a[2] * (b[0] * c[1] + b[1] * c[0]);
  return {u.dot(v.cross(w)), 1e-15 * permanent};
}

mpq_class exact_determinant(const Rational& u, const Rational& v, const Rational& w) {
  return dot(u, cross(v, w));
}

/// Returns Bernstein's coefficients, times 1, 3, 3, 1, of the determinant of edges that move straight.
template <class Vector, class Determinant>
auto coefficients(const Edges<Vector>& a, const Edges<Vector>& b, const Determinant& det) {
  using Number = decltype(det(a[0], a[0], a[0]));
  return std::array<std::array<Number, 3>, 4>{{
      {det(a[0], a[1], a[2])},
      {det(b[0], a[1], a[2]), det(a[0], b[1], a[2]), det(a[0], a[1], b[2])},
      {det(b[0], b[1], a[2]), det(b[0], a[1], b[2]), det(a[0], b[1], b[2])},
      {det(b[0], b[1], b[2])},
  }};
}

/// True if all coefficients are certainly positive. Edges are differences, which cost a roundoff each, and `error` [m]
/// is that of their ends.
bool are_positive(const Edges<Vec<3>>& a, const Edges<Vec<3>>& b, double error) {
  double size = 0.0;
  for (int i = 0; i < 3; ++i) size = std::max({size, a[i].norm(), b[i].norm()});
  // Edges that are off by twice the error of a corner change a determinant by less than this.
  const double reach = size + 2.0 * error;
  const double change = 1.0001 * (reach * reach * reach - size * size * size);
  for (const auto& sum : coefficients(a, b, determinant)) {
    double value = 0.0, uncertainty = 3.0 * change;
    for (const Bounded& part : sum) {
      value += part.value;
      uncertainty += 2.0 * part.error + 4.0 * roundoff * std::abs(part.value);
    }
    if (!(value > uncertainty)) return false;
  }
  return true;
}

/// Decides in rational numbers.
PairVerdict decide(const Edges<Rational>& a, const Edges<Rational>& b) {
  std::array<mpq_class, 4> whole;
  const auto sums = coefficients(a, b, exact_determinant);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t count = i == 0 || i == 3 ? 1 : 3;
    for (std::size_t k = 0; k < count; ++k) whole[i] += sums[i][k];
    if (count == 3) whole[i] /= 3;
  }
  struct Part {
    std::array<mpq_class, 4> coefficients;
    double begin, length;
    int depth;
  };
  std::vector<Part> left = {{whole, 0.0, 1.0, 0}};
  for (int count = 0; !left.empty(); ++count) {
    const Part part = left.back();
    left.pop_back();
    const auto& c = part.coefficients;
    if (c[0] <= 0) return {PathVerdict::violated, part.begin, true};
    if (c[3] <= 0) return {PathVerdict::violated, part.begin + part.length, true};
    if (c[1] > 0 && c[2] > 0) continue;
    if (part.depth == max_halvings || count == max_parts) return {PathVerdict::undecided, part.begin, true};
    // De Casteljau's construction has the coefficients of both halves.
    const mpq_class c01 = (c[0] + c[1]) / 2, c12 = (c[1] + c[2]) / 2, c23 = (c[2] + c[3]) / 2;
    const mpq_class c012 = (c01 + c12) / 2, c123 = (c12 + c23) / 2, middle = (c012 + c123) / 2;
    const double half = 0.5 * part.length;
    left.push_back({{middle, c123, c23, c[3]}, part.begin + half, half, part.depth + 1});
    left.push_back({{c[0], c01, c012, middle}, part.begin, half, part.depth + 1});
  }
  return {PathVerdict::proved, 0.0, true};
}

/// Proves the volume of an element with corners on screws: between two times these stray from straight ways.
PairVerdict check_curved(const PathPoints& points, Corners corners) {
  struct Part {
    double begin, end;
  };
  double bend = 0.0;
  for (const int v : corners) bend = std::max(bend, points[v].bend);
  std::vector<Part> left = {{0.0, 1.0}};
  for (int count = 0; !left.empty(); ++count) {
    const auto [begin, end] = left.back();
    left.pop_back();
    Edges<Vec<3>> a, b;
    a[2] = b[2] = Vec<3>::UnitZ();
    double error = bend * (end - begin) * (end - begin);
    const BoundedPosition first_a = position_at(points[corners[0]], begin);
    const BoundedPosition first_b = position_at(points[corners[0]], end);
    double farthest = std::max(first_a.error, first_b.error);
    for (std::size_t i = 1; i < corners.size(); ++i) {
      const BoundedPosition at_a = position_at(points[corners[i]], begin), at_b = position_at(points[corners[i]], end);
      a[i - 1] = at_a.position - first_a.position;
      b[i - 1] = at_b.position - first_b.position;
      farthest = std::max({farthest, at_a.error, at_b.error});
    }
    if (are_positive(a, b, error + farthest)) continue;
    const double middle = 0.5 * (begin + end);
    if (count >= max_parts) return {PathVerdict::undecided, middle, false};
    left.push_back({middle, end});
    left.push_back({begin, middle});
  }
  return {PathVerdict::proved, 0.0, false};
}

}  // namespace

PairVerdict check_volume(const PathPoints& points, Corners corners) {
  if (!std::all_of(corners.begin(), corners.end(), [&](int v) { return points.is_straight(v); })) {
    return check_curved(points, corners);
  }
  Edges<Vec<3>> a, b;
  a[2] = b[2] = Vec<3>::UnitZ();
  double error = 0.0;
  for (const int v : corners) error = std::max(error, points[v].error);
  for (std::size_t i = 1; i < corners.size(); ++i) {
    a[i - 1] = points[corners[i]].p0 - points[corners[0]].p0;
    b[i - 1] = points[corners[i]].p1 - points[corners[0]].p1;
  }
  if (are_positive(a, b, error)) return {PathVerdict::proved, 0.0, false};
  Edges<Rational> exact_a, exact_b;
  exact_a[2] = exact_b[2] = exactly(Vec<3>::UnitZ());
  for (std::size_t i = 1; i < corners.size(); ++i) {
    exact_a[i - 1] = minus(points.exact_end(corners[i], 0), points.exact_end(corners[0], 0));
    exact_b[i - 1] = minus(points.exact_end(corners[i], 1), points.exact_end(corners[0], 1));
  }
  return decide(exact_a, exact_b);
}

PairVerdict check_map(int dim, const double* t0, const double* t1) {
  Edges<Vec<3>> a, b;
  a.fill(Vec<3>::Zero());
  b.fill(Vec<3>::Zero());
  a[2] = b[2] = Vec<3>::UnitZ();
  for (int i = 0; i < dim; ++i) {
    for (int c = 0; c < dim; ++c) {
      if (i == 2 && c == 0) a[2] = b[2] = Vec<3>::Zero();
      a[i][c] = t0[dim * i + c];
      b[i][c] = t1[dim * i + c];
    }
  }
  if (are_positive(a, b, 0.0)) return {PathVerdict::proved, 0.0, false};
  Edges<Rational> exact_a, exact_b;
  for (std::size_t i = 0; i < 3; ++i) {
    exact_a[i] = exactly(a[i]);
    exact_b[i] = exactly(b[i]);
  }
  return decide(exact_a, exact_b);
}

}  // namespace clearance::verify
