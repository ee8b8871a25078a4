#include "clearance/bodies/links/spring_potential.h"

#include <algorithm>
#include <utility>

#include "clearance/base/contract.h"
#include "clearance/bodies/links/weighted_sum.h"

namespace clearance {

template <int dim>
SpringPotential<dim>::SpringPotential(std::vector<Spring> springs)
    : springs_(std::make_shared<const std::vector<Spring>>(std::move(springs))), active_(springs_->size()) {
  StencilList stencils;
  for (std::size_t i = 0; i < springs_->size(); ++i) {
    const Spring& spring = (*springs_)[i];
    if (spring.locked_from) locking_.push_back(static_cast<int>(i));
    std::vector<int> blocks;
    for (const LinkTerm& term : spring.terms) blocks.push_back(term.block);
    stencils.add(blocks);
  }
  assembler_ = BlockAssembler(stencils);
}

template <int dim>
bool SpringPotential<dim>::is_driven() const {
  return std::any_of(springs_->begin(), springs_->end(), [](const Spring& spring) { return spring.is_driven(); });
}

template <int dim>
HistoryLayout SpringPotential<dim>::history_layout() const {
  HistoryLayout layout;
  layout.num_per_point = 1;
  for (const int i : locking_) {
    const Spring& spring = (*springs_)[i];
    layout.points.push_back({spring.start, spring.terms.front().block});
  }
  return layout;
}

template <int dim>
void SpringPotential<dim>::set_history(std::span<const double> history) {
  history_.assign(history.begin(), history.end());
}

template <int dim>
Result<Done> SpringPotential<dim>::begin_step(const VecX& /*x_t0*/, double h, double time_t1) {
  Issues issues;
  const auto value = [&](const std::function<Result<double>(double)>& formula, double constant, double t) {
    if (!formula) return constant;
    const Result<double> result = formula(t);
    issues.insert(issues.end(), result.issues().begin(), result.issues().end());
    return result ? *result : 0.0;
  };
  for (std::size_t i = 0; i < springs_->size(); ++i) {
    const Spring& spring = (*springs_)[i];
    ActiveSpring& active = active_[i];
    // The time of a lock is a multiple of the step but for rounding.
    constexpr double rounding = 1e-9;
    active.acts = spring.is_active(h, time_t1);
    active.is_loose = spring.locked_from && time_t1 <= *spring.locked_from + rounding * h;
    active.stiffness = active.is_loose ? 0.0 : spring.stiffness;
    active.length = value(spring.length_at, spring.length, time_t1);
    active.tension =
        value(spring.tension_at, spring.tension, spring.locked_from ? std::min(time_t1, *spring.locked_from) : time_t1);
  }
  for (std::size_t k = 0; k < locking_.size() && !history_.empty(); ++k) {
    active_[locking_[k]].length = history_[k] * (*springs_)[locking_[k]].start_length;
  }
  if (!issues.empty()) return issues;
  return Done{};
}

template <int dim>
void SpringPotential<dim>::end_step(const VecX& x_t1, std::span<double> history) const {
  for (std::size_t k = 0; k < locking_.size(); ++k) {
    const int i = locking_[k];
    const double length = active_[i].is_loose ? difference(i, x_t1).norm() : active_[i].length;
    history[k] = length / (*springs_)[i].start_length;
  }
}

template <int dim>
void SpringPotential<dim>::pull_back_history(const VecX& /*x_t0*/, const VecX& x_t1, std::span<const double> kept,
                                             MemoryCotangent result) const {
  for (std::size_t k = 0; k < locking_.size(); ++k) {
    const int i = locking_[k];
    if (!active_[i].is_loose) {
      result.history[k] += kept[k];
      continue;
    }
    // The length is |r| / L_start.
    const Vec<dim> slope = kept[k] / (*springs_)[i].start_length * difference(i, x_t1).normalized();
    for (const LinkTerm& term : (*springs_)[i].terms) block<dim>(result.x_t1, term.block) += term.weight * slope;
  }
}

template <int dim>
void SpringPotential<dim>::pull_back_gradient(const VecX& /*x_t0*/, const VecX& x_t1, const VecX& motion,
                                              MemoryCotangent result) const {
  for (std::size_t k = 0; k < locking_.size(); ++k) {
    const int i = locking_[k];
    const Spring& spring = (*springs_)[i];
    const Vec<dim> r = difference(i, x_t1);
    const double distance = r.norm();
    const bool is_slack = spring.is_pull_only && tension_at(i, distance) <= 0.0;
    if (!active_[i].acts || active_[i].is_loose || is_slack || distance == 0.0) continue;
    // The gradient k (|r| - l) n has the derivative -k n by l, and l is the history times the length at the start.
    const double along = difference_of<dim>(spring.terms, Vec<3>::Zero(), motion).dot(r) / distance;
    result.history[k] -= active_[i].stiffness * spring.start_length * along;
  }
}

template <int dim>
Vec<dim> SpringPotential<dim>::difference(int i, const VecX& x) const {
  return difference_of<dim>((*springs_)[i].terms, (*springs_)[i].offset, x);
}

template <int dim>
double SpringPotential<dim>::tension_at(int i, double distance) const {
  const ActiveSpring& active = active_[i];
  if (!active.acts) return 0.0;
  const double tension = active.stiffness * (distance - active.length) + active.tension;
  return (*springs_)[i].is_pull_only ? std::max(tension, 0.0) : tension;
}

template <int dim>
double SpringPotential<dim>::tension(int i, const VecX& x) const {
  return tension_at(i, difference(i, x).norm());
}

template <int dim>
double SpringPotential<dim>::energy_of(int i, const VecX& x) const {
  const ActiveSpring& active = active_[i];
  if (!active.acts) return 0.0;
  double elongation = difference(i, x).norm() - active.length;
  // A slack spring has the energy of the length at which it goes slack.
  if ((*springs_)[i].is_pull_only && active.stiffness > 0.0) {
    elongation = std::max(elongation, -active.tension / active.stiffness);
  } else if ((*springs_)[i].is_pull_only && active.tension < 0.0) {
    return 0.0;
  }
  return elongation * (0.5 * active.stiffness * elongation + active.tension);
}

template <int dim>
CompensatedSum SpringPotential<dim>::energy(const VecX& x) const {
  return ordered_sum(static_cast<int>(springs_->size()), [&](int i) { return energy_of(i, x); });
}

template <int dim>
void SpringPotential<dim>::add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const {
  for (std::size_t i = 0; i < springs_->size(); ++i) {
    sums[body_of_block[(*springs_)[i].terms.front().block]] += energy_of(static_cast<int>(i), x);
  }
}

// The gradient is summed serially, because springs share blocks; there are few of them.

template <int dim>
void SpringPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  for (std::size_t i = 0; i < springs_->size(); ++i) {
    const Vec<dim> r = difference(static_cast<int>(i), x);
    const double distance = r.norm();
    // At |r| = 0 the direction is undefined, and a spring without a length carries nothing.
    if (distance == 0.0) continue;
    const Vec<dim> force = scale * tension_at(static_cast<int>(i), distance) / distance * r;
    for (const LinkTerm& term : (*springs_)[i].terms) block<dim>(gradient, term.block) += term.weight * force;
  }
}

template <int dim>
void SpringPotential<dim>::add_hessian(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix) {
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  locals_.clear();
  for (std::size_t i = 0; i < springs_->size(); ++i) {
    const Spring& spring = (*springs_)[i];
    const ActiveSpring& active = active_[i];
    const Vec<dim> r = difference(static_cast<int>(i), x);
    const double distance = r.norm(), carried = tension_at(static_cast<int>(i), distance);
    const bool is_slack = spring.is_pull_only && carried <= 0.0;
    const double along = active.acts && !is_slack ? active.stiffness : 0.0;
    // Across its line a spring is as stiff as its tension over its length; one that acts in all directions is alike.
    const bool is_alike = active.length == 0.0 && active.tension == 0.0;
    double across = is_alike ? along : 0.0;
    if (!is_alike && distance > 0.0) across = carried / distance;
    if (is_projected) across = std::max(across, 0.0);
    append_hessian<dim>(spring.terms, axial_stiffness<dim>(r, along, across), locals_);
  }
  assembler_.add_to<dim>(matrix, locals_, scale);
}

template <int dim>
void SpringPotential<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  add_hessian(x, scale, true, matrix);
}

template <int dim>
void SpringPotential<dim>::add_exact_derivatives(const VecX& x, double scale, VecX& gradient,
                                                 BlockSparseMatrix& matrix) {
  add_gradient(x, scale, gradient);
  add_hessian(x, scale, false, matrix);
}

template class SpringPotential<2>;
template class SpringPotential<3>;

}  // namespace clearance
