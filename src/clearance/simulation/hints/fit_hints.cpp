#include "clearance/simulation/hints/fit_hints.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "clearance/math/elementary.h"
#include "clearance/math/symmetric_modes.h"

namespace clearance {

namespace {

/// Deviation of the sides, as a share of the overlap, from which it is told, and the error of the pressure over that
/// share: four shrink fits of rings with 13 to 160 sides a quarter had 0.67 to 1.
constexpr double least_deviation = 0.07, error_of_deviation = 0.7;
/// Largest angle [rad] between two sides of a round body.
constexpr double largest_turn = 0.5;

/// One side of a body: the vertices at its end, the middle and the direction of the edge between these (in 3D), and how
/// far the side is from the round shape there.
struct Side {
  std::array<int, 2> vertices;
  Vec<3> middle, edge;
  double length, deviation = 0.0;  // [m]
};

class FacetedFits {
 public:
  explicit FacetedFits(const SceneModel& scene)
      : surface_(scene.model.surface), x_(scene.model.surface_map.apply(scene.model.x_rest)), scene_(scene) {}

  void warn(const StartOverlap& overlap, NamedHints& hints) const {
    const int first = body_of(overlap.first), second = body_of(overlap.second);
    if (first < 0 || second < 0 || first == second || !(overlap.depth > 0.0)) return;
    const std::vector<Side> of_first = sides(first), of_second = sides(second);
    if (of_first.empty() || of_second.empty()) return;
    const double deviation = largest_near(of_first, of_second) + largest_near(of_second, of_first);
    if (!(deviation > least_deviation * overlap.depth)) return;
    if (has_facing_vertices(second, of_first, overlap.depth)) {
      warn_of_turning(overlap, first, second, deviation, hints);
      return;
    }
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
  /// Warns of sides that face each other at the start and lock into each other as one body turns.
  void warn_of_turning(const StartOverlap& overlap, int first, int second, double deviation, NamedHints& hints) const {
    const bool turns = std::any_of(scene_.motions.begin(), scene_.motions.end(), [&](const PreparedMotion& motion) {
      return (motion.body == first || motion.body == second) &&
             (!motion.desc.angular_velocity.isZero(0.0) || !motion.desc.poses.empty());
    });
    if (!turns) return;
    add_named_hint(
        hints, "faceted_fit", "start.overlaps",
        fmt::format("'{}' and '{}' overlap by {:.3g} m and turn against each other. Their flat sides, {:.3g} m off a "
                    "round shape, interlock, so that the torque is too high: in a fit of 20 um by 26 % with 96 sides, "
                    "and by 7 % with 384. Give both more sides",
                    overlap.first, overlap.second, overlap.depth, 0.5 * deviation));
  }

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
      add_side({{vertex, vertex}, position(vertex), Vec<3>::Zero(), 0.5 * (before.norm() + after.norm())}, before,
               after, result);
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
      const Vec<3> along = position(edge[1]) - position(edge[0]);
      add_side({edge, 0.5 * (position(edge[0]) + position(edge[1])), along, width}, normals[0], normals[1], result);
    }
    return result;
  }

  static void add_side(Side side, const Vec<3>& before, const Vec<3>& after, std::vector<Side>& result) {
    const double turn = elementary::atan2(before.cross(after).norm(), before.dot(after));
    side.deviation = 0.125 * turn * side.length;
    if (turn > 0.0 && turn < largest_turn) result.push_back(side);
  }

  /// Returns the direction that most of the edges between sides have, the axis of a cylinder; zero in the plane.
  Vec<3> axis_of(const std::vector<Side>& sides) const {
    if (scene_.dim == 2) return Vec<3>::Zero();
    Mat<3> moments = Mat<3>::Zero();
    for (const Side& side : sides) moments += side.edge * side.edge.transpose();
    return symmetric_modes(moments).vectors.col(2);
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

  /// True if nine tenths of the round vertices of a body that are near the other one have a vertex of that within twice
  /// the overlap, seen along the axis.
  bool has_facing_vertices(int second, const std::vector<Side>& of_first_body, double depth) const {
    std::set<int> of_first;
    for (const Side& side : of_first_body) of_first.insert(side.vertices.begin(), side.vertices.end());
    std::vector<int> of_second;
    for (int v = 0; v < surface_.num_vertices; ++v) {
      if (surface_.vertex_body[v] == second) of_second.push_back(v);
    }
    double longest = 0.0;
    for (const Side& side : of_first_body) longest = std::max(longest, side.length);
    const Vec<3> axis = axis_of(of_first_body);
    const auto apart = [&](int v, int w) {
      const Vec<3> between = position(v) - position(w);
      return (between - between.dot(axis) * axis).norm();
    };
    int num_near = 0, num_facing = 0;
    for (const int v : of_first) {
      double nearest = infinity;
      for (const int w : of_second) nearest = std::min(nearest, apart(v, w));
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
