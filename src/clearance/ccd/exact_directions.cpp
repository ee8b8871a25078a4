#include "clearance/ccd/exact_directions.h"

#include <algorithm>
#include <utility>

namespace clearance {
namespace {

using Vector = std::array<ExactPolynomial, 3>;

/// Returns a - b, which moves linearly.
Vector relative_motion(const ExactQuery& query, int a, int b) {
  Vector r;
  for (int i = 0; i < 3; ++i) {
    r[i].c[0] = query.t0[a][i] - query.t0[b][i];
    r[i].c[1] = query.t1[a][i] - query.t1[b][i] - r[i].c[0];
  }
  return r;
}

std::vector<Vector> corners_of(const ExactQuery& query) {
  const auto r = [&](int a, int b) { return relative_motion(query, a, b); };
  if (query.kind == QueryKind::point_triangle) return {r(0, 1), r(0, 2), r(0, 3)};
  return {r(0, 2), r(1, 2), r(1, 3), r(0, 3)};
}

Vector operator-(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

/// Returns component i of the cross product.
ExactPolynomial cross(const Vector& a, const Vector& b, int i) {
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  ExactPolynomial product;
  add_product(product, a[j], b[k]);
  subtract_product(product, a[k], b[j]);
  return product;
}

}  // namespace

SeparatingDirections::SeparatingDirections(const ExactQuery& query)
    : corners_(corners_of(query)),
      num_edges_(query.kind == QueryKind::point_triangle ? 3 : 2),
      min_separation_(query.min_separation) {
  for (std::size_t k = 0; k < corners_.size(); ++k) edges_.push_back(corners_[(k + 1) % corners_.size()] - corners_[k]);
}

SeparatingDirections::Direction SeparatingDirections::direction(int i) const {
  if (i == 0) return normal();
  if (i < 4) return axis(i - 1);
  return cross_product((i - 4) / 3, (i - 4) % 3);
}

SeparatingDirections::Direction SeparatingDirections::normal() const {
  // The first edge times the last, which ends where the first begins, backwards.
  const Vector &a = edges_.back(), &b = edges_.front();
  Direction result;
  ExactPolynomial height;
  for (int i = 0; i < 3; ++i) {
    result.n[i] = cross(a, b, i);
    add_product(height, result.n[i], corners_[0][i]);
  }
  result.heights.push_back(std::move(height));
  return result;
}

SeparatingDirections::Direction SeparatingDirections::axis(int i) const {
  Direction result;
  result.n[i].c[0] = 1;
  for (const Vector& corner : corners_) result.heights.push_back(corner[i]);
  return result;
}

/// Axis i times the edge from one corner to the next: both have one height, and so have the other corners, since a
/// parallelogram's lie on the opposite edge.
SeparatingDirections::Direction SeparatingDirections::cross_product(int edge, int i) const {
  const Vector& here = corners_[edge];
  const Vector& opposite = corners_[(edge + 2) % corners_.size()];
  const Vector& e = edges_[edge];
  Direction result;
  if (has_min_separation()) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    result.n[j] = ExactPolynomial{} - e[k];
    result.n[k] = e[j];
  }
  result.heights.reserve(2);
  result.heights.push_back(cross(e, here, i));
  result.heights.push_back(cross(e, opposite, i));
  return result;
}

std::vector<ExactPolynomial> SeparatingDirections::margins(Direction direction, int side) const {
  std::vector<ExactPolynomial> margins = std::move(direction.heights);
  if (side < 0) std::for_each(margins.begin(), margins.end(), negate);
  if (!has_min_separation()) return margins;
  // Every component that is not zero doubles the margins: its absolute value is the larger of two.
  for (const ExactPolynomial& component : direction.n) {
    if (component.is_zero()) continue;
    const ExactPolynomial reach = min_separation_ * component;
    const std::size_t count = margins.size();
    for (std::size_t m = 0; m < count; ++m) {
      margins.push_back(margins[m] + reach);
      margins[m] = margins[m] - reach;
    }
  }
  return margins;
}

}  // namespace clearance
