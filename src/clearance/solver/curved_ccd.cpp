#include "clearance/solver/curved_ccd.h"

#include <algorithm>
#include <cmath>

#include "clearance/geometry/distance.h"

namespace clearance {

namespace {

/// A piece counts as straight enough if it strays by at most this part of the room that is left.
constexpr double max_stray = 0.25;
/// The search ends with this part of the room at the start.
constexpr double end_of_search = 0.02;
constexpr int max_pieces = 10000;

template <int dim>
using Positions = std::array<Vec<dim>, dim + 1>;

template <int dim>
Positions<dim> positions_at(const SurfacePath& path, const PrimitivePair& pair, double s) {
  Positions<dim> positions;
  for (std::size_t i = 0; i <= dim; ++i) positions[i] = path.position<dim>(pair.vertices[i], s);
  return positions;
}

double distance(const PrimitivePair&, const Positions<2>& x) {
  return std::sqrt(point_edge_distance_sq<2>(x[0], x[1], x[2]));
}
double distance(const PrimitivePair& pair, const Positions<3>& x) {
  return std::sqrt(pair.num_first == 1 ? point_triangle_distance_sq(x[0], x[1], x[2], x[3])
                                       : edge_edge_distance_sq(x[0], x[1], x[2], x[3]));
}

CcdResult straight_ccd(const PrimitivePair&, const Positions<2>& start, const Positions<2>& stop,
                       const CcdOptions& options) {
  return point_edge_ccd<2>({start, stop}, options);
}
CcdResult straight_ccd(const PrimitivePair& pair, const Positions<3>& start, const Positions<3>& stop,
                       const CcdOptions& options) {
  const PrimitiveMotion<3, 4> motion{start, stop};
  return pair.num_first == 1 ? point_triangle_ccd(motion, options) : edge_edge_ccd(motion, options);
}

/// [m] How far the distance along the whole path may stray from that of straight lines. A point of a primitive strays
/// at most as far as the vertex that strays most.
template <int dim>
double total_deviation(const SurfacePath& path, const PrimitivePair& pair) {
  std::array<double, 2> largest{};
  for (int i = 0; i <= dim; ++i) {
    const auto at = static_cast<std::size_t>(pair.vertices[static_cast<std::size_t>(i)]);
    double& of_primitive = largest[i < pair.num_first ? 0 : 1];
    of_primitive = std::max(of_primitive, path.deviation[at]);
  }
  return largest[0] + largest[1];
}

/// [m] bound of the rounding of positions on screws.
template <int dim>
double rounding(const Positions<dim>& a, const Positions<dim>& b) {
  double size = 0.0;
  for (std::size_t i = 0; i <= dim; ++i) {
    size = std::max({size, a[i].cwiseAbs().maxCoeff(), b[i].cwiseAbs().maxCoeff()});
  }
  return 1e-14 * size;
}

}  // namespace

template <int dim>
bool is_straight(const SurfacePath& path, const PrimitivePair& pair) {
  return std::all_of(pair.vertices.begin(), pair.vertices.begin() + dim + 1,
                     [&](int v) { return path.is_straight(v); });
}

template <int dim>
CcdResult curved_ccd(const SurfacePath& path, const PrimitivePair& pair, const CcdOptions& options) {
  const double deviation = total_deviation<dim>(path, pair);
  Positions<dim> start = positions_at<dim>(path, pair, 0.0);
  double gap = distance(pair, start) - options.min_separation;
  const double target = options.min_separation + options.gap_fraction * std::max(gap, 0.0) +
                        rounding<dim>(start, positions_at<dim>(path, pair, options.max_time));
  const double first_room = gap + options.min_separation - target;
  if (!(first_room > 0.0)) return {CcdStatus::impact, 0.0};

  CcdOptions piece = options;
  piece.max_time = 1.0;
  piece.gap_fraction = 0.0;
  piece.is_exact = false;  // the deviation is a bound already
  double time = 0.0, length = options.max_time;
  for (int i = 0; i < max_pieces; ++i) {
    const double room = distance(pair, start) - target;
    if (room <= end_of_search * first_room) return {CcdStatus::impact, time};
    // A piece of a screw strays as the square of its length.
    length = std::min({length, options.max_time - time, std::sqrt(max_stray * room / deviation)});
    const double end = time + length >= options.max_time ? options.max_time : time + length;
    const Positions<dim> stop = positions_at<dim>(path, pair, end);
    piece.min_separation = target + deviation * (end - time) * (end - time);
    const CcdResult result = straight_ccd(pair, start, stop, piece);
    if (!result.is_impact()) {
      if (end >= options.max_time) return {CcdStatus::no_impact, options.max_time};
      time = end;
      length *= 2.0;
      start = stop;
    } else {
      const double next = time + result.toi * (end - time);
      if (!(next > time)) return {CcdStatus::impact, time};
      time = next;
      start = positions_at<dim>(path, pair, time);
    }
  }
  return {CcdStatus::budget_exhausted, time};
}

template bool is_straight<2>(const SurfacePath&, const PrimitivePair&);
template bool is_straight<3>(const SurfacePath&, const PrimitivePair&);
template CcdResult curved_ccd<2>(const SurfacePath&, const PrimitivePair&, const CcdOptions&);
template CcdResult curved_ccd<3>(const SurfacePath&, const PrimitivePair&, const CcdOptions&);

}  // namespace clearance
