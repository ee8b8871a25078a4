#include "clearance/simulation/overlaps/body_pair.h"

#include <algorithm>
#include <cmath>

#include "clearance/geometry/distance.h"
#include "clearance/geometry/intersection.h"
#include "clearance/math/elementary.h"
#include "clearance/simulation/overlaps/container.h"
#include "clearance/simulation/start/overlap_depth.h"

namespace clearance {

namespace {

/// Largest number of face normals that are tried, each in both directions.
constexpr std::size_t max_face_directions = 12;
/// Cosine above which two directions count as one.
constexpr double same_direction = 0.9995;
/// Factor by which a shift may be longer than the best one and count as equally good.
constexpr double accuracy = 1.01;

/// Returns directions that are spread evenly all around, the axes among them.
std::vector<Vec<3>> directions_around(int dim) {
  std::vector<Vec<3>> directions;
  if (dim == 2) {
    for (int i = 0; i < 16; ++i) {
      const double angle = M_PI / 8.0 * i;
      directions.push_back({elementary::cos(angle), elementary::sin(angle), 0.0});
    }
    return directions;
  }
  for (int i = -1; i <= 1; ++i) {
    for (int j = -1; j <= 1; ++j) {
      for (int k = -1; k <= 1; ++k) {
        if (i != 0 || j != 0 || k != 0) directions.push_back(Vec<3>(i, j, k).normalized());
      }
    }
  }
  return directions;
}

/// Returns the direction without the components that are not free; nothing if none is left.
std::optional<Vec<3>> freed(Vec<3> direction, const std::array<bool, 3>& free) {
  for (int c = 0; c < 3; ++c) {
    if (!free[c]) direction[c] = 0.0;
  }
  const double length = direction.norm();
  if (!(length > 1e-6)) return std::nullopt;
  return direction / length;
}

void add_direction(const std::optional<Vec<3>>& direction, std::vector<Vec<3>>& directions) {
  if (!direction) return;
  const bool is_known = std::any_of(directions.begin(), directions.end(),
                                    [&](const Vec<3>& d) { return d.dot(*direction) > same_direction; });
  if (!is_known) directions.push_back(*direction);
}

/// Returns two unit vectors perpendicular to a direction; in 2D one.
std::vector<Vec<3>> sideways(const Vec<3>& direction, int dim) {
  if (dim == 2) return {Vec<3>(-direction[1], direction[0], 0.0)};
  int smallest = 0;
  direction.cwiseAbs().minCoeff(&smallest);
  const Vec<3> first = cross_product(direction, Vec<3>::Unit(smallest)).normalized();
  return {first, cross_product(direction, first)};
}

}  // namespace

bool are_boxes_apart(const BodySurfaces& surfaces, const std::array<int, 2>& bodies, const Vec<3>& shift, double gap) {
  const BoundingBox &a = surfaces.box(bodies[0]), &b = surfaces.box(bodies[1]);
  return ((a.min + shift - b.max).array() > gap).any() || ((b.min - a.max - shift).array() > gap).any();
}

BodyPair::BodyPair(const SceneModel& scene, const BodySurfaces& surfaces,
                   const std::vector<std::optional<Solid>>& solids, int first, int second)
    : scene_(scene), dim_(scene.dim), bodies_{first, second}, surfaces_(surfaces), solids_(solids) {
  std::vector<double> flat;
  for (std::size_t side = 0; side < 2; ++side) {
    add_side(side, flat);
  }
  start_ = Eigen::Map<const VecX>(flat.data(), std::ssize(flat));
  broad_phase_ = make_broad_phase(dim_, topology_);
  const auto is_around = [&](int outer, int inner) {
    return is_container(scene, surfaces, solids[outer], outer, inner);
  };
  is_around_ = {is_around(first, second), is_around(second, first)};
}

/// Adds the surface of the first or the second body to both, and its positions to `flat`.
void BodyPair::add_side(std::size_t side, std::vector<double>& flat) {
  const int body = bodies_[side];
  counts_[side] = surfaces_.num_vertices(body);
  const int from = surfaces_.first_vertex(body);
  const int offset = topology_.num_vertices - from;
  for (auto t : surfaces_.triangles(body)) {
    for (int& v : t) v += offset;
    topology_.triangles.push_back(t);
  }
  for (auto e : surfaces_.edges(body)) {
    for (int& v : e) v += offset;
    topology_.edges.push_back(e);
  }
  for (int i = 0; i < counts_[side]; ++i) {
    const Vec<3>& x = surfaces_.position(from + i);
    flat.insert(flat.end(), x.data(), x.data() + dim_);
  }
  topology_.num_vertices += counts_[side];
  topology_.vertex_body.resize(topology_.num_vertices, static_cast<int>(side));
  topology_.vertex_group.resize(topology_.num_vertices, static_cast<int>(side));
}

void BodyPair::place(const Vec<3>& shift) {
  x_ = start_;
  for (int v = 0; v < counts_[0]; ++v) x_.segment(dim_ * v, dim_) += shift.head(dim_);
}

Vec<3> BodyPair::point(int vertex) const {
  Vec<3> p = Vec<3>::Zero();
  p.head(dim_) = x_.segment(dim_ * vertex, dim_);
  return p;
}

bool BodyPair::is_apart(const Vec<3>& shift, double gap) {
  if (are_boxes_apart(surfaces_, bodies_, shift, gap)) return !is_contained();
  place(shift);
  return !meets() && !comes_closer(gap) && !is_enclosed(shift);
}

/// Returns true if the two surfaces meet. Appends to `normals` the normals of the faces that meet the other body, once
/// for every meeting.
bool BodyPair::meets(std::vector<Vec<3>>* normals) {
  bool found = false;
  for (const auto& [first, second] : broad_phase_->find_intersection_candidates(x_)) {
    const auto& e = topology_.edges[first];
    const Vec<3> a = point(e[0]), b = point(e[1]);
    Vec<3> normal;
    if (dim_ == 2) {
      const auto& f = topology_.edges[second];
      const Vec<3> c = point(f[0]), d = point(f[1]);
      if (!edges_intersect(Vec<2>(a.head<2>()), Vec<2>(b.head<2>()), Vec<2>(c.head<2>()), Vec<2>(d.head<2>())))
        continue;
      normal = Vec<3>(c[1] - d[1], d[0] - c[0], 0.0);
      if (normals != nullptr) normals->emplace_back(a[1] - b[1], b[0] - a[0], 0.0);
    } else {
      const auto& t = topology_.triangles[second];
      const Vec<3> t0 = point(t[0]), t1 = point(t[1]), t2 = point(t[2]);
      if (!edge_intersects_triangle(a, b, t0, t1, t2)) continue;
      normal = cross_product(t1 - t0, t2 - t0);
    }
    found = true;
    if (normals == nullptr) return true;
    normals->push_back(normal);
  }
  return found;
}

bool BodyPair::comes_closer(double gap) {
  // Boxes that grow by half of the gap on either side meet wherever the distance may be less than the gap.
  const Candidates candidates = broad_phase_->find_candidates(x_, x_, 0.5 * gap);
  const double gap_sq = gap * gap;
  const auto end = [&](const std::array<int, 2>& edge, std::size_t i) { return point(edge[i]); };
  for (const auto& [v, t] : candidates.point_triangle) {
    const auto& triangle = topology_.triangles[t];
    if (point_triangle_distance_sq(point(v), point(triangle[0]), point(triangle[1]), point(triangle[2])) < gap_sq) {
      return true;
    }
  }
  for (const auto& [e, f] : candidates.edge_edge) {
    const auto& a = topology_.edges[e];
    const auto& b = topology_.edges[f];
    if (edge_edge_distance_sq(end(a, 0), end(a, 1), end(b, 0), end(b, 1)) < gap_sq) return true;
  }
  for (const auto& [v, e] : candidates.point_edge) {
    const auto& edge = topology_.edges[e];
    if (point_edge_distance_sq<3>(point(v), end(edge, 0), end(edge, 1)) < gap_sq) return true;
  }
  return false;
}

/// Returns true if one body is on the wrong side of the other. One vertex is enough for the test, because no surfaces
/// meet.
bool BodyPair::is_enclosed(const Vec<3>& shift) const {
  if (counts_[0] == 0 || counts_[1] == 0) return false;
  // The solids are at the start positions of their bodies, so that vertices are shifted instead.
  const Vec<3> of_first = surfaces_.position(surfaces_.first_vertex(bodies_[0])) + shift;
  const Vec<3> of_second = surfaces_.position(surfaces_.first_vertex(bodies_[1])) - shift;
  return is_on_wrong_side(1, of_first) || is_on_wrong_side(0, of_second);
}

bool BodyPair::is_on_wrong_side(std::size_t outer, const Vec<3>& vertex_of_other) const {
  const std::optional<Solid>& solid = solids_[bodies_[outer]];
  return solid && solid->holds(vertex_of_other) != is_around_[outer];
}

double BodyPair::distance_beyond(const Vec<3>& direction, const Vec<3>& shift, double gap) const {
  double nearest = infinity, farthest = -infinity;
  for (int v = 0; v < counts_[0]; ++v) {
    nearest = std::min(nearest, direction.head(dim_).dot(start_.segment(dim_ * v, dim_)));
  }
  for (int v = counts_[0]; v < topology_.num_vertices; ++v) {
    farthest = std::max(farthest, direction.head(dim_).dot(start_.segment(dim_ * v, dim_)));
  }
  // The distance is a little more than the gap, so that rounding does not undo it.
  return std::max(0.0, farthest - nearest - direction.dot(shift) + 1.001 * gap);
}

/// Returns the directions to try: the normals of the faces that meet, the largest first, and directions all around.
std::vector<Vec<3>> BodyPair::shift_directions(const Vec<3>& shift, const std::array<bool, 3>& free) {
  std::vector<Vec<3>> directions;
  std::vector<Vec<3>> normals;
  place(shift);
  meets(&normals);
  std::stable_sort(normals.begin(), normals.end(),
                   [](const Vec<3>& a, const Vec<3>& b) { return a.squaredNorm() > b.squaredNorm(); });
  for (const Vec<3>& normal : normals) {
    if (directions.size() >= 2 * max_face_directions || normal.isZero(0.0)) break;
    for (const double sign : {1.0, -1.0}) add_direction(freed(sign * normal.normalized(), free), directions);
  }
  for (const Vec<3>& direction : directions_around(dim_)) add_direction(freed(direction, free), directions);
  return directions;
}

namespace {

/// Shift that is the shortest so far, as a length [m] along a unit vector.
struct LeastShift {
  double length = infinity;
  Vec<3> direction = Vec<3>::Zero();
};

/// Tries the directions around the best one, in smaller and smaller angles, of which the first and the last are given.
template <class TryDirection>
void refine_direction(const LeastShift& best, int dim, const std::array<bool, 3>& free,
                      const std::array<double, 2>& angles, const TryDirection& try_direction) {
  for (double angle = angles[0]; angle > angles[1]; angle *= 0.5) {
    for (bool is_better = true; is_better;) {
      is_better = false;
      for (const Vec<3>& side : sideways(best.direction, dim)) {
        for (const double sign : {1.0, -1.0}) {
          const std::optional<Vec<3>> turned = freed((best.direction + sign * angle * side).normalized(), free);
          if (turned && try_direction(*turned)) is_better = true;
        }
      }
    }
  }
}

}  // namespace

std::optional<Vec<3>> BodyPair::find_least_shift(const Vec<3>& shift, double gap, const std::array<bool, 3>& free) {
  const std::vector<Vec<3>> directions = shift_directions(shift, free);
  if (directions.empty()) return std::nullopt;

  // A body that is beyond the other one is always apart. For convex bodies this shift is the shortest one.
  LeastShift least;
  const auto try_beyond = [&](const Vec<3>& direction) {
    const double t = distance_beyond(direction, shift, gap);
    if (!(t < least.length)) return false;
    least = {t, direction};
    return true;
  };
  for (const Vec<3>& direction : directions) try_beyond(direction);
  refine_direction(least, dim_, free, {0.4, 0.005}, try_beyond);

  // Bodies with hollows may be apart after a much shorter shift, though not before their vertices are out. A body in a
  // container must not leave it.
  const double farthest = least.length;
  if (is_contained()) least.length = infinity;
  const double depth = is_contained() ? 0.0 : find_overlap(scene_, surfaces_, bodies_[0], bodies_[1], shift).depth;
  const auto try_at = [&](const Vec<3>& direction, double t) { return is_apart(shift + t * direction, gap); };
  const auto shorten = [&](const Vec<3>& direction, double apart, double not_apart) {
    while (apart > accuracy * not_apart && apart - not_apart > 0.25 * gap) {
      const double middle = 0.5 * (apart + not_apart);
      (try_at(direction, middle) ? apart : not_apart) = middle;
    }
    least = {apart, direction};
  };
  const double longest = farthest / accuracy;
  for (double t = std::min(std::max(gap, depth), longest), last = depth; t < longest; last = t, t *= 1.5) {
    for (const Vec<3>& direction : directions) {
      if (t < least.length && try_at(direction, t)) shorten(direction, t, last);
    }
    if (least.length < longest) break;
  }
  if (least.length < longest) {
    refine_direction(least, dim_, free, {0.2, 0.02}, [&](const Vec<3>& direction) {
      if (!try_at(direction, least.length / accuracy)) return false;
      shorten(direction, least.length / accuracy, 0.5 * least.length);
      return true;
    });
  }
  if (!(least.length < infinity)) return std::nullopt;
  return Vec<3>(least.length * least.direction);
}

}  // namespace clearance
