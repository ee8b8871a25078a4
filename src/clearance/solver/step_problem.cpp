#include "clearance/solver/step_problem.h"

#include <algorithm>
#include <cmath>

#include "clearance/base/log.h"
#include "clearance/model/blocks.h"

namespace clearance {

namespace {

FrictionScales friction_scales(const SolverOptions& options) {
  return {options.integrator.h, options.friction.eps_v, options.friction.stick};
}

/// Returns 1 for each entry of the targets that is where it should be at x. A stiff body is if all of it is.
template <int dim>
std::vector<char> standing_targets(const Model& model, const PrescribedTargets& targets, const VecX& x) {
  std::vector<char> stands(targets.blocks.size(), 1);
  for (std::size_t k = 0; k < stands.size(); ++k) {
    for (int c = 0; c < dim; ++c) {
      const double target = targets.positions[dim * static_cast<Eigen::Index>(k) + c];
      if (targets.has_component(k, c) && x[dim * targets.blocks[k] + c] != target) stands[k] = 0;
    }
  }
  for (const StiffBody& body : model.stiff_bodies) {
    const auto first = std::lower_bound(targets.blocks.begin(), targets.blocks.end(), body.first_block);
    const auto last = std::upper_bound(first, targets.blocks.end(), body.first_block + dim);
    const auto begin = stands.begin() + (first - targets.blocks.begin()), end = begin + (last - first);
    if (std::find(begin, end, 0) != end) std::fill(begin, end, 0);
  }
  return stands;
}

/// Prescribed obstacle nodes have no mass; the mean of the deformable nodes serves as their weight [Fer23, app. A.5].
VecX prescribed_masses(const Model& model, const PrescribedTargets& targets, const std::vector<char>& stands,
                       double scale) {
  const double mean_of_free = mean_block_mass(model);
  double mean = mean_of_free > 0.0 ? mean_of_free : 1.0;
  // A pull of 1e6 masses must also be stiff beside the elasticity that holds the nodes, or the multipliers need very
  // many updates.
  if (!model.contact_scales.is_empty()) {
    mean = std::max(mean, 1e-4 * scale * model.elastic_stiffness.maxCoeff());
  }
  VecX masses = VecX::Zero(static_cast<Eigen::Index>(targets.blocks.size()));
  for (std::size_t k = 0; k < targets.blocks.size(); ++k) {
    const double m = model.mass[targets.blocks[k]];
    if (stands[k] != 0) continue;
    masses[static_cast<Eigen::Index>(k)] = m > 0.0 ? std::max(m, model.contact_scales.is_empty() ? m : mean) : mean;
  }
  return masses;
}

}  // namespace

template <int dim>
StepProblem<dim>::StepProblem(const Model& model, WorkingCopies<dim>& copies, const SolverOptions& options,
                              const InertialTarget& target, const PrescribedTargets& targets, const State& state)
    : model_(model),
      contact_model_(*copies.contact_model),
      options_(options),
      target_(target),
      targets_(targets),
      x_t0_(state.x),
      x_surface_t0_(model.surface_map.apply(state.x)),
      stick_t0_(state.stick),
      free_motion_(model.first_turn_vertex.empty() ? VecX()
                                                   : model.surface_map.apply_linear(options.integrator.h * state.v)),
      inertia_(model, copies.consistent_mass.get(), target),
      stiffness_(model, options, copies.contact_model->has_stiffness(), target.has_inertia),
      contact_(model, *copies.contact_model, copies.contact_hessians),
      forecast_(model, *copies.contact_model, contact_, target, options.barrier),
      friction_(make_friction(copies.friction_hessians)),
      stands_(standing_targets<dim>(model, targets, state.x)),
      pull_(AugmentedLagrangian<dim>(targets, prescribed_masses(model, targets, stands_, target.scale), state.x)),
      has_friction_(options.has_contact && !model.friction.is_frictionless()),
      is_fixed_(model.layout.num_blocks, 0) {
  for (const auto& potential : copies.potentials) potentials_.emplace_back(*potential, target);
  terms_.push_back(&inertia_);
  for (PotentialTerm<dim>& term : potentials_) terms_.push_back(&term);
  terms_.insert(terms_.end(), {&contact_, &forecast_, &friction_, &pull_});
  restrict_to({});  // whatever the potentials were left at by a step that was stopped
}

template <int dim>
FrictionPotential<dim> StepProblem<dim>::make_friction(std::shared_ptr<ContactHessians<dim>> hessians) const {
  return {model_,      contact_model_, friction_scales(options_), x_surface_t0_, stick_t0_, std::move(hessians),
          free_motion_};
}

template <int dim>
void StepProblem<dim>::pull_prescribed() {
  augmented().activate();
  held_ = HeldTargets::standing;
  restrict_to({});
}

template <int dim>
void StepProblem<dim>::fix_prescribed() {
  held_ = HeldTargets::all;
  fix_held();
}

template <int dim>
void StepProblem<dim>::fix_held() {
  held_components_.clear();
  if (held_ == HeldTargets::none) return;
  for (std::size_t k = 0; k < targets_.blocks.size(); ++k) {
    if (held_ == HeldTargets::standing && stands_[k] == 0) continue;
    const std::size_t b = targets_.blocks[k];
    if (targets_.is_whole(k, dim)) {
      is_fixed_[b] = 1;
      continue;
    }
    held_components_.resize(is_fixed_.size(), 0);
    held_components_[b] = targets_.components[k];
  }
}

template <int dim>
void StepProblem<dim>::restrict_to(const std::vector<char>& part) {
  for (ObjectiveTerm<dim>* term : terms_) term->restrict_to(part);
  std::fill(is_fixed_.begin(), is_fixed_.end(), 0);
  for (std::size_t b = 0; b < part.size(); ++b) is_fixed_[b] = !part[b];
  fix_held();
}

template <int dim>
bool StepProblem<dim>::refer_to(const VecX& x) {
  bool has_changed = false;
  for (PotentialTerm<dim>& term : potentials_) has_changed = term.refer_to(x) || has_changed;
  return has_changed;
}

template <int dim>
Iterate StepProblem<dim>::make_iterate(VecX x, std::shared_ptr<const Candidates> candidates) const {
  Iterate iterate;
  // Iterates at the start of the step are made several times.
  iterate.x_surface = x == x_t0_ ? x_surface_t0_ : model_.surface_map.apply(x);
  iterate.x = std::move(x);
  if (options_.has_contact) {
    iterate.contacts = contact_model_.build(iterate.x_surface, *candidates);
    // Beyond the activation distance not all pairs are known, so that a smallest distance there would be meaningless.
    if (iterate.contacts.min_distance > contact_model_.activation_distance()) iterate.contacts.min_distance = infinity;
  }
  iterate.candidates = std::move(candidates);
  return iterate;
}

template <int dim>
CompensatedSum StepProblem<dim>::energy(const Iterate& iterate) const {
  CompensatedSum total;
  for (ObjectiveTerm<dim>* term : terms_) {
    if (term->is_active(iterate)) total.add(term->energy(iterate));
  }
  return total;
}

template <int dim>
double StepProblem<dim>::energy_magnitude(const Iterate& iterate) const {
  double sum = 0.0;
  for (ObjectiveTerm<dim>* term : terms_) {
    if (term->is_active(iterate)) sum += term->magnitude(iterate);
  }
  return sum;
}

template <int dim>
double StepProblem<dim>::slope(const Iterate& iterate, const VecX& dx) const {
  VecX gradient = VecX::Zero(iterate.x.size());
  for (ObjectiveTerm<dim>* term : terms_) {
    if (term->is_active(iterate)) term->add_gradient(iterate, gradient);
  }
  clear_blocks<dim>(is_fixed_, gradient);
  clear_components<dim>(held_components_, gradient);
  return gradient.dot(dx);
}

template <int dim>
auto StepProblem<dim>::max_feasible_step(const VecX& x, const VecX& dx) const -> Limit {
  Limit least;
  for (ObjectiveTerm<dim>* term : terms_) {
    const StepLimit limit = term->max_feasible_step(x, dx);
    if (limit.alpha < least.alpha) least = {limit, term->name()};
  }
  return least;
}

template <int dim>
std::string StepProblem<dim>::infeasible_term(const VecX& x) const {
  for (ObjectiveTerm<dim>* term : terms_) {
    if (!term->is_feasible(x)) return term->name();
  }
  return "";
}

/// Returns the motion [m] of the surface vertices, which only contacts need.
template <int dim>
VecX StepProblem<dim>::surface_motion(const Iterate& iterate, const VecX& displacement) const {
  return iterate.contacts.contacts.empty() ? VecX() : model_.surface_map.apply_linear(displacement);
}

template <int dim>
void StepProblem<dim>::lag_friction(const Iterate& iterate, const VecX& displacement, double kappa, double share) {
  friction_.potential().lag(iterate.contacts, iterate.x_surface, surface_motion(iterate, displacement), kappa, share);
}

template <int dim>
void StepProblem<dim>::move_friction_duals(const Iterate& from, const VecX& dx) {
  if (friction().is_empty()) return;
  friction_.potential().move_duals(from.x_surface, model_.surface_map.apply_linear(dx));
}

template <int dim>
FrictionPotential<dim> StepProblem<dim>::fresh_friction(const Iterate& iterate, const VecX& x_t0) const {
  FrictionPotential<dim> fresh = make_friction(std::make_shared<ContactHessians<dim>>());
  fresh.lag(iterate.contacts, iterate.x_surface, surface_motion(iterate, iterate.x - x_t0), kappa());
  return fresh;
}

template <int dim>
TermGradients StepProblem<dim>::term_gradients(const Iterate& iterate, const FrictionPotential<dim>& friction) {
  const auto gradient_of = [&](ObjectiveTerm<dim>& term) {
    if (!term.is_active(iterate)) return VecX();
    VecX gradient = VecX::Zero(iterate.x.size());
    term.add_gradient(iterate, gradient);
    return gradient;
  };
  TermGradients gradients;
  gradients.inertia = gradient_of(inertia_);
  VecX loads = VecX::Zero(iterate.x.size());
  bool has_loads = false;
  for (PotentialTerm<dim>& potential : potentials_) {
    gradients.potentials.push_back(gradient_of(potential));
    has_loads = potential.add_load_gradient(iterate, loads) || has_loads;
  }
  if (has_loads) gradients.loads = std::move(loads);
  gradients.contacts = gradient_of(contact_);
  gradients.friction = friction_gradient(iterate, friction);
  gradients.pull = gradient_of(pull_);
  return gradients;
}

template <int dim>
VecX StepProblem<dim>::free_sum(const LocalCoordinates<dim>& coordinates, const VecX& x,
                                const TermGradients& gradients) const {
  VecX sum = VecX::Zero(x.size());
  gradients.for_each([&](const VecX& gradient) { sum += gradient; });
  return free_part(coordinates, x, sum);
}

template <int dim>
VecX StepProblem<dim>::free_part(const LocalCoordinates<dim>& coordinates, const VecX& x, const VecX& gradient) const {
  VecX reduced = coordinates.reduce(x, gradient);
  clear_blocks<dim>(coordinates.reduce(is_fixed_), reduced);
  if (!held_components_.empty()) clear_components<dim>(coordinates.reduce(held_components_), reduced);
  return reduced;
}

template <int dim>
bool StepProblem<dim>::is_unloaded(const TermGradients& gradients) const {
  const auto is_zero = [](const VecX& gradient) { return gradient.size() == 0 || gradient.isZero(0.0); };
  for (std::size_t k = 0; k < potentials_.size(); ++k) {
    if (!potentials_[k].is_elastic() && !is_zero(gradients.potentials[k])) return false;
  }
  return is_zero(gradients.inertia) && is_zero(gradients.contacts) && is_zero(gradients.friction) &&
         is_zero(gradients.pull);
}

template <int dim>
VecX StepProblem<dim>::friction_gradient(const Iterate& iterate, const FrictionPotential<dim>& friction) const {
  VecX gradient;
  if (friction.is_empty()) return gradient;
  gradient.setZero(iterate.x.size());
  friction.add_gradient(iterate.x_surface, gradient);
  return gradient;
}

template <int dim>
void StepProblem<dim>::assemble(const Iterate& iterate, SystemMatrix<dim>& system, VecX& gradient, HessianKind kind,
                                BlockSparseMatrix* whole, Coupling coupling) {
  // Contacts of blocks that are left out are not in the matrix.
  const std::vector<char> none(coupling == Coupling::of_all_nodes ? is_fixed_.size() : 0, 0);
  const std::vector<char>& is_left_out = coupling == Coupling::of_all_nodes ? none : is_fixed_;
  // Collect the blocks of all terms beyond the constant pattern, in order.
  std::vector<BlockKey> keys;
  for (ObjectiveTerm<dim>* term : terms_) {
    if (!term->is_active(iterate)) continue;
    const std::vector<BlockKey>& added = term->prepare_hessian(iterate, is_left_out);
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
  if (whole != nullptr) *whole = matrix;
  // The smallest mass factor is the share of the mass that the matrix has in every block.
  const double inertia =
      target_.mass_factors.empty() ? 1.0 : *std::min_element(target_.mass_factors.begin(), target_.mass_factors.end());
  system.reduce(iterate.x, target_.has_inertia ? inertia : 0.0, FixedBlocks{is_fixed_, held_components_}, gradient,
                kind == HessianKind::exact);
}

template <int dim>
void StepProblem<dim>::choose_kappa() {
  // Contacts have stiffnesses of their own, as energies, or all of them share the stiffness of the scene, or it is
  // adaptive.
  contact_.set_kappa(stiffness_.is_adaptive() ? stiffness_.initial() : stiffness_.constant(target_.scale));
}

template <int dim>
void StepProblem<dim>::choose_kappa_like(double kappa) {
  contact_.set_kappa(stiffness_.is_adaptive() ? kappa : stiffness_.constant(target_.scale));
}

template <int dim>
const Contact* StepProblem<dim>::adapt_kappa(const Iterate& before, const Iterate& after) {
  const Contact* approaching = stiffness_.find_approaching(kappa(), before.contacts, after.contacts);
  if (approaching != nullptr) contact_.set_kappa(stiffness_.doubled(kappa()));
  return approaching;
}

template class StepProblem<2>;
template class StepProblem<3>;

}  // namespace clearance
