#include "clearance/solver/step_problem.h"

#include <algorithm>
#include <cmath>

#include "clearance/base/log.h"

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

/// Prescribed obstacle nodes have no mass; the mean of the deformable nodes serves as their weight (app. A.5).
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
CompensatedSum inertial_energy(const Model& model, const VecX& d) {
  if (model.consistent_mass) return model.consistent_mass->energy(d);
  return ordered_sum(model.layout.num_blocks,
                     [&](int b) { return 0.5 * model.mass[b] * block<dim>(d, b).squaredNorm(); });
}

namespace {

/// 1/2 |x - x_tilde|_M^2
template <int dim>
CompensatedSum inertia_term(const Model& model, const InertialTarget& target, const VecX& x) {
  const VecX d = x - target.x_tilde;
  if (target.mass_factors.empty()) return inertial_energy<dim>(model, d);
  return ordered_sum(model.layout.num_blocks, [&](int b) {
    return 0.5 * target.mass_factor(b) * model.mass[b] * block<dim>(d, b).squaredNorm();
  });
}

template <int dim>
void add_inertial_gradient(const Model& model, const InertialTarget& target, const VecX& x, VecX& gradient) {
  const VecX d = x - target.x_tilde;
  if (model.consistent_mass) {
    model.consistent_mass->add_product(d, 1.0, gradient);
    return;
  }
  parallel_for(model.layout.num_blocks, 4096,
               [&](int b) { block<dim>(gradient, b) += target.mass_factor(b) * model.mass[b] * block<dim>(d, b); });
}

template <int dim>
void add_mass(const Model& model, const InertialTarget& target, BlockSparseMatrix& matrix) {
  if (model.consistent_mass) {
    model.consistent_mass->add_to(1.0, matrix);
    return;
  }
  parallel_for(model.layout.num_blocks, 4096, [&](int b) {
    matrix.add_to_slot<dim>(matrix.find_slot(b, b), matrix.slot_stride(b),
                            Mat<dim>(target.mass_factor(b) * model.mass[b] * Mat<dim>::Identity()));
  });
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
      barrier_(model, options.barrier),
      friction_(model, friction_scales(options), x_surface_t0_, stick_t0_),
      has_friction_(options.has_contact && !model.friction.is_frictionless()),
      augmented_(targets, prescribed_masses(model, targets, target.scale), state.x),
      is_fixed_(static_cast<std::size_t>(model.layout.num_blocks), 0) {}

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
  const VecX& x = iterate.x;
  CompensatedSum total;
  if (target_.has_inertia) {
    total.add(inertia_term<dim>(model_, target_, x));
  }
  for (const auto& potential : model_.potentials) {
    CompensatedSum term = potential->energy(x);
    term.sum *= target_.scale;
    term.correction *= target_.scale;
    total.add(term);
  }
  CompensatedSum contact = barrier_.energy(iterate.contacts, iterate.x_surface);
  contact.sum *= kappa_;
  contact.correction *= kappa_;
  total.add(contact);
  total.add(friction_.energy(iterate.x_surface));
  total.add(augmented_.energy(x));
  return total;
}

template <int dim>
double StepProblem<dim>::energy_magnitude(const Iterate& iterate) const {
  double sum = target_.has_inertia ? inertia_term<dim>(model_, target_, iterate.x).value() : 0.0;
  for (const auto& potential : model_.potentials) {
    sum += target_.scale * std::abs(potential->energy(iterate.x).value());
  }
  sum += kappa_ * barrier_.energy(iterate.contacts, iterate.x_surface).value();
  sum += friction_.energy(iterate.x_surface).value();
  return sum + std::abs(augmented_.energy(iterate.x).value());
}

template <int dim>
double StepProblem<dim>::slope(const Iterate& iterate, const VecX& dx) const {
  VecX gradient = VecX::Zero(iterate.x.size());
  add_smooth_gradient(iterate.x, gradient);
  barrier_.add_gradient(iterate.contacts, iterate.x_surface, kappa_, gradient);
  friction_.add_gradient(iterate.x_surface, gradient);
  zero_fixed(gradient);
  return gradient.dot(dx);
}

template <int dim>
void StepProblem<dim>::add_smooth_gradient(const VecX& x, VecX& gradient) const {
  if (target_.has_inertia) add_inertial_gradient<dim>(model_, target_, x, gradient);
  for (const auto& potential : model_.potentials) potential->add_gradient(x, target_.scale, gradient);
  augmented_.add_gradient(x, gradient);
}

template <int dim>
void StepProblem<dim>::zero_fixed(VecX& gradient) const {
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    if (is_fixed_[static_cast<std::size_t>(b)]) block<dim>(gradient, b).setZero();
  }
}

template <int dim>
void StepProblem<dim>::lag_friction(const Iterate& iterate, const VecX& displacement, double kappa, double share) {
  friction_.lag(iterate.contacts, iterate.x_surface, model_.surface_map.apply(displacement), kappa, options_.barrier,
                share);
}

template <int dim>
FrictionPotential<dim> StepProblem<dim>::fresh_friction(const Iterate& iterate, const VecX& x_t0) const {
  FrictionPotential<dim> fresh(model_, friction_scales(options_), x_surface_t0_, stick_t0_);
  fresh.lag(iterate.contacts, iterate.x_surface, model_.surface_map.apply(iterate.x - x_t0), kappa_, options_.barrier);
  return fresh;
}

template <int dim>
std::vector<VecX> StepProblem<dim>::term_gradients(const Iterate& iterate,
                                                   const FrictionPotential<dim>& friction) const {
  std::vector<VecX> gradients;
  const auto next = [&]() -> VecX& { return gradients.emplace_back(VecX::Zero(iterate.x.size())); };
  if (target_.has_inertia) add_inertial_gradient<dim>(model_, target_, iterate.x, next());
  for (const auto& potential : model_.potentials) potential->add_gradient(iterate.x, target_.scale, next());
  if (!iterate.contacts.contacts.empty()) barrier_.add_gradient(iterate.contacts, iterate.x_surface, kappa_, next());
  if (!friction.is_empty()) friction.add_gradient(iterate.x_surface, next());
  if (augmented_.is_active()) augmented_.add_gradient(iterate.x, next());
  return gradients;
}

/// Blocks of barriers and friction.
template <int dim>
std::vector<BlockKey> StepProblem<dim>::contact_keys(const Iterate& iterate) {
  const std::vector<BlockKey>& of_barriers = barrier_.prepare_hessian(iterate.contacts, is_fixed_);
  if (friction_.is_empty()) return of_barriers;
  const std::vector<BlockKey>& of_friction = friction_.prepare_hessian(is_fixed_);
  std::vector<BlockKey> all;
  std::set_union(of_barriers.begin(), of_barriers.end(), of_friction.begin(), of_friction.end(),
                 std::back_inserter(all));
  return all;
}

template <int dim>
void StepProblem<dim>::assemble(const Iterate& iterate, SystemMatrix<dim>& system, VecX& gradient, bool is_exact) {
  BlockSparseMatrix& matrix = system.reset(contact_keys(iterate));
  gradient.setZero(iterate.x.size());
  if (target_.has_inertia) {
    add_inertial_gradient<dim>(model_, target_, iterate.x, gradient);
    add_mass<dim>(model_, target_, matrix);
  }
  for (const auto& potential : model_.potentials) {
    if (is_exact) {
      potential->add_exact_derivatives(iterate.x, target_.scale, gradient, matrix);
    } else {
      potential->add_derivatives(iterate.x, target_.scale, gradient, matrix);
    }
  }
  barrier_.add_derivatives(iterate.contacts, iterate.x_surface, kappa_, gradient, matrix, is_exact);
  friction_.add_derivatives(iterate.x_surface, secant_share_, gradient, matrix);
  augmented_.add_derivatives(iterate.x, gradient, matrix);
  const double inertia =
      target_.mass_factors.empty() ? 1.0 : *std::min_element(target_.mass_factors.begin(), target_.mass_factors.end());
  system.reduce(iterate.x, target_.has_inertia ? inertia : 0.0, is_fixed_, gradient, is_exact);
}

/// Stiff bodies have no elasticity that a barrier must stand up to, only inertia: halfway to contact the barrier pushes
/// a mean mass out by a hundred dhat in a step. App. A.6 would make it a thousand times stiffer, a wall that contacts
/// meet one by one (measured: ten times the Newton iterations).
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
  // App. A.6: at d = 1e-8 l a point-point contact has at least `min_multiplier` mean masses on the diagonal.
  const double l = model_.bbox_diagonal;
  const double min_separation = options_.barrier.min_separation;
  double distance = 1e-8 * l + min_separation;
  double curvature = barrier_derivatives(distance * distance, options_.barrier).second;
  // Where dhat is so small that the reference distance lies outside the barrier, use the barrier's middle instead.
  if (!(curvature > 0.0)) {
    distance = 0.5 * options_.barrier.dhat + min_separation;
    curvature = barrier_derivatives(distance * distance, options_.barrier).second;
  }
  // The squared distance has a gradient of length 2 d; without min_separation its square is the 4e-16 l^2 of app. A.6.
  return options_.kappa.min_multiplier * mean_mass(model_) / (4.0 * distance * distance * curvature);
}

template <int dim>
void StepProblem<dim>::choose_kappa(const Iterate& iterate) {
  if (options_.kappa.fixed > 0.0) {
    kappa_ = options_.kappa.fixed;
    return;
  }
  // Every contact has a stiffness of its own, as an energy.
  if (!model_.contact_scales.compliance.empty()) {
    kappa_ = target_.scale;
    return;
  }
  const double lower = kappa_lower_bound(), upper = 100.0 * lower;
  kappa_ = lower;
  // Balanced with the forces at the gaps of the last step, stiff bodies would keep these gaps and stay in a wall.
  if (!model_.stiff_bodies.empty()) return;
  if (iterate.contacts.contacts.empty()) return;
  // The kappa that balances the barrier's gradient with all others best, within the bounds.
  VecX smooth = VecX::Zero(iterate.x.size()), contact = VecX::Zero(iterate.x.size());
  add_smooth_gradient(iterate.x, smooth);
  friction_.add_gradient(iterate.x_surface, smooth);
  barrier_.add_gradient(iterate.contacts, iterate.x_surface, 1.0, contact);
  zero_fixed(smooth);
  zero_fixed(contact);
  const double contact_sq = contact.squaredNorm();
  if (contact_sq > 0.0) kappa_ = std::clamp(-contact.dot(smooth) / contact_sq, lower, upper);
}

template <int dim>
const Contact* StepProblem<dim>::adapt_kappa(const Iterate& before, const Iterate& after) {
  if (options_.kappa.fixed > 0.0 || !model_.contact_scales.compliance.empty()) return nullptr;
  const double close = options_.kappa.close_distance + options_.barrier.min_separation;
  if (after.contacts.min_distance >= close) return nullptr;
  const double upper = 100.0 * kappa_lower_bound();
  if (kappa_ >= upper) return nullptr;
  for (const Contact& contact : after.contacts.contacts) {
    if (contact.distance_sq >= close * close) continue;
    // Both sets are sorted by stencil.
    const auto& all = before.contacts.contacts;
    const auto found = std::lower_bound(all.begin(), all.end(), contact, precedes);
    if (found == all.end() || precedes(contact, *found)) continue;
    if (found->distance_sq < close * close && contact.distance_sq < found->distance_sq) {
      kappa_ = std::min(upper, 2.0 * kappa_);
      return &contact;
    }
  }
  return nullptr;
}

template CompensatedSum inertial_energy<2>(const Model&, const VecX&);
template CompensatedSum inertial_energy<3>(const Model&, const VecX&);
template class StepProblem<2>;
template class StepProblem<3>;

}  // namespace clearance
