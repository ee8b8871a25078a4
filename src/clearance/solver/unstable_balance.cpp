#include "clearance/solver/unstable_balance.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "clearance/model/blocks.h"
#include "clearance/solver/accepted_move.h"

namespace clearance {
namespace {

/// Motion since a proof of stability, as a share of the motion in the step, that counts as nothing; and a tiny motion,
/// as a share of the scene's size. Newton's last direction is a ten-thousandth as a rule.
constexpr double noticeable_motion = 1e-3, tiny_motion = 1e-10;
/// Share of the diagonal that is rounding of a Hessian: motions without resistance are not to fail a factorisation.
constexpr double hessian_rounding = 1e-13;
/// Share of its diagonal that a projected Hessian gets, so that motions without resistance do not make it singular.
constexpr double least_shift = 1e-10, largest_shift = 1e-6;
/// Negative quotient of a motion that counts. Loads balance up to a thousandth.
constexpr double least_quotient = 1e-3;
/// Longest way out that is tried, as a share of the scene's size, and halvings of it.
constexpr double longest_way = 0.05;
constexpr int num_halvings = 20;
/// Rounding of the energy, as a share of the magnitude of its terms.
constexpr double energy_rounding = 1e-12;
/// Share of the curvature at the balance that the way out must have.
constexpr double least_curvature = 0.25;
/// Nodes that a motion needs to be one of a body and not of a spot of its surface, where vertices meet: this number, or
/// this share of the body's nodes.
constexpr double least_nodes = 8.0, least_share_of_nodes = 0.1;
/// Difference of the falls on both sides, as a share of the larger one, that tells which side is lower.
constexpr double least_difference = 0.01;

/// Returns numbers between -1 and 1 that are the same in every run (SplitMix64).
VecX scattered(Eigen::Index size) {
  VecX numbers(size);
  std::uint64_t state = 0;
  for (double& number : numbers) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    number = static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
  }
  return numbers;
}

}  // namespace

template <int dim>
auto UnstableBalance<dim>::find_exit(const Point& at, const NewtonSystem<dim>& newton) -> std::optional<Exit> {
  if (is_known_stable(at.iterate.x, newton.stable_at())) {
    shift_ = 0.0;
    return std::nullopt;
  }
  if (is_stable(at)) return std::nullopt;
  const std::optional<NegativeCurvature> motion = find_motion(at);
  if (!motion || is_held_softly(body_of(at.iterate.x, motion->dy))) return std::nullopt;
  if (is_local(at.iterate.x, motion->dy)) return std::nullopt;
  const VecX dy = scaled(at.iterate.x, motion->dy);
  const double scale = dy.norm() / motion->dy.norm();
  // v^T P v is one for Lanczos' vectors.
  const double curvature = motion->quotient * scale * scale;
  const double rounding = energy_rounding * problem_.energy_magnitude(at.iterate);
  Point from = at;
  from.energy = problem_.energy(from.iterate);
  std::optional<Point> ahead = lower_point(from, dy, curvature, rounding);
  std::optional<Point> back = lower_point(from, -dy, curvature, rounding);
  if (!ahead && !back) return std::nullopt;
  // If both sides are alike, the first one is taken in every run.
  const auto fall = [&](const std::optional<Point>& to) { return to ? -change_of(from.energy, to->energy) : 0.0; };
  const bool is_back_lower = fall(back) > (1.0 + least_difference) * fall(ahead);
  Exit exit{is_back_lower ? std::move(*back) : std::move(*ahead), {}};
  exit.instability.quotient = motion->quotient;
  exit.instability.body = body_of(at.iterate.x, dy);
  return exit;
}

/// True if no body has moved noticeably since a factorisation has shown that the Hessian is positive definite, beside
/// its motion in the step: stresses and loads then differ as little.
template <int dim>
bool UnstableBalance<dim>::is_known_stable(const VecX& x, const VecX& stable_at) const {
  if (stable_at.size() == 0) return false;
  VecX since = x - stable_at, in_step = x - in_.state.x;
  for (const int b : in_.model.inner_blocks) {
    block<dim>(since, b).setZero();
    block<dim>(in_step, b).setZero();
  }
  const int num_bodies = std::max(1, in_.model.surface.num_bodies());
  std::vector<double> farthest_since(num_bodies, 0.0), farthest_in_step(num_bodies, 0.0);
  for (int b = 0; b < in_.model.layout.num_blocks; ++b) {
    const int body = body_of_block(in_.model, b);
    farthest_since[body] = std::max(farthest_since[body], block<dim>(since, b).norm());
    farthest_in_step[body] = std::max(farthest_in_step[body], block<dim>(in_step, b).norm());
  }
  const double tiny = tiny_motion * in_.model.bbox_diagonal;
  for (int body = 0; body < num_bodies; ++body) {
    if (farthest_since[body] > noticeable_motion * farthest_in_step[body] + tiny) return false;
  }
  return true;
}

/// Assembles the Hessian of the objective alone: forecasts only speed up Newton's method.
template <int dim>
void UnstableBalance<dim>::assemble(const Point& at, HessianKind kind) {
  StageTimer timer(log_.profile(), Stage::assembly);
  problem_.forecast().clear();
  problem_.refer_to(at.iterate.x);
  VecX gradient;
  problem_.assemble(at.iterate, in_.system, gradient, kind);
}

/// True if the exact Hessian is positive definite up to rounding, or if the solver cannot tell.
template <int dim>
bool UnstableBalance<dim>::is_stable(const Point& at) {
  LinearSolver& solver = in_.system.solver();
  if (!solver.proves_definiteness()) return true;
  assemble(at, HessianKind::exact);
  StageTimer timer(log_.profile(), Stage::linear_solve);
  shift_diagonal(hessian_rounding, in_.system.matrix());
  const bool is_factored = solver.factorize(in_.system.matrix()) == LinearSolveStatus::solved;
  if (is_factored) shift_ = hessian_rounding;
  return is_factored || !solver.proves_definiteness();
}

template <int dim>
std::optional<NegativeCurvature> UnstableBalance<dim>::find_motion(const Point& at) {
  assemble(at, HessianKind::exact);
  const BlockSparseMatrix hessian = in_.system.matrix();
  assemble(at, HessianKind::projected);
  StageTimer timer(log_.profile(), Stage::linear_solve);
  LinearSolver& solver = in_.system.solver();
  double shift = least_shift;
  shift_diagonal(shift, in_.system.matrix());
  while (solver.factorize(in_.system.matrix()) != LinearSolveStatus::solved) {
    if (shift >= largest_shift) return std::nullopt;
    shift *= 100.0;
    shift_diagonal(shift, in_.system.matrix());
  }
  shift_ = shift;
  const VecX start = problem_.free_part(in_.coordinates(), at.iterate.x, scattered(at.iterate.x.size()));
  return find_negative_curvature(hessian, solver, start, least_quotient);
}

/// Returns the lowest point on the way out: the way doubles until the energy rises again. Nothing if the energy does
/// not fall, or falls by less than the curvature says: then the curvature was rounding.
template <int dim>
std::optional<Point> UnstableBalance<dim>::lower_point(const Point& at, const VecX& dy, double curvature,
                                                       double rounding) {
  const Direction way = bound_.bound(at.iterate, dy);
  const auto slope_at = [&](const Iterate& iterate) {
    return problem_.slope(iterate, in_.coordinates().expand(iterate.x, dy));
  };
  std::optional<Point> lowest;
  for (int halvings = num_halvings; halvings >= 0; --halvings) {
    const double alpha = std::ldexp(1.0, -halvings);
    if (alpha > way.alpha_limit) break;
    VecX x = in_.coordinates().move(at.iterate.x, way.dy, alpha);
    if (!problem_.is_feasible(x)) break;
    Point trial{problem_.make_iterate(std::move(x), way.candidates), {}};
    trial.energy = problem_.energy(trial.iterate);
    log_.count_energy_evaluation();
    const double change = change_of((lowest ? *lowest : at).energy, trial.energy);
    if (lowest && change > rounding) break;
    const bool is_lower = change < 0.0 && (lowest || slope_at(trial.iterate) - slope_at(at.iterate) <=
                                                         least_curvature * curvature * alpha);
    if (!is_lower) continue;
    MoveListener::note(in_, at.iterate.x, trial.iterate.x, way.dy, alpha);
    lowest = std::move(trial);
  }
  return lowest;
}

/// Returns the motion with the length of the longest way out. The number that is largest, the first of these, is
/// positive. Slopes and angles count only if no node moves.
template <int dim>
VecX UnstableBalance<dim>::scaled(const VecX& x, const VecX& dy) const {
  VecX motion = in_.coordinates().expand(x, dy), of_nodes = motion;
  clear_blocks<dim>(column_flags(in_.model), of_nodes);
  if (of_nodes.cwiseAbs().maxCoeff() > 1e-6 * motion.cwiseAbs().maxCoeff()) motion = std::move(of_nodes);
  const double largest = motion.cwiseAbs().maxCoeff();
  Eigen::Index first = 0;
  while (std::abs(motion[first]) < 0.999 * largest) ++first;
  return longest_way * in_.model.bbox_diagonal / motion[first] * dy;
}

/// True if a motion is one of a few nodes of a body. The number of nodes that take part is (sum v^2)^2 / sum v^4. A
/// vertex that is pressed onto another one is on a ridge of the distance, and would slide off but for friction; that
/// says nothing about the body.
template <int dim>
bool UnstableBalance<dim>::is_local(const VecX& x, const VecX& dy) const {
  const VecX motion = in_.coordinates().expand(x, dy);
  const int body = body_of(x, dy);
  double squares = 0.0, fourths = 0.0, num_nodes = 0.0;
  for (int b = 0; b < in_.model.layout.num_blocks; ++b) {
    if (body_of_block(in_.model, b) != body) continue;
    const double square = block<dim>(motion, b).squaredNorm();
    squares += square;
    fourths += square * square;
    num_nodes += 1.0;
  }
  return squares * squares < std::min(least_nodes, least_share_of_nodes * num_nodes) * fourths;
}

/// True if nothing but soft springs holds the body. Loads that press it would turn it over, because springs are soft;
/// in reality something guides it.
template <int dim>
bool UnstableBalance<dim>::is_held_softly(int body) const {
  for (const auto& potential : in_.model.potentials) {
    if (potential->name() != std::string_view("hold")) continue;
    const std::vector<BlockKey> keys = potential->pattern();
    const auto is_of_body = [&](BlockKey key) { return body_of_block(in_.model, block_row(key)) == body; };
    if (std::any_of(keys.begin(), keys.end(), is_of_body)) return true;
  }
  return false;
}

/// Returns the body that moves farthest.
template <int dim>
int UnstableBalance<dim>::body_of(const VecX& x, const VecX& dy) const {
  Eigen::Index farthest = 0;
  in_.coordinates().expand(x, dy).cwiseAbs().maxCoeff(&farthest);
  return body_of_block(in_.model, static_cast<int>(farthest / dim));
}

template class UnstableBalance<2>;
template class UnstableBalance<3>;

}  // namespace clearance
