#include "clearance/simulation/hints/fit_hints.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

#include "clearance/math/elementary.h"

namespace clearance {

namespace {

/// Deviation of the sides, as a share of the overlap, from which it is told, and the error of the pressure over that
/// share: four shrink fits of rings with 13 to 160 sides a quarter had 0.67 to 1.
constexpr double least_deviation = 0.07, error_of_deviation = 0.7;
/// Largest angle [rad] between two sides of a round body.
constexpr double largest_turn = 0.5;

/// One side of a body: its middle, and how far it is from the round shape there.
struct Side {
  Vec<3> middle;
  double length, deviation;  // [m]
};

class FacetedFits {
 public:
  explicit FacetedFits(const SceneModel& scene)
      : surface_(scene.model.surface), x_(scene.model.surface_map.apply(scene.model.x_rest)), scene_(scene) {}

  void warn(const StartOverlap& overlap, NamedHints& hints) const {
    const int first = body_of(overlap.first), second = body_of(overlap.second);
    if (first < 0 || second < 0 || first == second || !(overlap.depth > 0.0)) return;
    const std::vector<Side> of_first = sides(first), of_second = sides(second);
    if (of_first.empty() || of_second.empty() || has_facing_vertices(first, second, of_first, overlap.depth)) return;
    const double deviation = largest_near(of_first, of_second) + largest_near(of_second, of_first);
    if (!(deviation > least_deviation * overlap.depth)) return;
    add_named_hint(
        hints, "faceted_fit", "start.overlaps",
        fmt::format("'{}' and '{}' overlap by {:.3g} m, but their sides are up to {:.3g} m from round shapes and "
                    "do not face each other, so that pressures may be wrong by {:.0f} % or more; give both the "
                    "same sides, or {:.1f} times as many",
                    overlap.first, overlap.second, overlap.depth, deviation,
                    100.0 * error_of_deviation * deviation / overlap.depth,
                    std::sqrt(deviation / (0.5 * least_deviation * overlap.depth))));
  }

 private:
  int body_of(const std::string& name) const {
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
      if (scene_.bodies[b].name == name) return static_cast<int>(b);
    }
    return -1;
  }
  Vec<3> position(int vertex) const {
    Vec<3> x = Vec<3>::Zero();
    x.head(scene_.dim) = x_.segment(scene_.dim * static_cast<Eigen::Index>(vertex), scene_.dim);
    return x;
  }

  /// Returns the sides of the round parts of a body. A chord of length l that turns by an angle at its ends is l times
  /// an eighth of the angle from its arc.
  std::vector<Side> sides(int body) const { return scene_.dim == 2 ? planar_sides(body) : spatial_sides(body); }

  std::vector<Side> planar_sides(int body) const {
    std::map<int, std::vector<int>> neighbours;
    for (const auto& edge : surface_.edges) {
      if (surface_.vertex_body[edge[0]] != body) continue;
      neighbours[edge[0]].push_back(edge[1]);
      neighbours[edge[1]].push_back(edge[0]);
    }
    std::vector<Side> result;
    for (const auto& [vertex, others] : neighbours) {
      if (others.size() != 2) continue;
      const Vec<3> before = position(vertex) - position(others[0]), after = position(others[1]) - position(vertex);
      add_side(position(vertex), before, after, 0.5 * (before.norm() + after.norm()), result);
    }
    return result;
  }

  std::vector<Side> spatial_sides(int body) const {
    std::map<std::array<int, 2>, std::vector<std::array<int, 3>>> triangles_of_edge;
    for (const auto& triangle : surface_.triangles) {
      if (surface_.vertex_body[triangle[0]] != body) continue;
      for (int i = 0; i < 3; ++i) {
        std::array<int, 2> edge = {triangle[i], triangle[(i + 1) % 3]};
        std::sort(edge.begin(), edge.end());
        triangles_of_edge[edge].push_back(triangle);
      }
    }
    std::vector<Side> result;
    for (const auto& [edge, triangles] : triangles_of_edge) {
      if (triangles.size() != 2) continue;
      std::array<Vec<3>, 2> normals;
      double width = 0.0;  // mean height of the triangles over the edge
      const double length = (position(edge[1]) - position(edge[0])).norm();
      for (std::size_t i = 0; i < 2; ++i) {
        const auto& t = triangles[i];
        normals[i] = (position(t[1]) - position(t[0])).cross(position(t[2]) - position(t[0]));
        width += 0.5 * normals[i].norm() / length;
      }
      add_side(0.5 * (position(edge[0]) + position(edge[1])), normals[0], normals[1], width, result);
    }
    return result;
  }

  static void add_side(const Vec<3>& at, const Vec<3>& before, const Vec<3>& after, double length,
                       std::vector<Side>& result) {
    const double turn = elementary::atan2(before.cross(after).norm(), before.dot(after));
    if (turn > 0.0 && turn < largest_turn) result.push_back({at, length, 0.125 * turn * length});
  }

  /// Returns the largest deviation of the sides that are near one of `others`.
  static double largest_near(const std::vector<Side>& sides, const std::vector<Side>& others) {
    double largest = 0.0;
    for (const Side& side : sides) {
      if (!(side.deviation > largest)) continue;
      const bool is_near = std::any_of(others.begin(), others.end(), [&](const Side& other) {
        return (side.middle - other.middle).norm() < side.length + other.length;
      });
      if (is_near) largest = side.deviation;
    }
    return largest;
  }

  /// True if nine tenths of the vertices of a body that are near the other one have a vertex of that within twice the
  /// overlap.
  bool has_facing_vertices(int first, int second, const std::vector<Side>& of_first_body, double depth) const {
    std::vector<int> of_first, of_second;
    for (int v = 0; v < surface_.num_vertices; ++v) {
      if (surface_.vertex_body[v] == first) of_first.push_back(v);
      if (surface_.vertex_body[v] == second) of_second.push_back(v);
    }
    double longest = 0.0;
    for (const Side& side : of_first_body) longest = std::max(longest, side.length);
    int num_near = 0, num_facing = 0;
    for (const int v : of_first) {
      double nearest = infinity;
      for (const int w : of_second) nearest = std::min(nearest, (position(v) - position(w)).norm());
      if (nearest < longest) ++num_near;
      if (nearest < 2.0 * depth) ++num_facing;
    }
    return num_facing >= 0.9 * num_near;
  }

  const SurfaceTopology& surface_;
  VecX x_;  // [m] of surface vertices, at rest
  const SceneModel& scene_;
};

}  // namespace

void warn_of_faceted_fits(const SceneModel& scene, const std::vector<StartOverlap>& overlaps, NamedHints& hints) {
  if (overlaps.empty()) return;
  const FacetedFits fits(scene);
  for (const StartOverlap& overlap : overlaps) fits.warn(overlap, hints);
}

}  // namespace clearance
