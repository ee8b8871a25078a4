#include "clearance/meshing/sharp_curves.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "clearance/geometry/distance.h"
#include "clearance/geometry/element_corners.h"
#include "clearance/geometry/surface_edges.h"
#include "clearance/math/elementary.h"
#include "clearance/math/rotation.h"

namespace clearance {

namespace {

using Edge = std::array<int, 2>;

Vec<3> normal_of(const Mesh& surface, int triangle) {
  const auto& [a, b, c] = surface.triangles[triangle];
  return cross_product(surface.vertices[b] - surface.vertices[a], surface.vertices[c] - surface.vertices[a]);
}

std::set<Edge> find_sharp_edges(const Mesh& surface, double angle) {
  const double cosine = elementary::cos(angle * radians_per_degree);
  std::set<Edge> sharp;
  for (const SurfaceEdge& edge : find_surface_edges(surface.triangles).edges) {
    const auto& [first, second] = edge.triangles;
    if (second >= 0 && edge.num_more == 0 && !edge.is_turned) {
      const Vec<3> a = normal_of(surface, first), b = normal_of(surface, second);
      if (a.dot(b) >= cosine * a.norm() * b.norm()) continue;
    }
    sharp.insert(sorted_corners<2>({edge.vertices[0], edge.vertices[1]}));
  }
  return sharp;
}

/// Follows sharp edges from a vertex until a corner, or until the start is met again. Removes the edges it takes.
std::vector<int> follow(std::map<int, std::set<int>>& ends, const std::map<int, std::size_t>& degrees, int start,
                        int next) {
  std::vector<int> chain = {start};
  while (true) {
    const int at = chain.back();
    ends[at].erase(next);
    ends[next].erase(at);
    chain.push_back(next);
    if (next == start || degrees.at(next) != 2 || ends[next].empty()) return chain;
    next = *ends[next].begin();
  }
}

SharpCurve curve_of(const Mesh& surface, const std::vector<int>& chain) {
  SharpCurve curve;
  for (const int v : chain) {
    const Vec<3>& x = surface.vertices[v];
    curve.lengths.push_back(curve.points.empty() ? 0.0 : curve.lengths.back() + (x - curve.points.back()).norm());
    curve.points.push_back(x);
    curve.box.extend(x);
  }
  return curve;
}

/// Places along the curve [m] at which a point lies on it; a corner where a curve starts and ends lies at both.
std::vector<double> places_on(const SharpCurve& curve, const Vec<3>& x, double tolerance) {
  if ((curve.box.min - x).maxCoeff() > tolerance || (x - curve.box.max).maxCoeff() > tolerance) return {};
  double best_sq = tolerance * tolerance, along = -1.0;
  for (std::size_t i = 0; i + 1 < curve.points.size(); ++i) {
    const Vec<3> edge = curve.points[i + 1] - curve.points[i];
    const double share = std::clamp(edge.dot(x - curve.points[i]) / edge.squaredNorm(), 0.0, 1.0);
    const double distance_sq = (curve.points[i] + share * edge - x).squaredNorm();
    if (distance_sq > best_sq) continue;
    best_sq = distance_sq;
    along = curve.lengths[i] + share * edge.norm();
  }
  if (along < 0.0) return {};
  const double to_start = (curve.points.front() - x).norm(), to_end = (curve.points.back() - x).norm();
  if (curve.is_closed) return {to_start <= tolerance ? 0.0 : along};
  if (to_start <= tolerance && to_end <= tolerance) return {0.0, curve.length()};
  return {along};
}

}  // namespace

Vec<3> SharpCurve::at(double along) const {
  if (is_closed) along -= std::floor(along / length()) * length();
  const auto after = std::upper_bound(lengths.begin() + 1, lengths.end() - 1, along);
  const std::size_t i = after - lengths.begin() - 1;
  const double share = std::clamp((along - lengths[i]) / (lengths[i + 1] - lengths[i]), 0.0, 1.0);
  return points[i] + share * (points[i + 1] - points[i]);
}

std::vector<int> find_patches(const Triangles& triangles,
                              const std::function<bool(const std::array<int, 2>&)>& is_sharp) {
  const SurfaceEdges edges = find_surface_edges(triangles);
  std::vector<int> patches(triangles.size(), -1), front;
  int num_patches = 0;
  for (std::size_t seed = 0; seed < triangles.size(); ++seed) {
    if (patches[seed] >= 0) continue;
    front = {static_cast<int>(seed)};
    patches[seed] = num_patches;
    while (!front.empty()) {
      const int at = front.back();
      front.pop_back();
      for (const int e : edges.of_triangles[at]) {
        const SurfaceEdge& edge = edges.edges[e];
        if (is_sharp(sorted_corners<2>({edge.vertices[0], edge.vertices[1]}))) continue;
        for (const int other : edge.triangles) {
          if (other < 0 || patches[other] >= 0) continue;
          patches[other] = num_patches;
          front.push_back(other);
        }
      }
    }
    ++num_patches;
  }
  return patches;
}

SharpCurves find_sharp_curves(const Mesh& surface, double angle) {
  const std::set<Edge> sharp = find_sharp_edges(surface, angle);
  std::map<int, std::set<int>> ends;
  for (const auto& [a, b] : sharp) {
    ends[a].insert(b);
    ends[b].insert(a);
  }
  std::map<int, std::size_t> degrees;
  for (const auto& [v, others] : ends) degrees[v] = others.size();
  SharpCurves found;
  // Chains between corners come first; loops remain.
  for (const bool is_closed : {false, true}) {
    for (const auto& [v, degree] : degrees) {
      if (!is_closed && degree == 2) continue;
      while (!ends[v].empty()) {
        found.curves.push_back(curve_of(surface, follow(ends, degrees, v, *ends[v].begin())));
        found.curves.back().is_closed = is_closed;
      }
    }
  }
  found.patches = find_patches(surface.triangles, [&](const Edge& edge) { return sharp.contains(edge); });
  return found;
}

CurvePieces match_curves(const std::vector<SharpCurve>& curves, const Vertices& vertices, const Triangles& boundary,
                         double tolerance) {
  std::set<Edge> edges;
  std::set<int> used;
  for (const auto& [a, b, c] : boundary) {
    edges.insert({sorted_corners<2>({a, b}), sorted_corners<2>({b, c}), sorted_corners<2>({c, a})});
    used.insert({a, b, c});
  }
  CurvePieces pieces;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    std::vector<std::pair<double, int>> on_curve;
    for (const int v : used) {
      for (const double along : places_on(curves[i], vertices[v], tolerance)) on_curve.emplace_back(along, v);
    }
    std::sort(on_curve.begin(), on_curve.end());
    if (on_curve.size() < 2 || (curves[i].is_closed && on_curve.size() < 3)) continue;
    const std::size_t num_pairs = on_curve.size() - (curves[i].is_closed ? 0 : 1);
    for (std::size_t k = 0; k < num_pairs; ++k) {
      auto a = on_curve[k], b = on_curve[(k + 1) % on_curve.size()];
      if (k + 1 == on_curve.size()) b.first += curves[i].length();
      if (a.second > b.second) std::swap(a, b);
      if (!edges.contains({a.second, b.second})) continue;
      pieces[{a.second, b.second}] = {static_cast<int>(i), a.first, b.first};
    }
  }
  return pieces;
}

}  // namespace clearance
