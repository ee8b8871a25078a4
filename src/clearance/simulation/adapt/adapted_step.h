// A step whose elements change while it is solved [Fer23, alg. 6.1]. It holds the state at the start of the step and
// the solution so far, both on the new elements.
#pragma once

#include <memory>
#include <optional>

#include "clearance/simulation/adapt/adapting_bodies.h"

namespace clearance {

struct AdaptedStep {
  std::unique_ptr<SceneModel> scene;  ///< built from state.meshes
  State state;                        ///< at the start of the step
  VecX x1;                            ///< [m] solution so far, free of intersections and inversions
  RemeshReport report;
};

/// A step whose elements may change: the scene on the current elements, the state at its start and the solution so far.
struct StepToAdapt {
  const SceneDesc& desc;
  const AdaptingBodies& bodies;
  const SceneModel& scene;
  const SolverOptions& options;
  const StepHooks& hooks;
  const PrescribedTargets& targets;
  const State& state;  ///< at the start of the step
  const VecX& x1;      ///< [m] solution so far
};

/// Applies operations to the elements of a step. Returns nothing if no element changes, or if the state on the new
/// elements would not be valid. If no element changes, `rejected` becomes the list of operations known to be rejected
/// on the old elements.
template <int dim>
std::optional<AdaptedStep> adapt(const StepToAdapt& old, RemeshReport& report,
                                 std::vector<RejectedOperation>& rejected);

/// Splits every element of one body into 8 (2D: 4), between two steps.
template <int dim>
AdaptedStep refine(const SceneDesc& desc, const AdaptingBodies& bodies, const AdaptingBodies::Body& body,
                   const SceneModel& scene, const State& state);

/// Adds the work of another solve of the same step to a report: iterations, seconds, counts.
void add_work(const StepReport& of_solve, StepReport& report);

/// Builds the scene of a state that has adapted elements. Issues are those of build_scene_model.
std::unique_ptr<SceneModel> build_adapted_scene(const SceneDesc& desc, const AdaptingBodies& bodies,
                                                const BodyMeshes& meshes, const Controls& controls);

}  // namespace clearance
