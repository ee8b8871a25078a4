#include "clearance/solver/curved_ccd.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "clearance/geometry/distance.h"
#include "clearance/solver/turning_separation.h"

namespace clearance {

namespace {

/// Largest deviation of a piece that counts as straight, as a share of the remaining room.
constexpr double max_stray = 0.25;
/// The search ends with this part of the room at the start.
constexpr double end_of_search = 0.02;
/// Largest number of pieces. As pieces double or halve, this many lead from a whole turn to its 10^-9th part and back;
/// a query that needs more is better off with certificates. The longest of 1000 random and degenerate queries, with
/// both searches, took 1.5 ms.
constexpr int max_pieces = 64;
/// Advances along the straight lines of a piece; boxes of tight inclusion have their own limit.
constexpr int max_advances_of_piece = 100;
/// Largest number of certificates. In 1000 turns of up to ten radians, a sixth of them at gaps below 1e-9 m, 13 queries
/// reached this number: bodies that pivot on each other.
constexpr int max_certificates = 400;

template <int dim>
using Positions = ContactPositions<dim>;

template <int dim>
Positions<dim> positions_at(const SurfacePath& path, const PrimitivePair& pair, double s) {
  Positions<dim> positions;
  for (int i = 0; i < pair.num_vertices(); ++i) positions[i] = path.position<dim>(pair.vertices[i], s);
  return positions;
}

template <std::size_t count, int dim>
PrimitiveMotion<dim, count> motion_between(const Positions<dim>& start, const Positions<dim>& stop) {
  PrimitiveMotion<dim, count> motion;
  std::copy_n(start.begin(), count, motion.t0.begin());
  std::copy_n(stop.begin(), count, motion.t1.begin());
  return motion;
}

/// Returns a bound [m] of how far the distance along the whole path strays from that along straight lines. A point of a
/// primitive strays at most as far as the vertex that strays most.
double total_deviation(const SurfacePath& path, const PrimitivePair& pair) {
  std::array<double, 2> largest{};
  for (int i = 0; i < pair.num_vertices(); ++i) {
    const std::size_t at = pair.vertices[i];
    double& of_primitive = largest[i < pair.num_first ? 0 : 1];
    of_primitive = std::max(of_primitive, path.deviation[at]);
  }
  return largest[0] + largest[1];
}

/// Returns the usual rounding error [m] of distances; rounding_on_path is a bound of it.
template <int dim>
double usual_rounding(const PrimitivePair& pair, const Positions<dim>& a, const Positions<dim>& b) {
  double size = 0.0;
  for (int i = 0; i < pair.num_vertices(); ++i) {
    size = std::max({size, a[i].cwiseAbs().maxCoeff(), b[i].cwiseAbs().maxCoeff()});
  }
  return 1e-14 * size;
}

/// Search in progress: the distance is above `target` until `time`.
struct Search {
  double target;      ///< [m]
  double first_room;  ///< [m] of the distance at the start above the target
  double rounding;    ///< [m] of distances, a bound
  double time = 0.0;
  double max_time = 1.0;

  bool is_near(double distance) const { return distance - target <= end_of_search * first_room; }
};

/// Searches by adaptive linearisation with a limited number of pieces. Returns nothing if that does not settle the
/// query.
template <int dim>
std::optional<CcdResult> search_by_pieces(const SurfacePath& path, const PrimitivePair& pair, const CcdOptions& options,
                                          Positions<dim> start, Search& search) {
  const double deviation = total_deviation(path, pair);
  CcdOptions piece = options;
  // The target already contains the gap that is kept, so that a piece keeps only the target and the deviation.
  piece.max_time = 1.0;
  piece.gap_fraction = 0.0;
  piece.is_exact = false;  // the deviation is a bound already
  if (options.method == CcdMethod::clearance) {
    piece.max_iterations = std::min(options.max_iterations, max_advances_of_piece);
  }
  double& time = search.time;
  double length = search.max_time;
  for (int i = 0; i < max_pieces; ++i) {
    const double separation = distance<dim>(pair, start);
    if (search.is_near(separation)) return CcdResult{CcdStatus::impact, time};
    // A piece of a screw strays as the square of its length.
    length =
        std::min({length, search.max_time - time, std::sqrt(max_stray * (separation - search.target) / deviation)});
    const double end = time + length >= search.max_time ? search.max_time : time + length;
    const Positions<dim> stop = positions_at<dim>(path, pair, end);
    piece.min_separation = search.target + deviation * (end - time) * (end - time);
    const CcdResult result = straight_ccd<dim>(pair, start, stop, piece);
    // A free piece leads to its end, and the next one may be twice as long. A piece with an impact leads to that time.
    if (!result.is_impact()) {
      if (end >= search.max_time) return CcdResult{CcdStatus::no_impact, search.max_time};
      time = end;
      length *= 2.0;
      start = stop;
    } else {
      const double next = time + result.toi * (end - time);
      // No progress is left along straight lines, or it would take too many advances.
      if (!(next > time)) return std::nullopt;
      time = next;
      if (result.status == CcdStatus::budget_exhausted) return std::nullopt;
      start = positions_at<dim>(path, pair, time);
    }
  }
  return std::nullopt;
}

/// Searches by certificates along turning directions, from the time that `search` has reached.
template <int dim>
CcdResult search_by_certificates(const SurfacePath& path, const PrimitivePair& pair, Search& search) {
  TurningPair<dim> turning(path, pair);
  for (int i = 0; i < max_certificates; ++i) {
    turning.set_time(search.time);
    // Once under way, room below the rounding is none: steps would be noise.
    const double separation = turning.separation() - (i > 0 ? search.rounding : 0.0);
    if (search.is_near(separation)) return {CcdStatus::impact, search.time};
    // The certificate either covers the rest of the path or leads to the time of the next one.
    const double left = search.max_time - search.time, length = turning.certified_length(search.target, left);
    if (length >= left) return {CcdStatus::no_impact, search.max_time};
    const double next = search.time + length;
    if (!(next > search.time)) return {CcdStatus::impact, search.time};
    search.time = next;
  }
  return {CcdStatus::budget_exhausted, search.time};
}

}  // namespace

template <int dim>
double distance(const PrimitivePair& pair, const ContactPositions<dim>& x) {
  const int count = pair.num_vertices();
  if (count == 2) return (x[0] - x[1]).norm();
  if constexpr (dim == 3) {
    if (count == 4) {
      return std::sqrt(pair.num_first == 1 ? point_triangle_distance_sq(x[0], x[1], x[2], x[3])
                                           : edge_edge_distance_sq(x[0], x[1], x[2], x[3]));
    }
  }
  return std::sqrt(point_edge_distance_sq<dim>(x[0], x[1], x[2]));
}

bool is_straight(const SurfacePath& path, const PrimitivePair& pair) {
  return std::all_of(pair.vertices.begin(), pair.vertices.begin() + pair.num_vertices(),
                     [&](int v) { return path.is_straight(v); });
}

template <int dim>
double rounding_on_path(const SurfacePath& path, const PrimitivePair& pair) {
  std::array<double, 2> largest{};
  for (int i = 0; i < pair.num_vertices(); ++i) {
    double& of_primitive = largest[i < pair.num_first ? 0 : 1];
    of_primitive = std::max(of_primitive, path.rounding<dim>(pair.vertices[i]));
  }
  return largest[0] + largest[1];
}

template <int dim>
CcdResult straight_ccd(const PrimitivePair& pair, const ContactPositions<dim>& start, const ContactPositions<dim>& stop,
                       const CcdOptions& options) {
  const int count = pair.num_vertices();
  if (count == 2) return point_point_ccd<dim>(motion_between<2, dim>(start, stop), options);
  if constexpr (dim == 3) {
    if (count == 4) {
      const PrimitiveMotion<3, 4> motion{start, stop};
      return pair.num_first == 1 ? point_triangle_ccd(motion, options) : edge_edge_ccd(motion, options);
    }
  }
  return point_edge_ccd<dim>(motion_between<3, dim>(start, stop), options);
}

template <int dim>
CcdResult curved_ccd(const SurfacePath& path, const PrimitivePair& pair, const CcdOptions& options) {
  Positions<dim> start = positions_at<dim>(path, pair, 0.0);
  const double gap = distance<dim>(pair, start) - options.min_separation;
  const double usual = usual_rounding<dim>(pair, start, positions_at<dim>(path, pair, options.max_time));
  Search search;
  search.max_time = options.max_time;
  search.rounding = rounding_on_path<dim>(path, pair);
  // The target is the gap to be kept, and at least the bound of the rounding error above the minimum separation.
  search.target = std::max(options.min_separation + options.gap_fraction * std::max(gap, 0.0) + usual,
                           options.min_separation + search.rounding);
  search.first_room = gap + options.min_separation - search.target;
  if (!(search.first_room > 0.0)) return {CcdStatus::impact, 0.0};
  // Pieces settle most queries; certificates take over at the time that the pieces have reached.
  const std::optional<CcdResult> result = search_by_pieces<dim>(path, pair, options, start, search);
  return result ? *result : search_by_certificates<dim>(path, pair, search);
}

template double distance<2>(const PrimitivePair&, const ContactPositions<2>&);
template double distance<3>(const PrimitivePair&, const ContactPositions<3>&);
template double rounding_on_path<2>(const SurfacePath&, const PrimitivePair&);
template double rounding_on_path<3>(const SurfacePath&, const PrimitivePair&);
template CcdResult straight_ccd<2>(const PrimitivePair&, const ContactPositions<2>&, const ContactPositions<2>&,
                                   const CcdOptions&);
template CcdResult straight_ccd<3>(const PrimitivePair&, const ContactPositions<3>&, const ContactPositions<3>&,
                                   const CcdOptions&);
template CcdResult curved_ccd<2>(const SurfacePath&, const PrimitivePair&, const CcdOptions&);
template CcdResult curved_ccd<3>(const SurfacePath&, const PrimitivePair&, const CcdOptions&);

}  // namespace clearance
