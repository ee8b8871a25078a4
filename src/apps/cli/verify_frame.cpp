#include "apps/cli/verify_frame.h"

#include <cmath>

#include "apps/cli/verify_distance.h"
#include "apps/cli/verify_exact.h"
#include "apps/cli/verify_search.h"
#include "apps/cli/verify_separation.h"

namespace clearance::cli {
namespace {

template <std::size_t n, std::size_t m>
bool shares_vertex(const std::array<int, n>& a, const std::array<int, m>& b) {
  for (const int i : a) {
    for (const int j : b) {
      if (i == j) return true;
    }
  }
  return false;
}

/// All checks of one frame, sharing the frame, its search trees and the verdict.
class FrameCheck {
 public:
  FrameCheck(const Frame& frame, const VerifySurface& surface, const VerifyScene& scene)
      : x_(frame.mesh.vertices), frame_(frame), surface_(surface), scene_(scene) {}

  FrameVerdict run() {
    // Exact arithmetic knows no NaN: such a frame is condemned without further questions.
    check_finite();
    if (verdict_.num_not_finite > 0) return verdict_;
    check_elements();
    check_half_spaces();
    if (scene_.has_contact) check_surface();
    verdict_.min_distance = std::sqrt(min_gap_sq_);
    return verdict_;
  }

 private:
  template <std::size_t n>
  Box box_of(const std::array<int, n>& primitive) const {
    Box box;
    for (const int v : primitive) box.add(x_[v]);
    return box;
  }
  bool is_obstacle(int body) const { return scene_.bodies[body].is_obstacle; }
  bool may_touch(int a, int b) const {
    const VerifyBody &first = scene_.bodies[a], &second = scene_.bodies[b];
    if (first.is_obstacle && second.is_obstacle) return false;
    if (first.is_obstacle || second.is_obstacle) return first.meets_obstacles && second.meets_obstacles;
    if (scene_.obstacles_only) return false;
    if (first.collision_group >= 0 && first.collision_group == second.collision_group) return false;
    return a != b || first.has_self_contact;
  }

  void add_offense(int& count, Offense offense) {
    ++count;
    if (static_cast<int>(verdict_.offenses.size()) >= max_offenses_per_frame) return;
    offense.position = x_[offense.primitive_a[0]];
    verdict_.offenses.push_back(std::move(offense));
  }
  template <std::size_t n, std::size_t m>
  void add_intersection(int body_a, const std::array<int, n>& a, int body_b, const std::array<int, m>& b) {
    min_gap_sq_ = 0;
    add_offense(verdict_.num_intersections,
                {OffenseKind::intersection, body_a, body_b, {a.begin(), a.end()}, {b.begin(), b.end()}, {}});
  }

  template <std::size_t n, std::size_t m>
  void add_too_close(int body_a, const std::array<int, n>& a, int body_b, const std::array<int, m>& b, double gap_sq) {
    verdict_.smallest_gap = std::min(verdict_.smallest_gap, std::sqrt(gap_sq));
    add_offense(verdict_.num_too_close,
                {OffenseKind::separation, body_a, body_b, {a.begin(), a.end()}, {b.begin(), b.end()}, {}});
  }

  void check_finite() {
    const auto& velocity = frame_.velocity;
    for (int v = 0; v < static_cast<int>(x_.size()); ++v) {
      const bool is_finite = x_[v].allFinite() && (velocity.size() != x_.size() || velocity[v].allFinite());
      const int body = surface_.vertex_body[v];
      if (!is_finite) add_offense(verdict_.num_not_finite, {OffenseKind::not_finite, body, body, {v}, {}, {}});
    }
  }

  void check_elements() {
    const Mesh& mesh = frame_.mesh;
    for (const auto& t : mesh.tets) {
      const int body = surface_.vertex_body[t[0]];
      if (is_obstacle(body) || sign_of_volume(x_[t[0]], x_[t[1]], x_[t[2]], x_[t[3]]) > 0) continue;
      add_offense(verdict_.num_inversions, {OffenseKind::inversion, body, body, {t.begin(), t.end()}, {}, {}});
    }
    if (mesh.dim != 2) return;
    for (const auto& t : mesh.triangles) {
      const int body = surface_.vertex_body[t[0]];
      if (is_obstacle(body) || sign_of_area(x_[t[0]], x_[t[1]], x_[t[2]], 2) > 0) continue;
      add_offense(verdict_.num_inversions, {OffenseKind::inversion, body, body, {t.begin(), t.end()}, {}, {}});
    }
  }

  void check_half_spaces() {
    for (int h = 0; h < static_cast<int>(scene_.half_spaces.size()); ++h) {
      const auto& [point, normal] = scene_.half_spaces[h];
      const double normal_sq = normal.squaredNorm();
      for (int v = 0; v < static_cast<int>(x_.size()); ++v) {
        const int body = surface_.vertex_body[v];
        if (body < 0 || is_obstacle(body)) continue;
        const double height = normal.dot(x_[v] - point);
        const double gap_sq = height > 0 ? height * height / normal_sq : 0.0;
        min_gap_sq_ = std::min(min_gap_sq_, gap_sq);
        check_half_space_gap(h, v, gap_sq);
        if (sign_of_side(normal, point, x_[v]) > 0) continue;
        add_offense(verdict_.num_half_space_violations, {OffenseKind::half_space, body, h, {v}, {}, {}});
      }
    }
  }

  void check_half_space_gap(int h, int v, double gap_sq) {
    const double gap = scene_.min_separation;
    if (gap <= 0.0) return;
    const auto& [point, normal] = scene_.half_spaces[h];
    if (half_space_gap_exceeds(normal, point, x_[v], gap)) return;
    verdict_.smallest_gap = std::min(verdict_.smallest_gap, std::sqrt(gap_sq));
    add_offense(verdict_.num_too_close, {OffenseKind::half_space_gap, surface_.vertex_body[v], h, {v}, {}, {}});
  }

  void check_surface() {
    const auto& triangles = surface_.triangles;
    const auto& edges = surface_.edges;
    const SearchTree triangle_tree(
        static_cast<int>(triangles.size()), [&](int t) { return box_of(triangles[t]); }, surface_.triangle_body,
        scene_.bodies);
    const SearchTree edge_tree(
        static_cast<int>(edges.size()), [&](int e) { return box_of(edges[e]); }, surface_.edge_body, scene_.bodies);
    find_intersections(triangle_tree, edge_tree);
    find_min_distance(triangle_tree, edge_tree);
    if (scene_.min_separation > 0.0) check_separation(triangle_tree, edge_tree);
  }

  void find_intersections(const SearchTree& triangle_tree, const SearchTree& edge_tree) {
    const int num_edges = static_cast<int>(surface_.edges.size());
    const int first_codim_edge = num_edges - surface_.num_codim_edges;
    for (int e = 0; e < num_edges; ++e) {
      const auto& edge = surface_.edges[e];
      const int body = surface_.edge_body[e];
      const Box box = box_of(edge);
      triangle_tree.visit_touching(box, is_obstacle(body), [&](int t) {
        const auto& tri = surface_.triangles[t];
        if (!may_touch(body, surface_.triangle_body[t]) || shares_vertex(edge, tri)) return;
        if (!segment_touches_triangle(x_[edge[0]], x_[edge[1]], x_[tri[0]], x_[tri[1]], x_[tri[2]])) return;
        add_intersection(body, edge, surface_.triangle_body[t], tri);
      });
      // Edges of triangles cannot meet without an edge meeting a triangle; all others are compared with each other.
      if (frame_.mesh.dim == 3 && e < first_codim_edge) continue;
      edge_tree.visit_touching(box, false, [&](int other) {
        if (other >= e || (frame_.mesh.dim == 3 && other < first_codim_edge)) return;
        check_edges(e, other);
      });
    }
  }

  /// Of two bodies every vertex against every triangle and every edge against every edge; lone points are edges.
  void check_separation(const SearchTree& triangle_tree, const SearchTree& edge_tree) {
    const double gap = scene_.min_separation;
    const auto bound_sq = [&] { return 1.000001 * gap * gap; };  // boxes farther apart are so for certain
    for (const int v : surface_.vertices) {
      const std::array<int, 1> vertex = {v};
      const int body = surface_.vertex_body[v];
      triangle_tree.visit_near(box_of(vertex), is_obstacle(body), bound_sq, [&](int t) {
        const auto& [a, b, c] = surface_.triangles[t];
        const int other = surface_.triangle_body[t];
        if (body == other || !may_touch(body, other)) return;
        if (point_triangle_gap_exceeds(x_[v], x_[a], x_[b], x_[c], gap)) return;
        add_too_close(body, vertex, other, surface_.triangles[t], point_triangle_gap_sq(x_[v], x_[a], x_[b], x_[c]));
      });
    }
    for (int e = 0; e < static_cast<int>(surface_.edges.size()); ++e) {
      const auto& [a, b] = surface_.edges[e];
      const int body = surface_.edge_body[e];
      if (is_obstacle(body)) continue;
      edge_tree.visit_near(box_of(surface_.edges[e]), false, bound_sq, [&](int f) {
        const auto& [c, d] = surface_.edges[f];
        const int other = surface_.edge_body[f];
        // Of two edges of free bodies the later one asks.
        if (body == other || (f >= e && !is_obstacle(other)) || !may_touch(body, other)) return;
        if (segment_gap_exceeds(x_[a], x_[b], x_[c], x_[d], gap)) return;
        add_too_close(body, surface_.edges[e], other, surface_.edges[f],
                      segment_segment_gap_sq(x_[a], x_[b], x_[c], x_[d]));
      });
    }
  }

  void check_edges(int a, int b) {
    const auto& ea = surface_.edges[a];
    const auto& eb = surface_.edges[b];
    if (!may_touch(surface_.edge_body[a], surface_.edge_body[b]) || shares_vertex(ea, eb)) return;
    const bool touch = frame_.mesh.dim == 2 ? planar_segments_touch(x_[ea[0]], x_[ea[1]], x_[eb[0]], x_[eb[1]], 2)
                                            : segments_touch(x_[ea[0]], x_[ea[1]], x_[eb[0]], x_[eb[1]]);
    if (touch) add_intersection(surface_.edge_body[a], ea, surface_.edge_body[b], eb);
  }

  void find_min_distance(const SearchTree& triangle_tree, const SearchTree& edge_tree) {
    const auto bound_sq = [&] { return min_gap_sq_; };
    for (const int v : surface_.vertices) {
      const std::array<int, 1> vertex = {v};
      const int body = surface_.vertex_body[v];
      triangle_tree.visit_near(box_of(vertex), is_obstacle(body), bound_sq, [&](int t) {
        const auto& tri = surface_.triangles[t];
        if (!may_touch(body, surface_.triangle_body[t]) || shares_vertex(vertex, tri)) return;
        min_gap_sq_ = std::min(min_gap_sq_, point_triangle_gap_sq(x_[v], x_[tri[0]], x_[tri[1]], x_[tri[2]]));
      });
    }
    for (int a = 0; a < static_cast<int>(surface_.edges.size()); ++a) {
      const auto& ea = surface_.edges[a];
      const int body = surface_.edge_body[a];
      edge_tree.visit_near(box_of(ea), is_obstacle(body), bound_sq, [&](int b) {
        const auto& eb = surface_.edges[b];
        // Of two deformable edges the later one asks; an obstacle is asked by the deformable edge.
        if (is_obstacle(body) || (b >= a && !is_obstacle(surface_.edge_body[b]))) return;
        if (!may_touch(body, surface_.edge_body[b]) || shares_vertex(ea, eb)) return;
        min_gap_sq_ = std::min(min_gap_sq_, segment_segment_gap_sq(x_[ea[0]], x_[ea[1]], x_[eb[0]], x_[eb[1]]));
      });
    }
  }

  const std::vector<Vec<3>>& x_;
  const Frame& frame_;
  const VerifySurface& surface_;
  const VerifyScene& scene_;
  FrameVerdict verdict_;
  double min_gap_sq_ = infinity;
};

}  // namespace

void add_obstacles(const Frame& frame, VerifyScene& scene) {
  for (std::size_t cell = 0; cell < frame.cell_body.size(); ++cell) {
    const std::size_t body = static_cast<std::size_t>(frame.cell_body[cell]);
    if (body >= scene.bodies.size()) scene.bodies.resize(body + 1);
    if (cell < frame.cell_is_obstacle.size() && frame.cell_is_obstacle[cell] != 0)
      scene.bodies[body].is_obstacle = true;
  }
  if (scene.bodies.empty()) scene.bodies.resize(1);
}

FrameVerdict verify_frame(const Frame& frame, const VerifySurface& surface, const VerifyScene& scene) {
  return FrameCheck(frame, surface, scene).run();
}

}  // namespace clearance::cli
