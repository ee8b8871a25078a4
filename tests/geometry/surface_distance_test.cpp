#include "clearance/geometry/surface_distance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "clearance/geometry/distance.h"
#include "clearance/geometry/generators.h"
#include "clearance/geometry/surface.h"

namespace clearance {
namespace {

/// Adds a sphere of points near `center`, with numbers from `first` on.
SurfaceParts add_ball(const Vec<3>& center, double radius, int resolution, std::vector<Vec<3>>& points) {
  const Mesh mesh = surface_of(make_sphere(radius, resolution));
  const int first = static_cast<int>(points.size());
  for (const Vec<3>& v : mesh.vertices) points.emplace_back(v + center);
  SurfaceParts parts;
  for (auto t : mesh.triangles) {
    for (int& v : t) v += first;
    parts.triangles.push_back(t);
  }
  parts.edges = unique_edges(parts.triangles);
  for (int v = first; v < static_cast<int>(points.size()); ++v) parts.vertices.push_back({v});
  return parts;
}

double brute_force(const SurfaceParts& a, const SurfaceParts& b, const std::vector<Vec<3>>& x) {
  const auto at = [&](int i) { return x[i]; };
  double best = infinity;
  for (const auto& e : a.edges) {
    for (const auto& f : b.edges) {
      best = std::min(best, edge_edge_distance_sq(at(e[0]), at(e[1]), at(f[0]), at(f[1])));
    }
  }
  const auto add_points = [&](const SurfaceParts& p, const SurfaceParts& q) {
    for (const auto& v : p.vertices) {
      for (const auto& t : q.triangles) {
        best = std::min(best, point_triangle_distance_sq(at(v[0]), at(t[0]), at(t[1]), at(t[2])));
      }
    }
  };
  add_points(a, b);
  add_points(b, a);
  return std::sqrt(best);
}

TEST(SurfaceDistance, IsThatOfAllPairs) {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> place(-2.0, 2.0);
  for (int n = 0; n < 20; ++n) {
    std::vector<Vec<3>> points;
    const SurfaceParts a = add_ball(Vec<3>(place(random), place(random), place(random)), 0.3, 2, points);
    const SurfaceParts b = add_ball(Vec<3>(place(random) + 5.0, place(random), place(random)), 0.7, 2, points);
    EXPECT_EQ(surface_distance(a, b, points), brute_force(a, b, points)) << "seed 17, pair " << n;
    EXPECT_EQ(surface_distance(b, a, points), brute_force(a, b, points));
  }
}

TEST(SurfaceDistance, KnowsLonePointsAndWires) {
  const std::vector<Vec<3>> points = {{0, 0, 0}, {3, 1, 0}, {3, -1, 0}, {0, 5, 0}};
  const SurfaceParts point{{{0}}, {{0, 0}}, {}}, wire{{{1}, {2}}, {{1, 2}}, {}}, other{{{3}}, {{3, 3}}, {}};
  EXPECT_DOUBLE_EQ(surface_distance(point, wire, points), 3.0);
  EXPECT_DOUBLE_EQ(surface_distance(point, other, points), 5.0);
  EXPECT_EQ(surface_distance(point, {}, points), infinity);
}

}  // namespace
}  // namespace clearance
