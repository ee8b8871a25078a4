#include "clearance/solver/remembered_pairs.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "clearance/base/parallel.h"
#include "clearance/model/blocks.h"
#include "clearance/solver/swept_candidates.h"

namespace clearance {

namespace {

/// So many paths of a step are searched without a margin. To remember costs as much as two or three searches: steps of
/// three directions of twisted rods took a seventh longer with a patience of 2.
constexpr int patience = 5;
/// Shares of the longest margin: a path must be shorter, or the pairs would hardly serve another one; and the widest
/// margin of a close place.
constexpr double longest_path = 0.5, longest_close_margin = 0.5;
/// Margin of the close place in lengths of the present path, and the ratio at which a margin is too wide for it: the
/// more pairs there are, the longer it takes to select from them.
constexpr double paths_of_margin = 4.0, widest_margin = 16.0, least_margin = 0.5;
/// Margin of the far place over what it has to hold: few gears that turn slowly need no pairs at a quarter of an edge.
constexpr double far_ratio = 8.0;
/// Number of pairs from which on they are remembered, and their least ratio to those within three activation distances.
constexpr std::size_t least_pairs = 512, close_ratio = 16;
/// Relative bound on the rounding of distances and reaches.
constexpr double rounding = 1e-9;

/// Returns how far the path of a vertex goes away from `place`. A ball contains the straight line between two of its
/// points.
template <int dim>
double reach_from(const VecX& place, const SurfacePath& path, int vertex) {
  const Vec<dim> x = block<dim>(place, vertex);
  const double farthest =
      std::max((block<dim>(path.x_t0, vertex) - x).squaredNorm(), (block<dim>(path.x_t1, vertex) - x).squaredNorm());
  return std::sqrt(farthest) + (path.deviation.empty() ? 0.0 : path.deviation[vertex]);
}

template <int dim>
double length_of(const SurfacePath& path, int num_vertices) {
  const auto reach = [&](int v) { return reach_from<dim>(path.x_t0, path, v); };
  return ordered_reduce(
      num_vertices, 0.0, reach, [](double a, double b) { return std::max(a, b); }, 4096);
}

/// Returns the pairs k for which is_chosen(k), in their order.
template <class IsChosen>
Candidates choose(const Candidates& pairs, const IsChosen& is_chosen) {
  Candidates result;
  std::size_t k = 0;
  const auto keep = [&](const std::vector<std::array<int, 2>>& from, std::vector<std::array<int, 2>>& to) {
    for (const auto& pair : from) {
      if (is_chosen(k++)) to.push_back(pair);
    }
  };
  keep(pairs.point_triangle, result.point_triangle);
  keep(pairs.edge_edge, result.edge_edge);
  keep(pairs.point_edge, result.point_edge);
  keep(pairs.point_point, result.point_point);
  return result;
}

}  // namespace

template <int dim>
RememberedPairs<dim>::RememberedPairs(const SurfaceTopology& surface, const ContactModel<dim>& contacts,
                                      double longest_margin)
    : surface_(surface),
      contacts_(contacts),
      near_(contacts.activation_distance() * (1.0 + rounding)),
      longest_margin_(longest_margin) {}

template <int dim>
Candidates RememberedPairs<dim>::find(BroadPhase& broad_phase, const SurfacePath& path) {
  const auto search = [&] {
    ++num_searches_;
    return contacts_.find_candidates(broad_phase, path.x_t0, path.x_t1, path.deviation);
  };
  if (num_searches_ < patience || longest_margin_ < 0.0) return search();
  const double length = length_of<dim>(path, surface_.num_vertices);
  const double margin = std::max(paths_of_margin * length, least_margin * near_);
  const bool is_long = margin > longest_close_margin * longest_margin_;
  if (is_long ? covers(far_, path) : close_.margin <= widest_margin * margin && covers(close_, path)) {
    return select(is_long ? far_ : close_);
  }
  if (length > longest_path * longest_margin_) return search();
  // Remembering pays where few of the pairs whose boxes overlap are near. The faces of boxes that lie upon each other
  // are all near.
  if (far_.margin < 0.0) {
    Candidates all = search();
    const std::size_t num_close = make_place(path.x_t0, near_, all).distance.size();
    const bool pays = all.is_complete && all.size() >= least_pairs && close_ratio * num_close <= all.size();
    if (!pays || !find_far(broad_phase, path.x_t0, is_long ? length : margin)) longest_margin_ = -1.0;
    return all;
  }
  if (!find_far(broad_phase, path.x_t0, is_long ? length : margin)) return search();
  if (!is_long) close_ = make_place(path.x_t0, margin, select(far_));
  const Place& place = is_long ? far_ : close_;
  covers(place, path);
  return select(place);
}

/// True if a path stays within the margin of a place. Sets the reaches.
template <int dim>
bool RememberedPairs<dim>::covers(const Place& place, const SurfacePath& path) {
  if (place.margin < 0.0) return false;
  reach_.resize(surface_.num_vertices);
  parallel_for(surface_.num_vertices, 4096, [&](int v) { reach_[v] = reach_from<dim>(place.x, path, v); });
  return is_reach_within(place);
}

/// True if everything that is nearer than `around` [m] to `x` is within the margin of a place. Sets the reaches.
template <int dim>
bool RememberedPairs<dim>::covers(const Place& place, const VecX& x, double around) {
  if (place.margin < 0.0) return false;
  reach_.resize(surface_.num_vertices);
  parallel_for(surface_.num_vertices, 4096,
               [&](int v) { reach_[v] = (block<dim>(x, v) - block<dim>(place.x, v)).norm() + around; });
  return is_reach_within(place);
}

template <int dim>
bool RememberedPairs<dim>::is_reach_within(const Place& place) const {
  return std::all_of(reach_.begin(), reach_.end(), [&](double reach) { return reach <= place.margin; });
}

/// Finds a far place that holds everything that is nearer than `around` [m] to `x`. False if it has too many pairs;
/// then nothing is remembered in this step.
template <int dim>
bool RememberedPairs<dim>::find_far(BroadPhase& broad_phase, const VecX& x, double around) {
  if (covers(far_, x, around)) return true;
  const double margin = std::min(far_ratio * around, longest_margin_);
  const std::vector<double> margins(surface_.num_vertices, margin * (1.0 + rounding));
  far_ = make_place(x, margin, contacts_.find_candidates(broad_phase, x, x, margins));
  if (far_.margin < 0.0) longest_margin_ = -1.0;
  return covers(far_, x, around);
}

/// Returns the place `x` with those of the pairs that are not farther apart than their vertices may go.
template <int dim>
auto RememberedPairs<dim>::make_place(const VecX& x, double margin, Candidates pairs) const -> Place {
  Place place;
  place.pairs.is_complete = pairs.is_complete;
  if (!pairs.is_complete) return place;
  SurfacePath rest;
  rest.x_t0 = rest.x_t1 = x;
  const SweptCandidates measured = measure_candidates<dim>(surface_, rest, std::move(pairs));
  const double farthest = near_ + 2.0 * margin * (1.0 + rounding);
  place.margin = margin;
  place.x = x;
  place.pairs = choose(measured.pairs, [&](std::size_t k) { return measured.distance[k] <= farthest; });
  std::copy_if(measured.distance.begin(), measured.distance.end(), std::back_inserter(place.distance),
               [&](double distance) { return distance <= farthest; });
  for (std::size_t k = 0; k < place.distance.size(); ++k) {
    const PrimitivePair pair = pair_of(surface_, place.pairs, k);
    const auto body_of = [&](int i) { return surface_.vertex_body[pair.vertices[i]]; };
    place.bodies.push_back({body_of(0), body_of(pair.num_first)});
  }
  return place;
}

/// Returns the pairs of a place that their distance does not tell to stay apart: both primitives move towards each
/// other at most as far as their vertices reach. Most pairs are decided by the reaches of their bodies, which is ten
/// times faster than looking at their vertices.
template <int dim>
Candidates RememberedPairs<dim>::select(const Place& place) const {
  const std::vector<int>& body = surface_.vertex_body;
  std::vector<double> reach_of_body(body.empty() ? 0 : 1 + *std::max_element(body.begin(), body.end()), 0.0);
  for (std::size_t v = 0; v < body.size(); ++v) reach_of_body[body[v]] = std::max(reach_of_body[body[v]], reach_[v]);
  std::vector<char> may_be_near(place.distance.size(), 0);
  parallel_for(static_cast<int>(place.distance.size()), 8192, [&](int i) {
    const std::size_t k = i;
    const auto can_meet = [&](double reach) { return place.distance[k] - near_ <= reach * (1.0 + rounding); };
    const auto [first_body, second_body] = place.bodies[k];
    if (!can_meet(reach_of_body[first_body] + reach_of_body[second_body])) return;
    const PrimitivePair pair = pair_of(surface_, place.pairs, k);
    std::array<double, 2> reach{};
    for (int v = 0; v < pair.num_vertices(); ++v) {
      double& of_primitive = reach[v < pair.num_first ? 0 : 1];
      of_primitive = std::max(of_primitive, reach_[pair.vertices[v]]);
    }
    may_be_near[k] = can_meet(reach[0] + reach[1]);
  });
  return choose(place.pairs, [&](std::size_t k) { return may_be_near[k] != 0; });
}

template class RememberedPairs<2>;
template class RememberedPairs<3>;

}  // namespace clearance
