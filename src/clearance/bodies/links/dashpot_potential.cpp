#include "clearance/bodies/links/dashpot_potential.h"

#include <algorithm>
#include <utility>

#include "clearance/base/contract.h"
#include "clearance/bodies/links/weighted_sum.h"

namespace clearance {

template <int dim>
DashpotPotential<dim>::DashpotPotential(std::vector<Dashpot> dashpots)
    : dashpots_(std::make_shared<const std::vector<Dashpot>>(std::move(dashpots))), active_(dashpots_->size()) {
  StencilList stencils;
  for (const Dashpot& dashpot : *dashpots_) {
    std::vector<int> blocks;
    for (const LinkTerm& term : dashpot.terms) blocks.push_back(term.block);
    stencils.add(blocks);
  }
  assembler_ = BlockAssembler(stencils);
}

template <int dim>
Result<Done> DashpotPotential<dim>::begin_step(const VecX& x_t0, double h, double time_t1) {
  for (std::size_t i = 0; i < dashpots_->size(); ++i) {
    const Dashpot& dashpot = (*dashpots_)[i];
    active_[i].factor = h > 0.0 && dashpot.is_active(h, time_t1) ? dashpot.damping / h : 0.0;
    active_[i].r_t0 = difference(i, x_t0);
  }
  return Done{};
}

template <int dim>
Vec<dim> DashpotPotential<dim>::difference(std::size_t i, const VecX& x) const {
  return difference_of<dim>((*dashpots_)[i].terms, (*dashpots_)[i].offset, x);
}

/// Returns the derivative of a damper's potential by r.
template <int dim>
Vec<dim> DashpotPotential<dim>::force(std::size_t i, const VecX& x) const {
  const Vec<dim> r = difference(i, x), &r_t0 = active_[i].r_t0;
  if (!(*dashpots_)[i].has_direction) return active_[i].factor * (r - r_t0);
  const double length = r.norm();
  if (length == 0.0) return Vec<dim>::Zero();
  return active_[i].factor * (1.0 - r_t0.norm() / length) * r;
}

template <int dim>
CompensatedSum DashpotPotential<dim>::energy(const VecX& x) const {
  return ordered_sum(static_cast<int>(dashpots_->size()), [&](int index) {
    const auto i = static_cast<std::size_t>(index);
    const Vec<dim> r = difference(i, x), &r_t0 = active_[i].r_t0;
    const double way = (*dashpots_)[i].has_direction ? r.norm() - r_t0.norm() : (r - r_t0).norm();
    return 0.5 * active_[i].factor * way * way;
  });
}

template <int dim>
void DashpotPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  for (std::size_t i = 0; i < dashpots_->size(); ++i) {
    const Vec<dim> scaled = scale * force(i, x);
    for (const LinkTerm& term : (*dashpots_)[i].terms) block<dim>(gradient, term.block) += term.weight * scaled;
  }
}

template <int dim>
void DashpotPotential<dim>::add_hessian(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix) {
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  locals_.clear();
  for (std::size_t i = 0; i < dashpots_->size(); ++i) {
    const Vec<dim> r = difference(i, x);
    const double length = r.norm();
    double across = 1.0;
    if ((*dashpots_)[i].has_direction) across = length > 0.0 ? 1.0 - active_[i].r_t0.norm() / length : 0.0;
    if (is_projected) across = std::max(across, 0.0);
    const Mat<dim> hessian = active_[i].factor * axial_stiffness<dim>(r, 1.0, across);
    append_hessian<dim>((*dashpots_)[i].terms, hessian, locals_);
  }
  assembler_.add_to<dim>(matrix, locals_, scale);
}

template <int dim>
void DashpotPotential<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  add_hessian(x, scale, true, matrix);
}

template <int dim>
void DashpotPotential<dim>::add_exact_derivatives(const VecX& x, double scale, VecX& gradient,
                                                  BlockSparseMatrix& matrix) {
  add_gradient(x, scale, gradient);
  add_hessian(x, scale, false, matrix);
}

template <int dim>
void DashpotPotential<dim>::pull_back_gradient(const VecX& /*x_t0*/, const VecX& x_t1, const VecX& motion,
                                               MemoryCotangent result) const {
  for (std::size_t i = 0; i < dashpots_->size(); ++i) {
    const std::vector<LinkTerm>& terms = (*dashpots_)[i].terms;
    // The way s of the ends in the motion gives -(c / h) (s . n) n_t0 by r_t0, and -(c / h) s without a direction.
    Vec<dim> slope = -active_[i].factor * difference_of<dim>(terms, Vec<3>::Zero(), motion);
    if ((*dashpots_)[i].has_direction) {
      const double along = slope.dot(difference(i, x_t1).normalized());
      slope = along * active_[i].r_t0.normalized();
    }
    for (const LinkTerm& term : terms) block<dim>(result.x_t0, term.block) += term.weight * slope;
  }
}

template class DashpotPotential<2>;
template class DashpotPotential<3>;

}  // namespace clearance
