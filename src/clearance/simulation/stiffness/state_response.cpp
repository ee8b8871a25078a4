#include "clearance/simulation/stiffness/state_response.h"

#include "clearance/model/blocks.h"

namespace clearance {

template <int dim>
std::optional<StateResponse<dim>> StateResponse<dim>::find(const SceneModel& scene, const State& state,
                                                           const PrescribedTargets& targets, StiffnessTerms terms) {
  Result<StiffnessPencil> pencil = assemble_pencil<dim>(scene, state, targets, terms);
  if (!pencil) return std::nullopt;
  StateResponse response(scene, state);
  response.pencil_ = std::make_unique<StiffnessPencil>(std::move(*pencil));
  response.solver_ = make_automatic_solver();
  response.solver_->set_interpolation(response.coordinates_.interpolation());
  response.solver_->set_positions(response.coordinates_.positions(state.x));
  if (response.solver_->factorize(response.pencil_->stiffness) != LinearSolveStatus::solved) return std::nullopt;
  return response;
}

template <int dim>
std::optional<VecX> StateResponse<dim>::under(const VecX& forces) const {
  VecX reduced = coordinates_.reduce(state_->x, forces), response;
  for (Eigen::Index i = 0; i < reduced.size(); ++i) {
    if (pencil_->is_free[i] == 0) reduced[i] = 0.0;
  }
  if (solver_->solve_roughly(reduced, response) != LinearSolveStatus::solved || !response.allFinite())
    return std::nullopt;
  return coordinates_.expand(state_->x, response);
}

template class StateResponse<2>;
template class StateResponse<3>;

VecX work_of_bodies(const Model& model, const VecX& forces, const VecX& displacements) {
  const int dim = model.layout.dim;
  VecX work = VecX::Zero(model.surface.num_bodies());
  for (int b = 0; b < model.layout.num_blocks; ++b) {
    const Eigen::Index first = static_cast<Eigen::Index>(dim) * b;
    work[body_of_block(model, b)] += forces.segment(first, dim).dot(displacements.segment(first, dim));
  }
  return work;
}

}  // namespace clearance
