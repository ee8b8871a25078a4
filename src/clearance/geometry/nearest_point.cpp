#include "clearance/geometry/nearest_point.h"

#include <algorithm>
#include <utility>

#include "clearance/geometry/distance.h"

namespace clearance {

namespace {

/// Returns the weight of e1 of the nearest point of an edge.
double weight_on_edge(const Vec<3>& p, const Vec<3>& e0, const Vec<3>& e1) {
  const Vec<3> edge = e1 - e0;
  const double length_sq = edge.squaredNorm();
  return length_sq > 0.0 ? std::clamp(edge.dot(p - e0) / length_sq, 0.0, 1.0) : 0.0;
}

std::array<double, 3> weights_on_triangle(const Vec<3>& p, const std::array<Vec<3>, 3>& t) {
  std::array<double, 3> weights{};
  const auto on_edge = [&](std::size_t a, std::size_t b) {
    weights[b] = weight_on_edge(p, t[a], t[b]);
    weights[a] = 1.0 - weights[b];
  };
  switch (point_triangle_type(p, t[0], t[1], t[2])) {
    case PointTriangleType::p_t0:
      weights[0] = 1.0;
      break;
    case PointTriangleType::p_t1:
      weights[1] = 1.0;
      break;
    case PointTriangleType::p_t2:
      weights[2] = 1.0;
      break;
    case PointTriangleType::p_e0:
      on_edge(0, 1);
      break;
    case PointTriangleType::p_e1:
      on_edge(1, 2);
      break;
    case PointTriangleType::p_e2:
      on_edge(2, 0);
      break;
    case PointTriangleType::p_t: {
      // The weight of a corner is the area opposite to it, of the triangle's.
      const Vec<3> normal = cross_product(t[1] - t[0], t[2] - t[0]);
      const double square = normal.squaredNorm();
      weights[1] = normal.dot(cross_product(p - t[0], t[2] - t[0])) / square;
      weights[2] = normal.dot(cross_product(t[1] - t[0], p - t[0])) / square;
      weights[0] = 1.0 - weights[1] - weights[2];
      break;
    }
  }
  return weights;
}

std::array<double, 3> nearest_weights(const Vec<3>& p, const SurfacePiece& piece, std::span<const Vec<3>> points) {
  if (piece[1] < 0) return {1.0, 0.0, 0.0};
  if (piece[2] < 0) {
    const double weight = weight_on_edge(p, points[piece[0]], points[piece[1]]);
    return {1.0 - weight, weight, 0.0};
  }
  return weights_on_triangle(p, {points[piece[0]], points[piece[1]], points[piece[2]]});
}

}  // namespace

NearestPoints::NearestPoints(std::vector<SurfacePiece> pieces, std::span<const Vec<3>> points)
    : pieces_(std::move(pieces)), points_(points) {
  for (const SurfacePiece& piece : pieces_) {
    Sphere sphere{points[piece[0]], 0.0};
    for (const int v : piece) {
      if (v >= 0) sphere.radius = std::max(sphere.radius, (points[v] - sphere.center).norm());
    }
    spheres_.push_back(sphere);
  }
}

NearestPoint NearestPoints::find(const Vec<3>& p, int other_than) const {
  NearestPoint nearest;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Sphere& sphere = spheres_[i];
    if (nearest.piece >= 0 && (sphere.center - p).norm() - sphere.radius > nearest.distance) continue;
    const SurfacePiece& piece = pieces_[i];
    if (other_than >= 0 && std::find(piece.begin(), piece.end(), other_than) != piece.end()) continue;
    const std::array<double, 3> weights = nearest_weights(p, piece, points_);
    Vec<3> point = Vec<3>::Zero();
    for (std::size_t k = 0; k < 3 && piece[k] >= 0; ++k) point += weights[k] * points_[piece[k]];
    const double distance = (point - p).norm();
    if (nearest.piece >= 0 && !(distance < nearest.distance)) continue;
    nearest = {static_cast<int>(i), weights, distance};
  }
  return nearest;
}

}  // namespace clearance
