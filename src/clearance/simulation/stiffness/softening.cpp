#include "clearance/simulation/stiffness/softening.h"

#include <algorithm>

#include "clearance/math/dimension.h"
#include "clearance/model/blocks.h"
#include "clearance/simulation/build/motion_targets.h"
#include "clearance/simulation/stiffness/state_matrices.h"
#include "clearance/sparse/linear_solver.h"

namespace clearance {

namespace {

/// Scenes with more blocks are spared the factorisation.
constexpr int max_blocks = 100'000;

template <int dim>
std::vector<double> find_softening(const SceneModel& scene, const State& state) {
  const Model& model = scene.model;
  std::vector<double> factors(model.surface.num_bodies(), 1.0);
  State at_end = state;
  const Result<PrescribedTargets> targets = find_targets(scene, at_end);
  if (!targets || model.layout.num_blocks > max_blocks) return factors;
  const Result<StiffnessPencil> pencil = assemble_pencil<dim>(scene, state, *targets, StiffnessTerms::all);
  if (!pencil) return factors;
  const std::unique_ptr<LinearSolver> solver = make_cholmod_solver();
  if (solver->factorize(pencil->stiffness) != LinearSolveStatus::solved) return factors;
  VecX forces = elastic_gradient(model, state.x), response;
  for (Eigen::Index i = 0; i < forces.size(); ++i) {
    if (pencil->is_free[i] == 0) forces[i] = 0.0;
  }
  if (solver->solve(forces, response) != LinearSolveStatus::solved) return factors;
  VecX work = VecX::Zero(std::ssize(factors));  // [J] of the forces over the response
  for (int b = 0; b < model.layout.num_blocks; ++b) {
    work[body_of_block(model, b)] += block<dim>(forces, b).dot(block<dim>(response, b));
  }
  const VecX elastic = elastic_energies(model, state.x);
  for (std::size_t body = 0; body < factors.size(); ++body) {
    const auto at = static_cast<Eigen::Index>(body);
    if (elastic[at] > 0.0) factors[body] = std::max(1.0, work[at] / (2.0 * elastic[at]));
  }
  return factors;
}

}  // namespace

std::vector<double> find_softening(const SceneModel& scene, const State& state) {
  return with_dimension(scene.dim, [&](auto dim) { return find_softening<dim>(scene, state); });
}

}  // namespace clearance
