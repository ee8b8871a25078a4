#include "clearance/solver/direction_bound.h"

#include <fmt/format.h>

#include <algorithm>

#include "clearance/solver/joint_correction.h"
#include "clearance/solver/near_candidates.h"

namespace clearance {

namespace {

/// Length of the first sweep, in feasible lengths of the last direction; at the start of a step, in edges.
constexpr double sweep_reach = 4.0;
/// Growth of the next part if nothing is hit in this one. The last part costs most, and all parts before it cost
/// little.
constexpr double sweep_growth = 8.0;
/// Returns the largest number of pairs of a kind in a sweep. A body that turns about itself in one step meets nothing,
/// but would be paired with itself until memory ends.
std::size_t most_pairs(const SurfaceTopology& surface) {
  constexpr std::size_t least = 32'000'000, of_primitive = 64;
  return std::max(least, of_primitive * (surface.triangles.size() + surface.edges.size()));
}

/// Feasible part of a direction below which the direction is blocked.
constexpr double blocked_share = 0.9;
/// So many directions of a step may be blocked before encounters are foretold: where contacts are few, Newton meets
/// them in less.
constexpr int patience = 3;
/// Smallest part of a direction that is corrected for joints if more of it turns bodies too far.
constexpr double least_corrected = 0.25;
/// Times that a corrected direction is shortened to what is feasible of it.
constexpr int max_shortenings = 4;
/// A straight direction is taken instead of a bent one if so many times more of it is feasible.
constexpr double least_gain = 2.0;
/// Reach of the forecast in edges; later encounters are too uncertain.
constexpr double forecast_reach = 4.0;

/// Returns what limits a step to the domain of a term.
std::string limit_text(const Model& model, const StepLimit& limit, const std::string& term) {
  if (limit.what == nullptr) return fmt::format("{} element {}", term, limit.element);
  const std::vector<std::string>& names = model.surface.body_names;
  const std::size_t body = model.body_of_block.empty() ? 0 : model.body_of_block[limit.block];
  return fmt::format("{} of '{}'", limit.what, body < names.size() ? names[body] : std::to_string(body));
}

/// Returns the mean length [m] of the surface's edges; of a surface of balls alone, their mean diameter.
template <int dim>
double mean_edge_length(const SurfaceTopology& surface, const VecX& x_surface) {
  CompensatedSum sum;
  if (surface.edges.empty()) {
    for (const double radius : surface.radius) sum.add(2.0 * radius);
    return surface.radius.empty() ? 0.0 : sum.value() / static_cast<double>(surface.radius.size());
  }
  for (const auto& [i, j] : surface.edges) sum.add((block<dim>(x_surface, i) - block<dim>(x_surface, j)).norm());
  return sum.value() / static_cast<double>(surface.edges.size());
}

/// Returns the margin [m] of pairs that are remembered, at most: a part of an edge, beyond which boxes would find
/// several times as many pairs. Particles have no edges.
template <int dim>
double longest_margin(const StepInputs<dim>& in, double edge_length) {
  return std::max(0.25 * edge_length, 4.0 * in.copies.contact_model->activation_distance());
}

}  // namespace

template <int dim>
DirectionBound<dim>::DirectionBound(const StepInputs<dim>& in, const StepProblem<dim>& problem, StepLog& log)
    : in_(in),
      problem_(problem),
      log_(log),
      has_affine_(std::ranges::any_of(in.model.stiff_bodies, [](const StiffBody& body) { return !body.is_rigid; })),
      edge_length_(mean_edge_length<dim>(in.model.surface, problem.x_surface_t0())),
      feasible_length_(edge_length_),
      remembered_(in.model.surface, *in.copies.contact_model, longest_margin(in, edge_length_)) {}

template <int dim>
double DirectionBound<dim>::length(const VecX& x, const VecX& dy) const {
  return in_.coordinates().expand(x, dy).cwiseAbs().maxCoeff();
}

template <int dim>
std::optional<Direction> DirectionBound<dim>::corrected(const Iterate& from, const VecX& gradient, const VecX& linear,
                                                        double share, bool follows_joints) {
  VecX end = share * linear;
  if (follows_joints) {
    std::optional<VecX> on_arcs = correction_->corrected(from.x, end);
    if (!on_arcs) return std::nullopt;
    end = *std::move(on_arcs);
  }
  end = in_.coordinates().bent(from.x, end, problem_.is_fixed());
  if (gradient.dot(end) > 0.5 * share * gradient.dot(linear)) return std::nullopt;
  Direction direction = bound(from, std::move(end));
  direction.linear = linear;
  direction.share = share;
  direction.follows_joints = follows_joints;
  return direction;
}

template <int dim>
std::optional<Direction> DirectionBound<dim>::shortened(const Iterate& from, const VecX& gradient,
                                                        const Direction& direction, double share) {
  return corrected(from, gradient, direction.linear, share, direction.follows_joints);
}

/// Returns the longest part of dy, of those tried, that is feasible up to its corrected end. Corrections are right at
/// the end of a direction; on a part of the way they would leave errors that grow linearly. Nothing if no part can be
/// corrected.
template <int dim>
std::optional<Direction> DirectionBound<dim>::longest_corrected(const Iterate& from, const VecX& gradient,
                                                                const VecX& dy, bool follows_joints) {
  std::optional<Direction> direction;
  for (double share = 1.0; !direction && share >= least_corrected; share *= 0.5)
    direction = corrected(from, gradient, dy, share, follows_joints);
  for (int i = 0; direction && i < max_shortenings; ++i) {
    if (direction->alpha_limit >= 1.0 || !(direction->alpha_limit > 0.0)) break;
    std::optional<Direction> next = shortened(from, gradient, *direction, direction->alpha_limit * direction->share);
    if (!next) break;
    next->limited_by = direction->limited_by;
    next->is_blocked = direction->is_blocked;
    direction = std::move(next);
  }
  return direction;
}

/// Bending adds a motion of second order, which may push bodies together against any barrier (a crank's pin was driven
/// from 6e-5 m to 1e-16 m of its rod). Where gaps are as small as that motion, more of the straight direction is
/// feasible, and hardly stretches a body on so short a way. They are that small wherever prescribed nodes are pulled
/// against a body: there directions are bent once.
template <int dim>
Direction DirectionBound<dim>::feasible_direction(const Iterate& from, const VecX& gradient, const VecX& dy) {
  std::optional<Direction> direction;
  if (correction_ != nullptr && correction_->has_joints()) direction = longest_corrected(from, gradient, dy, true);
  if (direction) return *std::move(direction);
  const bool is_pulled = problem_.augmented().is_active();
  if (has_affine_) {
    direction = is_pulled ? corrected(from, gradient, dy, 1.0, false) : longest_corrected(from, gradient, dy, false);
  }
  if (!direction) return bound(from, dy);
  if (is_pulled) direction->linear.resize(0);
  const double feasible = direction->share * direction->alpha_limit;
  if (feasible >= 0.5) return *std::move(direction);
  const BarrierOptions& barrier = in_.options.barrier;
  const double gap = std::min(barrier.dhat, from.contacts.min_distance - barrier.min_separation);
  if (length(from.x, direction->alpha_limit * direction->dy - feasible * dy) < 0.1 * gap) return *std::move(direction);
  Direction straight = bound(from, dy);
  return straight.alpha_limit > (is_pulled ? 1.0 : least_gain) * feasible ? straight : *std::move(direction);
}

/// Applies the bound of the terms first, which shortens the sweep, and then broad phase and CCD. Early directions can
/// be a hundred times as long as what is feasible, and a sweep of the whole would pair everything with everything on
/// the way. The direction is therefore swept in growing parts until something is hit.
template <int dim>
Direction DirectionBound<dim>::bound(const Iterate& from, VecX dy) {
  Direction direction;
  direction.dy = std::move(dy);
  // A direction of zero hits nothing, and if the pairs at the iterate are known there is nothing to do.
  if (direction.dy.isZero(0.0)) {
    direction.candidates = from.candidates;
    if (in_.options.has_contact && !from.candidates) direction.candidates = pairs_at(from);
    feasible_length_ = 0.0;
    return direction;
  }
  limit_by_terms(from, direction);
  if (!in_.options.has_contact) return direction;

  const double longest = direction.alpha_limit;
  const double size = length(from.x, direction.dy);
  // Sweeps shorter than the activation distance find the same pairs. A part whose sweep has too many pairs is
  // shortened, at the least to the length at which the pairs are those at rest.
  const double reach = sweep_reach * std::max(feasible_length_, in_.options.barrier.dhat);
  const double shortest = in_.options.barrier.dhat / size;
  double part = reach < longest * size ? reach / size : longest;
  double bounded = -1.0;  // share that is bounded so far; negative: none
  // The swept part grows until it is not feasible as a whole.
  while (bounded < longest && direction.alpha_limit >= bounded) {
    const std::optional<SweptPart> swept = sweep(from, direction.dy, part, bounded >= 0.0 || part > shortest);
    if (!swept && bounded >= 0.0) {
      direction.limited_by = "the number of pairs on the way beyond";
      log_.note_limit(bounded, direction.limited_by);
      break;
    }
    if (!swept) {
      part = std::max(part / sweep_growth, shortest);
    } else {
      StageTimer timer(log_.profile(), Stage::ccd);
      keep(*swept, find_feasible_step<dim>(in_.model, swept->path, swept->candidates, in_.options), direction);
      bounded = part;
      part = std::min(sweep_growth * part, longest);
    }
  }
  feasible_length_ = direction.alpha_limit * size;
  direction.is_blocked = direction.alpha_limit < blocked_share * longest;
  return direction;
}

/// Limits the direction to the domains of the terms of the objective.
template <int dim>
void DirectionBound<dim>::limit_by_terms(const Iterate& from, Direction& direction) {
  StageTimer timer(log_.profile(), Stage::ccd);
  const auto limit = problem_.max_feasible_step(from.x, in_.coordinates().expand(from.x, direction.dy));
  if (!(limit.alpha < 1.0)) return;
  direction.alpha_limit = limit.alpha;
  direction.limited_by = limit_text(in_.model, limit, limit.term);
  log_.note_limit(limit.alpha, direction.limited_by);
}

template <int dim>
int DirectionBound<dim>::foretell(const Iterate& from, const VecX& dy, const Direction& bounded,
                                  ContactForecast<dim>& forecast) {
  if (!in_.copies.contact_model->has_radial_force()) return 0;
  // Encounters are predicted only after several blocked directions; known contacts are kept up to date.
  if (bounded.is_blocked) ++num_blocked_;
  if (num_blocked_ <= patience || (!bounded.is_blocked && forecast.is_empty())) return 0;
  const VecX dx = in_.coordinates().expand(from.x, dy);
  SurfacePath path;
  std::vector<Encounter> encounters;
  // The sweep goes beyond the feasible part, for a few edges, to find the pairs that the direction would meet.
  if (bounded.is_blocked) {
    const double part = std::min(1.0, forecast_reach * edge_length_ / dx.cwiseAbs().maxCoeff());
    const SweptCandidates swept = pair_along(from, dy, part, path);
    StageTimer timer(log_.profile(), Stage::ccd);
    encounters = find_encounters<dim>(in_.model, path, swept, in_.options);
  }
  StageTimer timer(log_.profile(), Stage::assembly);
  forecast.foretell(from, in_.model.surface_map.apply_linear(dx), encounters, path);
  return static_cast<int>(encounters.size());
}

/// Runs the swept broad phase on the first `part` of a direction and sets `path` to the path of the surface there.
template <int dim>
SweptCandidates DirectionBound<dim>::pair_along(const Iterate& from, const VecX& dy, double part, SurfacePath& path) {
  StageTimer timer(log_.profile(), Stage::broad_phase);
  path = in_.coordinates().surface_path(from.x, from.x_surface, dy, part);
  return measure_near_candidates<dim>(in_, path, remembered_.find(in_.broad_phase, path));
}

template <int dim>
std::shared_ptr<const Candidates> DirectionBound<dim>::pairs_at(const Iterate& at) {
  StageTimer timer(log_.profile(), Stage::broad_phase);
  const ContactModel<dim>& contacts = *in_.copies.contact_model;
  return std::make_shared<const Candidates>(contacts.find_candidates(in_.broad_phase, at.x_surface, at.x_surface));
}

/// Runs one swept broad phase on the first `part` of a direction; its candidates serve CCD and every trial energy.
/// Returns nothing if `is_limited` and there are more pairs than memory may hold.
template <int dim>
auto DirectionBound<dim>::sweep(const Iterate& from, const VecX& dy, double part, bool is_limited)
    -> std::optional<SweptPart> {
  SweptPart swept;
  swept.share = part;
  if (is_limited) in_.broad_phase.limit_pairs(most_pairs(in_.model.surface));
  swept.candidates = pair_along(from, dy, part, swept.path);
  in_.broad_phase.limit_pairs(unlimited_pairs);
  if (!swept.candidates.pairs.is_complete) return std::nullopt;
  // Record the queries, for benchmarks.
  if constexpr (dim == 3) {
    if (in_.hooks.on_ccd_query) {
      for_each_straight_query(in_.model.surface, swept.path, swept.candidates.pairs, in_.hooks.on_ccd_query);
    }
  }
  return swept;
}

/// Keeps of a direction what CCD says of its swept part.
template <int dim>
void DirectionBound<dim>::keep(const SweptPart& swept, const FeasibleStep& feasible, Direction& direction) {
  direction.alpha_limit = swept.share * feasible.alpha;
  direction.candidates = std::make_shared<const Candidates>(
      reachable_candidates(swept.candidates, feasible.alpha, in_.copies.contact_model->activation_distance()));
  log_.count_pairs(swept.candidates.distance.size(), feasible.num_ccd_calls);
  if (!(feasible.alpha < 1.0)) return;
  direction.limited_by = feasible.limited_by;
  log_.note_limit(direction.alpha_limit, feasible.limited_by);
}

template class DirectionBound<2>;
template class DirectionBound<3>;

}  // namespace clearance
