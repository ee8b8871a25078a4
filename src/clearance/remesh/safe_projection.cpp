#include "clearance/remesh/safe_projection.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "clearance/bodies/fem/inversion_barrier.h"
#include "clearance/bodies/fem/load_potential.h"
#include "clearance/bodies/fem/mass.h"
#include "clearance/contact/contact_potential.h"
#include "clearance/contact/make_contact_model.h"
#include "clearance/model/blocks.h"
#include "clearance/solver/advance.h"
#include "clearance/solver/barrier_stiffness.h"
#include "clearance/solver/feasible_step.h"

namespace clearance {
namespace {

/// Fraction of every gap that the straight way to the target must keep: less would hand the next step contacts that
/// spring apart.
constexpr double kept_gap = 0.5;
/// Convergence tolerance on Newton directions, relative to the largest component of target - start.
constexpr double relative_tolerance = 1e-6;

/// Returns 1 for each block that does not move.
std::vector<char> find_held(const Model& model, const VecX& start, const VecX& target, const std::vector<int>& held) {
  const std::size_t num_blocks = model.layout.num_blocks;
  const int dim = model.layout.dim;
  std::vector<char> is_held = model.is_always_prescribed;
  is_held.resize(num_blocks, 0);
  for (const int b : held) is_held[b] = 1;
  // The blocks of stiff bodies are held; blocks tied to them follow.
  for (const StiffBody& body : model.stiff_bodies) {
    for (int b = body.first_block; b <= body.first_block + dim; ++b) is_held[b] = 1;
  }
  // Bodies whose target is their start are held.
  std::vector<char> is_moved(num_blocks, 0);
  const auto body_of = [&](int b) { return body_of_block(model, b); };
  for (int b = 0; b < model.layout.num_blocks; ++b) {
    if (start.segment(dim * b, dim) == target.segment(dim * b, dim)) continue;
    if (body_of(b) >= std::ssize(is_moved)) is_moved.resize(body_of(b) + 1, 0);
    is_moved[body_of(b)] = 1;
  }
  for (int b = 0; b < model.layout.num_blocks; ++b) {
    if (body_of(b) >= std::ssize(is_moved) || !is_moved[body_of(b)]) is_held[b] = 1;
  }
  for (const Tie& tie : model.ties) is_held[tie.block] = 0;
  return is_held;
}

template <int dim>
PrescribedTargets keep_in_place(const std::vector<char>& is_held, const VecX& x) {
  PrescribedTargets targets;
  for (std::size_t b = 0; b < is_held.size(); ++b) {
    if (is_held[b]) targets.blocks.push_back(static_cast<int>(b));
  }
  targets.positions.resize(dim * static_cast<Eigen::Index>(targets.blocks.size()));
  for (std::size_t k = 0; k < targets.blocks.size(); ++k) {
    block<dim>(targets.positions, static_cast<int>(k)) = block<dim>(x, targets.blocks[k]);
  }
  return targets;
}

/// Returns the mass [kg] of each block that belongs to no element.
template <int dim>
VecX mass_beside(const Model& model, const ElementMesh<dim>& elements) {
  VecX others = model.mass;
  for (const int node : elements.nodes) others[node] = 0.0;
  return others;
}

/// The projection problem and its solution.
template <int dim>
class SafeProjection {
 public:
  SafeProjection(const Model& model, const ElementMesh<dim>& elements, const SolverOptions& options, const VecX& start,
                 const VecX& target, const std::vector<int>& held, StepHooks hooks)
      : model_(model),
        options_(options),
        hooks_(std::move(hooks)),
        start_(start),
        target_(target),
        guard_(elements, GuardedElements::all) {
    // Only contact, inertia and the volume guard act: no friction, restitution or potentials.
    model_.friction = {};
    model_.restitution = {};
    model_.potentials.clear();
    if (!model_.consistent_mass) {
      model_.consistent_mass =
          std::make_shared<ConsistentMass<dim>>(std::vector{elements}, mass_beside(model, elements));
    }
    // Held blocks stay at the start; the target of all others is the projection.
    held_ = keep_in_place<dim>(find_held(model, start, target, held), start);
    copy_prescribed<dim>(held_, start_, target_);
    contact_model_ = make_contact_model<dim>(model_, options.barrier);
    broad_phase_ = make_broad_phase(dim, model_.surface);
  }

  SafePositions run() {
    SafePositions result;
    result.distance_start = distance(start_);
    // Take the target if the straight way to it is free; minimise only otherwise.
    if (is_way_free()) {
      result.x = target_;
      result.is_target = true;
      return result;
    }
    minimise(result);
    result.distance = distance(result.x);
    return result;
  }

 private:
  /// True if no element is inverted and no surfaces intersect, by exact arithmetic.
  bool is_valid(const VecX& x) {
    if (!guard_.is_feasible(x)) return false;
    return !options_.has_contact ||
           is_intersection_free<dim>(model_, model_.surface_map.apply(x), *broad_phase_, nullptr);
  }

  /// True if the straight way to the target is free. Stiff bodies are held, so that the whole surface moves on straight
  /// lines.
  bool is_way_free() {
    // Bound the loss of volume along the way.
    if (guard_.max_feasible_step(start_, target_ - start_).alpha < 1.0) return false;
    if (!options_.has_contact) return is_valid(target_);
    // Bound the loss of gaps along the way by CCD, with at least `kept_gap` to remain.
    SurfacePath path;
    path.x_t0 = model_.surface_map.apply(start_);
    path.x_t1 = model_.surface_map.apply(target_);
    const SweptCandidates candidates = measure_candidates<dim>(
        model_.surface, path, contact_model_->find_candidates(*broad_phase_, path.x_t0, path.x_t1));
    SolverOptions strict = options_;
    strict.gap_fraction = std::max(kept_gap, options_.gap_fraction);
    return find_feasible_step<dim>(model_, path, candidates, strict).alpha >= 1.0 && is_valid(target_);
  }

  void minimise(SafePositions& result) {
    // Choose the barrier stiffness here, so that the forces at the start are those of the barrier that acts.
    const BarrierStiffness stiffness(model_, options_, contact_model_->has_stiffness(), true);
    const double h_sq = options_.integrator.h * options_.integrator.h;
    const double kappa = stiffness.is_adaptive() ? stiffness.initial() : stiffness.constant(h_sq);
    const VecX forces = barrier_forces(kappa / h_sq);
    // Shorten the time step if the forces at the start would move a node too far.
    const double share = std::min(1.0, longest_time_sq(forces) / h_sq);
    // The potentials are the volume guard and the forces that balance the barriers at the start.
    model_.potentials = {std::make_shared<InversionBarrier<dim>>(guard_), hold(forces)};

    SolverOptions options = options_;
    // The step's inertial target must be the target: x + h v with v = (target - start) / h.
    options.integrator = {};
    options.integrator.h = std::sqrt(share * h_sq);
    options.kappa.fixed = share * kappa;
    options.convergence = Convergence::published;
    options.tolerance = relative_tolerance * (target_ - start_).cwiseAbs().maxCoeff() / options.integrator.h;
    options.least_impact = 0.0;

    State state;
    state.x = start_;
    state.v = (target_ - start_) / options.integrator.h;
    state.a = VecX::Zero(start_.size());
    // Minimise as one time step, and fall back to the start if the result is invalid or farther away.
    StepWorkspace<dim> workspace(model_, options, make_contact_model<dim>(model_, options.barrier));
    const SolvedStep<dim> step = solve<dim>(model_, options, held_, state, workspace, hooks_);
    result.status = step.status();
    result.newton_iterations = step.report().newton_iterations;
    const bool is_better = is_advanced(result.status) && distance(step.x()) <= result.distance_start;
    result.x = is_better && is_valid(step.x()) ? step.x() : start_;
  }

  /// Returns the forces [N] that balance the barriers at the start. With `kappa` the energies of contacts are in
  /// joules.
  VecX barrier_forces(double kappa) {
    VecX forces = VecX::Zero(start_.size());
    guard_.add_gradient(start_, 1.0, forces);
    if (options_.has_contact) {
      const VecX x = model_.surface_map.apply(start_);
      const ContactSet contacts = contact_model_->build(x, contact_model_->find_candidates(*broad_phase_, x, x));
      ContactPotential<dim>(model_, *contact_model_).add_gradient(contacts, x, kappa, forces);
    }
    for (const int b : held_.blocks) block<dim>(forces, b).setZero();
    return forces;
  }

  /// Returns the square [s^2] of the longest time in which the forces move no node by more than dhat: if a contact
  /// slides off, the force that held it closed remains.
  double longest_time_sq(const VecX& forces) const {
    double longest = infinity;
    for (int b = 0; b < model_.layout.num_blocks; ++b) {
      const double force = block<dim>(forces, b).norm();
      if (force > 0.0 && model_.mass[b] > 0.0) {
        longest = std::min(longest, options_.barrier.dhat * model_.mass[b] / force);
      }
    }
    return longest;
  }

  static std::shared_ptr<const Potential> hold(const VecX& forces) {
    return std::make_shared<LoadPotential>(static_cast<int>(forces.size()),
                                           [forces](double, double, VecX& sum) -> Result<Done> {
                                             sum += forces;
                                             return Done{};
                                           });
  }

  double distance(const VecX& x) const {
    const double energy = model_.consistent_mass->energy(x - target_).value();
    // A unit translation along x has the energy of the total mass, which normalises the mean.
    VecX along = VecX::Zero(x.size());
    for (Eigen::Index b = 0; b < x.size() / dim; ++b) along[dim * b] = 1.0;
    return std::sqrt(energy / model_.consistent_mass->energy(along).value());
  }

  Model model_;  // the given model, with the potentials of this problem
  const SolverOptions& options_;
  StepHooks hooks_;
  VecX start_, target_;
  InversionBarrier<dim> guard_;
  PrescribedTargets held_;
  std::unique_ptr<const ContactModel<dim>> contact_model_;
  std::unique_ptr<BroadPhase> broad_phase_;
};

}  // namespace

template <int dim>
SafePositions project_safely(const Model& model, const ElementMesh<dim>& elements, const SolverOptions& options,
                             const VecX& start, const VecX& target, const std::vector<int>& held,
                             const StepHooks& hooks) {
  return SafeProjection<dim>(model, elements, options, start, target, held, hooks.of_inner_solve()).run();
}

template SafePositions project_safely(const Model&, const ElementMesh<2>&, const SolverOptions&, const VecX&,
                                      const VecX&, const std::vector<int>&, const StepHooks&);
template SafePositions project_safely(const Model&, const ElementMesh<3>&, const SolverOptions&, const VecX&,
                                      const VecX&, const std::vector<int>&, const StepHooks&);

}  // namespace clearance
