#include "clearance/solver/step_account.h"

#include <algorithm>
#include <cmath>

#include "clearance/model/coordinate_inertia.h"
#include "clearance/model/feasible_model.h"
#include "clearance/model/plastic_work.h"

namespace clearance {

namespace {

/// Share of a body's kinetic energy; the integrator takes out more only in an impact, whatever the length of the step.
constexpr double impact_share = 0.05;
/// Share of a driven body's kinetic energy; it changes by more at once only if a drive starts or stops at speed. A
/// wheel that is driven evenly changes none; a start over n steps changes that much in its first three steps.
constexpr double start_share = 0.5;

}  // namespace

std::vector<std::pair<std::string, double>> EnergyAccount::entries() const {
  return {{"kinetic", kinetic},   {"stored", stored},     {"loads", loads},           {"motions", motions},
          {"drives", drives},     {"friction", friction}, {"damping", damping},       {"plastic", plastic},
          {"residual", residual}, {"impacts", impacts},   {"integrator", integrator}, {"closure", closure()}};
}

/// True if the state says what potential k, or the barriers, stored before the step. Before the first step it says so
/// where clamps turn at once, and has a number that is none elsewhere.
template <int dim>
bool StepAccount<dim>::knows_stored(const State& state, Eigen::Index k) const {
  return state.stored.size() == energy_t0_.size() && !std::isnan(state.stored[k]);
}

/// Stored energies jump between steps: drives have moved on, clamps have turned, and the barrier may have another
/// stiffness. Plastic flow changes the rest state of a material and not its energy, but for rounding.
template <int dim>
void StepAccount<dim>::find_jumps(const State& state) {
  const auto count = static_cast<Eigen::Index>(potentials_.size());
  jump_t0_ = VecX::Zero(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const Potential& potential = *potentials_[k];
    const bool is_known = knows_stored(state, k);
    if (potential.is_dissipative() || (!is_known && !potential.is_driven())) continue;
    if (coordinate_inertia_of(potential) != nullptr) continue;
    const double begun = energy_t0_[k] - load_energy_t0_[k], ended = is_known ? state.stored[k] : 0.0;
    constexpr double rounding = 1e-9;
    const bool is_rounding = std::abs(begun - ended) <= rounding * std::max(std::abs(begun), std::abs(ended));
    if (plastic_work_of(potential) != nullptr && is_rounding) continue;
    jump_t0_[k] = begun - ended;
    energy_.stored += jump_t0_[k];
  }
}

template <int dim>
void StepAccount<dim>::open(const State& state, double barrier) {
  // Energies at the start, with the parameters that this step has.
  const auto count = static_cast<Eigen::Index>(potentials_.size());
  step_ = state.step;
  x_t0_ = state.x;
  v_t0_ = state.v;
  rotors_t0_ = rotor_energies(state, state.v);
  energy_t0_.resize(count + 1);
  load_energy_t0_.resize(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const Potential& potential = *potentials_[k];
    energy_t0_[k] = potential.energy(state.x).value();
    load_energy_t0_[k] = potential.load_energy(state.x);
  }
  energy_t0_[count] = barrier;
  body_energy_t0_ = body_energies(state.x);
  find_jumps(state);
  // The integrator accounts for the change of the barrier's stiffness.
  if (!knows_stored(state, count)) return;
  energy_.integrator += energy_t0_[count] - state.stored[count];
  energy_.stored += energy_t0_[count] - state.stored[count];
}

/// Begins the sums per body and per potential at the end of a step.
template <int dim>
void StepAccount<dim>::begin_sums(const VecX& x_t1) {
  const Eigen::Index num_bodies = body_energy_t0_.size();
  work_ = MatX::Zero(num_bodies, energy_t0_.size() + 3);
  is_driven_.assign(num_bodies, 0);
  is_given_.assign(potentials_.size(), 0);
  stored_.resize(energy_t0_.size());
  energy_t1_.resize(energy_t0_.size());
  body_energy_t1_ = body_energies(x_t1);
  body_gain_ = body_energy_t1_ - body_energy_t0_;
}

template <int dim>
void StepAccount<dim>::close(StepProblem<dim>& problem, const Iterate& end, TermGradients forces) {
  dx_ = end.x - x_t0_;
  is_fixed_ = problem.is_fixed();
  held_components_ = problem.held_components();
  const double scale = target_.scale;
  // The work of a term is that of its force at the end of the step, over the whole motion.
  for (VecX* gradient : {&forces.inertia, &forces.contacts, &forces.friction, &forces.pull}) {
    if (gradient->size() > 0) *gradient /= scale;
  }
  begin_sums(end.x);

  // The terms are closed one by one; `sums` collects the forces that have been accounted for.
  Sums sums{VecX::Zero(dx_.size()), VecX::Zero(dx_.size()), 0.0};
  inertial_gradient_ = forces.inertia.size() > 0 ? forces.inertia : VecX(VecX::Zero(dx_.size()));
  sums.total = inertial_gradient_;
  for (std::size_t k = 0; k < potentials_.size(); ++k) {
    close_potential(static_cast<Eigen::Index>(k), forces.potentials[k] / scale, end, sums);
  }
  close_contacts(problem, end, forces, sums);
  close_prescribed(end, forces.pull, sums);
  // The impulse of forces from outside changes the momentum of free points.
  for (int b : free_points()) momentum_.impulse.template head<dim>() -= h_ * block<dim>(sums.external, b);
}

template <int dim>
void StepAccount<dim>::close_potential(Eigen::Index k, const VecX& gradient, const Iterate& end, Sums& sums) {
  const Potential& potential = *potentials_[k];
  const double work = gradient.dot(dx_);
  sums.total += gradient;
  sums.external += gradient;
  stored_[k] = 0.0;
  // Rotors belong to the inertia; `settle` knows their kinetic energy.
  if (coordinate_inertia_of(potential) != nullptr) {
    energy_t1_[k] = 0.0;
    inertial_gradient_ += gradient;
    return;
  }
  energy_t1_[k] = potential.energy(end.x).value();
  // The gain of a body is the change of its energy less the work of its forces.
  for (int b = 0; potential.has_body_energies() && b < model_.layout.num_blocks; ++b) {
    body_gain_[static_cast<Eigen::Index>(ledger_of_block(b))] -= block<dim>(gradient, b).dot(block<dim>(dx_, b));
  }
  if (!potential.has_body_energies() && !potential.is_dissipative()) add_work(gradient, k);
  if (potential.is_dissipative()) {
    energy_.damping += work;
    return;
  }
  // The part of given forces counts as work of loads, what flows is taken out, and the rest is stored energy.
  const double energy = energy_t1_[k], load_energy = potential.load_energy(end.x);
  const PlasticWork* flow = plastic_work_of(potential);
  const double plastic = flow != nullptr ? flow->plastic_work(end.x) : 0.0;
  energy_.plastic += plastic;
  energy_t1_[k] -= plastic;
  stored_[k] = energy_t1_[k] - load_energy;
  is_given_[k] = energy == load_energy || potential.has_constant_force() ? 1 : 0;
  energy_.loads += load_energy_t0_[k] - load_energy;
  energy_.stored += stored_[k] - (energy_t0_[k] - load_energy_t0_[k]);
  // The work at the end of the step differs from the change of the energy; the integrator accounts for this gap.
  const double gap = work - (energy - energy_t0_[k]);
  if (jump_t0_[k] != 0.0) {
    // A drive, or a clamp that turns, does the work of the forces at the end and of what is stored. The stiff spring
    // between its old and its new place holds no energy of its own.
    (potential.is_driven() ? energy_.drives : energy_.motions) += jump_t0_[k] - gap;
    note_drive(gradient);
    // The rest of joints moves little in a step, and clamps turn what is as stiff as the body.
    if (potential.has_body_energies() && !potential.is_driven()) leave_out_gaps(potential, gradient, end.x);
  } else {
    sums.gaps += gap;
  }
}

/// Takes what a driven potential gains beyond the work of its forces out of the gains of the bodies.
template <int dim>
void StepAccount<dim>::leave_out_gaps(const Potential& potential, const VecX& gradient, const VecX& x_t1) {
  if (model_.body_of_block.empty()) return;
  VecX before = VecX::Zero(model_.surface.num_bodies()), after = before;
  potential.add_body_energies(x_t0_, model_.body_of_block, before);
  potential.add_body_energies(x_t1, model_.body_of_block, after);
  body_gain_ -= per_ledger(after - before);
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    body_gain_[static_cast<Eigen::Index>(ledger_of_block(b))] += block<dim>(gradient, b).dot(block<dim>(dx_, b));
  }
}

/// Marks the bodies that have contacts at the end of the step, or joints at a limit.
template <int dim>
void StepAccount<dim>::mark_contacts(const Iterate& end) {
  // Bodies with contacts at the end may have had an impact.
  has_contact_.assign(body_gain_.size(), 0);
  for (const Contact& contact : end.contacts.contacts) {
    for (int i = 0; i < contact.num_vertices(); ++i) {
      const int vertex = contact.vertices[i];
      has_contact_[ledger_of_body(model_.surface.vertex_body[vertex])] = 1;
    }
  }

  // A limit of a joint stops a body as a contact does.
  if (!model_.body_of_block.empty()) {
    std::vector<char> is_stopped(has_contact_.size(), 0);
    for (const auto& potential : potentials_) {
      potential->mark_stopped_bodies(end.x, model_.body_of_block, is_stopped);
    }
    for (std::size_t b = 0; b < is_stopped.size(); ++b) {
      if (is_stopped[b]) has_contact_[ledger_of_body(static_cast<int>(b))] = 1;
    }
  }
}

/// Computes what contacts and friction do beyond what they store, per body.
template <int dim>
void StepAccount<dim>::add_contact_gaps(StepProblem<dim>& problem, const Iterate& end) {
  const double scale = target_.scale;
  // Gaps between the work on barriers and elastic sticking and what they store, per body.
  contact_gaps_ = VecX::Zero(body_gain_.size());
  problem.contacts().add_work_gaps(end.contacts, problem.x_surface_t0(), end.x_surface, problem.kappa() / scale,
                                   contact_gaps_);
  // A brake pad stands still: the energy that is rubbed out at it also counts as at work on it.
  VecX rubbed_out = VecX::Zero(body_gain_.size());
  problem.friction().add_work_gaps(end.x_surface, 1.0 / scale, contact_gaps_, rubbed_out);
  contact_gaps_ = per_ledger(contact_gaps_);
  is_stiff_.assign(body_gain_.size(), 0);
  for (const StiffBody& body : model_.stiff_bodies) is_stiff_[ledger_of_block(body.first_block)] = 1;
  work_.col(work_.cols() - 1) = per_ledger(rubbed_out);
}

/// Accounts for the energy that contacts store and that friction takes out.
template <int dim>
void StepAccount<dim>::close_contacts(StepProblem<dim>& problem, const Iterate& end, const TermGradients& forces,
                                      Sums& sums) {
  mark_contacts(end);
  add_contact_gaps(problem, end);
  const Eigen::Index last = stored_.size() - 1;
  // Compute the stored energy of the barriers, and the works of contacts and friction.
  stored_[last] = problem.kappa() / target_.scale * problem.contacts().energy(end.contacts, end.x_surface).value();
  energy_t1_[last] = stored_[last];
  energy_.stored += stored_[last] - energy_t0_[last];
  double work = 0.0;
  if (forces.contacts.size() > 0) {
    work = forces.contacts.dot(dx_);
    add_work(forces.contacts, last);
    // In a step that meets something, the force at the end does far more work than the contact stores or hands on.
    work_.col(last) += contact_gaps_;
    sums.total += forces.contacts;
    sums.external += forces.contacts;
  }
  barrier_gap_ = work - (stored_[last] - energy_t0_[last]);
  if (forces.friction.size() > 0) {
    close_friction(forces.friction, end, last + 1);
    sums.total += forces.friction;
    sums.external += forces.friction;
  }
}

/// Friction acts where the surface of a turning body passes, and its work is along the arc; the inertia, whose formula
/// knows the displacements of the columns alone, has taken less or more.
template <int dim>
void StepAccount<dim>::close_friction(const VecX& friction, const Iterate& end, Eigen::Index term) {
  VecX arcs = dx_;
  if (has_free_turns_) set_arcs<dim>(model_, x_t0_, end.x, h_ * v_t0_, arcs);
  energy_.friction = friction.dot(arcs);
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    const auto ledger = static_cast<Eigen::Index>(ledger_of_block(b));
    const double work = block<dim>(friction, b).dot(block<dim>(arcs, b));
    const double beyond = work - block<dim>(friction, b).dot(block<dim>(dx_, b));
    work_(ledger, term) -= work;
    body_gain_[ledger] += beyond;
    energy_.integrator += beyond;
  }
}

/// Forces that are not balanced at the end of a step: those at free nodes, with their work, and those that move others.
template <int dim>
struct StepAccount<dim>::UnbalancedForces {
  VecX free, held;
  double work = 0.0;
};

/// Divides the forces on blocks that are held in part, whose held components move as prescribed.
template <int dim>
void StepAccount<dim>::divide_held_blocks(UnbalancedForces& unbalanced) {
  VecX others = unbalanced.free;
  clear_components<dim>(held_components_, others);
  const VecX of_held = unbalanced.free - others;
  const double work = of_held.dot(dx_);
  energy_.motions += work;
  unbalanced.work -= work;
  unbalanced.held -= of_held;
  unbalanced.free = others;
}

/// Pulls of the augmented Lagrangian are forces from outside, and their work is that of motions.
template <int dim>
void StepAccount<dim>::add_pull(const VecX& pull, UnbalancedForces& unbalanced, Sums& sums) {
  const double work = pull.dot(dx_);
  energy_.motions -= work;
  unbalanced.free += pull;
  sums.external += pull;
  unbalanced.work += work;
  unbalanced.held += pull;
}

/// Divides the forces that are not balanced. At fixed nodes they are the forces that move the nodes; pulls on
/// other scripted nodes are forces from outside, too.
template <int dim>
auto StepAccount<dim>::divide_unbalanced(const VecX& pull, Sums& sums) -> UnbalancedForces {
  UnbalancedForces unbalanced{sums.total, VecX::Zero(dx_.size())};
  VecX &free = unbalanced.free, &held = unbalanced.held;
  // Fixed blocks: the unbalanced force is the one that moves them, and its work is that of motions.
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    const double work = block<dim>(sums.total, b).dot(block<dim>(dx_, b));
    if (is_fixed_[b]) {
      energy_.motions += work;
      block<dim>(held, b) = -block<dim>(sums.total, b);
      block<dim>(free, b).setZero();
    } else {
      unbalanced.work += work;
    }
  }
  if (!held_components_.empty()) divide_held_blocks(unbalanced);
  if (pull.size() > 0) add_pull(pull, unbalanced, sums);
  return unbalanced;
}

/// Accounts for the forces that are not balanced.
template <int dim>
void StepAccount<dim>::close_prescribed(const Iterate& end, const VecX& pull, Sums& sums) {
  const UnbalancedForces unbalanced = divide_unbalanced(pull, sums);
  const VecX &free = unbalanced.free, &held = unbalanced.held;
  add_work(held, stored_.size() + 1);
  note_drive(held);
  // The residual is the work of the remaining forces along Newton's unknowns, in which rigid bodies stay rigid.
  energy_.residual = coordinates_.reduce(end.x, free).dot(coordinates_.from_to(end.x, end.x + dx_));
  // For rigid bodies all forces on the columns count, also those that keep the columns rigid: on an arc these do work.
  energy_.integrator += unbalanced.work - energy_.residual - sums.gaps;
  for (const StiffBody& body : model_.stiff_bodies) {
    for (int b = body.first_block; body.is_rigid && b <= body.first_block + dim; ++b) {
      if (is_fixed_[b]) continue;
      body_gain_[static_cast<Eigen::Index>(ledger_of_block(b))] += block<dim>(free, b).dot(block<dim>(dx_, b));
    }
  }
}

/// Adds the work of the force -gradient on each body to column `term`.
template <int dim>
void StepAccount<dim>::add_work(const VecX& gradient, Eigen::Index term) {
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    work_(static_cast<Eigen::Index>(ledger_of_block(b)), term) -= block<dim>(gradient, b).dot(block<dim>(dx_, b));
  }
}

template <int dim>
void StepAccount<dim>::note_struck(const std::vector<char>& blocks) {
  is_struck_.assign(blocks.size(), 0);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b] != 0) is_struck_[ledger_of_block(static_cast<int>(b))] = 1;
  }
}

/// Marks the bodies that a drive or a prescribed motion with this gradient moves. A clamp that stands still drives
/// nothing.
template <int dim>
void StepAccount<dim>::note_drive(const VecX& gradient) {
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    // A component that is held does no work while the others move.
    const bool acts = !block<dim>(gradient, b).cwiseProduct(block<dim>(dx_, b)).isZero(0.0);
    if (acts) is_driven_[ledger_of_block(b)] = 1;
  }
}

/// True if the gain [J] of a body is an impact, a jump of the velocity that no step resolves. Such jumps occur where
/// something is hit, and where a drive or a prescribed motion starts at speed: half of its work in that step is gone,
/// as with a clutch.
template <int dim>
bool StepAccount<dim>::is_impact(std::size_t body, double gain, double kinetic_t0, double kinetic_t1) const {
  // A stiff body that is hit stops at once; a part of its motion, if it glides along what it hits.
  if (!is_struck_.empty() && is_struck_[body] != 0 && is_stiff_[body] != 0) return true;
  const double kinetic = std::max(kinetic_t0, kinetic_t1);
  if (!(std::abs(gain) > impact_share * kinetic)) return false;
  return has_contact_[body] || (is_driven_[body] && std::abs(kinetic_t1 - kinetic_t0) > start_share * kinetic);
}

/// True if nothing but weight and given loads has done work on the body since the start.
template <int dim>
bool StepAccount<dim>::has_only_flown(const EnergyLedger& ledger) const {
  if (ledger.is_driven != 0.0) return false;
  for (std::size_t term = 0; term < ledger.work.size(); ++term) {
    const bool is_given = term < is_given_.size() && is_given_[term] != 0;
    if (!is_given && ledger.work[term] != 0.0) return false;
  }
  return true;
}

/// Returns the free blocks that are points, not columns of stiff bodies.
template <int dim>
std::vector<int> StepAccount<dim>::free_points() const {
  const std::vector<char> is_column = column_flags(model_);
  std::vector<int> points;
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    if (!is_column[b] && !is_fixed_[b]) points.push_back(b);
  }
  return points;
}

template <int dim>
VecX StepAccount<dim>::body_energies(const VecX& x) const {
  VecX sums = VecX::Zero(model_.surface.num_bodies());
  if (model_.body_of_block.empty()) return sums;
  for (const auto& potential : potentials_) potential->add_body_energies(x, model_.body_of_block, sums);
  return per_ledger(sums);
}

/// Returns the kinetic energies [J] of coordinates with an inertia of their own, where the unknowns have the rates v.
template <int dim>
VecX StepAccount<dim>::rotor_energies(const State& state, const VecX& v) const {
  VecX sums = VecX::Zero(model_.surface.num_bodies());
  if (model_.body_of_block.empty()) return sums;
  for (std::size_t k = 0; k < potentials_.size(); ++k) {
    const CoordinateInertia* rotors = coordinate_inertia_of(*potentials_[k]);
    if (rotors != nullptr) rotors->add_kinetic_energy(state.x, v, history_of(state, k), model_.body_of_block, sums);
  }
  return per_ledger(sums);
}

template <int dim>
VecX StepAccount<dim>::per_ledger(const VecX& per_body) const {
  if (model_.mechanism_of_body.empty()) return per_body;
  VecX sums = VecX::Zero(per_body.size());
  for (int b = 0; b < static_cast<int>(per_body.size()); ++b) {
    sums[static_cast<Eigen::Index>(ledger_of_body(b))] += per_body[b];
  }
  return sums;
}

/// Returns the kinetic energy [J] per body at which it moves by a hundredth of its radius of gyration a second, or by a
/// ten-thousandth of it a step if that is slower. Bodies that never have more are at rest.
template <int dim>
std::vector<double> StepAccount<dim>::least_energies() const {
  const std::vector<char> is_column = column_flags(model_);
  struct Moments {
    double mass = 0.0, second = 0.0;
    Vec<dim> first = Vec<dim>::Zero();
  };
  std::vector<Moments> bodies(body_energy_t0_.size());
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    Moments& body = bodies[ledger_of_block(b)];
    const double m = model_.mass[b];
    body.second += m * block<dim>(x_t0_, b).squaredNorm();
    if (is_column[b]) continue;
    body.mass += m;
    body.first += m * block<dim>(x_t0_, b);
  }
  const double rate = std::min(1e-2, 1e-4 / h_);  // [1/s]
  std::vector<double> energies;
  for (const Moments& body : bodies) {
    // The integrator does nothing to what has no mass: obstacles are moved.
    const double about_centre = body.mass > 0.0 ? body.second - body.first.squaredNorm() / body.mass : infinity;
    energies.push_back(0.5 * rate * rate * std::max(0.0, about_centre));
  }
  return energies;
}

/// Share of a body in the change of the kinetic energy over a step.
template <int dim>
struct StepAccount<dim>::BodyMotion {
  double gain = 0.0, kinetic_t0 = 0.0, kinetic_t1 = 0.0, mass = 0.0;
  Vec<dim> change = Vec<dim>::Zero();    // [N s] of its momentum
  Vec<dim> momentum = Vec<dim>::Zero();  // [N s] at the end
};

/// Computes the gain of each body: the change of its kinetic energy less the work of the inertial force.
template <int dim>
auto StepAccount<dim>::body_motions(const State& end, const VecX& p_t0, const VecX& p_t1, const VecX& rotors_t1) const
    -> std::vector<BodyMotion> {
  const std::vector<char> is_column = column_flags(model_);
  std::vector<BodyMotion> bodies(body_energy_t0_.size());
  for (int b = 0; b < model_.layout.num_blocks; ++b) {
    BodyMotion& body = bodies[ledger_of_block(b)];
    const Vec<dim> change = block<dim>(p_t1, b) - block<dim>(p_t0, b);
    body.gain += 0.5 * change.dot(block<dim>(end.v, b) + block<dim>(v_t0_, b)) -
                 block<dim>(inertial_gradient_, b).dot(block<dim>(dx_, b));
    if (is_column[b] == 0) {
      body.mass += model_.mass[b];
      body.change += change;
      body.momentum += block<dim>(p_t1, b);
    }
    body.kinetic_t0 += 0.5 * block<dim>(p_t0, b).dot(block<dim>(v_t0_, b));
    body.kinetic_t1 += 0.5 * block<dim>(p_t1, b).dot(block<dim>(end.v, b));
  }
  if (model_.body_of_block.empty()) return bodies;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    bodies[k].gain += rotors_t1[at] - rotors_t0_[at];
    bodies[k].kinetic_t0 += rotors_t0_[at];
    bodies[k].kinetic_t1 += rotors_t1[at];
  }
  return bodies;
}

/// Adds the gain and the works of a body in this step to its ledger.
template <int dim>
void StepAccount<dim>::update_ledger(std::size_t k, const BodyMotion& body, EnergyLedger& ledger) {
  const auto at = static_cast<Eigen::Index>(k);
  const bool has_jumped = is_impact(k, body.gain, body.kinetic_t0, body.kinetic_t1);
  (has_jumped ? energy_.impacts : energy_.integrator) += body.gain;

  const double gain = body.gain + body_gain_[at];
  // The rise is the gain since its last minimum, without the gaps of contacts.
  ledger.rise = std::max(0.0, ledger.rise + gain - contact_gaps_[at]);
  ledger.largest_rise = std::max(ledger.largest_rise, ledger.rise);
  if (!has_jumped) ledger.lost -= gain;
  // Stiff bodies are to stop where they hit something; what is soft would rebound.
  if (has_jumped && !is_stiff_[k]) ledger.hit -= gain;
  if (is_driven_[k]) ledger.is_driven = 1.0;
  ledger.at_work =
      std::max({ledger.at_work, body.kinetic_t0, body.kinetic_t1, body_energy_t0_[at], body_energy_t1_[at]});
  ledger.work.resize(work_.cols(), 0.0);
  // A body that is shaken back and forth follows what shakes it: gains do not add up in its motion as in a swing.
  const Eigen::Index friction = stored_.size(), motion = friction + 1;
  ledger.passed += std::max(std::abs(work_(at, friction)), std::abs(work_(at, motion)));
  ledger.at_work = std::max(ledger.at_work, ledger.passed);
  for (Eigen::Index term = 0; term < work_.cols(); ++term) {
    double& work = ledger.work[term];
    work += work_(at, term);
    ledger.at_work = std::max(ledger.at_work, std::abs(work));
  }
}

/// Returns the kinetic energy [J] of the turning of ledger k: that of a rigid body with its angular momentum L and its
/// inertia J about its centre, L . J^-1 L / 2.
template <int dim>
double StepAccount<dim>::turning_energy(std::size_t k, const State& end) const {
  const std::vector<char> is_column = column_flags(model_);
  double mass = 0.0;
  Vec<3> centre = Vec<3>::Zero(), speed = Vec<3>::Zero();
  const auto visit = [&](const auto& add) {
    for (int b = 0; b < model_.layout.num_blocks; ++b) {
      if (ledger_of_block(b) != k || is_column[b] != 0 || !(model_.mass[b] > 0.0)) continue;
      Vec<3> x = Vec<3>::Zero(), v = Vec<3>::Zero();
      x.head<dim>() = block<dim>(end.x, b);
      v.head<dim>() = block<dim>(end.v, b);
      add(model_.mass[b], x, v);
    }
  };
  visit([&](double m, const Vec<3>& x, const Vec<3>& v) {
    mass += m;
    centre += m * x;
    speed += m * v;
  });
  if (!(mass > 0.0)) return 0.0;
  centre /= mass;
  speed /= mass;
  Vec<3> momentum = Vec<3>::Zero();
  Mat<3> inertia = Mat<3>::Zero();
  visit([&](double m, const Vec<3>& x, const Vec<3>& v) {
    const Vec<3> r = x - centre;
    momentum += m * r.cross(v - speed);
    inertia += m * (r.squaredNorm() * Mat<3>::Identity() - r * r.transpose());
  });
  // A straight rod has no inertia about itself, and no momentum.
  constexpr double least = 1e-12;
  inertia += least * inertia.trace() * Mat<3>::Identity();
  return inertia.trace() > 0.0 ? 0.5 * momentum.dot(inertia.ldlt().solve(momentum)) : 0.0;
}

/// Returns what a body that does nothing but fly and turn has lost of the energy of its turning, as a share of that;
/// zero for others. Its centre moves as it should, and however fast that is, it is not at work. Stiff bodies that
/// springs or joints connect also move against each other.
template <int dim>
double StepAccount<dim>::lost_in_turning(std::size_t k, const BodyMotion& body, const EnergyLedger& ledger,
                                         const State& end, double least) const {
  if (!(body.mass > 0.0) || !(ledger.lost > 0.0) || !has_only_flown(ledger)) return 0.0;
  const double within =
      body.kinetic_t1 - 0.5 * body.momentum.squaredNorm() / body.mass + body_energy_t1_[static_cast<Eigen::Index>(k)];
  if (!(ledger.lost + within > least)) return 0.0;
  const double share = ledger.lost / (ledger.lost + within);
  // Vibrations of a soft body that die out beside the turning are no loss of it. Stiff bodies do not vibrate, but what
  // weight moves is ahead of its path, which is no loss either.
  const auto is_zero = [](double work) { return work == 0.0; };
  const bool counts = is_stiff_[k] != 0 ? std::all_of(ledger.work.begin(), ledger.work.end(), is_zero)
                                        : turning_energy(k, end) > 0.5 * within;
  return share > lost_.share && counts ? share : 0.0;
}

/// Takes note of the bodies whose ledgers have gained and lost most. Bodies with less than `least` [J] are at rest.
template <int dim>
void StepAccount<dim>::note_largest(std::size_t k, const BodyMotion& body, const EnergyLedger& ledger, const State& end,
                                    double least) {
  // A body that has done nothing but fly under given loads has the right velocity, half a step ahead of its path.
  // Implicit Euler takes m |dv|^2 / 2 a step from the centre of mass of a body, which matters where the body hits
  // something.
  const bool is_implicit_euler = target_.scale == h_ * h_ && target_.is_hit.empty();
  const bool is_ahead = is_implicit_euler && body.mass > 0.0 && has_only_flown(ledger);
  const double ahead = is_ahead ? 0.5 * (step_ + 1) * body.change.squaredNorm() / body.mass : 0.0;
  const double gained = ledger.largest_rise / ledger.at_work, lost = (ledger.lost - ahead) / ledger.at_work;
  const double hit = std::max(0.0, ledger.hit) / ledger.at_work;
  const bool is_driven = ledger.is_driven != 0.0;
  if (gained > gained_.share) gained_ = {gained, static_cast<int>(k), 0.0, is_driven};
  if (lost > lost_.share) lost_ = {lost, static_cast<int>(k), hit, is_driven};
  if (const double turning = lost_in_turning(k, body, ledger, end, least); turning > lost_.share) {
    lost_ = {turning, static_cast<int>(k), 0.0, false};
  }
}

template <int dim>
void StepAccount<dim>::settle(State& end) {
  if (!target_.has_inertia) {
    energy_.integrator -= barrier_gap_;
    return;
  }
  const VecX rotors_t1 = rotor_energies(end, end.v);
  energy_.kinetic = inertial_energy<dim>(model_, end.v).value() - inertial_energy<dim>(model_, v_t0_).value() +
                    rotors_t1.sum() - rotors_t0_.sum();
  const VecX p_t0 = mass_times(model_, v_t0_), p_t1 = mass_times(model_, end.v);
  const std::vector<BodyMotion> bodies = body_motions(end, p_t0, p_t1, rotors_t1);
  // Ledgers accumulate gains and losses over all steps, beside the largest energy at work.
  std::vector<EnergyLedger>& ledgers = end.ledgers;
  ledgers.resize(bodies.size());
  const std::vector<double> least = least_energies();
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    update_ledger(k, bodies[k], ledgers[k]);
    if (ledgers[k].at_work > least[k]) note_largest(k, bodies[k], ledgers[k], end, least[k]);
  }
  energy_.impacts -= barrier_gap_;

  for (int b : free_points()) {
    momentum_.total.template head<dim>() += block<dim>(p_t1, b);
    momentum_.change.template head<dim>() += block<dim>(p_t1, b) - block<dim>(p_t0, b);
  }
  momentum_.integrator = momentum_.change - momentum_.impulse;
}

template <int dim>
void StepAccount<dim>::add_rebound(const VecX& v_before, const State& after) {
  const auto kinetic = [&](const VecX& v) {
    return inertial_energy<dim>(model_, v).value() + rotor_energies(after, v).sum();
  };
  const double gain = kinetic(after.v) - kinetic(v_before);
  energy_.kinetic += gain;
  energy_.impacts += gain;
  // The impulses of the rebound change the momentum, as forces from outside.
  const VecX change = mass_times(model_, after.v - v_before);
  for (int b : free_points()) {
    momentum_.total.template head<dim>() += block<dim>(change, b);
    momentum_.change.template head<dim>() += block<dim>(change, b);
    momentum_.impulse.template head<dim>() += block<dim>(change, b);
  }
}

template class StepAccount<2>;
template class StepAccount<3>;

}  // namespace clearance
