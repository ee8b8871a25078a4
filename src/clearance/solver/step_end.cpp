// The end of a step: the exact verdict, what is reported, and what the state keeps.
#include "clearance/solver/accepted_move.h"
#include "clearance/solver/collect_forces.h"
#include "clearance/solver/feasible_step.h"
#include "clearance/solver/free_motion.h"
#include "clearance/solver/state_motion.h"
#include "clearance/solver/step.h"

namespace clearance {

namespace {
/// Balances of a step that are left at most. A column leaves one or two.
constexpr int most_exits = 8;
}  // namespace

/// Goes on from below a balance that is not stable, from which symmetry alone keeps Newton's method. False if the step
/// has ended otherwise. If no stable balance is found from there, the step ends at the first one, and says so.
template <int dim>
bool Step<dim>::leave_unstable_balance() {
  if (target_.has_inertia || !in_.has_forces()) return false;
  if (now_.status != StepStatus::converged) {
    if (unstable_) return_to_unstable_balance();
    return false;
  }
  // A step that moves nothing ends where the last one has ended.
  if (now_.num_directions == 0 && in_.state.step > 0) return false;
  UnstableBalance<dim> balance(in_, problem_, bound_, log_);
  auto exit = balance.find_exit(now_.point, newton_);
  if (!exit) {
    if (const std::optional<double> shift = balance.shift()) {
      now_.free_motion = find_free_motion<dim>(in_, now_.point.iterate.x, *shift);
    }
    if (now_.instability) now_.instability->is_left = true;
    return false;
  }
  if (now_.num_exits == most_exits) {
    return_to_unstable_balance();
    return false;
  }
  if (!now_.instability) {
    now_.instability = exit->instability;
    unstable_ = now_;
  }
  ++now_.num_exits;
  now_.point = std::move(exit->point);
  now_.status = StepStatus::iteration_limit;
  now_.forces_at_end.reset();
  now_.last = {};
  now_.last.has_moved = now_.has_moved = true;
  now_.last.alpha = 1.0;
  now_.num_locked = 0;
  log_.note("leaves a balance that is not stable");
  friction_.note_motion();
  newton_.start_anew();
  criterion_ = make_criterion();
  return true;
}

/// Ends the step at the balance that was left, with the work since then.
template <int dim>
void Step<dim>::return_to_unstable_balance() {
  const int num_directions = now_.num_directions, num_partial_directions = now_.num_partial_directions;
  now_ = std::move(*unstable_);
  now_.num_directions = num_directions;
  now_.num_partial_directions = num_partial_directions;
  problem_.restrict_to({});
  friction_.take_up(now_.point, 1.0);
}

template <int dim>
void Step<dim>::finish() {
  end_motion();
  in_.last_end = {now_.point.iterate.x_surface, now_.point.iterate.candidates};
  check_exactly();
  if (!now_.forces_at_end) now_.forces_at_end = problem_.term_gradients(now_.point.iterate, problem_.friction());
  account_.close(problem_, now_.point.iterate, std::move(*now_.forces_at_end));
  record();
}

/// Lets everything count again, and ends what is still under way.
template <int dim>
void Step<dim>::end_motion() {
  problem_.restrict_to({});
  if (search_.is_on_detour()) search_.give_up_detour(now_.point);
  const bool is_given_up = now_.status == StepStatus::iteration_limit || now_.status == StepStatus::locked;
  if (is_given_up && problem_.augmented().is_active()) now_.status = StepStatus::prescribed_motion_blocked;
}

/// Writes the report of the solve; nothing in the solver reads it.
template <int dim>
void Step<dim>::record() {
  log_.write(report_);
  report_.status = now_.status;
  if (!now_.failure.empty()) report_.limited_by = now_.failure;
  report_.newton_iterations = now_.num_directions;
  report_.partial_iterations = now_.num_partial_directions;
  report_.residual = now_.residual;
  report_.imbalance = now_.imbalance.value_or(0.0);
  report_.imbalanced_body = now_.imbalanced_body;
  report_.instability = now_.instability;
  report_.free_motion = now_.free_motion;
  report_.friction_iterations = friction_.num_lags();
  if (now_.status == StepStatus::stopped || now_.status == StepStatus::undefined_input) return;
  record_energies();
  record_linear_solves();
  if (in_.hooks.keeps_forces) report_.forces = collect_forces<dim>(in_, problem_, friction_, now_.point.iterate);
}

/// Records the linear solves of the step. The counts are those of systems of everything; the times include parts.
template <int dim>
void Step<dim>::record_linear_solves() {
  const LinearSolverCounters& now = in_.system.solver().counters();
  const LinearSolverCounters of_parts = newton_.part_counters();
  report_.counters.orderings = now.num_orderings - counters_t0_.num_orderings;
  report_.counters.analyses = now.num_analyses - counters_t0_.num_analyses;
  report_.counters.factorizations = now.num_factorizations - counters_t0_.num_factorizations;
  report_.counters.linear_iterations = static_cast<int>(now.num_iterations - counters_t0_.num_iterations);
  report_.linear_seconds = {now.analyze_seconds - counters_t0_.analyze_seconds + of_parts.analyze_seconds,
                            now.factor_seconds - counters_t0_.factor_seconds + of_parts.factor_seconds,
                            now.solve_seconds - counters_t0_.solve_seconds + of_parts.solve_seconds};
}

/// Checks by exact arithmetic that no surfaces meet and no element is inverted; else the step ends as `invalid_state`.
template <int dim>
void Step<dim>::check_exactly() {
  StageTimer timer(log_.profile(), Stage::other);
  std::string hit;
  bool is_valid = !in_.options.has_contact ||
                  is_intersection_free<dim>(in_.model, now_.point.iterate.x_surface, in_.broad_phase, &hit);
  if (const std::string term = problem_.infeasible_term(now_.point.iterate.x); !term.empty()) {
    is_valid = false;
    hit = term + " energy has an inverted element";
  }
  if (is_valid) return;
  now_.status = StepStatus::invalid_state;
  now_.failure = hit;
}

template <int dim>
void Step<dim>::record_energies() {
  const Iterate& end = now_.point.iterate;
  report_.num_contacts = static_cast<int>(end.contacts.contacts.size());
  if (report_.num_contacts > 0) report_.min_distance = end.contacts.min_distance;
  report_.kappa = problem_.kappa();
  report_.friction_work = problem_.friction().work(end.x_surface) / target_.scale;
  // Linear and curved elements have separate potentials with one name, which the report adds up.
  const auto add = [&](const std::string& name, double energy) {
    for (auto& [other, sum] : report_.energy) {
      if (other != name) continue;
      sum += energy;
      return;
    }
    report_.energy.emplace_back(name, energy);
  };
  const VecX& energies = account_.energies();
  for (std::size_t k = 0; k < in_.copies.potentials.size(); ++k) {
    // The kinetic energy of coordinates is known only at the end (complete_report).
    if (coordinate_inertia_of(*in_.copies.potentials[k]) != nullptr) continue;
    add(in_.copies.potentials[k]->name(), energies[static_cast<Eigen::Index>(k)]);
  }
  report_.energy.emplace_back("barrier", energies[energies.size() - 1]);
}

/// Returns the memory of sticking of the contacts at the end.
template <int dim>
std::vector<StickVertex> Step<dim>::stick() const {
  if (!problem_.has_friction()) return {};
  return friction_.fresh(now_.point.iterate).stick(now_.point.iterate.x_surface);
}

/// Assembles gradient and Hessian at the end. The forecast of contacts, which only speeds up Newton's method, does not
/// belong to the Hessian.
template <int dim>
void Step<dim>::assemble_at_end(HessianKind kind, VecX& gradient, BlockSparseMatrix* whole) {
  problem_.forecast().clear();
  problem_.refer_to(now_.point.iterate.x);
  problem_.assemble(now_.point.iterate, in_.system, gradient, kind, whole);
}

template <int dim>
LinearSystem Step<dim>::system_at_end() {
  LinearSystem system;
  assemble_at_end(HessianKind::exact, system.gradient);
  system.hessian = in_.system.matrix();
  return system;
}

template <int dim>
std::optional<VecX> Step<dim>::response(const VecX& force) {
  LinearSolver& solver = in_.system.solver();
  const VecX right_side = problem_.free_part(in_.coordinates(), now_.point.iterate.x, force);
  for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
    VecX gradient, dy;
    assemble_at_end(kind, gradient);
    if (solver.factorize(in_.system.matrix()) == LinearSolveStatus::solved &&
        solver.solve(right_side, dy) == LinearSolveStatus::solved && dy.allFinite()) {
      return dy;
    }
  }
  return std::nullopt;
}

template <int dim>
VecX Step<dim>::moved_from_end(const VecX& dy) {
  const Direction direction = bound_.bound(now_.point.iterate, dy);
  const double part = std::min(1.0, direction.alpha_limit);
  VecX x = in_.coordinates().move(now_.point.iterate.x, direction.dy, part);
  MoveListener::note(in_, now_.point.iterate.x, x, direction.dy, part);
  return x;
}

namespace {

/// Ends the step in the potentials that remember it.
void remember(const std::vector<std::unique_ptr<Potential>>& potentials, State& state) {
  for (std::size_t k = 0; k < potentials.size(); ++k) {
    const std::size_t size = potentials[k]->history_size();
    if (size == 0) continue;
    state.history.resize(potentials.size());
    state.history[k].resize(size);
    if (const CoordinateInertia* inertia = coordinate_inertia_of(*potentials[k])) {
      inertia->end_motion(state, state.history[k]);
    } else {
      potentials[k]->end_step(state.x, state.history[k]);
    }
  }
}

}  // namespace

template <int dim>
void Step<dim>::commit(State& state) {
  const IntegratorOptions& integrator = in_.options.integrator;
  const VecX x_t0 = state.x;
  // Everything that needs the state at the start is computed before that is overwritten.
  std::vector<StickVertex> stick_t1 = stick();
  Rebound<dim> rebound(in_.model, in_.options, in_.targets, state, marks_, problem_.x_surface_t0(), now_.point.iterate,
                       in_.copies.potentials);
  // The integrator moves the state to the end of the step. BDF2 forgets what was before an impact.
  move_state<dim>(in_.model, integrator, in_.targets, target_, now_.point.iterate.x, state);
  for (const auto& potential : in_.copies.potentials) potential->count_turns(state.x, state.turns);
  remember(in_.copies.potentials, state);
  if (!rebound.is_empty() && integrator.method == TimeIntegrator::bdf2) start_anew(integrator, x_t0, state);
  // The state keeps the stiffness and the sticking for the next step. The account needs the velocity at the end.
  state.kappa = problem_.kappa() / target_.scale;
  state.stick = std::move(stick_t1);
  if (account_.is_closed()) account_.settle(state);
  // Rebounds change velocities alone, after the account of the step itself.
  if (!rebound.is_empty()) {
    const VecX v_end = state.v;
    VecX gradient = VecX::Zero(x_t0.size());
    for (const auto& potential : in_.copies.potentials) {
      if (coordinate_inertia_of(*potential) == nullptr) potential->add_gradient(x_t0, 1.0, gradient);
    }
    rebound.take_up_forces(-gradient, integrator.h);
    rebound.apply(state);
    if (account_.is_closed()) account_.add_rebound(v_end, state);
  }
  if (!account_.is_closed()) return;
  state.stored = account_.stored();
  report_.gained = account_.gained();
  report_.lost = account_.lost();
  report_.account = account_.energy();
  report_.momentum = account_.momentum();
}

template void Step<2>::assemble_at_end(HessianKind, VecX&, BlockSparseMatrix*);
template LinearSystem Step<2>::system_at_end();
template std::optional<VecX> Step<2>::response(const VecX&);
template VecX Step<2>::moved_from_end(const VecX&);
template bool Step<2>::leave_unstable_balance();
template void Step<2>::return_to_unstable_balance();
template void Step<2>::finish();
template void Step<2>::end_motion();
template void Step<2>::record();
template void Step<2>::check_exactly();
template void Step<2>::record_energies();
template std::vector<StickVertex> Step<2>::stick() const;
template void Step<2>::commit(State&);
template void Step<3>::assemble_at_end(HessianKind, VecX&, BlockSparseMatrix*);
template LinearSystem Step<3>::system_at_end();
template std::optional<VecX> Step<3>::response(const VecX&);
template VecX Step<3>::moved_from_end(const VecX&);
template bool Step<3>::leave_unstable_balance();
template void Step<3>::return_to_unstable_balance();
template void Step<3>::finish();
template void Step<3>::end_motion();
template void Step<3>::record();
template void Step<3>::check_exactly();
template void Step<3>::record_energies();
template std::vector<StickVertex> Step<3>::stick() const;
template void Step<3>::commit(State&);

}  // namespace clearance
