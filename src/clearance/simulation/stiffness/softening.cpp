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

/// Returns the elastic forces [N] on what moves freely.
VecX elastic_forces(const Model& model, const VecX& x, const std::vector<char>& is_free) {
  VecX forces = VecX::Zero(x.size());
  for (const auto& potential : model.potentials) {
    if (potential->is_elastic()) potential->clone()->add_gradient(x, 1.0, forces);
  }
  for (Eigen::Index i = 0; i < forces.size(); ++i) {
    if (is_free[i] == 0) forces[i] = 0.0;
  }
  return forces;
}

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
  VecX elastic = VecX::Zero(factors.size());  // [J]
  for (const auto& potential : model.potentials) {
    if (potential->is_elastic()) potential->add_body_energies(state.x, model.body_of_block, elastic);
  }
  const VecX forces = elastic_forces(model, state.x, pencil->is_free);
  for (std::size_t body = 0; body < factors.size(); ++body) {
    if (!(elastic[body] > 0.0)) continue;
    VecX own = forces, response;
    for (int b = 0; b < model.layout.num_blocks; ++b) {
      if (body_of_block(model, b) != static_cast<int>(body)) block<dim>(own, b).setZero();
    }
    if (solver->solve(own, response) != LinearSolveStatus::solved) continue;
    factors[body] = std::max(1.0, own.dot(response) / (2.0 * elastic[body]));
  }
  return factors;
}

}  // namespace

std::vector<double> find_softening(const SceneModel& scene, const State& state) {
  return with_dimension(scene.dim, [&](auto dim) { return find_softening<dim>(scene, state); });
}

}  // namespace clearance
