#include "clearance/verify/paths/move_check.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "clearance/verify/distance.h"
#include "clearance/verify/exact.h"
#include "clearance/verify/paths/path_volume.h"
#include "clearance/verify/search.h"
#include "clearance/verify/separation.h"

namespace clearance::verify {
namespace {

constexpr std::size_t max_offenses = 10;
/// Intervals of a vertex on a screw over a half-space.
constexpr int max_intervals = 20000;

void note(PathOffense offense, PathCounts& counts) {
  ++(offense.verdict == PathVerdict::violated ? counts.num_violated : counts.num_undecided);
  if (counts.offenses.size() < max_offenses) counts.offenses.push_back(std::move(offense));
}

template <std::size_t n, std::size_t m>
bool share_vertex(const std::array<int, n>& a, const std::array<int, m>& b) {
  return std::any_of(a.begin(), a.end(), [&](int v) { return std::find(b.begin(), b.end(), v) != b.end(); });
}

/// Returns an upper bound of a gap and the errors of a position, by no more than their rounding.
double at_least(double gap, double error) {
  return error > 0.0 ? std::nextafter(gap + error, infinity) : gap;
}

/// Returns a box around the ways of vertices, with room for how far they stray.
template <std::size_t n>
Box box_of(const PathPoints& points, const std::array<int, n>& vertices, double room) {
  Box box;
  double stray = 0.0;
  for (const int v : vertices) {
    box.add(points[v].p0);
    box.add(points[v].p1);
    stray = std::max(stray, points[v].bend + points[v].error);
  }
  // The room is more than enough for the rounding of boxes.
  const double size = (box.max.cwiseAbs().cwiseMax(box.min.cwiseAbs())).maxCoeff();
  const Vec<3> around = Vec<3>::Constant((room + stray) * (1.0 + 1e-9) + 1e-12 * size);
  box.min -= around;
  box.max += around;
  return box;
}

}  // namespace

void PathCounts::add(const PathCounts& other) {
  num_pairs += other.num_pairs;
  num_rational += other.num_rational;
  num_volumes += other.num_volumes;
  num_half_spaces += other.num_half_spaces;
  num_violated += other.num_violated;
  num_undecided += other.num_undecided;
  largest_miss = std::max(largest_miss, other.largest_miss);
  for (const PathOffense& offense : other.offenses) {
    if (offenses.size() < max_offenses) offenses.push_back(offense);
  }
}

MoveCheck::MoveCheck(const Frame& frame, const VerifySurface& surface, const VerifyScene& scene,
                     const PathLayout& layout)
    : frame_(frame),
      surface_(surface),
      scene_(scene),
      layout_(layout),
      rules_(scene),
      stiff_(stiff_of_vertices(layout)),
      meets_half_spaces_(layout.num_vertices(), 0) {
  num_unknown_ = static_cast<int>(std::count(stiff_.begin(), stiff_.end(), -2));
  const auto is_round = [&](int body) { return !scene.bodies[body].rounds.empty(); };
  for (std::size_t e = 0; e < surface.edges.size(); ++e) {
    const int body = surface.edge_body[e];
    if (!is_round(body)) axes_.push_back({surface.edges[e], body, scene.bodies[body].radius, false});
  }
  for (const int v : surface.vertices) {
    const int body = surface.vertex_body[v];
    if (!is_round(body)) corners_.push_back({{v, v}, body, scene.bodies[body].radius, false});
  }
  for (int body = 0; body < static_cast<int>(scene.bodies.size()); ++body) {
    for (const VerifyRound& round : scene.bodies[body].rounds) {
      axes_.push_back({round.ends, body, round.radius, true});
      corners_.push_back({{round.ends[0], round.ends[0]}, body, round.radius, true});
      if (round.ends[1] != round.ends[0])
        corners_.push_back({{round.ends[1], round.ends[1]}, body, round.radius, true});
    }
  }
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    if (!is_round(surface.triangle_body[t])) triangles_.push_back(static_cast<int>(t));
  }
  // Nodes under a surface of its own may reach beyond it.
  for (int v = 0; v < layout.num_vertices(); ++v) {
    const int body = surface.vertex_body[v];
    meets_half_spaces_[v] = static_cast<char>(body >= 0 && !surface.has_own[body]);
  }
  for (const int v : surface.vertices) meets_half_spaces_[v] = 1;
  const Mesh& mesh = frame.mesh;
  for (std::size_t cell = 0; mesh.has_curved_cells() && cell < mesh.num_solid_cells(); ++cell) {
    if (mesh.order_of_cell(cell) > 1) ++num_curved_;
  }
}

PathCounts MoveCheck::check(const PathMove& move) const {
  PathCounts counts;
  const PathPoints points(layout_, move);
  counts.largest_miss = points.largest_miss();
  if (counts.largest_miss > largest_miss_by_rounding) return counts;
  check_volumes(points, move, counts);
  check_half_spaces(points, counts);
  if (scene_.has_contact) check_pairs(points, counts);
  return counts;
}

/// Returns the gap [m] that two primitives must keep; only touching is wrong if it is zero.
double MoveCheck::gap_between(int body, int other, double radius, double other_radius, bool is_round,
                              double distance_sq_at_start) const {
  if (is_round) return radius + other_radius + scene_.min_separation;
  const double thickness = rules_.thickness_between(body, other, [&] { return distance_sq_at_start; });
  return body == other ? thickness : std::max(thickness, radius + other_radius + scene_.min_separation);
}

/// Checks all pairs that come near each other on their ways. Those that do not move are as they were before.
void MoveCheck::check_pairs(const PathPoints& points, PathCounts& counts) const {
  const auto is_moving = [&](const auto& vertices) {
    return std::any_of(vertices.begin(), vertices.end(), [&](int v) { return points[v].is_moving(); });
  };
  // A map with a positive determinant brings no two points of a stiff body together.
  const auto stiff_of = [&](const auto& vertices) {
    const int stiff = stiff_[vertices[0]];
    const bool is_one = std::all_of(vertices.begin(), vertices.end(), [&](int v) { return stiff_[v] == stiff; });
    return is_one ? stiff : -1;
  };
  const auto room_of = [&](double radius) { return radius + 0.5 * scene_.min_separation; };
  const auto& start = scene_.start;
  const auto judge = [&](Corners first, Corners second, int body_a, int body_b, double gap) {
    const PairVerdict verdict = check_pair(points, first, second, gap);
    if (verdict.is_rational) ++counts.num_rational;
    if (verdict.verdict == PathVerdict::proved) {
      ++counts.num_pairs;
    } else {
      note({PathOffense::Kind::meeting,
            verdict.verdict,
            verdict.time,
            body_a,
            body_b,
            {first.begin(), first.end()},
            {second.begin(), second.end()}},
           counts);
    }
  };

  std::vector<int> bodies;
  for (const Axis& axis : axes_) bodies.push_back(axis.body);
  std::vector<Box> boxes;
  for (const Axis& axis : axes_) boxes.push_back(box_of(points, axis.ends, room_of(axis.radius)));
  const SearchTree tree(
      static_cast<int>(axes_.size()), [&](int i) { return boxes[i]; }, bodies);
  for (int i = 0; i < static_cast<int>(axes_.size()); ++i) {
    const Axis& axis = axes_[i];
    if (!is_moving(axis.ends)) continue;
    const int stiff = stiff_of(axis.ends);
    tree.visit_touching(
        boxes[i],
        [&](int other) { return rules_.may_touch(axis.body, other) && !(axis.is_round && other == axis.body); },
        [&](int k) {
          const Axis& other = axes_[k];
          if (k == i || (k > i && is_moving(other.ends)) || share_vertex(axis.ends, other.ends)) return;
          if (stiff >= 0 && stiff == stiff_of(other.ends)) return;
          const auto& [a, b] = axis.ends;
          const auto& [c, d] = other.ends;
          const double at_start = start.empty() || axis.body != other.body
                                      ? 0.0
                                      : segment_segment_gap_sq(start[a], start[b], start[c], start[d]);
          judge(
              axis.ends, other.ends, axis.body, other.body,
              gap_between(axis.body, other.body, axis.radius, other.radius, axis.is_round || other.is_round, at_start));
        });
  }

  if (triangles_.empty()) return;
  bodies.clear();
  boxes.clear();
  for (const int t : triangles_) {
    bodies.push_back(surface_.triangle_body[t]);
    boxes.push_back(box_of(points, surface_.triangles[t], room_of(scene_.bodies[surface_.triangle_body[t]].radius)));
  }
  const SearchTree triangle_tree(
      static_cast<int>(triangles_.size()), [&](int i) { return boxes[i]; }, bodies);
  for (const Axis& corner : corners_) {
    const std::array<int, 1> vertex = {corner.ends[0]};
    const bool moves = is_moving(vertex);
    const int stiff = stiff_[vertex[0]];
    triangle_tree.visit_touching(
        box_of(points, vertex, room_of(corner.radius)),
        [&](int other) { return rules_.may_touch(corner.body, other) && !(corner.is_round && other == corner.body); },
        [&](int k) {
          const std::array<int, 3>& triangle = surface_.triangles[triangles_[k]];
          if ((!moves && !is_moving(triangle)) || share_vertex(vertex, triangle)) return;
          if (stiff >= 0 && stiff == stiff_of(triangle)) return;
          const int body = surface_.triangle_body[triangles_[k]];
          const double at_start =
              start.empty() || corner.body != body
                  ? 0.0
                  : point_triangle_gap_sq(start[vertex[0]], start[triangle[0]], start[triangle[1]], start[triangle[2]]);
          judge(vertex, triangle, corner.body, body,
                gap_between(corner.body, body, corner.radius, scene_.bodies[body].radius, corner.is_round, at_start));
        });
  }
}

void MoveCheck::check_volumes(const PathPoints& points, const PathMove& move, PathCounts& counts) const {
  const auto judge = [&](const PairVerdict& verdict, int body, std::vector<int> vertices) {
    if (verdict.is_rational) ++counts.num_rational;
    if (verdict.verdict == PathVerdict::proved) {
      ++counts.num_volumes;
    } else {
      note({PathOffense::Kind::volume, verdict.verdict, verdict.time, body, body, std::move(vertices), {}}, counts);
    }
  };
  const Mesh& mesh = frame_.mesh;
  const auto check_cells = [&](const auto& cells) {
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      const auto& corners = cells[cell];
      if (mesh.order_of_cell(cell) > 1) continue;
      const int body = surface_.vertex_body[corners[0]];
      const int stiff = stiff_[corners[0]];
      const bool is_stiff =
          stiff >= 0 && std::all_of(corners.begin(), corners.end(), [&](int v) { return stiff_[v] == stiff; });
      if (body < 0 || rules_.is_obstacle(body) || is_stiff) continue;
      if (std::none_of(corners.begin(), corners.end(), [&](int v) { return points[v].is_moving(); })) continue;
      judge(check_volume(points, corners), body, {corners.begin(), corners.end()});
    }
  };
  if (mesh.dim == 3) check_cells(mesh.tets);
  if (mesh.dim == 2) check_cells(mesh.triangles);
  // Rotations keep the volumes of rigid bodies.
  for (const PathLayout::Stiff& stiff : layout_.stiff) {
    const std::size_t first = layout_.dim * (static_cast<std::size_t>(stiff.first_block) + 1);
    if (stiff.is_rigid) continue;
    judge(check_map(layout_.dim, move.x_t0.data() + first, move.x_t1.data() + first), 0, {});
  }
}

void MoveCheck::check_half_spaces(const PathPoints& points, PathCounts& counts) const {
  const auto is_above = [&](int h, int v, double radius) {
    const auto& [position, normal] = scene_.half_spaces[h];
    const PathPoint& point = points[v];
    const double gap = radius + scene_.min_separation;
    if (point.screw == nullptr) {
      // Heights change linearly.
      for (const Vec<3>* end : {&point.p0, &point.p1}) {
        const double room = at_least(gap, point.error);
        const bool is_clear = room > 0.0 ? half_space_gap_exceeds(normal, position, *end, room)
                                         : sign_of_side(normal, position, *end) > 0;
        if (!is_clear) return false;
      }
      return true;
    }
    std::vector<std::array<double, 2>> left = {{0.0, 1.0}};
    for (int count = 0; !left.empty(); ++count) {
      const auto [begin, end] = left.back();
      left.pop_back();
      const double stray = point.bend * (end - begin) * (end - begin);
      const auto is_clear = [&](double s) {
        const auto [at, error] = position_at(point, s);
        return half_space_gap_exceeds(normal, position, at, at_least(gap, (stray + error) * (1.0 + 1e-9)));
      };
      if (is_clear(begin) && is_clear(end)) continue;
      if (count >= max_intervals) return false;
      const double middle = 0.5 * (begin + end);
      left.push_back({middle, end});
      left.push_back({begin, middle});
    }
    return true;
  };
  const auto judge = [&](int h, int v, int body, double radius) {
    const VerifyBody& of = scene_.bodies[body];
    if (!points[v].is_moving() || !of.collides || scene_.ignored_pairs.count({-1 - h, of.entry}) > 0) return;
    if (is_above(h, v, radius)) {
      ++counts.num_half_spaces;
    } else {
      note({PathOffense::Kind::half_space, PathVerdict::undecided, 0.0, body, h, {v}, {}}, counts);
    }
  };
  for (int h = 0; h < static_cast<int>(scene_.half_spaces.size()); ++h) {
    for (int v = 0; v < points.size(); ++v) {
      const int body = surface_.vertex_body[v];
      if (body < 0 || meets_half_spaces_[v] == 0 || rules_.is_obstacle(body)) continue;
      if (scene_.bodies[body].rounds.empty()) judge(h, v, body, scene_.bodies[body].radius);
    }
    for (const Axis& corner : corners_) {
      if (corner.is_round) judge(h, corner.ends[0], corner.body, corner.radius);
    }
  }
}

}  // namespace clearance::verify
