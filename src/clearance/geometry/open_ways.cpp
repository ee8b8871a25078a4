#include "clearance/geometry/open_ways.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "clearance/geometry/distance.h"
#include "clearance/geometry/intersection.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

/// Cosine of the largest angle between a direction and the normal of a face that looks along it. Sides of a body that
/// stand on another one have 0, the three faces at the corner on which a cube stands 0.58.
constexpr double looks_along = 0.5;
/// Overlapping surfaces are nearer to each other than this share of the way to the next surface behind.
constexpr double share_of_depth = 0.5;
/// A way is shortened by this share where it begins and lengthened by it where it ends: a face at its start belongs to
/// a layer that lies on the node, and one at its end is between both bodies.
constexpr double slack = 1e-6;

Vec<3> normalized_or_zero(const Vec<3>& v) {
  const double length = v.norm();
  return length > 0.0 ? Vec<3>(v / length) : Vec<3>(Vec<3>::Zero());
}

/// Returns the angle of a triangle at its corner k.
double angle_at(const std::array<Vec<3>, 3>& t, std::size_t k) {
  const Vec<3> a = t[(k + 1) % 3] - t[k], b = t[(k + 2) % 3] - t[k];
  return elementary::atan2(cross_product(a, b).norm(), a.dot(b));
}

}  // namespace

OpenWays::OpenWays(int dim, std::vector<SurfacePiece> pieces, std::span<const Vec<3>> points, bool is_solid)
    : dim_(dim),
      is_solid_(is_solid),
      pieces_(std::move(pieces)),
      points_(points),
      faces_of_node_(points.size()),
      mean_normal_(points.size(), Vec<3>::Zero()) {
  const auto num_corners = static_cast<std::size_t>(dim);
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const SurfacePiece& piece = pieces_[i];
    Face face{normal_of(piece), points_[piece[0]], 0.0};
    for (std::size_t k = 0; k < num_corners; ++k) {
      face.radius = std::max(face.radius, (points_[piece[k]] - face.center).norm());
      const double share = dim_ == 3 ? angle_at({points_[piece[0]], points_[piece[1]], points_[piece[2]]}, k) : 1.0;
      mean_normal_[piece[k]] += share * face.normal;
      faces_of_node_[piece[k]].push_back(static_cast<int>(i));
    }
    faces_.push_back(face);
  }
  for (Vec<3>& normal : mean_normal_) normal = normalized_or_zero(normal);
}

Vec<3> OpenWays::normal_of(const SurfacePiece& piece) const {
  const Vec<3> u = points_[piece[1]] - points_[piece[0]];
  // The inside of a body in the plane is to the left of its edges.
  if (dim_ == 2) return normalized_or_zero({u[1], -u[0], 0.0});
  return normalized_or_zero(cross_product(u, points_[piece[2]] - points_[piece[0]]));
}

bool OpenWays::is_open(int node, const Vec<3>& end, double touching) const {
  const Vec<3>& start = points_[node];
  const double length = (end - start).norm();
  if (length <= touching) return true;
  const bool is_cut = is_cut_off(node, start, end);
  if (is_cut || !is_solid_) return !is_cut;
  if (faces_of_node_[node].empty()) return false;  // inside

  // 1. The side of the node's faces on which the way begins.
  const Vec<3> direction = (end - start) / length;
  double outwards = mean_normal_[node].dot(direction), inwards = -outwards;
  for (const int i : faces_of_node_[node]) {
    outwards = std::max(outwards, faces_[i].normal.dot(direction));
    inwards = std::max(inwards, -faces_[i].normal.dot(direction));
  }
  if (outwards >= looks_along) return true;
  if (inwards < looks_along) return false;  // along the surface

  // 2. A way into the body: no surface of it is nearer to the end than to the node.
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Face& face = faces_[i];
    if ((face.center - end).norm() - face.radius > share_of_depth * length) continue;
    if (std::abs(face.normal.dot(direction)) < looks_along) continue;
    const SurfacePiece& piece = pieces_[i];
    if (std::find(piece.begin(), piece.end(), node) != piece.end()) continue;
    if (distance(piece, end) < share_of_depth * length) return false;
  }
  return true;
}

bool OpenWays::is_cut_off(int node, const Vec<3>& start, const Vec<3>& end) const {
  const Vec<3> way = end - start, middle = 0.5 * (start + end);
  const Vec<3> first = start + slack * way, last = end + slack * way;
  const double length = way.norm();
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Face& face = faces_[i];
    if ((face.center - middle).norm() > face.radius + length) continue;
    if (std::abs(face.normal.dot(way)) < looks_along * length) continue;
    const SurfacePiece& piece = pieces_[i];
    if (std::find(piece.begin(), piece.end(), node) != piece.end()) continue;
    if (cuts(piece, first, last)) return true;
  }
  return false;
}

bool OpenWays::cuts(const SurfacePiece& piece, const Vec<3>& start, const Vec<3>& end) const {
  const Vec<3>&a = points_[piece[0]], &b = points_[piece[1]];
  if (dim_ == 3) return edge_intersects_triangle(start, end, a, b, points_[piece[2]]);
  return edges_intersect(Vec<2>(start.head<2>()), Vec<2>(end.head<2>()), Vec<2>(a.head<2>()), Vec<2>(b.head<2>()));
}

double OpenWays::distance(const SurfacePiece& piece, const Vec<3>& p) const {
  const Vec<3>&a = points_[piece[0]], &b = points_[piece[1]];
  return std::sqrt(dim_ == 3 ? point_triangle_distance_sq(p, a, b, points_[piece[2]])
                             : point_edge_distance_sq<3>(p, a, b));
}

}  // namespace clearance
