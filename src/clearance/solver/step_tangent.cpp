#include "clearance/solver/step_tangent.h"

#include <algorithm>
#include <cmath>

namespace clearance {

namespace {

/// Parts of lengths by which differences move: fourth-order differences then err by 1e-10, and rounding of gaps by
/// 1e-13 over this part.
constexpr double part_of_gap = 3e-3, part_of_sliding = 1e-2, part_of_edge = 2e-3, part_of_body = 4e-3;
/// Relative error of a direction below which the Hessian is taken as the derivative.
constexpr double negligible = 1e-9;
/// Relative error of a product that is small enough.
constexpr double certain = 1e-7;
constexpr int max_products = 60;
/// Newton steps that polish a solution at most, those in a row that halve neither the smallest step nor the smallest
/// imbalance so far, and the share of the reach below which what rounding leaves is good enough.
constexpr int max_polishing = 40, max_in_vain = 3;
constexpr double negligible_motion = 1e-4;
/// Part of the reach over which a polishing step takes differences: friction that turns round is linear over short
/// lengths alone.
constexpr double part_of_polish = 0.03;

}  // namespace

template <int dim>
StepTangent<dim>::StepTangent(Step<dim>& step) : step_(step), reach_of_shapes_(find_reach_of_shapes()) {
  step_.hold_prescribed();
  const auto origins = step_.inputs().coordinates().origins();
  weights_.setOnes(dim * static_cast<Eigen::Index>(origins.size()));
  for (std::size_t b = 0; b < origins.size(); ++b) {
    if (origins[b].is_turn) weights_.segment<dim>(dim * static_cast<Eigen::Index>(b)).setConstant(origins[b].radius);
  }
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
  return reach;
}

template <int dim>
double StepTangent<dim>::reach() const {
  const StepInputs<dim>& in = step_.inputs();
  const Model& model = in.model;
  double reach = reach_of_shapes_;
  const ContactSet& contacts = step_.end_state().point.iterate.contacts;
  if (contacts.contacts.empty()) return reach;
  for (const Contact& contact : contacts.contacts) reach = std::min(reach, part_of_gap * gap_of(contact));
  if (model.friction.is_frictionless()) return reach;
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

/// Returns the derivative of function(x) along dy, by differences of fourth order over `part` of the reach.
template <int dim>
template <class Function>
VecX StepTangent<dim>::difference(const VecX& dy, double part, const Function& function) {
  const double eps = part * reach() / length(dy);
  const LocalCoordinates<dim>& coordinates = step_.inputs().coordinates();
  const VecX x = this->x();
  const auto at = [&](double by) { return function(coordinates.move(x, by * dy, 1.0)); };
  VecX result = 8.0 * (at(eps) - at(-eps)) - (at(2.0 * eps) - at(-2.0 * eps));
  result /= 12.0 * eps;
  step_.gradient_at(x);  // forces refer to the end again
  return result;
}

/// Returns (dg/dy) dy.
template <int dim>
VecX StepTangent<dim>::product(const VecX& dy, double part) {
  if (!(length(dy) > 0.0)) return VecX::Zero(dy.size());
  return difference(dy, part, [&](const VecX& x) { return step_.gradient_at(x); });
}

template <int dim>
VecX StepTangent<dim>::full_transposed_product(const VecX& dy, const SparseMatrix& friction_by_end,
                                               const VecX& friction) {
  const VecX dx = step_.inputs().coordinates().expand(x(), dy);
  if (!(length(dy) > 0.0)) return VecX::Zero(dx.size());
  VecX result = difference(dy, 1.0, [&](const VecX& x) { return step_.full_gradient_at(x, friction); });
  if (friction_by_end.size() > 0) result += friction_by_end.transpose() * dx;
  return result;
}

template <int dim>
std::optional<VecX> StepTangent<dim>::solve_transposed(const VecX& right_side, const SparseMatrix& friction_by_end,
                                                       const VecX& friction) {
  const LocalCoordinates<dim>& coordinates = step_.inputs().coordinates();
  // In Newton's unknowns the derivative is P^T J P and the curvature of the turns under all forces, which is symmetric
  // where the forces balance. Friction counts there as the constant force that it is at the end.
  const Product product = [&](const VecX& dy, double part) {
    if (!(length(dy) > 0.0)) return VecX(VecX::Zero(dy.size()));
    VecX result = difference(dy, part, [&](const VecX& x) {
      return step_.problem().free_part(coordinates, x, step_.full_gradient_at(x, friction));
    });
    if (friction_by_end.size() > 0) {
      const VecX of_friction = friction_by_end.transpose() * coordinates.expand(x(), dy);
      result += step_.problem().free_part(coordinates, x(), of_friction);
    }
    return result;
  };
  return solve(right_side, product);
}

template <int dim>
bool StepTangent<dim>::polish() {
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
      const Product product = [this](const VecX& motion, double part) { return this->product(motion, part); };
      const auto corrected = correct(-gradient, dy, 1e-3, part_of_polish, product);
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
  return solve(right_side, [this](const VecX& dy, double part) { return product(dy, part); });
}

/// Solves with the matrix of `product`, of which the factor is nearly that.
template <int dim>
std::optional<VecX> StepTangent<dim>::solve(const VecX& right_side, const Product& product) {
  VecX dy;
  if (!step_.solve_at_end(right_side, dy)) return std::nullopt;
  const double size = length(dy);
  if (!(size > 0.0)) return dy;
  // Find what the derivative misses by differences over two lengths, which tell errors of the Hessian from those of
  // differences. Friction that begins to slide is linear over short lengths alone.
  double share = 0.0, noise = infinity, part = 1.0;
  for (const double length_of_try : {1.0, 0.03, 0.001}) {
    VecX miss, other;
    if (!step_.solve_at_end(right_side - product(dy, length_of_try), miss)) return std::nullopt;
    const double missing = length(miss) / size;
    if (missing <= negligible) return dy;
    if (!step_.solve_at_end(right_side - product(dy, 0.6 * length_of_try), other)) return std::nullopt;
    const double uncertain = length(miss - other) / size;
    if (uncertain < noise) {
      share = missing;
      noise = uncertain;
      part = length_of_try;
    }
    if (noise <= certain) break;
  }
  if (share <= 3.0 * noise) return dy;
  return correct(right_side, dy, std::max(1e-11, noise), part, product);
}

/// Solves by GMRES with the factor as a preconditioner, from the start `dy`, whose image it then needs.
template <int dim>
std::optional<VecX> StepTangent<dim>::correct(const VecX& right_side, VecX dy, double tolerance, double part,
                                              const Product& product) {
  const auto preconditioned = [&](const VecX& force, VecX& motion) {
    if (!step_.solve_at_end(force, motion)) return false;
    motion = motion.cwiseProduct(weights_);
    return true;
  };
  VecX residual;
  if (!preconditioned(right_side - product(dy, part), residual)) return std::nullopt;
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
    if (!preconditioned(product(basis.col(j).cwiseQuotient(weights_), part), next)) return std::nullopt;
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
