#include "clearance/meshing/deviation.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "clearance/geometry/distance.h"
#include "clearance/geometry/surface_edges.h"
#include "clearance/math/elementary.h"
#include "clearance/math/rotation.h"

namespace clearance {

namespace {

/// A piece of a triangle.
struct Piece {
  std::array<Vec<3>, 3> corners;
  double upper = 0.0;  // [m] upper bound of the distance of its points
};

bool operator<(const Piece& a, const Piece& b) {
  return a.upper < b.upper;
}

/// Bounds the distance of a piece from above, and raises `lower` to the distance of its centre.
Piece bound(const std::array<Vec<3>, 3>& corners, const TriangleTree& to, double& lower) {
  const Vec<3> middle = (corners[0] + corners[1] + corners[2]) / 3.0;
  const TriangleTree::Nearest nearest = to.nearest(middle);
  const double distance = std::sqrt(nearest.distance_sq);
  lower = std::max(lower, distance);
  // The distance to all triangles changes no faster than the point moves. The distance to a single triangle is convex,
  // and so largest at a corner.
  double radius = 0.0, at_corner = 0.0;
  for (const Vec<3>& corner : corners) {
    radius = std::max(radius, (corner - middle).norm());
    at_corner = std::max(at_corner, std::sqrt(to.distance_sq(corner, nearest.triangle)));
  }
  return {corners, std::min(distance + radius, at_corner)};
}

}  // namespace

double largest_distance(const Vertices& vertices, const Triangles& triangles, const TriangleTree& to,
                        double tolerance) {
  double lower = 0.0;
  std::priority_queue<Piece> pieces;
  for (const auto& [a, b, c] : triangles) {
    pieces.push(bound({vertices[a], vertices[b], vertices[c]}, to, lower));
  }
  // Splits the piece with the largest bound into four until that bound is within the tolerance.
  while (!pieces.empty() && pieces.top().upper > lower + tolerance) {
    const auto [a, b, c] = pieces.top().corners;
    pieces.pop();
    const Vec<3> ab = 0.5 * (a + b), bc = 0.5 * (b + c), ca = 0.5 * (c + a);
    for (const auto& quarter :
         {std::array{a, ab, ca}, std::array{ab, b, bc}, std::array{ca, bc, c}, std::array{ab, bc, ca}}) {
      pieces.push(bound(quarter, to, lower));
    }
  }
  return pieces.empty() ? 0.0 : std::max(lower, pieces.top().upper);
}

double largest_sag(const Mesh& surface, double feature_angle) {
  double largest = 0.0;
  for (const SurfaceEdge& edge : find_surface_edges(surface.triangles).edges) {
    if (edge.triangles[1] < 0 || edge.num_more > 0 || edge.is_turned) continue;
    const Vec<3>&a = surface.vertices[edge.vertices[0]], &b = surface.vertices[edge.vertices[1]];
    const Vec<3> first = cross_product(b - a, surface.vertices[edge.opposite[0]] - a);
    const Vec<3> second = cross_product(a - b, surface.vertices[edge.opposite[1]] - b);
    const double angle = elementary::atan2(cross_product(first, second).norm(), first.dot(second));
    const double length = (b - a).norm();
    if (!(length > 0.0) || angle > feature_angle * radians_per_degree) continue;
    largest = std::max(largest, std::min(first.norm(), second.norm()) / length * angle / 8.0);
  }
  return largest;
}

}  // namespace clearance
