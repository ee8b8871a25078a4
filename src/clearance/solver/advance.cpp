#include "clearance/solver/advance.h"

#include <fmt/format.h>

#include <cmath>

#include "clearance/base/log.h"
#include "clearance/solver/rigid_rates.h"
#include "clearance/solver/step_problem.h"

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

/// The pull doubles from 1e6 to 1e8 within seven; then the multipliers have their turn.
constexpr int max_vain_pulls = 15;
/// Friction that has been lagged this often goes round in a circle; from there on it takes half of what is new, which
/// ends the circle.
constexpr int num_whole_lags = 10;

/// Of the tolerance: what may be left of the last direction.
constexpr double max_untaken = 0.3;

/// A direction is swept this many times as far as the last one was feasible; at the start of a step this many edges.
constexpr double sweep_reach = 4.0;
/// Where nothing is hit, the next part is this many times as long: it costs most, and all before it little.
constexpr double sweep_growth = 8.0;

/// [m] Mean length of the surface's edges.
template <int dim>
double mean_edge_length(const SurfaceTopology& surface, const VecX& x_surface) {
  CompensatedSum sum;
  for (const auto& [i, j] : surface.edges) sum.add((block<dim>(x_surface, i) - block<dim>(x_surface, j)).norm());
  return surface.edges.empty() ? 0.0 : sum.value() / static_cast<double>(surface.edges.size());
}

/// Everything one step works with; its member functions are the lines of the paper's algorithm.
template <int dim>
class Step {
 public:
  Step(const Model& model, const SolverOptions& options, const PrescribedTargets& targets, const State& state,
       SystemMatrix<dim>& system, BroadPhase& broad_phase)
      : model_(model),
        options_(options),
        targets_(targets),
        state_(state),
        system_(system),
        coordinates_(system.coordinates()),
        broad_phase_(broad_phase),
        target_(predict(options.integrator, state)),
        problem_(model, options, target_, targets, state),
        counters_t0_(system.solver().counters()) {}

  StepReport run(const IterationCallback& on_iteration);
  const Iterate& current() const { return current_; }
  const InertialTarget& target() const { return target_; }

 private:
  struct Direction {
    VecX dy;                   // in local coordinates about the current iterate
    double alpha_limit = 1.0;  // largest feasible fraction of dy
    Candidates candidates;     // all pairs that may be contacts on the feasible part
  };

  Direction towards_targets();
  bool move_prescribed(const Direction& direction);
  void start_friction(const Direction& direction);
  bool lag_again();
  void choose_secant_share();
  void start_from_inertia();
  bool solve_direction(VecX& dy);
  double length(const VecX& dy) const;
  void shorten(VecX& dy) const;
  bool bend(VecX& dy) const;
  void bound_bent(Direction& direction);
  bool follow(const VecX& dy);
  void bound_direction(Direction& direction);
  void sweep(Direction& direction, double part);
  bool search_line(const Direction& direction);
  bool take_detour(const Direction& direction);
  bool follow_detour(bool has_moved);
  bool is_decrease_hidden(const Iterate& trial, const VecX& dy, double change) const;
  bool has_reached_targets();
  bool pull_harder();
  void finish();

  const Model& model_;
  const SolverOptions& options_;
  const PrescribedTargets& targets_;
  const State& state_;
  SystemMatrix<dim>& system_;
  const LocalCoordinates<dim>& coordinates_;
  BroadPhase& broad_phase_;
  InertialTarget target_;
  StepProblem<dim> problem_;
  Iterate current_;
  CompensatedSum current_energy_;
  VecX gradient_;
  LinearSolverCounters counters_t0_;  // at the start of the step
  IterationReport iteration_;         // the one under way
  double least_missing_ = 1.0;        // of the scripted motion, at any pull so far
  int num_vain_pulls_ = 0;
  double feasible_length_ = 0.0;  // [m] of the direction bounded last
  /// Where a detour started, and what is searched if it leads nowhere.
  struct Detour {
    Iterate start;
    VecX gradient;
    Direction direction;
    int length = 0;  // iterations so far; 0: none under way
    bool is_allowed = true;
    bool is_wanted = false;  // the last line search cut its direction to pieces
  } detour_;
  StepReport report_;
};

/// Scripted nodes from the current iterate straight to their targets.
template <int dim>
auto Step<dim>::towards_targets() -> Direction {
  Direction direction;
  VecX x = current_.x;
  for (std::size_t k = 0; k < targets_.blocks.size(); ++k) {
    block<dim>(x, targets_.blocks[k]) = block<dim>(targets_.positions, static_cast<int>(k));
  }
  direction.dy = coordinates_.from_to(current_.x, x);
  bound_direction(direction);
  return direction;
}

/// Moves scripted nodes as far as nothing is hit or inverted. True if they arrive.
template <int dim>
bool Step<dim>::move_prescribed(const Direction& direction) {
  // Potentials bound straight paths; on the arcs of rigid bodies a joint could still pass its limits.
  double alpha = direction.alpha_limit;
  VecX x = coordinates_.move(current_.x, direction.dy, alpha);
  const auto is_feasible = [&](const auto& potential) { return potential->is_feasible(x); };
  for (int i = 0; i < 30 && !std::all_of(model_.potentials.begin(), model_.potentials.end(), is_feasible); ++i) {
    alpha = i < 29 ? 0.5 * alpha : 0.0;
    x = coordinates_.move(current_.x, direction.dy, alpha);
  }
  const bool arrives = alpha >= 1.0;
  for (std::size_t k = 0; arrives && k < targets_.blocks.size(); ++k) {
    block<dim>(x, targets_.blocks[k]) = block<dim>(targets_.positions, static_cast<int>(k));
  }
  current_ = problem_.make_iterate(std::move(x), direction.candidates);
  return arrives;
}

/// Friction starts from the contacts at the start of the step with the barrier stiffness of the last one, which is to
/// say from the normal forces that the last step ended with (sec. 2.5.5).
template <int dim>
void Step<dim>::start_friction(const Direction& direction) {
  if (!problem_.has_friction()) return;
  const double kappa = state_.kappa > 0.0 ? state_.kappa * target_.scale : problem_.kappa();
  problem_.lag_friction(problem_.make_iterate(state_.x, direction.candidates), options_.integrator.h * state_.v, kappa);
  report_.friction_iterations = 1;
}

/// After a lagged solve: takes up the present normal forces and sliding directions for another one. False if that was
/// the last of the wanted number, or nothing rubs.
template <int dim>
bool Step<dim>::lag_again() {
  const int wanted = options_.friction.iterations;
  if (!problem_.has_friction() || (wanted > 0 && report_.friction_iterations >= wanted)) return false;
  const bool had_friction = !problem_.friction().is_empty();
  const double share = report_.friction_iterations < num_whole_lags ? 1.0 : 0.5;
  problem_.lag_friction(current_, current_.x - state_.x, problem_.kappa(), share);
  if (!had_friction && problem_.friction().is_empty()) return false;
  ++report_.friction_iterations;
  report_.iterations.back().event = "friction takes up the present contact forces";
  current_energy_ = problem_.energy(current_);
  return true;
}

/// Friction with its secant stiffness while the line search cuts directions, and with its Hessian again, by and by,
/// when it does not: steps that never shoot through the valley of sticking, and Newton's convergence in the end.
template <int dim>
void Step<dim>::choose_secant_share() {
  if (problem_.friction().is_empty()) return;
  const bool is_cut = iteration_.alpha < 0.9 * iteration_.alpha_limit;
  const double share = 0.5 * problem_.secant_share();
  problem_.set_secant_share(is_cut ? 1.0 : share > 0.04 ? share : 0.0);
}

/// Starts Newton where the bodies would be without forces, as far as that is feasible, if the objective is lower there.
template <int dim>
void Step<dim>::start_from_inertia() {
  if (!target_.has_inertia) return;
  VecX x = coordinates_.unstretched(target_.x_tilde);
  for (int b : targets_.blocks) block<dim>(x, b) = block<dim>(current_.x, b);
  Direction direction;
  direction.dy = coordinates_.from_to(current_.x, x);
  if (length(direction.dy) < options_.tolerance * options_.integrator.h) return;
  bound_direction(direction);
  Iterate guess =
      problem_.make_iterate(coordinates_.move(current_.x, direction.dy, direction.alpha_limit), direction.candidates);
  const CompensatedSum energy = problem_.energy(guess);
  const auto is_feasible = [&](const auto& potential) { return potential->is_feasible(guess.x); };
  if (energy.value() < current_energy_.value() &&
      std::all_of(model_.potentials.begin(), model_.potentials.end(), is_feasible)) {
    current_ = std::move(guess);
    current_energy_ = energy;
  }
}

/// dy = -H^-1 g. A Hessian that rounding or a missing inertia leaves singular is shifted along its diagonal.
template <int dim>
bool Step<dim>::solve_direction(VecX& dy) {
  {
    StageTimer timer(report_.profile, Stage::assembly);
    problem_.assemble(current_, system_, gradient_);
  }
  StageTimer timer(report_.profile, Stage::linear_solve);
  BlockSparseMatrix& matrix = system_.matrix();
  double shift = 0.0;
  for (int attempt = 0; attempt < 12; ++attempt) {
    if (system_.solver().factorize(matrix) == LinearSolveStatus::solved &&
        system_.solver().solve(-gradient_, dy) == LinearSolveStatus::solved && dy.allFinite()) {
      // The direction must descend; rounding can spoil that when the system is all but singular.
      if (gradient_.dot(dy) <= 0.0) return true;
    }
    double largest = 0.0;
    for (int b = 0; b < matrix.num_blocks(); ++b) {
      for (int c = 0; c < dim; ++c) {
        const auto at = static_cast<std::size_t>(matrix.find_slot(b, b) + c * (matrix.slot_stride(b) + 1));
        largest = std::max(largest, std::abs(matrix.values()[at]));
      }
    }
    const double wanted = attempt == 0 ? 1e-12 * largest : 100.0 * shift;
    for (int b = 0; b < matrix.num_blocks(); ++b) {
      matrix.add_to_slot<dim>(matrix.find_slot(b, b), matrix.slot_stride(b),
                              Mat<dim>((wanted - shift) * Mat<dim>::Identity()));
    }
    log_warning("step {}: linear system shifted by {:.3g}", state_.step + 1, wanted);
    shift = wanted;
  }
  return false;
}

/// Largest feasible part of the direction: first the inversion-free bound, which shortens the sweep, then broad phase
/// and CCD. Early directions can be a hundred times as long as what is feasible, and a sweep of the whole would pair
/// everything with everything on the way: it is swept in growing parts until something is hit.
template <int dim>
void Step<dim>::bound_direction(Direction& direction) {
  double alpha = 1.0;
  {
    StageTimer timer(report_.profile, Stage::ccd);
    const VecX dx = coordinates_.expand(current_.x, direction.dy);
    for (const auto& potential : model_.potentials) {
      const StepLimit limit = potential->max_feasible_step(current_.x, dx);
      if (limit.alpha < alpha) {
        alpha = limit.alpha;
        iteration_.limited_by = fmt::format("{} element {}", potential->name(), limit.element);
        if (alpha < report_.smallest_alpha) {
          report_.smallest_alpha = alpha;
          report_.limited_by = iteration_.limited_by;
        }
      }
    }
  }
  direction.alpha_limit = alpha;
  if (!options_.has_contact) return;

  const double size = length(direction.dy);
  // Sweeps shorter than the activation distance find the same pairs.
  const double reach = sweep_reach * std::max(feasible_length_, options_.barrier.dhat);
  double part = reach < alpha * size ? reach / size : alpha;
  sweep(direction, part);
  while (direction.alpha_limit >= part && part < alpha) {
    part = std::min(sweep_growth * part, alpha);
    sweep(direction, part);
  }
  feasible_length_ = direction.alpha_limit * size;
}

/// One swept broad phase of the first part of the direction; its candidates serve CCD and every trial energy.
template <int dim>
void Step<dim>::sweep(Direction& direction, double part) {
  const double activation = options_.barrier.dhat + options_.barrier.min_separation;
  SurfacePath path;
  SweptCandidates swept;
  {
    StageTimer timer(report_.profile, Stage::broad_phase);
    path = coordinates_.surface_path(current_.x, current_.x_surface, direction.dy, part);
    swept = measure_candidates(
        dim, model_.surface, path,
        broad_phase_.find_candidates(path.x_t0, path.x_t1, options_.barrier.inflation(), path.deviation));
  }
  if (dim == 3 && options_.on_ccd_query) {
    for_each_straight_query(model_.surface, path, swept.pairs, options_.on_ccd_query);
  }
  StageTimer timer(report_.profile, Stage::ccd);
  const FeasibleStep feasible = find_feasible_step(dim, model_, path, swept, options_);
  direction.alpha_limit = part * feasible.alpha;
  direction.candidates = reachable_candidates(swept, feasible.alpha, activation);
  report_.counters.candidates += static_cast<long>(swept.distance.size());
  report_.counters.ccd_calls += feasible.num_ccd_calls;
  if (feasible.alpha < 1.0) iteration_.limited_by = feasible.limited_by;
  if (feasible.alpha < 1.0 && direction.alpha_limit < report_.smallest_alpha) {
    report_.smallest_alpha = direction.alpha_limit;
    report_.limited_by = feasible.limited_by;
  }
}

/// A nearly singular system without inertia can ask for any length, and sweeping that would pair everything with
/// everything.
template <int dim>
void Step<dim>::shorten(VecX& dy) const {
  const double longest = (target_.has_inertia ? 1e3 : 1.0) * model_.bbox_diagonal;
  const double present = length(dy);
  if (present > longest) dy *= longest / present;
}

/// Affine bodies turn without being stretched, unless that would climb. False if nothing is bent.
template <int dim>
bool Step<dim>::bend(VecX& dy) const {
  if (model_.stiff_bodies.empty()) return false;
  VecX bent = coordinates_.bent(current_.x, dy, problem_.is_fixed());
  if (gradient_.dot(bent) > 0.5 * gradient_.dot(dy)) return false;
  dy = std::move(bent);
  return true;
}

/// Bends a direction and bounds it. What bending adds is of second order in the whole turn, but grows linearly on the
/// way: where little of the way is feasible it pushes bodies together against any barrier (a crank's pin was driven
/// from 6e-5 m to 1e-16 m of its rod), so that there the direction stays straight, which hardly stretches a body then.
template <int dim>
void Step<dim>::bound_bent(Direction& direction) {
  Direction straight;
  straight.dy = direction.dy;
  const bool is_bent = bend(direction.dy);
  bound_direction(direction);
  if (!is_bent || direction.alpha_limit >= 0.5) return;
  const double gap = std::min(options_.barrier.dhat, current_.contacts.min_distance - options_.barrier.min_separation);
  if (direction.alpha_limit * length(direction.dy - straight.dy) < 0.1 * gap) return;
  bound_direction(straight);
  if (straight.alpha_limit > direction.alpha_limit) direction = std::move(straight);
}

/// Goes along dy as far as that is feasible and lowers the energy.
template <int dim>
bool Step<dim>::follow(const VecX& dy) {
  Direction direction;
  direction.dy = dy;
  bound_bent(direction);
  iteration_.alpha_limit = direction.alpha_limit;
  return take_detour(direction) || search_line(direction);
}

/// [m] How far any block starts to move.
template <int dim>
double Step<dim>::length(const VecX& dy) const {
  return coordinates_.expand(current_.x, dy).cwiseAbs().maxCoeff();
}

/// Near the minimum the decrease drowns in the rounding of the energies of single elements, which no summation can
/// mend. There the slopes decide, which are far more exact: the step is good if the objective falls by the trapezoidal
/// rule (the approximate Wolfe condition of Hager and Zhang 2005). Rounding has been seen up to 1e-12 of the terms.
template <int dim>
bool Step<dim>::is_decrease_hidden(const Iterate& trial, const VecX& dy, double change) const {
  if (!(change <= 1e-11 * problem_.energy_magnitude(current_))) return false;
  return problem_.slope(trial, coordinates_.expand(trial.x, dy)) <= 0.8 * std::abs(gradient_.dot(dy));
}

/// Halves alpha until the energy falls; moves the current iterate there. False if it never falls.
template <int dim>
bool Step<dim>::search_line(const Direction& direction) {
  StageTimer timer(report_.profile, Stage::line_search);
  const double size = length(direction.dy);
  const double smallest_motion = 1e-16 * model_.bbox_diagonal;
  for (double alpha = direction.alpha_limit; alpha * size > smallest_motion || alpha == direction.alpha_limit;
       alpha *= 0.5) {
    VecX x = coordinates_.move(current_.x, direction.dy, alpha);
    bool is_feasible = true;
    for (const auto& potential : model_.potentials) is_feasible = is_feasible && potential->is_feasible(x);
    if (is_feasible) {
      Iterate trial = problem_.make_iterate(std::move(x), direction.candidates);
      const CompensatedSum energy = problem_.energy(trial);
      ++report_.counters.energy_evaluations;
      // Compared as a difference of compensated sums, so that a decrease far below the energy itself is still seen.
      const double change = (energy.sum - current_energy_.sum) + (energy.correction - current_energy_.correction);
      if (change <= 0.0 || is_decrease_hidden(trial, direction.dy, change)) {
        const Contact* stiffened = problem_.adapt_kappa(current_, trial);
        if (stiffened) {
          iteration_.event =
              fmt::format("barrier stiffness {:.3g} for {}", problem_.kappa(), describe(*stiffened, model_.surface));
        }
        current_ = std::move(trial);
        current_energy_ = stiffened ? problem_.energy(current_) : energy;
        iteration_.alpha = alpha;
        return true;
      }
    }
    if (alpha == 0.0) break;
  }
  return false;
}

/// Contacts that slide along curved surfaces bend away from a straight direction: its end has a higher energy, and the
/// line search cuts it again and again (the Maratos effect). Then the direction is taken as far as it is feasible,
/// whatever the energy; the next ones must lead below where it started, or the search goes back there (the watchdog
/// technique of Chamberlain et al. 1982).
template <int dim>
bool Step<dim>::take_detour(const Direction& direction) {
  if (!detour_.is_allowed || !detour_.is_wanted || detour_.length > 0 || problem_.augmented().is_active()) return false;
  VecX x = coordinates_.move(current_.x, direction.dy, direction.alpha_limit);
  for (const auto& potential : model_.potentials) {
    if (!potential->is_feasible(x)) return false;
  }
  Iterate trial = problem_.make_iterate(std::move(x), direction.candidates);
  const CompensatedSum energy = problem_.energy(trial);
  if (!std::isfinite(energy.value())) return false;
  if (energy.value() >= current_energy_.value()) {
    detour_.length = 1;
    iteration_.event = "taken as far as it is feasible, although the energy rises";
  }
  detour_.start = std::move(current_);
  detour_.gradient = gradient_;
  detour_.direction = direction;
  current_ = std::move(trial);
  current_energy_ = energy;
  iteration_.alpha = direction.alpha_limit;
  return true;
}

/// After an iteration: ends a detour that leads below where it started, or goes back there if it does not in time.
/// False if the current iterate has not moved.
template <int dim>
bool Step<dim>::follow_detour(bool has_moved) {
  constexpr int max_length = 2;
  detour_.is_wanted = iteration_.alpha < 0.1 * iteration_.alpha_limit;
  if (detour_.length == 0) return has_moved;
  // Evaluated anew: the barrier may have become stiffer on the way.
  const CompensatedSum at_start = problem_.energy(detour_.start);
  const double change = (current_energy_.sum - at_start.sum) + (current_energy_.correction - at_start.correction);
  if (change < 0.0) {
    detour_.length = 0;
    return true;
  }
  if (has_moved && ++detour_.length <= max_length) return true;
  detour_.length = 0;
  detour_.is_allowed = false;
  current_ = std::move(detour_.start);
  current_energy_ = at_start;
  gradient_ = detour_.gradient;
  iteration_.alpha_limit = detour_.direction.alpha_limit;
  return search_line(detour_.direction);
}

/// True once every scripted node is where it should be; then they are fixed.
template <int dim>
bool Step<dim>::has_reached_targets() {
  if (!problem_.augmented().is_active()) return true;
  if (problem_.augmented().progress(current_.x) < 0.999) return false;
  // The last thousandth in a straight line, if nothing is in its way.
  move_prescribed(towards_targets());
  problem_.augmented().deactivate();
  problem_.fix_prescribed();
  current_energy_ = problem_.energy(current_);
  return true;
}

/// Stiffens the pull on scripted nodes. False if that has not brought them nearer for a while: something holds them.
template <int dim>
bool Step<dim>::pull_harder() {
  const double missing = 1.0 - problem_.augmented().progress(current_.x);
  num_vain_pulls_ = missing < 0.9 * least_missing_ ? 0 : num_vain_pulls_ + 1;
  least_missing_ = std::min(least_missing_, missing);
  if (num_vain_pulls_ >= max_vain_pulls) return false;
  problem_.augmented().update(current_.x);
  current_energy_ = problem_.energy(current_);
  report_.iterations.back().event = "scripted nodes pulled harder";
  return true;
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

  // 1. Scripted nodes, fixed if they arrive and else pulled by the augmented Lagrangian (app. A.5); first contact set;
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
  problem_.choose_kappa(current_);
  start_friction(direction_of_targets);
  current_energy_ = problem_.energy(current_);

  start_from_inertia();

  // 2. Projected Newton (alg. 2.1).
  report_.status = StepStatus::iteration_limit;
  bool is_first_of_lag = false;  // friction was lagged again since the last direction
  while (report_.newton_iterations < options_.max_iterations) {
    iteration_ = {};
    Direction direction;
    if (!solve_direction(direction.dy)) {
      report_.status = StepStatus::linear_solve_failed;
      break;
    }
    ++report_.newton_iterations;
    report_.residual = length(direction.dy) / h;
    shorten(direction.dy);
    const bool has_moved = follow_detour(follow(direction.dy));
    iteration_.residual = report_.residual;
    iteration_.num_contacts = static_cast<int>(current_.contacts.contacts.size());
    iteration_.min_distance = current_.contacts.min_distance;
    report_.iterations.push_back(iteration_);
    choose_secant_share();
    if (on_iteration) on_iteration(report_.newton_iterations, report_.residual);

    // 3. Converged, or scripted nodes still under way (alg. A.1).
    // The energy on a detour is above that where it started: no place to end. Neither is one that a contact keeps most
    // of the direction from: scenes with a tolerance above what gravity gains in a step would creep instead of falling.
    const double untaken = has_moved ? (1.0 - iteration_.alpha) * report_.residual : 0.0;
    const bool is_small =
        report_.residual < options_.tolerance && untaken < max_untaken * options_.tolerance && detour_.length == 0;
    if (has_reached_targets()) {
      if (is_small) {
        // 4. Friction again with the forces just found, until a direction is small at once: eq. 2.17.
        if ((is_first_of_lag && options_.friction.iterations == 0) || !lag_again()) {
          report_.status = StepStatus::converged;
          break;
        }
        if (report_.friction_iterations > options_.friction.max_iterations) {
          report_.status = StepStatus::friction_lag_limit;
          break;
        }
        is_first_of_lag = true;
        continue;
      }
      is_first_of_lag = false;
    } else if (is_small || !has_moved) {
      if (!pull_harder()) {
        report_.status = StepStatus::prescribed_motion_blocked;
        break;
      }
      continue;
    }
    if (!has_moved) {
      report_.status = StepStatus::line_search_stalled;
      break;
    }
  }
  if (detour_.length > 0) current_ = std::move(detour_.start);
  if (report_.status == StepStatus::iteration_limit && problem_.augmented().is_active()) {
    report_.status = StepStatus::prescribed_motion_blocked;
  }
  finish();
  return report_;
}

/// The exact verdict and the figures of the step's end.
template <int dim>
void Step<dim>::finish() {
  {
    StageTimer timer(report_.profile, Stage::other);
    std::string hit;
    bool is_valid = !options_.has_contact || is_intersection_free(dim, model_, current_.x_surface, broad_phase_, &hit);
    for (const auto& potential : model_.potentials) {
      if (potential->is_feasible(current_.x)) continue;
      is_valid = false;
      hit = potential->name() + " energy has an inverted element";
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
  report_.friction_work = problem_.friction().dissipated(current_.x_surface) / target_.scale;
  for (const auto& potential : model_.potentials) {
    report_.energy.emplace_back(potential->name(), potential->energy(current_.x).value());
  }
  // kappa is part of the incremental potential; divided by its time scale the barrier is an energy.
  report_.energy.emplace_back("barrier", problem_.kappa() / target_.scale *
                                             problem_.barrier().energy(current_.contacts, current_.x_surface).value());
  const LinearSolverCounters& now = system_.solver().counters();
  report_.counters.orderings = now.num_orderings - counters_t0_.num_orderings;
  report_.counters.analyses = now.num_analyses - counters_t0_.num_analyses;
  report_.counters.factorizations = now.num_factorizations - counters_t0_.num_factorizations;
  report_.counters.linear_iterations = static_cast<int>(now.num_iterations - counters_t0_.num_iterations);
  report_.linear_seconds = {now.analyze_seconds - counters_t0_.analyze_seconds,
                            now.factor_seconds - counters_t0_.factor_seconds,
                            now.solve_seconds - counters_t0_.solve_seconds};
}

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
    commit(options.integrator, step.target(), step.current().x, state);
    if (options.integrator.method == TimeIntegrator::implicit_newmark) {
      make_rates_rigid<dim>(model, state.x, state.v, state.a);
      set_scripted_velocities<dim>(targets, x_t0, options.integrator.h, state);
    }
    state.kappa = report.kappa / step.target().scale;
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
