#include "clearance/solver/step_tangent.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "clearance/math/elementary.h"
#include "clearance/math/fourth_order.h"
#include "clearance/model/exact_hessian.h"

namespace clearance {

namespace {
/// Resistance of a motion, as a share of what the diagonal of the Hessian says, that is rounding.
constexpr double least_resistance = 1e-15;

/// The part of elastic sliding, and of the way to a limit, by which differences move.
constexpr double part_of_sliding = 1e-2, part_of_way = 3e-3;
/// Relative error of a solution that is small enough, and that from which on differences of forces say that they are
/// not exact.
constexpr double good_enough = 1e-13, most_missed = 1e-6;
/// Solutions that differences check: the first ones, and one of so many later ones.
constexpr int solves_checked_first = 3, solves_per_check = 16;
/// Products of GMRES at most, how often it begins, the part of an error that it is asked to leave at most, and the
/// relative error from which on there is no solution.
constexpr int max_products = 60, max_rounds = 2;
constexpr double least_gain = 1e-3, most_left = 0.1;
/// Relative error that one more solution with the factor squares, with four digits to spare.
constexpr double nearly_right = 1e-9;
/// Newton steps that polish a solution at most, those in a row that halve neither the smallest step nor the smallest
/// imbalance so far, and the share of the reach below which what rounding leaves is good enough.
constexpr int max_polishing = 40, max_in_vain = 3;
constexpr double negligible_motion = 1e-4;
/// Motions with one factor, and changes that are mixed, at most, and the share of the shortest motion so far above
/// which the factor of an earlier iterate is too far off. With friction so many motions in a row may be longer: a new
/// factor misses how it follows the contact forces as well, and mixing has to learn that.
constexpr int max_chords = 25, most_slow = 2;
constexpr double slow = 0.1;
constexpr std::size_t most_mixed = 8;

}  // namespace

template <int dim>
StepTangent<dim>::StepTangent(Step<dim>& step, TrustInHessians& trust) : step_(step), trust_(trust) {
  step_.hold_prescribed();
  const auto origins = step_.inputs().coordinates().origins();
  weights_.setOnes(dim * static_cast<Eigen::Index>(origins.size()));
  for (std::size_t b = 0; b < origins.size(); ++b) {
    if (origins[b].is_turn) weights_.segment<dim>(dim * static_cast<Eigen::Index>(b)).setConstant(origins[b].radius);
  }
  reach_of_formulas_ = find_reach_of_formulas();
}

template <int dim>
double StepTangent<dim>::length(const VecX& dy) const {
  return dy.size() == 0 ? 0.0 : dy.cwiseProduct(weights_).cwiseAbs().maxCoeff();
}

/// Returns the motion [m] over which differences of fourth order err by (motion / size)^4 as much as by the rounding of
/// `coordinates` [m] over it: 7e-4 of the size at the origin, 2e-3 at a hundred times the size from there.
double best_motion(double size, double coordinates) {
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  return size * elementary::pow(rounding * std::max(coordinates / size, 1.0), 0.2);
}

template <int dim>
double StepTangent<dim>::find_reach_of_formulas() const {
  const Model& model = step_.inputs().model;
  const double farthest = x().size() > 0 ? x().cwiseAbs().maxCoeff() : 0.0;
  double least_sq = model.bbox_diagonal * model.bbox_diagonal;  // of all sizes
  std::vector<char> is_stiff(static_cast<std::size_t>(model.surface.num_bodies()), 0);
  for (const StiffBody& body : model.stiff_bodies) {
    least_sq = std::min(least_sq, body.radius * body.radius);
    if (!model.body_of_block.empty()) is_stiff[model.body_of_block[body.first_block]] = 1;
  }
  for (std::size_t e = 0; e < model.surface.edges.size(); ++e) {
    const int vertex = model.surface.edges[e][0];
    const bool has_elements = is_stiff[model.surface.vertex_body[vertex]] == 0 && model.is_obstacle_vertex[vertex] == 0;
    const double length_sq = model.edge_rest_length_sq[e];
    if (has_elements && length_sq > 0.0) least_sq = std::min(least_sq, length_sq);
  }
  return best_motion(std::sqrt(least_sq), farthest);
}

template <int dim>
double StepTangent<dim>::reach_of_shapes() const {
  if (!reach_of_shapes_) reach_of_shapes_ = reach_of_formulas_ * share_before_limits(reach_of_formulas_);
  return *reach_of_shapes_;
}

/// Returns the share of a reach that is a small part of the way to what limits motions: joints at their limits,
/// elements that are nearly flat. One beyond the reach does not count.
template <int dim>
double StepTangent<dim>::share_before_limits(double reach) const {
  VecX dy = weights_.cwiseInverse() * reach;
  for (Eigen::Index i = 0; i < dy.size(); ++i) {
    // Signs and sizes that no symmetry hides.
    dy[i] *= 2.0 * (static_cast<double>(i * i % 7) / 3.0 - 1.0);
  }
  const VecX dx = step_.inputs().coordinates().expand(x(), dy);
  double share = 1.0;
  for (const double sign : {1.0, -1.0})
    share = std::min(share, step_.problem().max_feasible_step(x(), sign * dx).alpha);
  return share < 1.0 ? part_of_way * share : 1.0;
}

/// Returns a small part of the gaps. The fifth derivative of a logarithm is 24 / gap^4 of the first.
template <int dim>
double StepTangent<dim>::reach_of_gaps() const {
  constexpr double size_of_gap = 0.45;  // 24^(-1/4)
  const double farthest = x().size() > 0 ? x().cwiseAbs().maxCoeff() : 0.0;
  double gap = infinity;
  for (const Contact& contact : step_.end_state().point.iterate.contacts.contacts) {
    gap = std::min(gap, gap_of(contact));
  }
  return gap < infinity ? std::min(reach_of_shapes(), best_motion(size_of_gap * gap, farthest)) : reach_of_shapes();
}

template <int dim>
double StepTangent<dim>::reach() const {
  const StepInputs<dim>& in = step_.inputs();
  const Model& model = in.model;
  double reach = reach_of_gaps();
  const ContactSet& contacts = step_.end_state().point.iterate.contacts;
  if (contacts.contacts.empty() || model.friction.is_frictionless()) return reach;
  const ContactScales& scales = model.contact_scales;
  const double h = in.options.integrator.h;
  const auto limit_by = [&](double stick, double eps_v) {
    reach = std::min(reach, part_of_sliding * (stick > 0.0 ? stick : eps_v * h));
  };
  if (scales.is_empty()) {
    limit_by(in.options.friction.stick, in.options.friction.eps_v);
  } else {
    for (std::size_t v = 0; v < scales.stick.size(); ++v) limit_by(scales.stick[v], scales.eps_v[v]);
  }
  return reach;
}

/// Returns the derivatives of contacts and friction at the end.
template <int dim>
auto StepTangent<dim>::contacts() -> const Contacts& {
  if (contacts_ && contacts_->x == x()) return *contacts_;
  Contacts& made = contacts_.emplace();
  made.x = x();
  made.gradient = VecX::Zero(made.x.size());
  const StepInputs<dim>& in = step_.inputs();
  const Iterate& end = step_.end_state().point.iterate;
  if (end.contacts.contacts.empty()) return made;
  const double kappa = step_.problem().kappa();
  if (in.copies.contact_model->has_exact_hessian()) {
    ContactPotential<dim> potential(in.model, *in.copies.contact_model);
    const std::vector<char> none(static_cast<std::size_t>(in.model.layout.num_blocks), 0);
    made.hessian.emplace(dim, in.model.layout.num_blocks, potential.prepare_hessian(end.contacts, none));
    potential.add_derivatives(end.contacts, end.x_surface, kappa, HessianKind::exact, made.gradient, *made.hessian);
  } else {
    made.gradient = step_.contact_gradient(made.x);
  }
  made.friction = find_friction_slopes<dim>(in, step_);
  if (!made.friction.is_empty()) made.gradient += made.friction.gradient();
  return made;
}

template <int dim>
VecX StepTangent<dim>::contact_product(const VecX& dx, Side side) {
  const double longest = dx.cwiseAbs().maxCoeff();
  if (step_.end_state().point.iterate.contacts.contacts.empty() || !(longest > 0.0)) return VecX::Zero(dx.size());
  VecX change = contacts().hessian ? contacts().hessian->multiply(dx)
                                   : fourth_order_slope(reach_of_gaps() / longest, [&](double by) {
                                       return step_.contact_gradient(x() + by * dx);
                                     });
  add_friction_product(dx, side, change);
  return change;
}

/// Adds the part of friction that agrees with the contact forces.
template <int dim>
void StepTangent<dim>::add_friction_product(const VecX& dx, Side side, VecX& change) {
  const FrictionSlopes& friction = contacts().friction;
  if (friction.is_empty()) return;
  change += side == Side::right ? friction.force_by_end(dx) : friction.pull_back_to_end(dx);
}

/// Returns the product with dg/dy by differences of all forces but those of contacts, over a part of the reach.
template <int dim>
VecX StepTangent<dim>::product_by_differences(const VecX& dy, double part, Side side) {
  const double longest = length(dy);
  if (!(longest > 0.0)) return VecX::Zero(dy.size());
  const LocalCoordinates<dim>& coordinates = step_.inputs().coordinates();
  const VecX at = x(), dx = coordinates.expand(at, dy);
  const VecX of_contacts = contacts().gradient;
  // Rigid bodies turn under the forces of contacts, too.
  const VecX of_others = fourth_order_slope(part * reach_of_shapes() / longest, [&](double by) {
    const VecX moved = coordinates.move(at, by * dy, 1.0);
    VecX gradient = step_.gradient_beside_contacts(moved) + of_contacts;
    for (const auto& potential : step_.inputs().copies.potentials) {
      if (side != Side::transposed || !potential->has_skew_slopes()) continue;
      potential->add_gradient(moved, -2.0 * step_.problem().target().scale, gradient);
    }
    return step_.problem().free_part(coordinates, moved, gradient);
  });
  step_.refer_to_end();
  return of_others + step_.problem().free_part(coordinates, at, contact_product(dx, side));
}

/// Returns the product with dg/dy.
template <int dim>
VecX StepTangent<dim>::product(const VecX& dy, Side side) {
  const StepInputs<dim>& in = step_.inputs();
  const VecX at = x(), dx = in.coordinates().expand(at, dy);
  const VecX beyond = beyond_hessian(dx, side);
  if (in.coordinates().are_displacements()) {
    return step_.problem().free_part(in.coordinates(), at, hessian_.whole.multiply(dx) + beyond);
  }
  // The reduced Hessian also has what rigid bodies make of the forces when they turn.
  return hessian_.reduced.multiply(dy) + step_.problem().free_part(in.coordinates(), at, beyond);
}

/// True if the Hessian of a potential leaves out something.
template <int dim>
bool StepTangent<dim>::is_inexact(const Potential& potential) const {
  if (potential.has_constant_force()) return false;
  const auto* exact = dynamic_cast<const ExactHessian*>(&potential);
  return trust_.is_lost || exact == nullptr || !exact->has_exact_hessian();
}

/// Returns the potentials with inexact Hessians at the end, and what has to be taken out of the Hessian there.
template <int dim>
auto StepTangent<dim>::inexact() -> const Inexact& {
  if (inexact_ && inexact_->x == x()) return *inexact_;
  Inexact& made = inexact_.emplace();
  made.x = x();
  const StepInputs<dim>& in = step_.inputs();
  for (const auto& potential : in.copies.potentials) {
    if (is_inexact(*potential)) made.potentials.push_back(potential.get());
  }
  const Iterate& end = step_.end_state().point.iterate;
  const StepProblem<dim>& problem = step_.problem();
  const bool has_contacts = !end.contacts.contacts.empty();
  const bool has_inexact_contacts = has_contacts && !in.copies.contact_model->has_exact_hessian();
  FrictionPotential<dim> friction = problem.friction();  // lagged when the end was factorised
  const bool has_friction = has_contacts && !friction.is_empty();
  std::optional<ContactPotential<dim>> contacts;
  if (has_inexact_contacts) contacts.emplace(in.model, *in.copies.contact_model);
  std::vector<BlockKey> keys;
  const auto add = [&](const std::vector<BlockKey>& more) { keys.insert(keys.end(), more.begin(), more.end()); };
  for (const Potential* potential : made.potentials) add(potential->pattern());
  if (has_friction) add(friction.prepare_hessian(problem.is_fixed()));
  if (contacts) add(contacts->prepare_hessian(end.contacts, problem.is_fixed()));
  if (keys.empty()) return made;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  BlockSparseMatrix& matrix = made.hessian.emplace(dim, in.model.layout.num_blocks, keys);
  VecX unused = VecX::Zero(made.x.size());
  for (Potential* potential : made.potentials) {
    potential->add_exact_derivatives(made.x, problem.target().scale, unused, matrix);
  }
  if (has_friction) friction.add_derivatives(end.x_surface, HessianKind::exact, unused, matrix);
  if (contacts) {
    contacts->add_derivatives(end.contacts, end.x_surface, problem.kappa(), HessianKind::exact, unused, matrix);
  }
  return made;
}

/// Returns what the product of the derivative of all gradients with `dx` is beyond that of the Hessian: friction that
/// follows the contact forces, and what Hessians leave out.
template <int dim>
VecX StepTangent<dim>::beyond_hessian(const VecX& dx, Side side) {
  VecX change = VecX::Zero(dx.size());
  const double longest = dx.size() > 0 ? dx.cwiseAbs().maxCoeff() : 0.0;
  if (!(longest > 0.0)) return change;
  const Inexact& inexact = this->inexact();
  if (inexact.hessian) change -= inexact.hessian->multiply(dx);
  if (contacts().hessian) {
    add_friction_product(dx, side, change);
  } else {
    change += contact_product(dx, side);
  }
  if (inexact.potentials.empty()) return change;
  change += fourth_order_slope(reach_of_shapes() / longest, [&](double by) {
    VecX gradient = VecX::Zero(dx.size());
    const VecX moved = inexact.x + by * dx;
    for (Potential* potential : inexact.potentials) {
      const bool is_turned = side == Side::transposed && potential->has_skew_slopes();
      potential->refer_to(moved);
      potential->add_gradient(moved, (is_turned ? -1.0 : 1.0) * step_.problem().target().scale, gradient);
    }
    return gradient;
  });
  step_.refer_to_end();
  return change;
}

template <int dim>
VecX StepTangent<dim>::full_transposed_product(const VecX& dy) {
  const VecX dx = step_.inputs().coordinates().expand(x(), dy);
  VecX change = hessian_.whole.multiply(dx) + beyond_hessian(dx, Side::transposed);
  if (!contacts().hessian) return change;
  // Contacts push fixed nodes, too.
  const VecX of_contacts = contacts().hessian->multiply(dx);
  const std::vector<char>& is_fixed = step_.problem().is_fixed();
  for (std::size_t b = 0; b < is_fixed.size(); ++b) {
    if (is_fixed[b] != 0) block<dim>(change, static_cast<int>(b)) += block<dim>(of_contacts, static_cast<int>(b));
  }
  return change;
}

template <int dim>
std::optional<VecX> StepTangent<dim>::solve_transposed(const VecX& right_side) {
  return solve(right_side, Side::transposed);
}

template <int dim>
bool StepTangent<dim>::polish(bool is_solving) {
  if (approach()) return !is_solving || prepare();
  return polish_by_newton();
}

/// Moves the end by Newton's method with the factor of the last direction of the step, since the end is near, or with
/// one at the end if motions shrink slowly. Anderson's mixing [And65] makes up for what the factor misses. False if the
/// motions do not shrink to rounding.
template <int dim>
bool StepTangent<dim>::approach() {
  bool is_factor_near = step_.end_state().num_directions == 0;
  const bool is_apart = step_.end_state().point.iterate.contacts.contacts.empty();
  if (is_factor_near && !step_.factorise_at_end()) return false;
  const double rounding = 1e-15 * step_.inputs().model.bbox_diagonal;
  std::vector<VecX> moves, changes;  // of the end, and of the motion that the factor asks for
  VecX before, move;
  double least = infinity;
  int num_in_vain = 0, num_slow = 0;
  const int patience = step_.problem().has_friction() && !is_apart ? most_slow : 0;
  for (int i = 0; i < max_chords && num_in_vain < max_in_vain; ++i) {
    VecX dy;
    const VecX force = -step_.gradient_at_end();
    if (!step_.solve_at_end(force, dy)) return false;
    num_slow = i > 0 && length(dy) > slow * least ? num_slow + 1 : 0;
    if (!is_factor_near && num_slow > patience) {
      is_factor_near = true;
      moves.clear();
      changes.clear();
      before.resize(0);
      least = infinity;
      if (!step_.factorise_at_end() || !step_.solve_at_end(force, dy)) return false;
    }
    const double size = length(dy);
    if (size <= rounding) return true;
    num_in_vain = size < 0.5 * least ? 0 : num_in_vain + 1;
    least = std::min(least, size);
    if (num_in_vain > 0 && least < negligible_motion * negligible_motion * reach()) return true;
    if (before.size() > 0) {
      moves.push_back(move);
      changes.push_back(dy - before);
      if (moves.size() > most_mixed) {
        moves.erase(moves.begin());
        changes.erase(changes.begin());
      }
    }
    before = dy;
    move = dy;
    if (!moves.empty()) {
      MatX of_changes(dy.size(), static_cast<Eigen::Index>(moves.size()));
      for (std::size_t k = 0; k < changes.size(); ++k)
        of_changes.col(static_cast<Eigen::Index>(k)) = changes[k].cwiseProduct(weights_);
      const VecX shares = of_changes.colPivHouseholderQr().solve(dy.cwiseProduct(weights_));
      if (shares.allFinite()) {
        for (std::size_t k = 0; k < moves.size(); ++k)
          move -= shares[static_cast<Eigen::Index>(k)] * (moves[k] + changes[k]);
      }
    }
    if (step_.move_end(move) < 1.0) return false;
  }
  return least < negligible_motion * reach();
}

template <int dim>
bool StepTangent<dim>::polish_by_newton() {
  const double rounding = 1e-15 * step_.inputs().model.bbox_diagonal;
  double last = infinity, least = infinity, least_gradient = infinity;
  int num_in_vain = 0;
  for (int i = 0; i < max_polishing && num_in_vain < max_in_vain; ++i) {
    if (!prepare()) return false;
    const VecX gradient = step_.gradient_at_end();
    VecX dy;
    if (!step_.solve_at_end(-gradient, dy)) return false;
    if (length(dy) > 0.1 * last && length(dy) > rounding) {
      // The Hessian misses a part of the derivative, or nothing is left but rounding.
      const auto corrected = correct(-gradient, dy, 1e-3, Side::right);
      if (corrected) dy = *corrected;
    }
    last = length(dy);
    if (last <= rounding) return true;
    const double size = gradient.norm();
    num_in_vain = last < 0.5 * least || size < 0.5 * least_gradient ? 0 : num_in_vain + 1;
    least = std::min(least, last);
    least_gradient = std::min(least_gradient, size);
    if (step_.move_end(dy) < 1.0) return false;
  }
  return least < negligible_motion * reach() && prepare();
}

template <int dim>
std::optional<VecX> StepTangent<dim>::solve(const VecX& right_side) {
  return solve(right_side, Side::right);
}

/// Inverse iteration: with the diagonal D of the Hessian H, D u = H v makes v the motion that H resists least beside D,
/// and the quotient v . D u / v . D v how much it does.
template <int dim>
bool StepTangent<dim>::is_singular() {
  if (!hessian_.is_factorised) return false;
  const LocalCoordinates<dim>& coordinates = step_.inputs().coordinates();
  const BlockSparseMatrix& whole = hessian_.whole;
  VecX diagonal(whole.num_rows()), u(whole.num_rows());
  for (int b = 0; b < whole.num_blocks(); ++b) {
    diagonal.segment<dim>(dim * b) = whole.diagonal_block<dim>(b).diagonal().cwiseAbs();
  }
  for (Eigen::Index i = 0; i < u.size(); ++i) u[i] = static_cast<double>(i * i % 13) / 6.0 - 1.0;
  double quotient = infinity;
  for (int k = 0; k < 2; ++k) {
    const VecX force = step_.problem().free_part(coordinates, x(), diagonal.cwiseProduct(u));
    VecX dy;
    if (!step_.solve_at_end(force, dy)) return true;
    const VecX v = coordinates.expand(x(), dy);
    const double size_sq = v.cwiseAbs2().dot(diagonal);
    if (!(size_sq > 0.0)) return false;
    quotient = std::abs(force.dot(dy)) / size_sq;
    u = v / std::sqrt(size_sq);
  }
  return quotient < least_resistance;
}

/// Solves with dg/dy or its transpose, of which the factor is nearly that.
template <int dim>
std::optional<VecX> StepTangent<dim>::solve(const VecX& right_side, Side side) {
  VecX dy;
  if (!step_.solve_at_end(right_side, dy)) return std::nullopt;
  if (!(length(dy) > 0.0)) return dy;
  std::optional<VecX> solution = correct(right_side, dy, good_enough, side);
  const bool is_checked = trust_.num_solved < solves_checked_first || trust_.num_solved % solves_per_check == 0;
  ++trust_.num_solved;
  if (!is_checked || trust_.is_lost || !solution || are_right(right_side, *solution, side)) return solution;
  trust_.is_lost = true;
  inexact_.reset();
  return correct(right_side, dy, good_enough, side);
}

/// True if differences of all forces find no more wrong with a solution than they are uncertain.
template <int dim>
bool StepTangent<dim>::are_right(const VecX& right_side, const VecX& dy, Side side) {
  const auto miss = [&](double part) {
    VecX result;
    const VecX left = right_side - product_by_differences(dy, part, side);
    return step_.solve_at_end(left, result) ? result : VecX(VecX::Constant(dy.size(), infinity));
  };
  const VecX found = miss(1.0);
  if (length(found) <= most_missed * length(dy)) return true;
  // Materials that begin to flow are linear over short lengths alone.
  return length(found) <= 3.0 * length(found - miss(0.3)) || length(miss(0.001)) <= most_missed * length(dy);
}

/// Returns the motion that the factor asks for, in metres: times the weights. No value if it cannot.
template <int dim>
std::optional<VecX> StepTangent<dim>::preconditioned(const VecX& force) {
  VecX motion;
  if (!step_.solve_at_end(force, motion)) return std::nullopt;
  return motion.cwiseProduct(weights_);
}

/// Returns the product of the factor's inverse and of dg/dy with a motion in metres. The inverse of the exact Hessian
/// leaves the motion as it is, so that only what the Hessian leaves out is multiplied.
template <int dim>
std::optional<VecX> StepTangent<dim>::preconditioned_product(const VecX& motion, Side side) {
  const VecX dy = motion.cwiseQuotient(weights_);
  if (!hessian_.is_factorised) return preconditioned(product(dy, side));
  const LocalCoordinates<dim>& coordinates = step_.inputs().coordinates();
  const VecX beyond = beyond_hessian(coordinates.expand(x(), dy), side);
  std::optional<VecX> image = preconditioned(step_.problem().free_part(coordinates, x(), beyond));
  if (image) *image += motion;
  return image;
}

/// Improves the solution `dy` of the factor alone. What GMRES finds is corrected once more, by the product with dg/dy
/// itself, so that it may end a correction early and multiply by what the Hessian leaves out alone.
template <int dim>
std::optional<VecX> StepTangent<dim>::correct(const VecX& right_side, VecX dy, double tolerance, Side side) {
  const double size = dy.cwiseProduct(weights_).norm();
  double share = 1.0;  // of an error that a correction by the factor leaves
  for (int round = 0;; ++round) {
    const std::optional<VecX> residual = preconditioned(right_side - product(dy, side));
    if (!residual) return std::nullopt;
    const double start = residual->norm() / size;
    if (!(start > tolerance)) return dy;
    if (round == max_rounds && !(start <= most_left)) return std::nullopt;
    if (round == 0 && start <= nearly_right) share = nearly_right;  // The factor is that of dg/dy, but for rounding.
    if (share * start <= tolerance || round == max_rounds) {
      error_ = std::max(error_, share * start);
      return dy + residual->cwiseQuotient(weights_);
    }
    const std::optional<double> found = add_correction(*residual, tolerance * size, side, dy);
    if (!found || !dy.allFinite()) return std::nullopt;
    share = *found;
  }
}

/// Adds the motion whose image is `residual`, in metres, found by GMRES with the factor as a preconditioner, until a
/// correction by the factor alone would leave half of `wanted`. Returns the share of an error that such a correction
/// leaves at most in the space of GMRES. No value if the factor has no solution.
template <int dim>
std::optional<double> StepTangent<dim>::add_correction(const VecX& residual, double wanted, Side side, VecX& dy) {
  const int most = static_cast<int>(std::min<Eigen::Index>(max_products, residual.size()));
  const double start = residual.norm();
  std::vector<VecX> basis = {residual / start};
  MatX upper = MatX::Zero(most + 1, most);
  VecX image = VecX::Zero(most + 1), best;
  image[0] = start;
  int count = 0;
  double left = start, share = 1.0;
  for (int j = 0; j < most && (left > least_gain * start || share * left > 0.5 * wanted); ++j) {
    std::optional<VecX> next = preconditioned_product(basis.back(), side);
    if (!next) return std::nullopt;
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i <= j; ++i) {
        const VecX& other = basis[static_cast<std::size_t>(i)];
        const double along = other.dot(*next);
        upper(i, j) += along;
        *next -= along * other;
      }
    }
    upper(j + 1, j) = next->norm();
    count = j + 1;
    if (upper(j + 1, j) > 0.0) basis.emplace_back(*next / upper(j + 1, j));
    const MatX system = upper.topLeftCorner(count + 1, count);
    best = system.colPivHouseholderQr().solve(image.head(count + 1));
    left = (image.head(count + 1) - system * best).norm();
    share = std::min(1.0, (system - MatX::Identity(count + 1, count)).norm());
    if (upper(j + 1, j) <= 1e-14 * start) break;
  }
  for (int j = 0; j < count; ++j) dy += best[j] * basis[static_cast<std::size_t>(j)].cwiseQuotient(weights_);
  return share;
}

template class StepTangent<2>;
template class StepTangent<3>;

}  // namespace clearance
