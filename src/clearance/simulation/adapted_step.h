// A step whose elements change while it is solved [Fer23, alg. 6.1]: the state at its start, and its solution so far,
// on other elements.
#pragma once

#include <memory>
#include <optional>

#include "clearance/simulation/adapting_bodies.h"

namespace clearance {

struct AdaptedStep {
  std::unique_ptr<SceneModel> scene;  ///< built from state.meshes
  State state;                        ///< at the start of the step
  VecX x1;                            ///< [m] free of intersections and inversions; near the solution
  RemeshReport report;
};

/// Operations on the elements of a step that has been solved with the solution `x1`. Nothing if there are none, or if
/// the state on the new elements would not be valid; `rejected` are then those of the old ones, as known now.
template <int dim>
std::optional<AdaptedStep> adapt(const SceneDesc& desc, const AdaptingBodies& bodies, const SceneModel& scene,
                                 const SolverOptions& options, const PrescribedTargets& targets, const State& state,
                                 const VecX& x1, RemeshReport& report, std::vector<RejectedOperation>& rejected);

/// Every element of one of the bodies split into 8 (2D: 4), between steps.
template <int dim>
AdaptedStep refine(const SceneDesc& desc, const AdaptingBodies& bodies, const AdaptingBodies::Body& body,
                   const SceneModel& scene, const State& state);

/// Adds what another solve of the same step has done: iterations, seconds, counts.
void add_work(const StepReport& of_solve, StepReport& report);

/// The scene of a state that has adapted elements; issues as of build_scene_model.
std::unique_ptr<SceneModel> build_adapted_scene(const SceneDesc& desc, const AdaptingBodies& bodies,
                                                const BodyMeshes& meshes, const Controls& controls);

}  // namespace clearance
