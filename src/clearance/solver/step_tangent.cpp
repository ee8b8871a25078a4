#include "clearance/solver/step_tangent.h"

#include <algorithm>
#include <cmath>

#include "clearance/math/fourth_order.h"

namespace clearance {

namespace {

/// Parts of lengths by which differences move: fourth-order differences then err by 1e-10, and rounding of gaps by
/// 1e-13 over this part.
constexpr double part_of_gap = 3e-3, part_of_sliding = 1e-2, part_of_edge = 2e-3, part_of_body = 4e-3;
/// Relative error of a direction below which the Hessian is taken as the derivative.
constexpr double negligible = 1e-9;
/// Relative error of a product that is small enough.
constexpr double certain = 1e-7;
/// Difference of the two orders of a product, as a share, up to which no shorter length is tried.
constexpr double smooth = 1e-5;
constexpr int max_products = 60;
/// Newton steps that polish a solution at most, those in a row that halve neither the smallest step nor the smallest
/// imbalance so far, and the share of the reach below which what rounding leaves is good enough.
constexpr int max_polishing = 40, max_in_vain = 3;
constexpr double negligible_motion = 1e-4;
/// Part of the reach over which a polishing step takes differences: friction that turns round is linear over short
/// lengths alone.
constexpr double part_of_polish = 0.03;
/// Motions with one factor, and changes that are mixed, at most.
constexpr int max_chords = 25;
constexpr std::size_t most_mixed = 8;

}  // namespace

template <int dim>
StepTangent<dim>::StepTangent(Step<dim>& step) : step_(step) {
  step_.hold_prescribed();
  const auto origins = step_.inputs().coordinates().origins();
  weights_.setOnes(dim * static_cast<Eigen::Index>(origins.size()));
  for (std::size_t b = 0; b < origins.size(); ++b) {
    if (origins[b].is_turn) weights_.segment<dim>(dim * static_cast<Eigen::Index>(b)).setConstant(origins[b].radius);
  }
  reach_of_shapes_ = find_reach_of_shapes();
}

template <int dim>
double StepTangent<dim>::length(const VecX& dy) const {
  return dy.size() == 0 ? 0.0 : dy.cwiseProduct(weights_).cwiseAbs().maxCoeff();
}

template <int dim>
double StepTangent<dim>::find_reach_of_shapes() const {
  const Model& model = step_.inputs().model;
  double reach = part_of_body * model.bbox_diagonal;
  std::vector<char> is_stiff(static_cast<std::size_t>(model.surface.num_bodies()), 0);
  for (const StiffBody& body : model.stiff_bodies) {
    reach = std::min(reach, part_of_body * body.radius);
    if (!model.body_of_block.empty()) is_stiff[model.body_of_block[body.first_block]] = 1;
  }
  for (std::size_t e = 0; e < model.surface.edges.size(); ++e) {
    const int vertex = model.surface.edges[e][0];
    const bool has_elements = is_stiff[model.surface.vertex_body[vertex]] == 0 && model.is_obstacle_vertex[vertex] == 0;
    const double length_sq = model.edge_rest_length_sq[e];
    if (has_elements && length_sq > 0.0) reach = std::min(reach, part_of_edge * std::sqrt(length_sq));
  }
  return reach * share_before_limits(reach);
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
  return share < 1.0 ? part_of_gap * share : 1.0;
}

/// Returns a small part of the gaps.
template <int dim>
double StepTangent<dim>::reach_of_gaps() const {
  double reach = reach_of_shapes_;
  for (const Contact& contact : step_.end_state().point.iterate.contacts.contacts) {
    reach = std::min(reach, part_of_gap * gap_of(contact));
  }
  return reach;
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
  if (!made.friction.is_empty()) made.gradient += made.friction.gradient;
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
  const FrictionSlopes& friction = contacts().friction;
  if (friction.is_empty()) return change;
  if (side == Side::right) {
    change += friction.force_by_end * dx;
  } else {
    change += friction.force_by_end.transpose() * dx;
  }
  return change;
}

template <int dim>
VecX StepTangent<dim>::product(const VecX& dy, double part, Side side) {
  const double longest = length(dy);
  if (!(longest > 0.0)) return VecX::Zero(dy.size());
  const LocalCoordinates<dim>& coordinates = step_.inputs().coordinates();
  const VecX at = x(), dx = coordinates.expand(at, dy);
  const VecX of_contacts = contacts().gradient;
  // Rigid bodies turn under the forces of contacts, too.
  const VecX of_others = fourth_order_slope(part * reach_of_shapes_ / longest, [&](double by) {
    const VecX moved = coordinates.move(at, by * dy, 1.0);
    return step_.problem().free_part(coordinates, moved, step_.gradient_beside_contacts(moved) + of_contacts);
  });
  step_.gradient_beside_contacts(at);  // forces refer to the end again
  return of_others + step_.problem().free_part(coordinates, at, contact_product(dx, side));
}

template <int dim>
VecX StepTangent<dim>::full_transposed_product(const VecX& dy) {
  const VecX at = x(), dx = step_.inputs().coordinates().expand(at, dy);
  const double longest = length(dy);
  if (!(longest > 0.0)) return VecX::Zero(dx.size());
  // Materials that begin to flow are linear over short lengths alone.
  VecX result;
  double least = infinity;
  for (const double part : {1.0, 0.03, 0.001}) {
    const double eps = part * reach_of_shapes_ / longest;
    const auto change = [&](double by) {
      return VecX(step_.gradient_beside_contacts(step_.inputs().coordinates().move(at, by * eps * dy, 1.0)) -
                  step_.gradient_beside_contacts(step_.inputs().coordinates().move(at, -by * eps * dy, 1.0)));
    };
    const VecX near = change(1.0), far = change(2.0);
    const VecX coarse = near / (2.0 * eps), fine = (8.0 * near - far) / (12.0 * eps);
    const double miss = (fine - coarse).norm();
    if (miss < least) {
      least = miss;
      result = fine;
    }
    if (miss <= smooth * coarse.norm()) break;
  }
  step_.gradient_beside_contacts(at);  // forces refer to the end again
  return result + contact_product(dx, Side::transposed);
}

template <int dim>
std::optional<VecX> StepTangent<dim>::solve_transposed(const VecX& right_side) {
  return solve(right_side, Side::transposed);
}

template <int dim>
bool StepTangent<dim>::polish(bool is_solving) {
  if (approach()) return !is_solving || step_.factorise_at_end();
  return polish_by_newton();
}

/// Moves the end by Newton's method with the factor of the first step, since the end is near. Anderson's mixing [And65]
/// makes up for what the factor misses. False if the motions do not shrink to rounding.
template <int dim>
bool StepTangent<dim>::approach() {
  if (!step_.factorise_at_end()) return false;
  const double rounding = 1e-15 * step_.inputs().model.bbox_diagonal;
  std::vector<VecX> moves, changes;  // of the end, and of the motion that the factor asks for
  VecX before, move;
  double least = infinity;
  int num_in_vain = 0;
  for (int i = 0; i < max_chords && num_in_vain < max_in_vain; ++i) {
    VecX dy;
    if (!step_.solve_at_end(-step_.gradient_at_end(), dy)) return false;
    const double size = length(dy);
    if (size <= rounding) return true;
    num_in_vain = size < 0.5 * least ? 0 : num_in_vain + 1;
    least = std::min(least, size);
    if (num_in_vain > 0 && least < negligible_motion * negligible_motion * reach()) return true;
    if (i > 0) {
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
    if (!step_.factorise_at_end()) return false;
    const VecX gradient = step_.gradient_at_end();
    VecX dy;
    if (!step_.solve_at_end(-gradient, dy)) return false;
    if (length(dy) > 0.1 * last && length(dy) > rounding) {
      // The Hessian misses a part of the derivative, or nothing is left but rounding.
      const auto corrected = correct(-gradient, dy, 1e-3, part_of_polish, Side::right);
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
  return least < negligible_motion * reach() && step_.factorise_at_end();
}

template <int dim>
std::optional<VecX> StepTangent<dim>::solve(const VecX& right_side) {
  return solve(right_side, Side::right);
}

/// Solves with dg/dy or its transpose, of which the factor is nearly that.
template <int dim>
std::optional<VecX> StepTangent<dim>::solve(const VecX& right_side, Side side) {
  VecX dy;
  if (!step_.solve_at_end(right_side, dy)) return std::nullopt;
  const double size = length(dy);
  if (!(size > 0.0)) return dy;
  // Find what the derivative misses by differences over two lengths, which tell errors of the Hessian from those of
  // differences. Friction that begins to slide is linear over short lengths alone.
  double share = 0.0, noise = infinity, part = 1.0;
  for (const double length_of_try : {1.0, 0.03, 0.001}) {
    VecX miss, other;
    if (!step_.solve_at_end(right_side - product(dy, length_of_try, side), miss)) return std::nullopt;
    const double missing = length(miss) / size;
    if (missing <= negligible) return dy;
    if (!step_.solve_at_end(right_side - product(dy, 0.6 * length_of_try, side), other)) return std::nullopt;
    const double uncertain = length(miss - other) / size;
    if (uncertain < noise) {
      share = missing;
      noise = uncertain;
      part = length_of_try;
    }
    if (noise <= certain) break;
  }
  if (share <= 3.0 * noise) return dy;
  return correct(right_side, dy, std::max(1e-11, noise), part, side);
}

/// Solves by GMRES with the factor as a preconditioner, from the start `dy`, whose image it then needs.
template <int dim>
std::optional<VecX> StepTangent<dim>::correct(const VecX& right_side, VecX dy, double tolerance, double part,
                                              Side side) {
  const auto preconditioned = [&](const VecX& force, VecX& motion) {
    if (!step_.solve_at_end(force, motion)) return false;
    motion = motion.cwiseProduct(weights_);
    return true;
  };
  VecX residual;
  if (!preconditioned(right_side - product(dy, part, side), residual)) return std::nullopt;
  const double size = dy.cwiseProduct(weights_).norm(), start = residual.norm();
  if (!(start > tolerance * size)) return dy;
  const Eigen::Index n = dy.size();
  const int most = static_cast<int>(std::min<Eigen::Index>(max_products, n));
  MatX basis = MatX::Zero(n, most + 1), upper = MatX::Zero(most + 1, most);
  basis.col(0) = residual / start;
  VecX image = VecX::Zero(most + 1), best;
  image[0] = start;
  int count = 0;
  double left = start;
  for (int j = 0; j < most && left > tolerance * size; ++j) {
    VecX next;
    if (!preconditioned(product(basis.col(j).cwiseQuotient(weights_), part, side), next)) return std::nullopt;
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i <= j; ++i) {
        const double along = basis.col(i).dot(next);
        upper(i, j) += along;
        next -= along * basis.col(i);
      }
    }
    upper(j + 1, j) = next.norm();
    count = j + 1;
    if (upper(j + 1, j) > 0.0) basis.col(j + 1) = next / upper(j + 1, j);
    const MatX system = upper.topLeftCorner(count + 1, count);
    best = system.colPivHouseholderQr().solve(image.head(count + 1));
    left = (image.head(count + 1) - system * best).norm();
    if (upper(j + 1, j) <= 1e-14 * start) break;
  }
  if (count > 0) dy += (basis.leftCols(count) * best).cwiseQuotient(weights_);
  if (!dy.allFinite() || !(left <= 0.1 * size)) return std::nullopt;
  error_ = std::max(error_, left / std::max(size, dy.cwiseProduct(weights_).norm()));
  return dy;
}

template class StepTangent<2>;
template class StepTangent<3>;

}  // namespace clearance
