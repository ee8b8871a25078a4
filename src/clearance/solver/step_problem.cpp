#include "clearance/solver/step_problem.h"

#include <algorithm>
#include <cmath>

#include "clearance/base/log.h"
#include "clearance/model/blocks.h"

namespace clearance {

namespace {

/// [kg] of the blocks that have mass; 0 if none has.
double mean_mass(const Model& model) {
  double sum = 0.0;
  int count = 0;
  for (double m : model.mass) {
    if (m > 0.0) {
      sum += m;
      ++count;
    }
  }
  return sum / std::max(count, 1);
}

FrictionScales friction_scales(const SolverOptions& options) {
  return {options.integrator.h, options.friction.eps_v, options.friction.stick};
}

/// Prescribed obstacle nodes have no mass; the mean of the deformable nodes serves as their weight [Fer23, app. A.5].
VecX prescribed_masses(const Model& model, const PrescribedTargets& targets, double scale) {
  const double mean_of_free = mean_mass(model);
  double mean = mean_of_free > 0.0 ? mean_of_free : 1.0;
  // A pull of 1e6 masses must be stiff beside the elasticity that holds the nodes, too, or multipliers take for ever.
  if (!model.contact_scales.is_empty()) {
    mean = std::max(mean, 1e-4 * scale * model.elastic_stiffness.maxCoeff());
  }
  VecX masses(static_cast<Eigen::Index>(targets.blocks.size()));
  for (std::size_t k = 0; k < targets.blocks.size(); ++k) {
    const double m = model.mass[targets.blocks[k]];
    masses[static_cast<Eigen::Index>(k)] = m > 0.0 ? std::max(m, model.contact_scales.is_empty() ? m : mean) : mean;
  }
  return masses;
}

}  // namespace

template <int dim>
StepProblem<dim>::StepProblem(const Model& model, const SolverOptions& options, const InertialTarget& target,
                              const PrescribedTargets& targets, const State& state)
    : model_(model),
      options_(options),
      target_(target),
      targets_(targets),
      x_surface_t0_(model.surface_map.apply(state.x)),
      stick_t0_(state.stick),
      inertia_(model, target),
      barrier_(model, options.barrier),
      friction_(FrictionPotential<dim>(model, friction_scales(options), x_surface_t0_, stick_t0_)),
      pull_(AugmentedLagrangian<dim>(targets, prescribed_masses(model, targets, target.scale), state.x)),
      has_friction_(options.has_contact && !model.friction.is_frictionless()),
      is_fixed_(static_cast<std::size_t>(model.layout.num_blocks), 0) {
  for (const auto& potential : model.potentials) potentials_.emplace_back(*potential, target);
  terms_.push_back(&inertia_);
  for (PotentialTerm<dim>& term : potentials_) terms_.push_back(&term);
  terms_.insert(terms_.end(), {&barrier_, &friction_, &pull_});
}

template <int dim>
void StepProblem<dim>::fix_prescribed() {
  for (int b : targets_.blocks) is_fixed_[static_cast<std::size_t>(b)] = 1;
}

template <int dim>
void StepProblem<dim>::free_prescribed() {
  for (int b : targets_.blocks) is_fixed_[static_cast<std::size_t>(b)] = 0;
}

template <int dim>
Iterate StepProblem<dim>::make_iterate(VecX x, const Candidates& candidates) const {
  Iterate iterate;
  iterate.x_surface = model_.surface_map.apply(x);
  iterate.x = std::move(x);
  if (options_.has_contact) {
    iterate.contacts = build_contact_set<dim>(model_, iterate.x_surface, candidates, options_.barrier);
  }
  return iterate;
}

template <int dim>
CompensatedSum StepProblem<dim>::energy(const Iterate& iterate) const {
  CompensatedSum total;
  for (const ObjectiveTerm<dim>* term : terms_) {
    if (term->is_active(iterate)) total.add(term->energy(iterate));
  }
  return total;
}

template <int dim>
double StepProblem<dim>::energy_magnitude(const Iterate& iterate) const {
  double sum = 0.0;
  for (const ObjectiveTerm<dim>* term : terms_) {
    if (term->is_active(iterate)) sum += term->magnitude(iterate);
  }
  return sum;
}

template <int dim>
double StepProblem<dim>::slope(const Iterate& iterate, const VecX& dx) const {
  VecX gradient = VecX::Zero(iterate.x.size());
  for (const ObjectiveTerm<dim>* term : terms_) {
    if (term->is_active(iterate)) term->add_gradient(iterate, gradient);
  }
  clear_blocks<dim>(is_fixed_, gradient);
  return gradient.dot(dx);
}

template <int dim>
auto StepProblem<dim>::max_feasible_step(const VecX& x, const VecX& dx) const -> Limit {
  Limit least;
  for (const ObjectiveTerm<dim>* term : terms_) {
    const StepLimit limit = term->max_feasible_step(x, dx);
    if (limit.alpha < least.alpha) least = {limit, term->name()};
  }
  return least;
}

template <int dim>
std::string StepProblem<dim>::infeasible_term(const VecX& x) const {
  for (const ObjectiveTerm<dim>* term : terms_) {
    if (!term->is_feasible(x)) return term->name();
  }
  return "";
}

template <int dim>
void StepProblem<dim>::lag_friction(const Iterate& iterate, const VecX& displacement, double kappa, double share) {
  friction_.potential().lag(iterate.contacts, iterate.x_surface, model_.surface_map.apply(displacement), kappa,
                            options_.barrier, share);
}

template <int dim>
FrictionPotential<dim> StepProblem<dim>::fresh_friction(const Iterate& iterate, const VecX& x_t0) const {
  FrictionPotential<dim> fresh(model_, friction_scales(options_), x_surface_t0_, stick_t0_);
  fresh.lag(iterate.contacts, iterate.x_surface, model_.surface_map.apply(iterate.x - x_t0), kappa(), options_.barrier);
  return fresh;
}

template <int dim>
std::vector<VecX> StepProblem<dim>::term_gradients(const Iterate& iterate,
                                                   const FrictionPotential<dim>& friction) const {
  std::vector<VecX> gradients;
  for (const ObjectiveTerm<dim>* term : terms_) {
    const bool is_friction = term == &friction_;
    if (!(is_friction ? !friction.is_empty() : term->is_active(iterate))) continue;
    gradients.emplace_back(VecX::Zero(iterate.x.size()));
    if (is_friction) {
      friction.add_gradient(iterate.x_surface, gradients.back());
    } else {
      term->add_gradient(iterate, gradients.back());
    }
  }
  return gradients;
}

template <int dim>
void StepProblem<dim>::assemble(const Iterate& iterate, SystemMatrix<dim>& system, VecX& gradient, HessianKind kind) {
  std::vector<BlockKey> keys;
  for (ObjectiveTerm<dim>* term : terms_) {
    if (!term->is_active(iterate)) continue;
    const std::vector<BlockKey>& added = term->prepare_hessian(iterate, is_fixed_);
    if (added.empty()) continue;
    std::vector<BlockKey> all;
    std::set_union(keys.begin(), keys.end(), added.begin(), added.end(), std::back_inserter(all));
    keys = std::move(all);
  }
  BlockSparseMatrix& matrix = system.reset(keys);
  gradient.setZero(iterate.x.size());
  for (ObjectiveTerm<dim>* term : terms_) {
    if (term->is_active(iterate)) term->add_derivatives(iterate, kind, gradient, matrix);
  }
  const double inertia =
      target_.mass_factors.empty() ? 1.0 : *std::min_element(target_.mass_factors.begin(), target_.mass_factors.end());
  system.reduce(iterate.x, target_.has_inertia ? inertia : 0.0, is_fixed_, gradient, kind == HessianKind::exact);
}

/// Stiff bodies have no elasticity that a barrier must stand up to, only inertia: halfway to contact the barrier pushes
/// a mean mass out by a hundred dhat in a step. [Fer23, app. A.6] would make it a thousand times stiffer, a wall that
/// contacts meet one by one (measured: ten times the Newton iterations).
template <int dim>
double StepProblem<dim>::inertial_kappa() const {
  constexpr double reach = 100.0;
  const double middle = 0.5 * options_.barrier.dhat + options_.barrier.min_separation;
  const double force = -2.0 * middle * barrier_derivatives(middle * middle, options_.barrier).first;
  return reach * options_.barrier.dhat * mean_mass(model_) / force;
}

template <int dim>
double StepProblem<dim>::kappa_lower_bound() const {
  if (!model_.stiff_bodies.empty() && target_.has_inertia) return inertial_kappa();
  // [Fer23, app. A.6]: at d = 1e-8 l a point-point contact has at least `min_multiplier` mean masses on the diagonal.
  const double l = model_.bbox_diagonal;
  const double min_separation = options_.barrier.min_separation;
  double distance = 1e-8 * l + min_separation;
  double curvature = barrier_derivatives(distance * distance, options_.barrier).second;
  // Where dhat is so small that the reference distance lies outside the barrier, use the barrier's middle instead.
  if (!(curvature > 0.0)) {
    distance = 0.5 * options_.barrier.dhat + min_separation;
    curvature = barrier_derivatives(distance * distance, options_.barrier).second;
  }
  // The squared distance has a gradient of length 2 d; without min_separation its square is the 4e-16 l^2 of [Fer23,
  // app. A.6].
  return options_.kappa.min_multiplier * mean_mass(model_) / (4.0 * distance * distance * curvature);
}

template <int dim>
void StepProblem<dim>::choose_kappa(const Iterate& iterate) {
  if (options_.kappa.fixed > 0.0) {
    barrier_.set_kappa(options_.kappa.fixed);
    return;
  }
  // Every contact has a stiffness of its own, as an energy.
  if (!model_.contact_scales.compliance.empty()) {
    barrier_.set_kappa(target_.scale);
    return;
  }
  const double lower = kappa_lower_bound(), upper = 100.0 * lower;
  barrier_.set_kappa(lower);
  // Balanced with the forces at the gaps of the last step, stiff bodies would keep these gaps and stay in a wall.
  if (!model_.stiff_bodies.empty()) return;
  if (iterate.contacts.contacts.empty()) return;
  // The kappa that balances the barrier's gradient with all others best, within the bounds.
  VecX smooth = VecX::Zero(iterate.x.size()), contact = VecX::Zero(iterate.x.size());
  for (const ObjectiveTerm<dim>* term : terms_) {
    if (term != &barrier_ && term->is_active(iterate)) term->add_gradient(iterate, smooth);
  }
  barrier().add_gradient(iterate.contacts, iterate.x_surface, 1.0, contact);
  clear_blocks<dim>(is_fixed_, smooth);
  clear_blocks<dim>(is_fixed_, contact);
  const double contact_sq = contact.squaredNorm();
  if (contact_sq > 0.0) barrier_.set_kappa(std::clamp(-contact.dot(smooth) / contact_sq, lower, upper));
}

template <int dim>
const Contact* StepProblem<dim>::adapt_kappa(const Iterate& before, const Iterate& after) {
  if (options_.kappa.fixed > 0.0 || !model_.contact_scales.compliance.empty()) return nullptr;
  const double close = options_.kappa.close_distance + options_.barrier.min_separation;
  if (after.contacts.min_distance >= close) return nullptr;
  const double upper = 100.0 * kappa_lower_bound();
  if (kappa() >= upper) return nullptr;
  for (const Contact& contact : after.contacts.contacts) {
    if (contact.distance_sq >= close * close) continue;
    // Both sets are sorted by stencil.
    const auto& all = before.contacts.contacts;
    const auto found = std::lower_bound(all.begin(), all.end(), contact, precedes);
    if (found == all.end() || precedes(contact, *found)) continue;
    if (found->distance_sq < close * close && contact.distance_sq < found->distance_sq) {
      barrier_.set_kappa(std::min(upper, 2.0 * kappa()));
      return &contact;
    }
  }
  return nullptr;
}

template class StepProblem<2>;
template class StepProblem<3>;

}  // namespace clearance
