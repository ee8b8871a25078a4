// Scenes of a plan, with a design or as their files have them, made for derivatives: friction agrees with the contact
// forces, and prescribed motions of static scenes are divided into steps.
#pragma once

#include <vector>

#include "clearance/derivatives/scene_variant.h"
#include "clearance/optimise/polyfem_plan.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance::optimise {

/// Returns the scene of the varied state with the numbers `y` of the plan's variables.
SceneDesc scene_of_design(const PolyfemPlan& plan, const std::vector<VecX>& y);
/// Returns the nodes of the varied state at rest with a design [m].
VecX rest_of_design(const PolyfemPlan& plan, const std::vector<VecX>& y);
/// Returns the scene of a state as its file has it.
SceneDesc scene_of_state(const PolyfemPlan& plan, std::size_t state);
/// Returns warnings about what derivatives change in the scene of a state, and what has none.
Issues changes_of_scene(const PolyfemPlan& plan, std::size_t state);

/// Returns why numbers of a variable cannot be those of whole bodies; empty if they can.
std::string why_not_of_bodies(const PolyfemPlan& plan, VariableKind kind, const VecX& y);
/// Cells, or nodes, of each entry of the geometry.
std::vector<std::vector<int>> cells_of_entries(const StateMesh& mesh);
std::vector<std::vector<int>> nodes_of_entries(const StateMesh& mesh);

/// Makes the scene, also with values set at paths.
derivatives::SceneMaker maker_of(SceneDesc scene, std::string name);

/// Keeps the positions of a run in the numbers of a mesh.
class HistoryRecorder {
 public:
  HistoryRecorder(const StateMesh& mesh, StateHistory& history);
  /// False if the scene has other nodes than the mesh.
  bool add(const SceneModel& scene, const State& state);
  /// Numbers of the model; empty before the first state.
  const MeshInModel& in_model() const { return in_model_; }

 private:
  const StateMesh& mesh_;
  StateHistory& history_;
  MeshInModel in_model_;
};
/// Issue about a scene that has other nodes than the mesh.
Issue unknown_nodes(const std::string& file);

}  // namespace clearance::optimise
