#include "clearance/solver/step_transpose.h"

#include <algorithm>

#include "clearance/model/feasible_model.h"
#include "clearance/model/smooth_memory.h"
#include "clearance/solver/formula_slopes.h"
#include "clearance/solver/mass_product.h"
#include "clearance/solver/rebound_slopes.h"

namespace clearance {

template <int dim>
StepTranspose<dim>::StepTranspose(Step<dim>& step, StepTangent<dim>& tangent)
    : step_(step), tangent_(tangent), in_(step.inputs()) {}

/// Returns what a state has of potential k, or other numbers if it has nothing.
std::span<double> history_or(State& state, std::size_t k, std::vector<double>& other) {
  return k < state.history.size() && !state.history[k].empty() ? std::span(state.history[k]) : std::span(other);
}

/// Adds the derivatives by the start and the end of what potentials remember at the end.
template <int dim>
void StepTranspose<dim>::add_history(const State& end, State& start, VecX& of_end) {
  for (std::size_t k = 0; k < end.history.size(); ++k) {
    const auto* memory = dynamic_cast<const SmoothMemory*>(in_.copies.potentials[k].get());
    if (!memory || end.history[k].empty()) continue;
    // The first step begins with numbers of the potentials.
    std::vector<double> unused(end.history[k].size());
    memory->pull_back_history(in_.state.x, tangent_.x(), end.history[k],
                              {start.x, of_end, history_or(start, k, unused)});
  }
}

/// Adds the derivatives by the start of the forces of potentials that remember earlier steps, or the start as damping
/// does.
template <int dim>
void StepTranspose<dim>::add_remembered(const VecX& force, State& start) {
  const VecX motion = step_.problem().target().scale * force;
  for (std::size_t k = 0; k < in_.copies.potentials.size(); ++k) {
    const Potential& potential = *in_.copies.potentials[k];
    const auto* memory = dynamic_cast<const SmoothMemory*>(&potential);
    // Materials that do not yield have the potentials of those that do, without a history.
    if (!memory || memory->has_flags_alone() || (potential.is_elastic() && potential.history_size() == 0)) continue;
    std::vector<double> unused(potential.history_size());
    VecX none = VecX::Zero(force.size());
    memory->pull_back_gradient(in_.state.x, tangent_.x(), motion, {start.x, none, history_or(start, k, unused)});
  }
}

/// Adds the derivatives by the start of the potentials that keep it in other ways, as dampers of joints do.
template <int dim>
void StepTranspose<dim>::add_lagged(const VecX& force, VecX& start) {
  const State& state = in_.state;
  const VecX& x = tangent_.x();
  const double h = in_.options.integrator.h, scale = step_.problem().target().scale;
  for (std::size_t k = 0; k < in_.copies.potentials.size(); ++k) {
    // Elastic energies and weights know no start.
    if (in_.copies.potentials[k]->is_elastic() || in_.copies.potentials[k]->has_constant_force()) continue;
    if (dynamic_cast<const SmoothMemory*>(in_.copies.potentials[k].get())) continue;
    const double length = tangent_.reach_of_shapes();
    std::unique_ptr<Potential> potential = in_.copies.potentials[k]->clone();
    const auto gradient_from = [&](const VecX& x_t0) {
      VecX gradient = VecX::Zero(x.size());
      potential->set_turns(state.x, state.turns);
      potential->set_history(history_of(state, k));
      if (!potential->begin_step(x_t0, h, (state.step + 1) * h)) return gradient;
      potential->refer_to(x);
      potential->add_gradient(x, scale, gradient);
      return gradient;
    };
    // A change that no symmetry hides tells whether the potential remembers anything.
    VecX changed = state.x;
    for (Eigen::Index i = 0; i < changed.size(); ++i)
      changed[i] += length * (0.3 + 0.7 * static_cast<double>(i * i % 7) / 6.0);
    if (gradient_from(state.x) == gradient_from(changed)) continue;
    const auto num_blocks = static_cast<std::size_t>(in_.model.layout.num_blocks);
    SlopePattern pattern{dim, dim, dim, num_blocks, std::vector<std::vector<int>>(num_blocks)};
    for (const BlockKey key : potential->pattern()) {
      const int row = block_row(key), column = block_column(key);
      pattern.rows[static_cast<std::size_t>(column)].push_back(row);
      if (row != column) pattern.rows[static_cast<std::size_t>(row)].push_back(column);
    }
    // A torque has no Hessian, and so no pattern: it turns with its body.
    if (potential->pattern().empty()) {
      for (const StiffBody& body : in_.model.stiff_bodies) {
        for (int i = 0; i <= dim; ++i) {
          for (int j = 0; j <= dim; ++j) {
            pattern.rows[static_cast<std::size_t>(body.first_block + i)].push_back(body.first_block + j);
          }
        }
      }
    }
    const SparseMatrix slopes =
        find_slopes(pattern, length, [&](const VecX& change) { return gradient_from(state.x + change); });
    start += slopes.transpose() * force;
  }
}

template <int dim>
std::optional<StepCotangent> StepTranspose<dim>::pull_back(const State& end) {
  const State& from = in_.state;
  const Model& model = in_.model;
  const LocalCoordinates<dim>& coordinates = in_.coordinates();
  const StepProblem<dim>& problem = step_.problem();
  const VecX& x = tangent_.x();
  const FormulaSlopes<dim> formulas(model, in_.options.integrator, in_.targets, step_.marks(), from, x,
                                    tangent_.reach_of_formulas());
  const FrictionSlopes& friction = tangent_.friction();

  StepCotangent result;
  State& start = result.start;
  start.x = VecX::Zero(from.x.size());
  start.v = VecX::Zero(from.v.size());
  start.a = VecX::Zero(from.a.size());
  start.x_prev = VecX::Zero(from.x_prev.size());
  start.v_prev = VecX::Zero(from.v_prev.size());
  start.stick = from.stick;
  start.history = from.history;
  for (std::vector<double>& numbers : start.history) std::fill(numbers.begin(), numbers.end(), 0.0);

  // 1. The end of the state that the formulas give depends on its start and on y; rebounds change its velocities.
  VecX of_end = end.x, of_v = end.v, of_led = VecX::Zero(from.x.size());
  ReboundSlopes<dim>(in_, step_, tangent_).pull_back(of_v, start, of_end);
  formulas.pull_back({{}, of_v, end.a, end.x_prev, end.v_prev}, start, of_end, of_led);
  VecX of_memory = VecX::Zero(3 * std::ssize(start.stick));
  if (!friction.is_empty()) {
    friction.pull_back_stick(displacements(end.stick, friction.stick()), of_end, start.x, of_memory);
  }
  add_history(end, start, of_end);

  // 2. The balance gives the free unknowns. Prescribed ones are where they are told to be.
  result.end = problem.free_part(coordinates, x, of_end);
  const std::optional<VecX> solved = tangent_.solve_transposed(-result.end);
  if (!solved) return std::nullopt;
  result.motion = *solved;
  const VecX force = coordinates.expand(x, *solved);
  VecX of_balance;
  if (!in_.targets.blocks.empty()) {
    of_balance = tangent_.full_transposed_product(*solved);
  }

  // 3. The balance depends on the start by inertia, friction and what potentials remember.
  if (problem.target().has_inertia) {
    FormulaNumbers of_target;
    of_target.x_tilde = -mass_product<dim>(step_, force);
    VecX none = VecX::Zero(from.x.size());
    formulas.pull_back(of_target, start, none, of_led);
  }
  if (!friction.is_empty()) friction.pull_back_to_start(force, start.x, of_memory);
  for (std::size_t k = 0; k < start.stick.size(); ++k) {
    start.stick[k].displacement = block<3>(of_memory, static_cast<int>(k));
  }
  add_lagged(force, start.x);
  add_remembered(force, start);

  result.targets = VecX::Zero(in_.targets.positions.size());
  for (std::size_t k = 0; k < in_.targets.blocks.size(); ++k) {
    for (int c = 0; c < dim; ++c) {
      if (!in_.targets.has_component(k, c)) continue;
      const Eigen::Index i = dim * static_cast<Eigen::Index>(in_.targets.blocks[k]) + c;
      result.targets[dim * static_cast<Eigen::Index>(k) + c] = of_end[i] + of_balance[i] + of_led[i];
    }
  }
  return result;
}

template class StepTranspose<2>;
template class StepTranspose<3>;

}  // namespace clearance
