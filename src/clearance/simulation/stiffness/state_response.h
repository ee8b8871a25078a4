// Small displacements about a state of a scene.
#pragma once

#include <memory>
#include <optional>

#include "clearance/model/local_coordinates.h"
#include "clearance/simulation/stiffness/state_matrices.h"
#include "clearance/sparse/linear_solver.h"

namespace clearance {

/// The factors of the stiffness at a state, without contacts.
template <int dim>
class StateResponse {
 public:
  /// Blocks and components in `targets` are held. No value if the stiffness is not positive definite, because a body
  /// can move freely or is not stable, or if a formula has no value. `scene` and `state` must outlive the result.
  static std::optional<StateResponse> find(const SceneModel& scene, const State& state,
                                           const PrescribedTargets& targets, StiffnessTerms terms);

  /// Returns the displacements [m] of all blocks under forces [N] on them; no value if the solve fails.
  std::optional<VecX> under(const VecX& forces) const;

 private:
  StateResponse(const SceneModel& scene, const State& state) : state_(&state), coordinates_(scene.model) {}

  const State* state_;
  LocalCoordinates<dim> coordinates_;
  std::unique_ptr<StiffnessPencil> pencil_;  // of the solver, which refers to it
  std::unique_ptr<LinearSolver> solver_;
};

extern template class StateResponse<2>;
extern template class StateResponse<3>;

/// Returns f . u [J] of the blocks of each body.
VecX work_of_bodies(const Model& model, const VecX& forces, const VecX& displacements);

}  // namespace clearance
