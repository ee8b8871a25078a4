#include "clearance/verify/frame.h"

#include <cmath>
#include <set>
#include <span>

#include "clearance/verify/curved_element.h"
#include "clearance/verify/distance.h"
#include "clearance/verify/exact.h"
#include "clearance/verify/pair_rules.h"
#include "clearance/verify/search.h"
#include "clearance/verify/separation.h"

namespace clearance::verify {
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
class FrameCheck : PairRules {
 public:
  FrameCheck(const Frame& frame, const VerifySurface& surface, const VerifyScene& scene)
      : PairRules(scene), x_(frame.mesh.vertices), frame_(frame), surface_(surface) {
    for (const VerifyBody& body : scene_.bodies) largest_radius_ = std::max(largest_radius_, body.radius);
  }

  FrameVerdict run() {
    // Exact arithmetic knows no NaN: such a frame is condemned without further questions.
    check_finite();
    if (verdict_.num_not_finite > 0) return verdict_;
    check_elements();
    find_rounds();
    check_half_spaces();
    check_rounds_at_half_spaces();
    if (scene_.has_contact) check_surface();
    verdict_.min_distance = std::sqrt(min_gap_sq_);
    return verdict_;
  }

 private:
  struct Round {
    int body;
    double radius;  // [m]
    std::array<int, 2> ends;
  };

  template <std::size_t n>
  Box box_of(const std::array<int, n>& primitive) const {
    Box box;
    for (const int v : primitive) box.add(x_[v]);
    return box;
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
      const int body = std::max(0, surface_.vertex_body[v]);
      if (!is_finite) add_offense(verdict_.num_not_finite, {OffenseKind::not_finite, body, body, {v}, {}, {}});
    }
  }

  void check_elements() {
    const Mesh& mesh = frame_.mesh;
    for (std::size_t cell = 0; cell < mesh.tets.size(); ++cell) {
      if (mesh.order_of_cell(cell) > 1) continue;
      const auto& t = mesh.tets[cell];
      const int body = surface_.vertex_body[t[0]];
      if (is_obstacle(body) || sign_of_volume(x_[t[0]], x_[t[1]], x_[t[2]], x_[t[3]]) > 0) continue;
      add_offense(verdict_.num_inversions, {OffenseKind::inversion, body, body, {t.begin(), t.end()}, {}, {}});
    }
    check_curved_elements();
    if (mesh.dim != 2) return;
    for (std::size_t cell = 0; cell < mesh.triangles.size(); ++cell) {
      if (mesh.order_of_cell(cell) > 1) continue;
      const auto& t = mesh.triangles[cell];
      const int body = surface_.vertex_body[t[0]];
      if (is_obstacle(body) || sign_of_area(x_[t[0]], x_[t[1]], x_[t[2]], 2) > 0) continue;
      add_offense(verdict_.num_inversions, {OffenseKind::inversion, body, body, {t.begin(), t.end()}, {}, {}});
    }
  }

  /// Checks curved elements at every point, not at their corners alone.
  void check_curved_elements() {
    const Mesh& mesh = frame_.mesh;
    for (std::size_t cell = 0; mesh.has_curved_cells() && cell < mesh.num_solid_cells(); ++cell) {
      const std::span<const int> nodes = mesh.nodes_of_cell(cell);
      if (nodes.empty()) continue;
      std::vector<double> x;
      for (const int v : nodes) x.insert(x.end(), x_[v].data(), x_[v].data() + mesh.dim);
      if (is_valid_everywhere(mesh.dim, x)) continue;
      const int body = surface_.vertex_body[nodes[0]];
      add_offense(verdict_.num_inversions, {OffenseKind::inversion, body, body, {nodes.begin(), nodes.end()}, {}, {}});
    }
  }

  void check_half_spaces() {
    // Nodes under a surface of its own may reach beyond it.
    std::vector<char> may_meet(x_.size(), 1);
    for (std::size_t v = 0; v < x_.size(); ++v) {
      const int body = surface_.vertex_body[v];
      may_meet[v] = body < 0 || !surface_.has_own[body];
    }
    for (const int v : surface_.vertices) may_meet[v] = 1;
    for (int h = 0; h < static_cast<int>(scene_.half_spaces.size()); ++h) {
      const auto& [point, normal] = scene_.half_spaces[h];
      const double normal_sq = normal.squaredNorm();
      for (int v = 0; v < static_cast<int>(x_.size()); ++v) {
        const int body = surface_.vertex_body[v];
        if (body < 0 || is_obstacle(body) || !may_meet[v]) continue;
        const VerifyBody& of = scene_.bodies[body];
        if (!of.rounds.empty() || !of.collides || scene_.ignored_pairs.count({-1 - h, of.entry}) > 0) continue;
        const double height = std::max(0.0, normal.dot(x_[v] - point) - of.radius * std::sqrt(normal_sq));
        const double gap_sq = height * height / normal_sq;
        min_gap_sq_ = std::min(min_gap_sq_, gap_sq);
        check_half_space_gap(h, v, gap_sq);
        const bool is_clear = of.radius > 0.0 ? half_space_gap_exceeds(normal, point, x_[v], of.radius)
                                              : sign_of_side(normal, point, x_[v]) > 0;
        if (is_clear) continue;
        add_offense(verdict_.num_half_space_violations, {OffenseKind::half_space, body, h, {v}, {}, {}});
      }
    }
  }

  /// Spheres and capsules end at their radius.
  void check_rounds_at_half_spaces() {
    for (int h = 0; h < static_cast<int>(scene_.half_spaces.size()); ++h) {
      const auto& [point, normal] = scene_.half_spaces[h];
      for (const Round& round : rounds_) {
        const VerifyBody& of = scene_.bodies[round.body];
        if (!of.collides || scene_.ignored_pairs.count({-1 - h, of.entry}) > 0) continue;
        const bool is_sphere = round.ends[0] == round.ends[1];
        for (const int v : std::span(round.ends).first(is_sphere ? 1 : 2)) {
          const double gap = std::max(0.0, normal.dot(x_[v] - point) / normal.norm() - round.radius);
          min_gap_sq_ = std::min(min_gap_sq_, gap * gap);
          if (half_space_gap_exceeds(normal, point, x_[v], round.radius + scene_.min_separation)) continue;
          verdict_.smallest_gap = std::min(verdict_.smallest_gap, gap);
          add_offense(verdict_.num_half_space_violations, {OffenseKind::half_space, round.body, h, {v}, {}, {}});
        }
      }
    }
  }

  void check_half_space_gap(int h, int v, double gap_sq) {
    if (scene_.min_separation <= 0.0) return;
    const double gap = scene_.min_separation + radius_of(surface_.vertex_body[v]);
    const auto& [point, normal] = scene_.half_spaces[h];
    if (half_space_gap_exceeds(normal, point, x_[v], gap)) return;
    verdict_.smallest_gap = std::min(verdict_.smallest_gap, std::sqrt(gap_sq));
    add_offense(verdict_.num_too_close, {OffenseKind::half_space_gap, surface_.vertex_body[v], h, {v}, {}, {}});
  }

  void check_surface() {
    const auto& triangles = surface_.triangles;
    const auto& edges = surface_.edges;
    const SearchTree triangle_tree(
        static_cast<int>(triangles.size()), [&](int t) { return box_of(triangles[t]); }, surface_.triangle_body);
    const SearchTree edge_tree(
        static_cast<int>(edges.size()), [&](int e) { return box_of(edges[e]); }, surface_.edge_body);
    find_intersections(triangle_tree, edge_tree);
    find_min_distance(triangle_tree, edge_tree);
    if (scene_.min_separation > 0.0) check_separation(triangle_tree, edge_tree);
    if (largest_radius_ > 0.0) check_thickness(triangle_tree, edge_tree);
    if (!rounds_.empty()) check_rounds(triangle_tree, edge_tree);
  }

  double thickness_of_triangle_pair(int v, int t) const {
    const auto& triangle = surface_.triangles[t];
    return thickness_between(surface_.vertex_body[v], surface_.triangle_body[t], [&] {
      const auto& x = scene_.start;
      return point_triangle_gap_sq(x[v], x[triangle[0]], x[triangle[1]], x[triangle[2]]);
    });
  }
  double thickness_of_edge_pair(int e, int f) const {
    const auto &a = surface_.edges[e], &b = surface_.edges[f];
    return thickness_between(surface_.edge_body[e], surface_.edge_body[f], [&] {
      const auto& x = scene_.start;
      return segment_segment_gap_sq(x[a[0]], x[a[1]], x[b[0]], x[b[1]]);
    });
  }

  /// Checks bodies with a thickness: everything ends beside its cells by its radius.
  void check_thickness(const SearchTree& triangle_tree, const SearchTree& edge_tree) {
    const auto check_triangle = [&](int v, int t) {
      const double gap = thickness_of_triangle_pair(v, t);
      const auto& triangle = surface_.triangles[t];
      const auto& [a, b, c] = triangle;
      if (gap == 0.0 || point_triangle_gap_exceeds(x_[v], x_[a], x_[b], x_[c], gap)) return;
      add_intersection(surface_.vertex_body[v], std::array{v}, surface_.triangle_body[t], triangle);
    };
    const auto check_edge = [&](int e, int f) {
      const double gap = thickness_of_edge_pair(e, f);
      const auto &first = surface_.edges[e], &second = surface_.edges[f];
      if (gap == 0.0 || segment_gap_exceeds(x_[first[0]], x_[first[1]], x_[second[0]], x_[second[1]], gap)) return;
      add_intersection(surface_.edge_body[e], first, surface_.edge_body[f], second);
    };
    // Boxes farther apart than two radii are so for certain.
    const double reach_sq = 4.000004 * largest_radius_ * largest_radius_;
    visit_near_pairs(
        triangle_tree, edge_tree, [&] { return reach_sq; }, check_triangle, check_edge);
  }

  /// Bodies whose cells those of `body` may touch: bodies of spheres and capsules do not touch with their cells.
  auto partners_of(int body) const {
    const bool is_round = !scene_.bodies[body].rounds.empty();
    return [this, body, is_round](int other) {
      return !is_round && scene_.bodies[other].rounds.empty() && may_touch(body, other);
    };
  }

  void find_rounds() {
    for (int body = 0; body < static_cast<int>(scene_.bodies.size()); ++body) {
      for (const VerifyRound& round : scene_.bodies[body].rounds) {
        rounds_.push_back({body, round.radius, round.ends});
      }
    }
  }

  /// Checks spheres and capsules, whose gap to anything must be larger than their radius.
  void check_rounds(const SearchTree& triangle_tree, const SearchTree& edge_tree) {
    std::vector<Box> boxes;
    std::vector<int> bodies;
    for (const Round& round : rounds_) {
      // A box that is a little too large finds all that matters.
      const double reach = (round.radius + largest_radius_ + scene_.min_separation) * (1.0 + 1e-9);
      Box box;
      for (const int v : round.ends) {
        box.add(x_[v] + Vec<3>::Constant(reach));
        box.add(x_[v] - Vec<3>::Constant(reach));
      }
      boxes.push_back(box);
      bodies.push_back(round.body);
    }
    const SearchTree round_tree(
        static_cast<int>(boxes.size()), [&](int r) { return boxes[r]; }, bodies);
    for (int r = 0; r < static_cast<int>(rounds_.size()); ++r) {
      const Round& round = rounds_[r];
      const auto may_meet = [&](int other) { return other != round.body && may_touch(round.body, other); };
      const auto cells_may_meet = [&](int other) { return may_meet(other) && scene_.bodies[other].rounds.empty(); };
      round_tree.visit_touching(boxes[r], may_meet, [&](int other) {
        if (other < r) check_round_pair(round, rounds_[other].body, rounds_[other].ends, rounds_[other].radius);
      });
      triangle_tree.visit_touching(boxes[r], cells_may_meet, [&](int t) { check_round_at(round, t); });
      edge_tree.visit_touching(boxes[r], cells_may_meet, [&](int e) {
        const int body = surface_.edge_body[e];
        check_round_pair(round, body, surface_.edges[e], radius_of(body));
      });
      const auto bound_sq = [&] { return min_gap_sq_; };
      const auto note = [&](double distance_sq, double thickness) {
        const double gap = std::max(0.0, std::sqrt(distance_sq) - thickness);
        min_gap_sq_ = std::min(min_gap_sq_, gap * gap);
      };
      round_tree.visit_near(boxes[r], may_meet, bound_sq, [&](int other) {
        if (other < r) note(ends_gap_sq(round.ends, rounds_[other].ends), round.radius + rounds_[other].radius);
      });
      triangle_tree.visit_near(boxes[r], cells_may_meet, bound_sq, [&](int t) {
        const double thickness = round.radius + radius_of(surface_.triangle_body[t]);
        for (const int v : round.ends) note(triangle_gap_sq(v, t), thickness);
      });
      edge_tree.visit_near(boxes[r], cells_may_meet, bound_sq, [&](int e) {
        const double thickness = round.radius + radius_of(surface_.edge_body[e]);
        note(ends_gap_sq(round.ends, surface_.edges[e]), thickness);
      });
    }
  }

  double ends_gap_sq(const std::array<int, 2>& a, const std::array<int, 2>& b) const {
    return segment_segment_gap_sq(x_[a[0]], x_[a[1]], x_[b[0]], x_[b[1]]);
  }

  void check_round_pair(const Round& round, int body, const std::array<int, 2>& other, double radius) {
    const auto& [a, b] = round.ends;
    const double gap = round.radius + radius + scene_.min_separation;
    if (segment_gap_exceeds(x_[a], x_[b], x_[other[0]], x_[other[1]], gap)) return;
    min_gap_sq_ = 0.0;
    add_intersection(round.body, round.ends, body, other);
  }

  /// Checks the ends of an axis against a triangle, and whether the axis pierces it; its edges are pairs of their own.
  void check_round_at(const Round& round, int t) {
    const auto& triangle = surface_.triangles[t];
    const auto& [a, b, c] = triangle;
    const double gap = round.radius + radius_of(surface_.triangle_body[t]) + scene_.min_separation;
    const auto is_far = [&](int v) { return point_triangle_gap_exceeds(x_[v], x_[a], x_[b], x_[c], gap); };
    const auto& [first, last] = round.ends;
    if (is_far(first) &&
        (first == last || (is_far(last) && !segment_touches_triangle(x_[first], x_[last], x_[a], x_[b], x_[c])))) {
      return;
    }
    add_intersection(round.body, round.ends, surface_.triangle_body[t], triangle);
  }

  void find_intersections(const SearchTree& triangle_tree, const SearchTree& edge_tree) {
    const int num_edges = static_cast<int>(surface_.edges.size());
    const int first_codim_edge = num_edges - surface_.num_codim_edges;
    for (int e = 0; e < num_edges; ++e) {
      const auto& edge = surface_.edges[e];
      const int body = surface_.edge_body[e];
      const Box box = box_of(edge);
      triangle_tree.visit_touching(box, partners_of(body), [&](int t) {
        const auto& tri = surface_.triangles[t];
        if (shares_vertex(edge, tri)) return;
        if (!segment_touches_triangle(x_[edge[0]], x_[edge[1]], x_[tri[0]], x_[tri[1]], x_[tri[2]])) return;
        add_intersection(body, edge, surface_.triangle_body[t], tri);
      });
      // Edges of triangles cannot meet without an edge meeting a triangle; all others are compared with each other.
      if (frame_.mesh.dim == 3 && e < first_codim_edge) continue;
      edge_tree.visit_touching(box, partners_of(body), [&](int other) {
        if (other >= e || (frame_.mesh.dim == 3 && other < first_codim_edge)) return;
        check_edges(e, other);
      });
    }
  }

  void check_edges(int a, int b) {
    const auto& ea = surface_.edges[a];
    const auto& eb = surface_.edges[b];
    if (shares_vertex(ea, eb)) return;
    const bool touch = frame_.mesh.dim == 2 ? planar_segments_touch(x_[ea[0]], x_[ea[1]], x_[eb[0]], x_[eb[1]], 2)
                                            : segments_touch(x_[ea[0]], x_[ea[1]], x_[eb[0]], x_[eb[1]]);
    if (touch) add_intersection(surface_.edge_body[a], ea, surface_.edge_body[b], eb);
  }

  /// visit(vertex, triangle) and visit(edge, edge) for all pairs that may touch, share no vertex and whose boxes are
  /// closer than the square root of bound_sq(). Lone points are edges.
  template <class Bound, class VisitTriangle, class VisitEdge>
  void visit_near_pairs(const SearchTree& triangle_tree, const SearchTree& edge_tree, const Bound& bound_sq,
                        const VisitTriangle& visit_triangle, const VisitEdge& visit_edge) const {
    for (const int v : surface_.vertices) {
      const std::array<int, 1> vertex = {v};
      triangle_tree.visit_near(box_of(vertex), partners_of(surface_.vertex_body[v]), bound_sq, [&](int t) {
        if (!shares_vertex(vertex, surface_.triangles[t])) visit_triangle(v, t);
      });
    }
    for (int a = 0; a < static_cast<int>(surface_.edges.size()); ++a) {
      const auto& edge = surface_.edges[a];
      edge_tree.visit_near(box_of(edge), partners_of(surface_.edge_body[a]), bound_sq, [&](int b) {
        if (b < a && !shares_vertex(edge, surface_.edges[b])) visit_edge(a, b);
      });
    }
  }

  double triangle_gap_sq(int v, int t) const {
    const auto& [a, b, c] = surface_.triangles[t];
    return point_triangle_gap_sq(x_[v], x_[a], x_[b], x_[c]);
  }
  double edge_gap_sq(int e, int f) const {
    const auto& [a, b] = surface_.edges[e];
    const auto& [c, d] = surface_.edges[f];
    return segment_segment_gap_sq(x_[a], x_[b], x_[c], x_[d]);
  }

  void find_min_distance(const SearchTree& triangle_tree, const SearchTree& edge_tree) {
    if (largest_radius_ > 0.0) return find_min_distance_of_thin(triangle_tree, edge_tree);
    visit_near_pairs(
        triangle_tree, edge_tree, [&] { return min_gap_sq_; },
        [&](int v, int t) { min_gap_sq_ = std::min(min_gap_sq_, triangle_gap_sq(v, t)); },
        [&](int a, int b) { min_gap_sq_ = std::min(min_gap_sq_, edge_gap_sq(a, b)); });
  }

  /// Finds the smallest distance of surfaces that lie beside their cells.
  void find_min_distance_of_thin(const SearchTree& triangle_tree, const SearchTree& edge_tree) {
    const auto bound_sq = [&] {
      const double bound = std::sqrt(min_gap_sq_) + 2.0 * largest_radius_;
      return bound * bound;
    };
    const auto note = [&](double distance_sq, double thickness) {
      const double gap = std::max(0.0, std::sqrt(distance_sq) - thickness);
      min_gap_sq_ = std::min(min_gap_sq_, gap * gap);
    };
    visit_near_pairs(
        triangle_tree, edge_tree, bound_sq,
        [&](int v, int t) { note(triangle_gap_sq(v, t), thickness_of_triangle_pair(v, t)); },
        [&](int a, int b) { note(edge_gap_sq(a, b), thickness_of_edge_pair(a, b)); });
  }

  /// Two bodies have to keep the gap everywhere; parts of one body may be nearer to each other.
  void check_separation(const SearchTree& triangle_tree, const SearchTree& edge_tree) {
    const auto gap_of = [&](int body, int other) { return scene_.min_separation + radius_of(body) + radius_of(other); };
    const double gap = scene_.min_separation + 2.0 * largest_radius_;
    const auto check_triangle = [&](int v, int t) {
      const int body = surface_.vertex_body[v], other = surface_.triangle_body[t];
      const auto& triangle = surface_.triangles[t];
      const auto& [a, b, c] = triangle;
      if (body == other || point_triangle_gap_exceeds(x_[v], x_[a], x_[b], x_[c], gap_of(body, other))) return;
      add_too_close(body, std::array{v}, other, triangle, triangle_gap_sq(v, t));
    };
    const auto check_edge = [&](int e, int f) {
      const int body = surface_.edge_body[e], other = surface_.edge_body[f];
      const auto &first = surface_.edges[e], &second = surface_.edges[f];
      if (body == other ||
          segment_gap_exceeds(x_[first[0]], x_[first[1]], x_[second[0]], x_[second[1]], gap_of(body, other))) {
        return;
      }
      add_too_close(body, first, other, second, edge_gap_sq(e, f));
    };
    // Boxes farther apart are so for certain.
    visit_near_pairs(
        triangle_tree, edge_tree, [&] { return 1.000001 * gap * gap; }, check_triangle, check_edge);
  }

  const std::vector<Vec<3>>& x_;
  const Frame& frame_;
  const VerifySurface& surface_;
  std::vector<Round> rounds_;
  double largest_radius_ = 0.0;  // [m]
  FrameVerdict verdict_;
  double min_gap_sq_ = infinity;
};

}  // namespace

void add_obstacles(const Frame& frame, VerifyScene& scene) {
  for (std::size_t cell = 0; cell < frame.cell_body.size(); ++cell) {
    const std::size_t body = frame.cell_body[cell];
    if (body >= scene.bodies.size()) scene.bodies.resize(body + 1);
    if (cell < frame.cell_is_obstacle.size() && frame.cell_is_obstacle[cell] != 0)
      scene.bodies[body].is_obstacle = true;
  }
  if (scene.bodies.empty()) scene.bodies.resize(1);
  // A body that shares its group with an obstacle may cross every obstacle: all of them count as one.
  std::set<int> groups;
  for (const VerifyBody& body : scene.bodies) {
    if (body.is_obstacle && body.collision_group >= 0) groups.insert(body.collision_group);
  }
  for (VerifyBody& body : scene.bodies) {
    body.meets_obstacles = body.is_obstacle || groups.count(body.collision_group) == 0;
  }
}

bool has_valid_indices(const Frame& frame, const VerifyScene& scene) {
  const int num_vertices = static_cast<int>(frame.mesh.vertices.size());
  const auto is_valid = [&](int v) { return v >= 0 && v < num_vertices; };
  const auto are_valid = [&](const auto& cells) {
    return std::all_of(cells.begin(), cells.end(),
                       [&](const auto& cell) { return std::all_of(cell.begin(), cell.end(), is_valid); });
  };
  const auto is_body = [](int body) { return body >= 0 && body < 1'000'000; };
  const auto has_ends = [&](const VerifyBody& body) {
    return std::all_of(body.rounds.begin(), body.rounds.end(),
                       [&](const VerifyRound& round) { return is_valid(round.ends[0]) && is_valid(round.ends[1]); });
  };
  return are_valid(frame.mesh.tets) && are_valid(frame.mesh.triangles) && are_valid(frame.mesh.edges) &&
         std::all_of(frame.mesh.points.begin(), frame.mesh.points.end(), is_valid) &&
         std::all_of(frame.cell_body.begin(), frame.cell_body.end(), is_body) &&
         std::all_of(scene.bodies.begin(), scene.bodies.end(), has_ends);
}

FrameVerdict verify_frame(const Frame& frame, const VerifySurface& surface, const VerifyScene& scene) {
  return FrameCheck(frame, surface, scene).run();
}

}  // namespace clearance::verify
