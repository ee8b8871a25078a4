#include "clearance/solver/advance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/base/log.h"
#include "clearance/solver/impacts.h"
#include "clearance/solver/rigid_rates.h"
#include "clearance/solver/step.h"

namespace clearance {

template <int dim>
struct StepWorkspace<dim>::Impl {
  Impl(const Model& model, const SolverOptions& options)
      : system(model, options), broad_phase(make_broad_phase(dim, model.surface)) {}

  SystemMatrix<dim> system;
  std::unique_ptr<BroadPhase> broad_phase;
};

template <int dim>
StepWorkspace<dim>::StepWorkspace(const Model& model, const SolverOptions& options)
    : impl_(std::make_unique<Impl>(model, options)) {}
template <int dim>
StepWorkspace<dim>::~StepWorkspace() = default;
template <int dim>
StepWorkspace<dim>::StepWorkspace(StepWorkspace&&) noexcept = default;

namespace {

/// [m] Mean length of the surface's edges.
template <int dim>
double mean_edge_length(const SurfaceTopology& surface, const VecX& x_surface) {
  CompensatedSum sum;
  for (const auto& [i, j] : surface.edges) sum.add((block<dim>(x_surface, i) - block<dim>(x_surface, j)).norm());
  return surface.edges.empty() ? 0.0 : sum.value() / static_cast<double>(surface.edges.size());
}

}  // namespace

/// Bodies that are about to hit something take a step of implicit Euler.
template <int dim>
void Step<dim>::restart_where_hit() {
  VecX x = target_.x_tilde;
  for (std::size_t k = 0; k < targets_.blocks.size(); ++k) {
    block<dim>(x, targets_.blocks[k]) = block<dim>(targets_.positions, static_cast<int>(k));
  }
  std::vector<char> is_hit(static_cast<std::size_t>(model_.layout.num_blocks), 0);
  if (options_.has_contact) {
    StageTimer timer(report_.profile, Stage::broad_phase);
    is_hit = find_impacts<dim>(model_, options_.barrier, broad_phase_, state_.x, x);
    // A mass matrix that is not diagonal has one factor.
    if (model_.consistent_mass && std::find(is_hit.begin(), is_hit.end(), 1) != is_hit.end()) {
      std::fill(is_hit.begin(), is_hit.end(), 1);
    }
  }
  restart(options_.integrator, state_, std::move(is_hit), target_);
}

/// Starts Newton where the bodies would be without forces, as far as that is feasible, if the objective is lower there.
template <int dim>
void Step<dim>::start_from_inertia() {
  if (!target_.has_inertia) return;
  VecX x = coordinates_.unstretched(target_.x_tilde);
  for (int b : targets_.blocks) block<dim>(x, b) = block<dim>(current_.x, b);
  Direction direction;
  direction.dy = coordinates_.from_to(current_.x, x);
  const double least = has_forces() ? 0.0 : options_.tolerance * options_.integrator.h;
  if (length(direction.dy) <= least) return;
  bound_direction(direction);
  Iterate guess =
      problem_.make_iterate(coordinates_.move(current_.x, direction.dy, direction.alpha_limit), direction.candidates);
  const CompensatedSum energy = problem_.energy(guess);
  if (energy.value() < current_energy_.value() && problem_.is_feasible(guess.x)) {
    current_ = std::move(guess);
    current_energy_ = energy;
  }
}

template <int dim>
StepReport Step<dim>::run(const IterationCallback& on_iteration) {
  const double h = options_.integrator.h;
  system_.begin_step(state_.x);
  for (const auto& potential : model_.potentials) {
    const Result<Done> begun = potential->begin_step(state_.x, h, (state_.step + 1) * h);
    if (begun) continue;
    report_.status = StepStatus::undefined_input;
    report_.limited_by = to_string(begun.issues().front());
    return report_;
  }

  // 1. Scripted nodes, fixed if they arrive and else pulled by the augmented Lagrangian [Fer23, app. A.5]; first
  // contact set;
  //    barrier stiffness.
  current_.x = state_.x;
  current_.x_surface = model_.surface_map.apply(state_.x);
  feasible_length_ = mean_edge_length<dim>(model_.surface, current_.x_surface);
  const Direction direction_of_targets = towards_targets();
  if (move_prescribed(direction_of_targets)) {
    problem_.fix_prescribed();
  } else {
    problem_.augmented().activate();
  }
  if (options_.integrator.method == TimeIntegrator::bdf2_restarted) restart_where_hit();
  problem_.choose_kappa(current_);
  start_friction(direction_of_targets);
  open_account(direction_of_targets);
  current_energy_ = problem_.energy(current_);

  start_from_inertia();

  // 2. Projected Newton [Fer23, alg. 2.1].
  report_.status = StepStatus::iteration_limit;
  bool has_moved = true;
  while (report_.newton_iterations < options_.max_iterations) {
    if (options_.is_stop_wanted && options_.is_stop_wanted()) {
      report_.status = StepStatus::stopped;
      return report_;
    }
    const bool is_first = stiffness_.size() == 0;
    if (is_first) assemble();
    // 3. Converged, or scripted nodes still under way [Fer23, alg. A.1]: by the forces before a direction is solved
    // for...
    Verdict verdict = has_forces() ? judge_forces(has_moved) : Verdict::go_on;
    if (verdict == Verdict::ended) break;
    if (verdict == Verdict::again) continue;
    if (!is_first || is_exact_ != wants_exact_) assemble();

    iteration_ = {};
    iteration_.imbalance = report_.imbalance;
    iteration_.is_exact = is_exact_;
    Direction direction;
    if (!solve_direction(direction.dy)) {
      report_.status = StepStatus::linear_solve_failed;
      report_.limited_by = "the matrix is singular: no force resists some motion, or memory is short";
      break;
    }
    ++report_.newton_iterations;
    report_.residual = length(direction.dy) / h;
    shorten(direction.dy);
    has_moved = follow_coupled(direction.dy) || follow_detour(follow(choose_reach() * direction.dy));
    measure_reach();
    iteration_.residual = report_.residual;
    iteration_.num_contacts = static_cast<int>(current_.contacts.contacts.size());
    iteration_.min_distance = current_.contacts.min_distance;
    report_.iterations.push_back(iteration_);
    choose_secant_share();
    if (on_iteration) on_iteration(report_.newton_iterations, report_.residual);

    // ... or, as published, by the direction after it was followed.
    if (!has_forces()) verdict = judge_direction(has_moved);
    if (verdict == Verdict::ended) break;
  }
  if (detour_.length > 0) current_ = std::move(detour_.start);
  if (report_.status == StepStatus::iteration_limit && problem_.augmented().is_active()) {
    report_.status = StepStatus::prescribed_motion_blocked;
  }
  finish();
  return report_;
}

/// The barriers at the start have the energy of the last step's end, with the stiffness of this one.
template <int dim>
void Step<dim>::open_account(const Direction& direction_of_targets) {
  double barrier = 0.0;
  if (state_.stored.size() > 0 && state_.kappa > 0.0) {
    barrier = state_.stored[state_.stored.size() - 1] * (problem_.kappa() / target_.scale / state_.kappa);
  } else {
    const Iterate start = problem_.make_iterate(state_.x, direction_of_targets.candidates);
    barrier = problem_.kappa() / target_.scale * problem_.barrier().energy(start.contacts, start.x_surface).value();
  }
  account_.open(state_, barrier);
}

/// The exact verdict and the figures of the step's end.
template <int dim>
void Step<dim>::finish() {
  {
    StageTimer timer(report_.profile, Stage::other);
    std::string hit;
    bool is_valid = !options_.has_contact || is_intersection_free(dim, model_, current_.x_surface, broad_phase_, &hit);
    if (const std::string term = problem_.infeasible_term(current_.x); !term.empty()) {
      is_valid = false;
      hit = term + " energy has an inverted element";
    }
    if (!is_valid) {
      report_.status = StepStatus::invalid_state;
      report_.limited_by = hit;
    }
  }
  report_.num_contacts = static_cast<int>(current_.contacts.contacts.size());
  // Beyond the activation distance the candidates are not complete, and their smallest distance says nothing.
  if (report_.num_contacts > 0) report_.min_distance = current_.contacts.min_distance;
  report_.kappa = problem_.kappa();
  report_.friction_work = problem_.friction().work(current_.x_surface) / target_.scale;
  for (const auto& potential : model_.potentials) {
    report_.energy.emplace_back(potential->name(), potential->energy(current_.x).value());
  }
  // kappa is part of the incremental potential; divided by its time scale the barrier is an energy.
  report_.energy.emplace_back("barrier", problem_.kappa() / target_.scale *
                                             problem_.barrier().energy(current_.contacts, current_.x_surface).value());
  account_.close(problem_, current_);
  if (options_.keeps_forces) report_.forces = collect_forces();
  const LinearSolverCounters& now = system_.solver().counters();
  report_.counters.orderings = now.num_orderings - counters_t0_.num_orderings;
  report_.counters.analyses = now.num_analyses - counters_t0_.num_analyses;
  report_.counters.factorizations = now.num_factorizations - counters_t0_.num_factorizations;
  report_.counters.linear_iterations = static_cast<int>(now.num_iterations - counters_t0_.num_iterations);
  report_.linear_seconds = {now.analyze_seconds - counters_t0_.analyze_seconds,
                            now.factor_seconds - counters_t0_.factor_seconds,
                            now.solve_seconds - counters_t0_.solve_seconds};
}

namespace {

/// Scripted nodes move at the mean velocity of their step. By Newmark's formula a change of their speed would leave
/// them swinging about it for ever, and they would be let go with a wrong one.
template <int dim>
void set_scripted_velocities(const PrescribedTargets& targets, const VecX& x_t0, double h, State& state) {
  for (int b : targets.blocks) {
    block<dim>(state.v, b) = (block<dim>(state.x, b) - block<dim>(x_t0, b)) / h;
    block<dim>(state.a, b).setZero();
  }
}

}  // namespace

template <int dim>
StepReport advance(const Model& model, const SolverOptions& options, const PrescribedTargets& targets, State& state,
                   StepWorkspace<dim>& workspace, const IterationCallback& on_iteration) {
  const Stopwatch watch;
  Step<dim> step(model, options, targets, state, workspace.impl().system, *workspace.impl().broad_phase);
  StepReport report = step.run(on_iteration);
  if (report.is_advanced()) {
    const VecX x_t0 = state.x;
    std::vector<StickVertex> stick = step.stick();
    Rebound<dim> rebound = step.rebound();
    commit(options.integrator, step.target(), step.current().x, state);
    if (!rebound.is_empty() && options.integrator.method == TimeIntegrator::bdf2) {
      start_anew(options.integrator, x_t0, state);
    }
    if (options.integrator.method == TimeIntegrator::implicit_newmark) {
      make_rates_rigid<dim>(model, state.x, state.v, state.a);
      set_scripted_velocities<dim>(targets, x_t0, options.integrator.h, state);
    }
    state.kappa = report.kappa / step.target().scale;
    state.stick = std::move(stick);
    step.account().settle(state.v, state.ledgers);
    if (!rebound.is_empty()) {
      const VecX v_end = state.v;
      rebound.apply(state);
      step.account().add_rebound(v_end, state.v);
    }
    report.gained = step.account().gained();
    report.lost = step.account().lost();
    state.stored = step.account().stored();
    report.account = step.account().energy();
    report.momentum = step.account().momentum();
  }
  report.energy.insert(report.energy.begin(), {"kinetic", inertial_energy<dim>(model, state.v).value()});
  report.total_seconds = watch.seconds();
  double staged = 0.0;
  for (Stage stage : {Stage::assembly, Stage::linear_solve, Stage::broad_phase, Stage::ccd, Stage::line_search}) {
    staged += report.profile[stage];
  }
  report.profile[Stage::other] = std::max(0.0, report.total_seconds - staged);
  return report;
}

template class StepWorkspace<2>;
template class StepWorkspace<3>;
template StepReport advance<2>(const Model&, const SolverOptions&, const PrescribedTargets&, State&, StepWorkspace<2>&,
                               const IterationCallback&);
template StepReport advance<3>(const Model&, const SolverOptions&, const PrescribedTargets&, State&, StepWorkspace<3>&,
                               const IterationCallback&);

}  // namespace clearance
